/**
 * Words that say how something is asked, not what about, in eight languages: function words, auxiliaries, courtesy, chat filler.
 * Lower case, with diacritics, without apostrophes (`dont`); parts of elisions (`l`, `qu`, `dell`) stand alone.
 * Refuses words that carry content in product texts (quick, try, per), even where most questions use them as filler.
 */

export type Language = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'ru';

const setOf = (list: string): ReadonlySet<string> => new Set(list.trim().replaceAll("'", '').split(/\s+/));

const english = setOf(`
  a about above after again against all also although always am an and any anybody anyone anything are aren't around as ask at away be
  because been before being below between both but by came can can't cannot could couldn't did didn't do does doesn't doing done don't
  down during each either else etc ever every everything example explain few find for from further get gets getting give gives given go
  goes going got had hadn't happen happens has hasn't have haven't having he he'd he'll he's hello help her here hers herself hey hi him
  himself his how however i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just kind know let let's like long look
  made make makes many may maybe me mean means might mine more most much must my myself need needs neither no nobody nor not nothing now
  of off often oh ok okay on once one only onto or other others ought our ours ourselves out over own please possible rather really same
  say says see seem seems shall she should shouldn't show since so some somebody someone something sort still such take takes tell tells
  than thank thanks that that's the their theirs them themselves then there there's these they they'd they'll they're they've thing things
  think this those though through to too toward towards type types under until up upon us use used uses using very via want wants was
  wasn't way ways we we'd we'll we're we've well were weren't what what's whatever when where where's whether which while who who's
  whoever whole whom whose why will wish with within without won't work works would wouldn't yes yet you you'd you'll you're you've your
  yours yourself yourselves ain't mightn't mustn't needn't shan't how's who'd who'll why's that'd that'll there'll what'd what'll when's
  should've would've could've might've must've gonna gotta wanna lemme dunno ya y'all ah aha hm hmm huh uh um wow yo yay haha lol btw imo
  idk fyi pls plz plss thx ty tnx cheers hiya howdy greetings dear folks guys mate everybody everyone sorry excuse pardon kindly
  appreciate appreciated hopefully hope actually basically literally honestly anyway question questions wonder wondering curious asking
  asked asks telling told knowing knows explained explaining explains understand wanted wanting trying yeah yep yup nope nah alright sure
  okey`);

const german = setOf(`
  bekomme bekommen bekommst bekommt bekam krieg kriege kriegen kriegst kriegt werd heute gestern morgen früh stell dauernd ständig
  schon gleich nochmal wieder doch seid geht ging gehts klappt macht mach
  ab aber alle allem allen aller alles als also am an andere anderem anderen anderer anderes auch auf aus außer bei beim bereits bevor bin
  bis bisschen bist brauche brauchen braucht bzw da dabei dadurch dafür dagegen daher dahin damit danach daneben dann daran darauf daraus
  darf darfst darin darüber darum das dass davon davor dazu dein deine deinem deinen deiner deines dem den denen denn der deren des
  deshalb dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch durfte dürfen dürfte eben ein eine einem einen
  einer eines einfach einige einigen einiger einiges einmal er erst es etwa etwas euch euer eure eurem euren für gab geben gegen geht
  genau gerade gern gerne gewesen gibt gibts gilt habe haben habt hast hat hatte hatten hätte hätten hier hin hinter ich ihm ihn ihnen ihr
  ihre ihrem ihren ihrer ihres im immer in indem ins ist ja je jede jedem jeden jeder jedes jemand jemandem jemanden jene jenem jenen
  jener jenes jetzt kann kannst kein keine keinem keinen keiner keines können könnt könnte könnten könntest konnte konnten lasse lassen
  lässt machen macht man manche manchem manchen mancher manches mein meine meinem meinen meiner meines mich mir mit möchte möchten
  möchtest muss müssen musst müsste müssten musste mussten nach nachdem nein nicht nichts niemand nie noch nun nur ob obwohl oder ohne
  schon sehr sei seid sein seine seinem seinen seiner seines seit selbst sich sie sind so sobald sodass solche solchem solchen solcher
  solches soll sollen sollte sollten sollst sondern sonst sowie sowohl statt trotz tun tut über um und uns unser unsere unserem unseren
  unserer unter viel viele vielen vom von vor während wann war wäre wären waren warst warum was wegen weil weiter weitere welche welchem
  welchen welcher welches wem wen wenn wer werde werden werdet weshalb wessen wie wieder wieso wieviel wird wirst wo wobei wodurch wofür
  woher wohin womit woran worauf woraus worden worüber wovon wozu wurde wurden würde würden will willst wir wirklich wollen wollt wollte
  wollten zu zum zur zwar zwischen ach bitte danke dankeschön entschuldigung entschuldige hallo hey hi moin servus sorry guten liebe
  lieber leute okay ok erkläre erklären erklärt erzähl erzählen frage fragen kurz mal sag sagen sagt weiß weißt wissen wüsste halt
  eigentlich vielleicht gruß grüße`);

