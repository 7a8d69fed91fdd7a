export const pt = {
  'stop-words': `
// Words that say how something is asked, not what about; without apostrophes.
a, à, acerca, agora, aí, ainda, além, algo, alguém, algum, alguma, algumas, alguns, ali, ambos, ante, antes, ao, aonde, aos, após
aquela, àquela, aquelas, aquele, àquele, aqueles, aqui, aquilo, as, às, assim, até, através, bastante, bem, cada, com, como, comigo
conosco, contra, contudo, cuja, cujo, da, dá, daquela, daquele, dar, das, de, dela, delas, dele, deles, dentro, depois, desde, dessa
dessas, desse, desses, desta, destas, deste, destes, deve, devem, devemos, deveria, devo, disso, disto, do, dos, durante, e, é, ela
elas, ele, eles, em, enquanto, então, entre, era, eram, és, essa, essas, esse, esses, esta, está, estamos, estão, estar, estas, estás
estava, estavam, este, esteja, estes, estou, eu, faz, fazem, fazer, fazendo, faço, fez, foi, fora, foram, fosse, há, haver, havia, isso
isto, já, jamais, la, lá, lhe, lhes, lo, logo, mais, mas, me, menos, mesma, mesmas, mesmo, mesmos, meu, meus, mim, minha, minhas, muita
muitas, muito, muitos, na, nada, não, nas, nela, nele, nem, nenhum, nenhuma, nessa, nesse, nesta, neste, ninguém, no, nos, nós, nossa
nossas, nosso, nossos, num, numa, nunca, o, onde, os, ou, outra, outras, outro, outros, para, pela, pelas, pelo, pelos, perante, pode
podem, podemos, poder, poderia, posso, pouca, poucas, pouco, poucos, pois, por, porém, porque, porquê, pra, própria, próprio, pude
quais, qual, qualquer, quando, quanta, quantas, quanto, quantos, quase, que, quê, quem, quer, querem, quero, queria, são, se, seja
sejam, sem, sempre, sendo, ser, será, serão, seria, seu, seus, si, sido, só, sob, sobre, somente, sou, sua, suas, tal, também, tampouco
tanto, tão, te, tem, têm, temos, tenha, tenho, ter, teria, teu, teus, ti, tinha, tive, toda, todas, todavia, todo, todos, tu, tua, tuas
um, uma, umas, uns, vai, vamos, vão, várias, vários, você, vocês, vos, vou, boa, bom, obrigada, obrigado, oi, olá, desculpa, desculpe
desculpem, favor, gentileza, tchau, valeu, ok, okay, hey, sim, tudo, diga, dizer, explica, explicar, explique, gostaria, pergunta
perguntas, precisa, precisamos, preciso, pretendo, saber, sabe, sabem, sei, dúvida, dúvidas, realmente, apenas
`,
  negations: `
nao, nunca, sem, nenhum, nenhuma, nada, ninguem, exceto, salvo, jamais
`,
  affirmations: '',
  opposites: '',
  joints: `
e, mas, ou, enquanto, se
`,
  discourse: '',
  numbers: `
2: dois, duas, dobro; 3: tres; 4: quatro; 5: cinco; 6: seis; 7: sete; 8: oito; 9: nove; 10: dez; 12: doze; 14: catorze; 15: quinze
20: vinte; 30: trinta; 40: quarenta; 50: cinquenta; 60: sessenta; 90: noventa; 100: cem; 1000: mil
`,
  measures: `
s: segundos; minute: minuto, minutos; hour: hora, horas; day: dia, dias, diario; week: semana, semanas, semanal
month: mes, meses, mensal, mensais; year: ano, anos, anual, anuais; business?: util, uteis
€: euro, euros; $: dolar, dolares
saturday: sabado; sunday: domingo
`,
  synonyms: `
// Words and short phrases that may stand for one another: no opposites, no wider terms.
reembolso, reembolsar, dinheiro de volta, estorno
preço, custo, tarifa, quanto custa, valor
grátis, gratuito, sem custo
desconto, promoção, abatimento
cupom, código promocional, código de desconto, cupão
pagar, pagamento, quitar
fatura, nota fiscal, cobrança
recibo, comprovante, comprovativo
forma de pagamento, método de pagamento, meio de pagamento
transferência, transferência bancária
débito automático, débito direto
imposto, taxa, iva
assinatura, plano, subscrição
teste grátis, período de teste, avaliação gratuita
renovar, renovação
cancelar, cancelamento, rescindir, encerrar
aviso prévio, prazo de aviso
direito de arrependimento, direito de livre resolução
contrato, acordo
termos e condições, termos de uso, condições de serviço
obrigatório, exigido, necessário
proibido, não permitido, vedado
permitir, autorizar, permissão, autorização
envio, entrega, enviar, entregar, frete
devolução, devolver, retornar
defeituoso, quebrado, danificado, avariado
pacote, encomenda
férias, dias de folga, folga
doença, doente, licença médica, atestado, baixa médica
salário, ordenado, remuneração
holerite, contracheque, recibo de vencimento
despesas, gastos, ajudas de custo
trabalho remoto, home office, teletrabalho, trabalhar de casa
funcionário, empregado, colaborador, trabalhador
chefe, gestor, gerente, supervisor
demissão, demitir-se, pedir demissão, sair da empresa
entrar, fazer login, iniciar sessão, acessar
sair, encerrar sessão, terminar sessão, logout
senha, palavra-passe
cadastrar, registrar, criar uma conta, cadastro, registo
excluir, apagar, eliminar, remover
alterar, mudar, modificar, editar
desativar, desligar, desabilitar
ativar, ligar, habilitar
privacidade, proteção de dados, lgpd, rgpd
dados pessoais, informações pessoais
retenção, conservar, armazenar, guardar
backup, cópia de segurança
configuração, ajustes, opções, definições
chamada, ligação, telefonema
baixar, descarregar, download
arquivo, ficheiro, documento
erro, falha, problema, defeito
suporte, atendimento, apoio ao cliente, atendimento ao cliente
contatar, entrar em contato, falar com, contactar
prazo, data limite, vencimento
anual, por ano, cada ano
mensal, por mês, cada mês
limite, teto, máximo, cota
`,
  'compound-parts': '',
};

