/** Small talk in Spanish, Italian and Portuguese, in the notation of small-talk-en.ts; refuses words of questions about a product. */

const spanish = `
hola|holi|holis|buenas|ola|saludos|bienvenido|bienvenida
buenos|buen días|día
buenas tardes|noches
feliz día|tarde|noche|año
qué tal todo|estás?
qué hay|pasa|onda
cómo estás|está|están|va|andas|vas hoy|todo|usted?
muchas|muchísimas|mil gracias
gracias|grax
gracias a ti|usted|todos
gracias de nuevo|antemano
gracias por adelantado|todo
se lo agradezco
te|le|lo|os agradezco|agradecemos mucho?
perfecto|genial|excelente|estupendo|fantástico|maravilloso|buenísimo|guay|bien|bueno|increíble|bravo|fenomenal|vale
muy bien|bueno|útil|amable|claro|interesante
buen|buena|gran trabajo|respuesta|idea|explicación|pregunta
está bien|claro|perfecto|bueno
eso|esto? es|está|fue muy? útil|genial|perfecto|correcto|todo|bien|bueno
qué bueno|bien|guay|interesante
me ha ayudado|servido mucho?
me ayuda|ayudó|sirve|sirvió mucho?
eres muy? genial|amable|increíble
eres el|la|un|una mejor|crack|genio
felicidades|felicitaciones|enhorabuena
adiós|chao|chau|adeu|bye
hasta luego|pronto|mañana|siempre|otra|entonces
hasta la vista|próxima
nos vemos luego|pronto|mañana?
que tengas|tenga|tengan|pases un|una? buen|buena|lindo|lindos día|tarde|noche|semana
buen fin de semana
cuídate|cuídese
sí|si|no|claro|vale|entendido|comprendido|exacto|correcto|okay|listo|dale|cierto|ajá|ah|oh|jaja|jajaja|jeje|obvio|sip|nop
desde luego
por supuesto|favor
de acuerdo|nada
no hay problema|de|de? qué|que?
no te|se preocupes|preocupe
sin problema|problemas
ya veo|entiendo|entendí
lo entiendo|siento
entiendo|comprendo
con mucho? gusto
perdón|perdona|perdone|disculpa|disculpe|disculpen
un momento|segundo|minuto por? favor?
eso es todo
nada más|mas
no importa|pasa nada?
quién|qué eres|es tú|usted?
cómo te|se llamas|llama
cuál es tu|su nombre
eres|es usted? un|una? robot|bot|humano|ia|máquina|persona|chatbot real?
eres|es usted? un|una? robot|bot|humano|máquina|persona o un|una? robot|bot|humano|máquina|persona
qué puedes|puede|sabes hacer por? mí?
en? qué|cómo puedes|puede ayudarme
en? qué me puedes|puede ayudar
cómo me puedes|puede ayudar
ayuda|ayúdame|ayúdeme|auxilio|socorro
puedes|puede|podrías|podría|pueden ayudarme|ayudarnos
me|nos puedes|puede|podrías|podría|pueden ayudar
necesito tu|su? ayuda
necesito un poco de ayuda
tengo una|un|otra|algunas pregunta|duda|preguntas|dudas
una pregunta|duda rápida?
puedo hacerte|hacerle una pregunta
puedo preguntarte|preguntarle algo
te|le puedo hacer una pregunta
hay alguien ahí|aquí?
alguien ahí|aquí
y tú|usted
encantado|encantada
igualmente
mucho gusto
yo también`;