const french = setOf(`
  à afin ai aie aient ait alors après as assez au aucun aucune aujourd'hui auquel aura aurai aurais aurait auront aussi autre autres aux
  avaient avais avait avant avec avez aviez avoir avons ayant beaucoup bien c ça car ce ceci cela celle celles celui cependant certain
  certaine certaines certains ces cet cette ceux chaque chez ci combien comme comment concernant contre d dans de dedans depuis derrière
  des dès devant devez devrais devrait devons doit doivent dois donc dont du durant elle elles en encore entre envers es est et étaient
  étais était étant été êtes être eu eux faire fais fait faites faut faudrait font grâce hors il ils ici j jamais je jusque jusqu l la là
  laquelle le lequel les lesquelles lesquels leur leurs lorsque lors lui m ma mais malgré me même mêmes mes mien mienne moi moins mon n ne
  ni non nos notre nôtre nous on ont or ou où par parce pas pendant peu peut peuvent peux plus plusieurs plutôt pour pourquoi pourrais
  pourrait pourrez pouvez pouvoir pouvons près puis puisque puisse qu quand que quel quelle quelles quelqu quelque quelques quels qui quoi
  quoique rien s sa sans se sera serai serais serait seront ses si sien sienne sinon soi soient sois soit sommes son sont sous suis sur t
  ta tandis te tel telle telles tels tes toi ton toujours tous tout toute toutes très trop tu un une va vais vas vers veut veux veulent
  voici voilà vont vos votre vôtre voulez vouloir vous vu y c'est d'un d'une j'ai j'aimerais j'aurais l'on n'est qu'est qu'il qu'elle
  qu'on s'il allô bonjour bonsoir coucou merci mercis pardon désolé désolée excusez plaît plait salut stp svp ok okay oui ouais hello hey
  aimerais aimerait besoin dire dis dites explique expliquer expliquez question questions sais savez savoir souhaite souhaiterais voudrais
  voudrait vraiment juste`);

const spanish = setOf(`
  a acerca además ahí ahora al algo alguien algún alguna algunas alguno algunos allá allí ambos ante antes aquel aquella aquellas aquello
  aquellos aquí así aún aunque bajo bastante bien cada casi como cómo con conmigo contigo contra cual cuál cuales cuáles cualquier
  cualquiera cuando cuándo cuanta cuánta cuantas cuántas cuanto cuánto cuantos cuántos da dado dan dar de debe debemos deben debería debo
  del demás demasiado dentro desde después donde dónde durante e el él ella ellas ello ellos en entonces entre era eran eras eres es esa
  esas ese eso esos esta está estaba estaban estado estamos están estar estas estás este esto estos estoy etc fue fuera fueron fui ha
  había habían haber habrá hace hacemos hacen hacer hacia haciendo hago han has hasta hay haya he hemos hizo incluso jamás junto la las le
  les lo los luego más me mediante menos mi mía mías mientras mío míos mis misma mismas mismo mismos mucha muchas mucho muchos muy nada
  nadie ni ningún ninguna ningunas ninguno ningunos no nos nosotras nosotros nuestra nuestras nuestro nuestros nunca o os otra otras otro
  otros para pero poca pocas poco pocos podemos podría podrían podrías poder por porque porqué pude pudo puede pueden puedes puedo pues
  que qué quien quién quienes quiénes quiere quieren quieres quiero quisiera se sé sea sean según ser será serán sería si sí sido siempre
  siendo sin sino sobre sois solamente solo sólo somos son soy su sus suya suyas suyo suyos tal tales también tampoco tan tanto tantos te
  tendría tenemos tener tengo ti tiene tienen tienes toda todas todavía todo todos tras tu tú tus tuya tuyo u un una unas uno unos usted
  ustedes va vamos van varias varios vosotras vosotros voy vuestra vuestro y ya yo buenas bueno buenos disculpa disculpe favor gracias
  hola hey oye perdón perdona saludos ok okay claro porfa decir decirme dime diga explica explicar explícame gustaría necesita necesito
  necesitamos pregunta preguntas saber sabe sabes realmente simplemente`);