export const ptTalk = {
  'small-talk': `
// What people say to an assistant when they ask the documents nothing: words in order, 'a/b' one of several, '?' after what may be missing.
// No word that a question about a product could be made of.
beside: e, mas, então, também, muito, mesmo, gente, pessoal, amigo, galera, hoje, senhor, senhora, a/para todos/todas/vocês, por tudo/isso/hoje/favor, pela/por sua/tua? ajuda/resposta/atenção/informação/explicação
greeting: oi, olá, oie, opa, saudações, alô, bom dia/trabalho, boa tarde/semana, como vai/está/estás/vão você/hoje?, como você está/vai, tudo bem/bom/certo/ok/joia com? você/contigo/aí?, e você/tu, prazer em? conhecer/conhecê? você?, igualmente, eu também, bemvindo
thanks: obrigado/obrigada/obg/brigado/brigada mesmo/demais?, obrigadão, vlw, valeu, grato, grata, muito obrigado/obrigada, muito bem/bom/útil/claro/legal/gentil, agradeço muito/desde já?, perfeito, ótimo, excelente, fantástico, maravilhoso, bacana, incrível, bem, fixe, parabéns, maravilha, beleza, bom/boa/ótimo/ótima/belo trabalho/resposta/ideia/explicação, isso? é/está/foi muito/mesmo? útil/perfeito/certo/claro/legal/bom/ótimo/tudo, isso mesmo/aí, que legal/bom/ótimo, me? ajudou/ajuda muito/bastante, sim, não, claro, certo, entendi, entendido, exato, exatamente, correto, combinado, compreendo, percebi, kkk, rsrs, verdade, com certeza/prazer, está/tá bem/bom/certo, sem problema/problemas, não tem/há problema, de nada, por nada, imagina, não faz mal, não se preocupe, desculpa, desculpe, perdão, sinto muito, só? um momento/minuto/segundo/instante
bye: tchau, tchauzinho, adeus, falou, até logo/mais/amanhã/breve/já/depois, até a próxima, até mais tarde/logo, boa noite, bom fim de semana, tenha um/uma bom/boa/ótimo/ótima dia/tarde/noite/semana, se cuida, é? só isso, mais nada
help: ajuda, ajude, socorro, me ajuda/ajude, quem é/és você/tu?, o que é/és você/tu, qual é? o? seu/teu nome, como você se chama, como te chamas, você/tu é/és um/uma? robô/robot/bot/humano/ia/máquina/pessoa/chatbot real?, és um/uma? robô/robot/bot/humano/ia, o? que você/tu? pode/podes/consegue/sabe/sabes fazer por? mim?, como você/tu? pode/podes me? ajudar/ajudarme, em que pode/podes você? me? ajudar/ajudarme, você? pode/podes/poderia/consegue me? ajudar/ajudarme, o que posso te? perguntar, preciso de/da sua/tua? ajuda, tenho uma/umas/outra dúvida/pergunta/dúvidas/perguntas, uma pergunta/dúvida rápida?, posso fazer uma pergunta, posso te/lhe? perguntar algo, que/quais temas/assuntos você? conhece/conheces, tem/há/está alguém aí/aqui?
`,
  'person-request': `
// See the English list.
beside: de verdade, de carne e osso, por favor, agora, já, imediatamente, diretamente, directamente, pessoalmente, por telefone, não com? um/uma? robô/bot/máquina, em vez/lugar de um/uma? robô/bot/máquina, da sua/vossa? equipe/equipa, do suporte/atendimento
want: eu? quero/queria/gostaria/preciso/desejo/prefiro/preferia de?, posso/poderia/podemos, é possível, pode/podem/poderia/poderiam me?, me pode, tem como, há como, queremos/precisamos de?, me dê, tenho que/de
contact: falar, conversar, chatear, contactar, contatar, comunicar, entrar em contato/contacto, me? passar, me? passe/passa, passe me, me? transferir, me? transfira/transfere, transfira me, me? conectar, me? conecte, conectar me, transferir me, ser transferido/atendido/atendida, colocar em contato/contacto, ligar me?, ponha me em contacto
near: com, para, a, por, um, uma, o, outro, outra, ao, do, da
person: pessoa, humano, humana, ser humano, atendente, agente, operador, operadora, representante, funcionário, funcionária, colaborador, colega, responsável, gerente, supervisor, pessoa/atendente/agente/operador/assistente/alguém/gente humano/humana/real, alguém, suporte/atendimento humano, atendimento ao cliente
whole: atendente/humano/pessoa/operador por favor, pessoa real, atendente humano, atendimento humano, alguém pode/poderia me ligar, podem me ligar, me liguem
about: sobre, acerca, porque, por causa, para resolver/tratar, que possa/saiba/me, a respeito
`,
  suggestions: `
// See the English list.
topic: O que devo saber sobre “{}”?; steps: Como posso {}?; mine: seu=meu, sua=minha, seus=meus, suas=minhas
asking: como, quanto, quanta, quantos, quantas, quando, onde, o que é, o que são, o que fazer, por que, quem, qual é, qual o, quais são, posso, é possível
verbs: gravar, ajustar, ativar, adicionar, atualizar, alterar, abrir, baixar, cancelar, carregar, compartilhar, comprar, configurar, contactar, contatar, convidar, criar, desativar, devolver, editar, eliminar, enviar, excluir, exportar, gerir, gerenciar, importar, imprimir, instalar, mudar, obter, pagar, partilhar, pedir, proteger, recuperar, redefinir, registar, registrar, remover, renovar, restaurar, solicitar, transferir, usar, verificar
generic: visão geral, introdução, índice, sumário, conteúdo, resumo, conclusão, contexto, anexo, anexos, referências, ver também, notas, nota, exemplos, exemplo, faq, perguntas frequentes, primeiros passos, início rápido, próximos passos, generalidades, diversos, outros, detalhes, contato, contacto, contatos, aviso legal, links, glossário, definições, objetivo, requisitos, instalação, configuração, uso, opções, parâmetros, licença, início, descrição, recursos, ligações externas
clause: que, como, quando, quanto, onde, quem, qual, quais, eu, nós, nosso, nossa, nossos, nossas, meu, minha, você, ele, ela, eles, este, esta, isto, estes, estas, é, são, era, será, pode, podem, deve, devem, não, se, aqui, passo, parte, capítulo, seção, figura, tabela, fase, lição, versão, dica, dicas, exemplo, sr, sra, dr, dra, prezado, olá, novo, interno, confidencial, rascunho
pointing: isso, isto, ele, ela, eles, elas, este, esta, estes, estas, aqui, ali, nós
`,
};
