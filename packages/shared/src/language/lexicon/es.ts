export const es = {
  'stop-words': `
// Words that say how something is asked, not what about; without apostrophes.
a, acerca, además, ahí, ahora, al, algo, alguien, algún, alguna, algunas, alguno, algunos, allá, allí, ambos, ante, antes, aquel
aquella, aquellas, aquello, aquellos, aquí, así, aún, aunque, bajo, bastante, bien, cada, casi, como, cómo, con, conmigo, contigo
contra, cual, cuál, cuales, cuáles, cualquier, cualquiera, cuando, cuándo, cuanta, cuánta, cuantas, cuántas, cuanto, cuánto, cuantos
cuántos, da, dado, dan, dar, de, debe, debemos, deben, debería, debo, del, demás, demasiado, dentro, desde, después, donde, dónde
durante, e, el, él, ella, ellas, ello, ellos, en, entonces, entre, era, eran, eras, eres, es, esa, esas, ese, eso, esos, esta, está
estaba, estaban, estado, estamos, están, estar, estas, estás, este, esto, estos, estoy, etc, fue, fuera, fueron, fui, ha, había, habían
haber, habrá, hace, hacemos, hacen, hacer, hacia, haciendo, hago, han, has, hasta, hay, haya, he, hemos, hizo, incluso, jamás, junto, la
las, le, les, lo, los, luego, más, me, mediante, menos, mi, mía, mías, mientras, mío, míos, mis, misma, mismas, mismo, mismos, mucha
muchas, mucho, muchos, muy, nada, nadie, ni, ningún, ninguna, ningunas, ninguno, ningunos, no, nos, nosotras, nosotros, nuestra
nuestras, nuestro, nuestros, nunca, o, os, otra, otras, otro, otros, para, pero, poca, pocas, poco, pocos, podemos, podría, podrían
podrías, poder, por, porque, porqué, pude, pudo, puede, pueden, puedes, puedo, pues, que, qué, quien, quién, quienes, quiénes, quiere
quieren, quieres, quiero, quisiera, se, sé, sea, sean, según, ser, será, serán, sería, si, sí, sido, siempre, siendo, sin, sino, sobre
sois, solamente, solo, sólo, somos, son, soy, su, sus, suya, suyas, suyo, suyos, tal, tales, también, tampoco, tan, tanto, tantos, te
tendría, tenemos, tener, tengo, ti, tiene, tienen, tienes, toda, todas, todavía, todo, todos, tras, tu, tú, tus, tuya, tuyo, u, un, una
unas, uno, unos, usted, ustedes, va, vamos, van, varias, varios, vosotras, vosotros, voy, vuestra, vuestro, y, ya, yo, buenas, bueno
buenos, disculpa, disculpe, favor, gracias, hola, hey, oye, perdón, perdona, saludos, ok, okay, claro, porfa, decir, decirme, dime, diga
explica, explicar, explícame, gustaría, necesita, necesito, necesitamos, pregunta, preguntas, saber, sabe, sabes, realmente, simplemente
`,
  negations: `
no, nunca, ningun, ninguna, ninguno, nada, nadie, jamas, tampoco, ni
except: sin, excepto, salvo
`,
  affirmations: `
no solo, no mas de, no mas tarde
`,
  opposites: `
mas de, al menos, por lo menos, minimo, como minimo | menos de, como maximo, maximo, hasta, a lo sumo, dentro de, en un plazo de
siempre | a veces, nunca, raramente; only: solo, solamente, unicamente, exclusivamente |
general: cualquier, cualquiera, ambos |
antes | despues, tras; incluir, incluye, incluido, incluidos, incluyen | excluir, excluye, excluido, excluidos, excluyen
aceptar, aceptan, acepta, aprobar, aprueba | rechazar, rechaza, rechazan, denegar
permitido, permite, permitir, permitida | prohibido, prohibe, prohibir, prohibida
abierto, abierta, abrir, abre | cerrado, cerrada, cerrar, cierra; todos, todas, cada | algunos, algunas
obligatorio, obligatoria, debe, deben, requerido | opcional, voluntario, puede, pueden
aumentar, aumenta, subir | disminuir, disminuye, reducir, bajar; primer, primero, primera, primeros | ultimo, ultima, ultimos
interno, interna | externo, externa; gratis, gratuito, gratuita | de pago; publico, publica | privado, privada, confidencial
automatico, automaticamente | manual, manualmente
`,
  joints: `
y, pero, mientras, si
part: sin, salvo, excepto, en lugar de, antes, despues, que, como
`,
  discourse: `
ademas, embargo, ejemplo, generalmente, importante, segun, respecto, siguiente, siguientes
`,
  numbers: `
0.5: medio, media; 1: un, una, uno; 2: dos, doble; 3: tres; 4: cuatro; 5: cinco; 6: seis; 7: siete; 8: ocho; 9: nueve; 10: diez; 11: once
12: doce, docena; 13: trece; 14: catorce; 15: quince; 16: dieciseis; 20: veinte; 30: treinta; 40: cuarenta; 50: cincuenta; 60: sesenta
70: setenta; 80: ochenta; 90: noventa; 100: cien; 1000: mil
2: segunda; 3: tercera, tercer, tercero; 4: cuarta; 5: quinta; 6: sexta
`,
  measures: `
s: segundos; minute: minuto, minutos; hour: hora, horas; day: dia, dias, diario, diaria; week: semana, semanas, semanal
month: mes, meses, mensual, mensuales; quarter: trimestre, trimestres, trimestral; year: ano, anos, anual, anuales
business?: habil, habiles, laborable, laborables; calendar?: natural, naturales
%: porciento; $: dolar, dolares; €: euro, euros; thousand: mil; million: millon, millones
monday: lunes; tuesday: martes; wednesday: miercoles; thursday: jueves; friday: viernes; saturday: sabado, sabados
sunday: domingo, domingos
january: enero; february: febrero; march: marzo; april: abril; may: mayo; june: junio; july: julio; august: agosto; september: septiembre
october: octubre; november: noviembre; december: diciembre
`,
  synonyms: `
// Words and short phrases that may stand for one another: no opposites, no wider terms.
reembolso, devolución del dinero, reembolsar, devolver el dinero
precio, coste, costo, tarifa, cuánto cuesta
gratis, gratuito, sin coste, sin costo
descuento, rebaja, promoción
cupón, código promocional, código de descuento
pagar, pago, abonar
factura, facturación
recibo, comprobante, justificante
método de pago, forma de pago, medio de pago
transferencia, transferencia bancaria
domiciliación, débito automático, cargo automático
impuesto, iva
suscripción, plan, abono
prueba gratuita, periodo de prueba, prueba gratis
renovar, renovación
cancelar, cancelación, dar de baja, anular, rescindir
preaviso, plazo de preaviso
desistimiento, derecho de desistimiento
contrato, acuerdo
términos y condiciones, condiciones de uso, condiciones del servicio
obligatorio, requerido, exigido
prohibido, no permitido, prohibir
permitir, autorizar, permiso, autorización
envío, entrega, enviar, entregar
devolución, devolver, retornar
defectuoso, roto, dañado, averiado
paquete, bulto
vacaciones, días libres, permiso retribuido
enfermedad, enfermo, baja médica, baja por enfermedad
salario, sueldo, nómina, remuneración
gastos, viáticos, dietas
teletrabajo, trabajo remoto, trabajar desde casa
empleado, trabajador, personal
jefe, responsable, supervisor, gerente
dimitir, renunciar, renuncia, dejar la empresa
iniciar sesión, entrar, acceder, conectarse
cerrar sesión, salir, desconectarse
contraseña, clave
cuenta, perfil
registrarse, registro, crear una cuenta, darse de alta
eliminar, borrar, suprimir, quitar
cambiar, modificar, editar
desactivar, apagar, deshabilitar
activar, encender, habilitar
privacidad, protección de datos, rgpd
datos personales, información personal
conservar, retención, almacenar, guardar
copia de seguridad, respaldo, backup
configuración, ajustes, opciones, preferencias
llamada, llamar, telefonear
descargar, bajar, descarga
archivo, fichero, documento
error, fallo, problema, avería
soporte, atención al cliente, asistencia, servicio al cliente
contactar, ponerse en contacto, contacto
plazo, fecha límite, vencimiento
anual, al año, cada año, por año
mensual, al mes, cada mes, por mes
límite, tope, máximo, cuota
ordenador, computadora, portátil, equipo
móvil, celular, teléfono móvil
`,
  'compound-parts': '',
};