const italian = setOf(`
  a abbia abbiamo abbiano ad adesso agli ai al alcun alcuna alcune alcuni alcuno all alla alle allo allora altra altre altri altro anche
  ancora anzi appena avere aveva avevano avevo avete avrebbe avrei avrò avuto basta bene c che chi chiunque ci ciascuno ciò cioè circa coi
  col come comunque con contro cosa cosi così cui d da dagli dal dall dalla dalle dallo davanti degli dei del dell della delle dello
  dentro deve devi devo devono di dobbiamo dopo dov dove dovrebbe dovrei dovuto dunque durante e è ecco ed egli ella entro era erano eri
  ero essa esse essere essi esso fa faccio fai fanno far fare fatto fin fino forse fra fu fuori già gli ha hai hanno ho i il in infatti
  insieme intanto invece io l la là le lei li lì lo loro lui m ma magari mai me meglio meno mentre mi mia mie miei mio molta molte molti
  molto ne né negli nei nel nell nella nelle nello neppure nessun nessuna nessuno niente noi non nostra nostre nostri nostro nulla o od
  ogni ognuno oltre oppure ora per perché perciò però più po poca poche pochi poco poi possa possiamo posso possono potere potrebbe potrei
  può puoi pure qual quale quali qualche qualcosa qualcuno qualsiasi qualunque quand quando quanta quante quanti quanto quasi quel quella
  quelle quelli quello questa queste questi questo qui quindi sarà sarebbe saranno se sé secondo sei sembra sempre senza si sì sia siamo
  siano siete sono sopra sotto sta stai stanno stata state stati stato stesso stessa sto su sua sue sugli sui sul sull sulla sulle sullo
  suo suoi tal tale tali tanto te ti tra tramite troppo tu tua tue tuo tuoi tutta tutte tutti tutto un una uno va vai vanno ve verso vi
  via voglio vogliamo voi volere vorrebbe vorrei vostra vostre vostri vostro vuoi vuole buonasera buongiorno ciao grazie prego salve scusa
  scusate scusi favore piacere ok okay hey ehi dai saluti bisogno dica dimmi dire domanda domande sa sai sapere sapete sapresti so spiega
  spiegami spiegare serve servono davvero proprio`);

const portuguese = setOf(`
  a à acerca agora aí ainda além algo alguém algum alguma algumas alguns ali ambos ante antes ao aonde aos após aquela àquela aquelas
  aquele àquele aqueles aqui aquilo as às assim até através bastante bem cada com como comigo conosco contra contudo cuja cujo da dá
  daquela daquele dar das de dela delas dele deles dentro depois desde dessa dessas desse desses desta destas deste destes deve devem
  devemos deveria devo disso disto do dos durante e é ela elas ele eles em enquanto então entre era eram és essa essas esse esses esta
  está estamos estão estar estas estás estava estavam este esteja estes estou eu faz fazem fazer fazendo faço fez foi fora foram fosse há
  haver havia isso isto já jamais la lá lhe lhes lo logo mais mas me menos mesma mesmas mesmo mesmos meu meus mim minha minhas muita
  muitas muito muitos na nada não nas nela nele nem nenhum nenhuma nessa nesse nesta neste ninguém no nos nós nossa nossas nosso nossos
  num numa nunca o onde os ou outra outras outro outros para pela pelas pelo pelos perante pode podem podemos poder poderia posso pouca
  poucas pouco poucos pois por porém porque porquê pra própria próprio pude quais qual qualquer quando quanta quantas quanto quantos quase
  que quê quem quer querem quero queria são se seja sejam sem sempre sendo ser será serão seria seu seus si sido só sob sobre somente sou
  sua suas tal também tampouco tanto tão te tem têm temos tenha tenho ter teria teu teus ti tinha tive toda todas todavia todo todos tu
  tua tuas um uma umas uns vai vamos vão várias vários você vocês vos vou boa bom obrigada obrigado oi olá desculpa desculpe desculpem
  favor gentileza tchau valeu ok okay hey sim tudo diga dizer explica explicar explique gostaria pergunta perguntas precisa precisamos
  preciso pretendo saber sabe sabem sei dúvida dúvidas realmente apenas`);

