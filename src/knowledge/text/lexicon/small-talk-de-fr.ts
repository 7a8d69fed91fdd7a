/** Small talk in German and French, in the notation of small-talk-en.ts; refuses words of questions about a product. */

const german = `
hallo|hallöchen|moin|servus|grüezi|salü|huhu|tach|hallihallo|willkommen|grüße
guten|schönen morgen|tag|abend|nachmittag|mittag|feierabend
morgen|abend|nabend
gute|schöne nacht|besserung|woche|feiertage
grüß|gruess gott|dich|euch
einen schönen|guten tag|abend|nachmittag
schönes|ein wochenende|schönes wochenende?
wie geht|gehts es? dir|ihnen|euch? heute|denn|so?
wie geht's dir|ihnen|euch? heute|denn|so?
wie läuft's
alles klar|gut|ok|paletti|fit|bestens
danke|dankeschön|dankeschoen|merci
vielen|herzlichen|besten|lieben|schönen|tausend lieben|herzlichen? dank
danke schön|schoen|sehr|dir|euch|ihnen|vielmals|nochmal|nochmals|gleichfalls
danke im voraus
ich|wir danke|danken dir|euch|ihnen
das|es ist|war sehr|echt|wirklich|super|ja|richtig|alles? nett|lieb|hilfreich|gut|toll|super|klasse|richtig|klar|ok|perfekt|cool|schön
klasse|toll|prima|spitze|perfekt|wunderbar|großartig|grossartig|genial|top|mega|hervorragend|ausgezeichnet|fantastisch|gut|nett|schön
sehr|ganz|echt|richtig gut|schön|nett|hilfreich|gerne|gern|toll|cool
gut|super|toll gemacht
gute|super|tolle arbeit|antwort|erklärung|idee|frage
freut mich
das hat mir? sehr? geholfen|weitergeholfen
hat mir? sehr? geholfen
das hilft mir? sehr|weiter?
du bist echt|sehr|wirklich? toll|super|klasse|nett|hilfreich
du bist der|die|ein beste|schatz|held
tschüss|tschüß|tschuess|tschau|tschö|ade|wiedersehen|tschüssi
auf wiedersehen|wiederhören
bis dann|bald|später|morgen|demnächst|gleich
macht|mach's gut
ja|jo|jep|jup|jawohl|nein|nö|nee|klar|genau|richtig|stimmt|verstanden|verstehe|einverstanden|gerne|gern|natürlich|passt|achso
ach so
na gut|klar|dann
kein problem|ding|stress
keine ursache|sorge|ahnung|fragen
nichts zu danken
bitte|bitteschön schön|sehr|gern|gerne?
schon gut|klar|ok|verstanden
macht nichts
ich verstehe|weiß
das war's|wars|reicht|passt|stimmt für? heute|erstmal?
hab's|habs|hab verstanden|kapiert
entschuldigung|verzeihung|schade|egal
tut mir sehr? leid
einen? moment|augenblick bitte?
wer|was bist|sind|seid du|sie|ihr eigentlich|genau|denn?
wie heißt|heißen du|sie eigentlich|denn?
bist|sind du|sie ein|eine? echter|echte|richtiger? bot|roboter|mensch|ki|maschine|chatbot|person|da|echt
bist|sind du|sie ein|eine? bot|roboter|mensch|ki|maschine oder ein|eine? bot|roboter|mensch|ki|maschine
ist das|hier ein|eine bot|roboter|mensch|ki|maschine|chatbot
ist da|hier jemand da|hier?
jemand da|hier
rede|spreche|schreibe ich mit einem|einer bot|menschen|roboter|ki|maschine
was kannst|können|machst du|sie eigentlich|denn|alles|so? für? mich? tun|machen|alles?
was kann ich dich|sie|hier? alles? fragen
wobei|womit|wie kannst|können du|sie mir|uns? helfen|weiterhelfen
hilfe|hilf mir|uns?
kannst|können|könnten|könntest|kann du|sie|ihr|jemand mir|uns? bitte|mal? kurz? helfen|weiterhelfen
ich brauche|bräuchte|benötige|brauch deine|ihre|etwas|mal|eure? hilfe|unterstützung
ich|wir habe|hab|hätte|haben mal|noch? eine|ne? kurze|kleine? frage|fragen
noch? eine? kurze|kleine frage
noch? eine frage
darf|kann|dürfte ich dich|sie|euch|mal? mal|kurz? was|etwas|eine fragen|frage stellen?
erzähl mir? etwas|was|mehr? über dich
stell dich bitte? vor
und dir|ihnen|selbst
dir|ihnen|euch auch
gleichfalls|ebenfalls|ebenso
mir geht|gehts|geht's es? auch|sehr? gut`;