const italian = `
ciao|salve|buongiorno|buonasera|buonanotte|buondì|benvenuto|benvenuta|ehi|ehilà
buon|buona giorno|sera|giornata|serata|notte|pomeriggio|weekend|lavoro
buon fine settimana
come stai|sta|state|va|stanno oggi|tutto?
come te la passi
tutto bene|ok|chiaro|perfetto
tutto a posto
grazie mille|tante|infinite|ancora?
grazie a te|lei|voi|tutti
grazie di cuore|tutto
grazie in anticipo
molte|mille|tante grazie
ti|vi|la ringrazio molto|tanto?
perfetto|ottimo|eccellente|fantastico|bravo|brava|bravi|bravissimo|benissimo|bene|bello|grande|geniale|meraviglioso|stupendo|magnifico|figo
molto|davvero|veramente bene|utile|gentile|chiaro|bello|interessante
buona|ottima|bella|bel|ottimo|buon lavoro|risposta|idea|spiegazione|domanda
è|era|sei molto|tutto|stato|davvero? utile|perfetto|chiaro|giusto|gentile|bravo|fantastico
mi hai|ha aiutato molto?
mi è stato molto? utile
complimenti|congratulazioni|evviva
arrivederci|arrivederla|addio
a presto|dopo|domani
a più tardi
a tra poco
ci vediamo|sentiamo presto|dopo|domani?
alla prossima
stammi bene
sì|si|no|certo|esatto|capito|d'accordo|giusto|okay|vero|certamente|ovviamente|ah|eh|ahaha|boh|perfettamente
va bene|benissimo
ho capito
ok capito
non c'è problema|di
non c'è di che
nessun problema
non importa|preoccuparti
non fa niente|nulla
di niente|nulla
prego|figurati|si figuri?
si figuri
con piacere
per favore|piacere|cortesia
scusa|scusi|scusate|scusami|perdono|peccato
mi dispiace
un momento|attimo|secondo|minuto
capisco
è tutto
nient'altro
chi|cosa|che sei|siete tu|voi?
chi è lei
come ti|si chiami|chiama
qual è il tuo|suo nome
sei|è tu|lei? un|una? vero|vera? robot|bot|umano|ia|macchina|persona|chatbot
che? cosa puoi|sai|può|sa fare per? me?
come puoi|può aiutarmi
come mi puoi|può aiutare
aiuto|aiutami|aiutatemi|sos
puoi|può|potresti|potrebbe aiutarmi|aiutarci
mi puoi|può|potresti|potrebbe aiutare
ho bisogno di aiuto
ho bisogno di una mano
ho bisogno d'aiuto|del tuo|vostro aiuto?
ho|avrei una|un'altra|delle piccola|altra? domanda|domande|dubbio
una domanda veloce?
posso farti|farle|fare una|un'altra domanda
posso chiederti|chiederle|chiedere qualcosa
c'è qualcuno qui|lì?
e tu|lei|te
anche a? te|io|lei|me
altrettanto
piacere di? conoscerti?`;

const portuguese = `
oi|olá|ola|oie|opa|saudações|alô|bem-vindo
bom|boa dia|tarde|noite|semana|trabalho
bom fim de semana
como vai|está|estás|vão|vais você|hoje?
como você está|vai
tudo bem|bom|certo|ok|joia|tranquilo com? você|contigo|aí?
tudo bom
que legal|bom|ótimo
beleza
obrigado|obrigada|obg|brigado|brigada|obrigadão|vlw|valeu|agradecido|agradecida|grato|grata mesmo|demais?
muito obrigado|obrigada
muito|bem bom|útil|claro|legal|gentil|bem|interessante
agradeço muito|desde já?
perfeito|ótimo|otimo|excelente|fantástico|maravilhoso|bacana|incrível|genial|bem|massa|fixe|parabéns|maravilha
bom|boa|ótimo|ótima|belo trabalho|resposta|ideia|explicação|pergunta
isso? é|está|foi muito|mesmo? útil|perfeito|certo|claro|legal|bom|ótimo|tudo
isso mesmo|aí
me? ajudou|ajuda muito|bastante
você|tu é|és muito|o|um|demais? melhor|incrível|legal|gênio|ótimo|demais
tchau|tchauzinho|adeus|xau|falou
até logo|mais|amanhã|breve|já|depois
até a próxima
até mais tarde|logo
tenha|tem|tenham um|uma bom|boa|ótimo|ótima dia|tarde|noite|semana
se cuida
sim|não|nao|claro|certo|entendi|entendido|exato|exatamente|correto|combinado|compreendo|percebi|pois|kkk|kkkk|rsrs|verdade
com certeza|prazer
está|tá|ta bem|bom|certo|ok
sem problema|problemas
não tem|há problema
de nada
por nada|favor
imagina
não faz mal
não se preocupe
desculpa|desculpe|desculpem|perdão
sinto muito
só? um momento|minuto|segundo|instante
é? só isso
mais nada
quem é|és você|tu?
o que é|és você|tu
qual é? o? seu|teu nome
como você se chama
como te chamas
você|tu é|és um|uma? robô|robot|bot|humano|ia|máquina|pessoa|chatbot real?
és um|uma? robô|robot|bot|humano|ia|máquina|pessoa|chatbot
o? que você|tu? pode|podes|consegue|sabe|sabes fazer por? mim?
como você|tu? pode|podes me? ajudar|ajudar-me
em que pode|podes|você|posso pode? me? ajudar
ajuda|ajude|socorro
me ajuda|ajude|ajudem
você? pode|podes|poderia|consegue|podem me? ajudar|ajudar-me
preciso de ajuda
preciso da|de sua|tua ajuda
tenho uma|umas|outra|algumas dúvida|pergunta|dúvidas|perguntas
uma pergunta|dúvida rápida?
posso fazer uma pergunta
posso te|lhe? perguntar algo
tem|há|está alguém aí|aqui?
alguém aí|aqui
e você|tu
prazer em conhecer|conhecê-lo|conhecê-la você?
igualmente
eu também`;

export const smallTalkSouthern: string = [spanish, italian, portuguese].join('');