const dutch = setOf(`
  aan achter af al alle allemaal alles als alsof altijd ander andere anderen behalve beide ben bent bij bijna binnen boven buiten daar
  daarin daarmee daarna daarom daarop daarvan daarvoor dan dat de deden deed den der deze die dit doe doen doet door dus echter een één
  eens eerst elk elke en enige enkele er ergens etc even ga gaan gaat gedaan geen gehad gekregen geweest geworden haar had hadden heb
  hebben hebt heeft hem hen het hier hierbij hiermee hij hoe hoelang hoeveel hoewel hun ieder iedere iedereen iemand iets ik in indien is
  ja je jij jou jouw jullie kan kon konden kun kunnen kunt krijg krijgen krijgt laat laten maak maar maken mag me meer meest men met mij
  mijn minder misschien mocht mochten moest moesten moet moeten mogen na naar naast nadat nee neen net niemand niet niets noch nog nooit
  nou nu of om omdat omtrent onder ondanks ons onze ook op over sinds sommige soms staat steeds te tegen ten tenzij ter terwijl tijdens
  toch toe toen tot totdat tussen u uit uw vaak van vanaf vandaan vanuit veel verder via volgens voor voordat voorbij vooral waar waaraan
  waarbij waardoor waarin waarmee waarom waarop waarover waaruit waarvan waarvoor wanneer want waren was wat we weer wel welk welke wie
  wiens wij wil wilde wilden willen wilt word worden wordt wou zal ze zei zelf zelfde zich zij zijn zo zoals zodat zodra zonder zou zouden
  zullen zult alsjeblieft alstublieft bedankt dank dankje dankjewel dankuwel goedemiddag goedemorgen goedenavond hallo hé hey hi hoi sorry
  groet groeten ok oké okay excuus graag nodig hoef leg leggen legt uitleggen vertel vertellen vertelt vraag vraagje vragen weet weten
  wist zeg zeggen zegt gewoon eigenlijk eventjes heel erg`);

const russian = setOf(`
  а без более больше будем будет будете будешь буду будут будь бы был была были было быть в вам вами вас ваш ваша ваше вашего вашей вашем
  вашему вашим вашими ваших ваши вашу вдруг ведь весь во вот впрочем все всё всегда всего всей всем всеми всему всех всею всю вся вы где
  да даже для до его ее её ей ему если есть еще ещё ею ж же за зачем здесь и из или им ими иногда их к каждая каждого каждое каждой каждый
  как какая какие каким каких какого какое какой каком какую ко когда кого кем ком кому кто куда ли либо лишь между меня мне мной много
  мог могла могли могу могут может можем можете можешь можно мой мое моё моего моей моем моём моему моим моих мои мою моя мы на над надо
  наконец нам нами нас наш наша наше нашего нашей нашем наши нашим наших нашу не него нее неё ней нельзя нем нём нему несколько нет
  неужели нибудь никак никогда никто никакой никаких ним ними них ничего ничто но ну нужен нужна нужно нужны о об один одна одни одно
  однако он она они оно от ото откуда очень перед по под после потом потому почему почти при про просто пусть разве ради с сам сама сами
  само самый самая самое самые свой своего своей своем своему свои своих свою своя себе себя сейчас собой со совсем сколько та так такая
  также такие таким таких такого такое такой там твой твоя твое твои те тебе тебя тем теми теперь тех то тобой тогда того тоже той только
  том тому тот ту тут ты у уж уже хотел хотела хотели хотелось хоть хотите хочется хочешь хочу хотя чего чей чем через что чтоб чтобы чуть
  чья эта эти этим этими этих это этого этой этом этому этот эту я является будьте добрый благодарю здравствуйте здравствуй извини
  извините пожалуйста пж привет простите спасибо спс ок окей ага угу вопрос вопросы знает знаете знаешь знать объясни объясните объяснить
  подскажи подскажите расскажи расскажите рассказать скажи скажите сказать узнать понять интересует`);

export const stopWords: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  ru: russian,
};