const french = `
bonjour|bonsoir|salut|coucou|allo|bjr|slt|bsr|bienvenue|rebonjour
bonne fin? de? journée|soirée|nuit|continuation|année|chance
bon après-midi|week-end|weekend
comment|cmt ça? va aujourd'hui?
comment vas-tu|allez-vous|tu vas aujourd'hui?
ça|ca va|roule bien?
tu vas bien
vous allez bien
quoi de neuf
merci|mrc beaucoup|bcp|bien|infiniment|encore|d'avance?
merci à vous|toi|tous
mille|grand merci|mercis
un grand merci
je vous|te remercie beaucoup|infiniment?
c'est très|vraiment|trop|super|tout|pas? gentil|bien|bon|parfait|clair|super|cool|génial|top|noté|compris|utile|sympa|ok|tout|vrai|exact
super|génial|parfait|excellent|formidable|magnifique|top|bravo|chouette|nickel|impeccable|cool|merveilleux|fantastique|bien|bon
très|vraiment bien|bon|utile|gentil|clair|sympa|intéressant
bon|beau|bonne travail|boulot|réponse|idée
bien joué|vu
félicitations
ça|cela|ca m'aide|marche|fonctionne beaucoup|bien?
ça|cela|ca m'a beaucoup|bien? aidé
au revoir|plaisir
à bientôt|demain|plus
à plus tard
à tout à l'heure
à la prochaine
adieu
oui|ouais|non|d'accord|daccord|dac|entendu|compris|exact|exactement|certainement|volontiers|noté|voilà|mdr|ptdr
ah bon|oui|non|ok|d'accord?
bien sûr|reçu|compris|entendu
pas de problème|souci|soucis|quoi
pas grave|mal
aucun problème|souci
de rien
je vous en prie
je t'en prie
avec plaisir
je vois|comprends|sais
j'ai bien|tout? compris
désolé|désolée|pardon|excusez-moi|excuse-moi|mince|zut|oups
tant pis|mieux
ce n'est pas grave|rien
c'est pas grave
un|une instant|moment|minute|seconde
s'il vous|te plaît|plait
stp|svp
qui es|êtes tu|vous
qui es-tu|êtes-vous
tu es|t'es qui|quoi
vous êtes qui|quoi
quel est ton|votre nom
comment tu|vous t'appelles|appelez
comment t'appelles-tu
comment vous appelez-vous
es|êtes tu|vous un|une vrai|vraie? robot|bot|humain|ia|machine|personne|chatbot
tu|vous es|êtes un|une vrai|vraie? robot|bot|humain|ia|machine|personne|chatbot
es-tu|êtes-vous un|une vrai|vraie? robot|bot|humain|ia|machine|personne|chatbot
est-ce que tu|vous es|êtes un|une robot|bot|humain|ia|machine|personne|chatbot
que peux|pouvez|sais|savez tu|vous faire pour? moi|nous?
que peux-tu|pouvez-vous|sais-tu|savez-vous faire pour? moi|nous?
qu'est-ce que tu|vous peux|pouvez|sais|savez faire pour? moi|nous?
comment peux-tu|pouvez-vous m'aider|nous aider?
aide|aidez
aide-moi|aidez-moi
à l'aide
au secours
peux|pouvez|pourrais|pourriez tu|vous m'aider|nous aider?
peux-tu|pouvez-vous|pourrais-tu|pourriez-vous m'aider|nous aider?
tu|vous peux|pouvez m'aider
j'ai besoin d'aide
j'ai besoin de ton|votre aide
j'ai|j'aurais une|des petite|petites? question|questions
une|petite petite? question
puis-je vous|te? poser une question
je peux vous|te? poser une question
il y a quelqu'un
y a-t-il quelqu'un
et toi|vous
enchanté|enchantée
moi aussi
parle-moi|parlez-moi de toi|vous
présente-toi|présentez-vous`;

export const smallTalkGermanFrench: string = [german, french].join('');
