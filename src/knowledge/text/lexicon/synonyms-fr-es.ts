/**
 * Near-synonyms of policies and product help in French and Spanish, one group per line, entries separated by commas, lower case.
 * Refuses opposites, wider terms and function words.
 */

const french = `
remboursement, rembourser, être remboursé, récupérer mon argent
prix, tarif, coût, combien coûte, frais
gratuit, sans frais, offert, gratuitement
réduction, remise, rabais, promotion
code promo, bon de réduction, coupon, code de réduction
payer, paiement, régler, règlement
facture, facturation
reçu, justificatif, preuve d'achat, preuve de paiement
moyen de paiement, mode de paiement, méthode de paiement
virement, virement bancaire
prélèvement, débit automatique, prélèvement automatique
tva, taxe
abonnement, forfait, formule, offre
essai gratuit, période d'essai, version d'essai
renouvellement, renouveler, reconduction
résilier, résiliation, annuler, annulation, mettre fin
préavis, délai de préavis
rétractation, droit de rétractation, délai de rétractation
contrat, accord
conditions générales, conditions d'utilisation, cgu, cgv
obligatoire, requis, exigé
interdit, défendu, pas autorisé, interdire
autoriser, permettre, permis, autorisation
livraison, expédition, envoi, livrer, expédier
retour, renvoyer, retourner
défectueux, cassé, endommagé, abîmé
colis, paquet
congé, vacances, congés payés, jours de repos
maladie, malade, arrêt maladie, arrêt de travail
salaire, paie, rémunération
fiche de paie, bulletin de salaire, bulletin de paie
notes de frais, dépenses, frais professionnels
télétravail, travail à distance, travailler de chez moi
employé, salarié, collaborateur, personnel
responsable, manager, chef, supérieur
démission, démissionner, quitter l'entreprise
se connecter, connexion, s'identifier, ouvrir une session
se déconnecter, déconnexion
mot de passe, mdp
compte, profil
s'inscrire, inscription, créer un compte
supprimer, effacer, suppression
modifier, changer, modification
désactiver, éteindre, couper
activer, allumer
confidentialité, vie privée, protection des données, rgpd
données personnelles, informations personnelles
conservation, durée de conservation, conserver
sauvegarde, copie de sécurité
paramètre, réglage, configuration, option
appel, coup de fil, appeler, téléphoner
télécharger, téléchargement
fichier, document
erreur, bug, panne, problème, dysfonctionnement
assistance, support, service client, service clientèle
contacter, joindre, prendre contact
délai, échéance, date limite
par an, annuel, chaque année, annuellement
par mois, mensuel, chaque mois, mensuellement
limite, plafond, maximum, quota`;

const spanish = `
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
móvil, celular, teléfono móvil`;

export const frenchSynonyms: string = french.trim();
export const spanishSynonyms: string = spanish.trim();