export const esTalk = {
  'small-talk': `
// What people say to an assistant when they ask the documents nothing: words in order, 'a/b' one of several, '?' after what may be missing.
// No word that a question about a product could be made of.
beside: y, pero, entonces, también, muy, todos, todas, a todos/todas, amigo, amiga, amigos, señor, señora, hoy, otra vez, por todo/eso, por tu/su/la/toda ayuda/respuesta/información/explicación/atención/tiempo/la ayuda?, por favor
greeting: hola, holi, buenas, saludos, bienvenido, bienvenida, buenos/buen días/día, buenas tardes, qué tal todo/estás?, qué hay/pasa/onda, cómo estás/está/están/va/andas/vas hoy/todo/usted?, y tú/usted, encantado, encantada, mucho gusto, igualmente, yo también
thanks: gracias, muchas/muchísimas/mil gracias, gracias a ti/usted/todos, gracias de nuevo/antemano, gracias por adelantado/todo, te/le/lo/os/se agradezco/lo mucho/agradezco?, perfecto, genial, excelente, estupendo, fantástico, maravilloso, buenísimo, guay, bien, bueno, increíble, fenomenal, vale, muy bien/bueno/útil/amable/claro, buen/buena/gran trabajo/respuesta/idea/explicación, está bien/claro/perfecto/bueno, eso/esto? es/está muy? útil/genial/perfecto/correcto/bien, qué bueno/bien, me ha? ayudado/servido/ayuda/ayudó/sirve/sirvió mucho?, eres muy? genial/amable/increíble, felicidades, enhorabuena, sí, claro, entendido, comprendido, exacto, correcto, listo, dale, cierto, jaja, jajaja, jeje, obvio, por supuesto, desde luego, de acuerdo/nada, no hay problema/de qué, sin problema, no te/se preocupes/preocupe, ya? veo/entiendo, lo entiendo/siento, con mucho? gusto, perdón, perdona, disculpa, disculpe, un momento/segundo/minuto por? favor?, no importa/pasa nada?
bye: adiós, chao, chau, hasta luego/pronto/mañana/siempre, hasta la vista/próxima, nos vemos luego/pronto/mañana?, buenas noches, que tengas/tenga/tengan un/una buen/buena/lindo/linda día/tarde/noche/semana, buen fin de semana, cuídate, cuídese, eso es todo, nada más
help: ayuda, ayúdame, ayúdeme, socorro, quién/qué eres/es tú/usted?, cómo te/se llamas/llama, cuál es tu/su nombre, eres/es usted? un/una? robot/bot/humano/ia/máquina/persona real?, qué puedes/puede/sabes hacer por? mí?, en? qué/cómo puedes/puede ayudarme, en? qué/cómo me puedes/puede ayudar, puedes/puede/podrías/podría ayudarme/ayudarnos, me/nos puedes/puede/podrías/podría ayudar, qué te puedo preguntar, qué puedo preguntarte/preguntar, necesito tu/su? ayuda, tengo una/un/otra pregunta/duda, una pregunta/duda rápida?, puedo hacerte/hacerle una pregunta, puedo preguntarte/preguntarle algo, qué temas conoces/conoce, hay alguien ahí/aquí?
`,
  'person-request': `
// See the English list.
beside: de verdad, de carne y hueso, por favor, ahora, ya, ahora mismo, inmediatamente, directamente, mejor, en persona, por teléfono, no con? un/una? robot/bot/máquina/chatbot, en vez/lugar de un/una? robot/bot/máquina, del equipo/soporte, de soporte/atención/servicio al? cliente?, de su/tu equipo
want: yo? quiero/quisiera/querría/necesito/deseo/prefiero/preferiría/exijo/solicito, me gustaría, puedo/podría/podemos, se puede, es posible, puede/puedes/podría/podrías usted?, me puede/puedes/podría/podrías, hay alguna? forma de, cómo puedo, dame, deme, queremos/necesitamos, tengo que
contact: hablar, chatear, conversar, platicar, comunicarme, comunicar, contactar, contactarme, ponerme/póngame/ponme en contacto, pasarme, pásame, páseme, pasar, conectarme, conéctame, conécteme, conectar, transferirme, transfiéreme, transfiérame, transferir, comunícame, comuníqueme, derivarme, ser atendido/atendida/transferido por/a?
near: con, a, por, un, una, el, la, algún, alguna, otro, otra, su, ser, verdadero, verdadera
person: persona, humano, humana, ser humano, agente/operador/asesor/representante/persona/alguien/gente humano/humana/real, agente, operador, operadora, asesor, asesora, representante, empleado, empleada, ejecutivo, ejecutiva, encargado, supervisor, gerente, alguien más?, atención al cliente, servicio de atención? al cliente, soporte humano
whole: agente/humano/operador/persona por favor, persona real, agente humano, atención humana, alguien/alguno me puede llamar, me pueden/puede llamar, llámenme, que me llamen
about: sobre, acerca, por mi/el/la/un/una, porque, respecto, para, que pueda/sepa/entienda/me
`,
  suggestions: `
// See the English list.
topic: ¿Qué debo saber sobre «{}»?; steps: ¿Cómo puedo {}?; mine: su=mi, sus=mis, tu=mi, tus=mis; open: ¿
asking: cómo, cuánto, cuánta, cuántos, cuántas, cuándo, dónde, qué es, qué son, qué hacer, por qué, quién, cuál es, cuáles son, puedo, se puede, hay que
verbs: grabar, ajustar, activar, agregar, añadir, actualizar, anular, cambiar, cancelar, comprar, compartir, configurar, contactar, crear, desactivar, descargar, devolver, eliminar, enviar, exportar, gestionar, importar, imprimir, instalar, invitar, modificar, obtener, abrir, pagar, pedir, proteger, registrar, renovar, restablecer, restaurar, solicitar, subir, transferir, usar, verificar
generic: resumen, introducción, índice, contenido, contenidos, conclusión, conclusiones, antecedentes, anexo, anexos, referencias, véase también, notas, nota, ejemplos, ejemplo, faq, preguntas frecuentes, primeros pasos, inicio rápido, próximos pasos, generalidades, varios, otros, detalles, contacto, aviso legal, enlaces, glosario, definiciones, objeto, requisitos, instalación, configuración, uso, opciones, parámetros, licencia, inicio, descripción, funciones, enlaces externos, visión general
clause: qué, que, cómo, cuándo, cuánto, dónde, quién, cuál, yo, nosotros, nuestro, nuestra, nuestros, nuestras, mi, mis, tú, usted, él, ella, ellos, este, esta, esto, estos, estas, es, son, era, será, puede, pueden, debe, deben, no, si, aquí, paso, parte, capítulo, sección, figura, tabla, fase, lección, versión, consejo, consejos, ejemplo, sr, sra, dr, dra, estimado, hola, nuevo, interno, confidencial, borrador
pointing: eso, esto, ello, él, ella, ellos, ellas, este, esta, estos, estas, aquí, ahí, nosotros
`,
};
