/** Words and phrases that may stand beside small talk in any language, and are none by themselves. Notation: small-talk-en.ts. */
export const smallTalkFillers = `
and|but|so|then|well|oh|um|uh|really|very|again|already|now|just|too|also|everyone|everybody|guys|folks|there|sir|madam|ma'am|mate|man|bro
dude|buddy|dear|today|anyway|anyways|though|team|bot|agent|assistant|chatbot|robot|friend|friends|all|pal
my friend
for now
as well|always
so far
you all|guys
to you|all
for everything|that|this|it
for your|the|ur|all|this|that your|the? quick|fast|prompt|great|kind|detailed? help|answer|answers|reply|response|info|information|time
for your|the|all|this|that your|the? quick|fast|prompt|great|kind|detailed? support|explanation|clarification|feedback|assistance|patience
for helping me|us? out?
i think|guess
und|aber|dann|also|na|auch|noch|schon|mal|sehr|wirklich|echt|dir|euch|ihnen|zusammen|alle|allerseits|leute|heute|erstmal|doch
an alle
liebes|hallo team
für die|deine|ihre|eure schnelle|tolle|gute|super|nette? hilfe|antwort|info|infos|information|auskunft|unterstützung|erklärung|rückmeldung
für alles
et|mais|alors|donc|aussi|encore|très|vraiment|monsieur|madame|l'équipe
à tous|toutes
tout le monde
les amis
pour votre|ton|ta|vos|la|cette aide|réponse|retour|explication|temps|info|infos|information
pour l'aide|tout|ça|l'info|l'explication
y|pero|entonces|también|muy|todos|todas|amigo|amiga|amigos|equipo|señor|señora|hoy
otra vez
por todo|eso
por tu|su|la|toda ayuda|respuesta|información|explicación|atención|tiempo
por la|toda ayuda|información
e|ma|allora|anche|ancora|molto|davvero|tutti|ragazzi|oggi|signore|signora
a tutti|voi
per tutto|adesso|ora
per il|la|l'|tuo|vostro tuo|tua|vostro|vostra? aiuto|risposta|tempo|informazione|spiegazione|supporto
per l'aiuto|l'informazione
mas|então|também|muito|mesmo|gente|pessoal|amigo|galera|hoje|senhor|senhora
a|para todos|todas|vocês
por tudo|isso
pela|por sua|tua? ajuda|resposta|atenção|informação|explicação
en|maar|dus|ook|nog|heel|erg|echt|allemaal|iedereen|hoor|vandaag|meneer|mevrouw
voor je|jouw|uw|de|alle|het snelle|goede? hulp|antwoord|uitleg|reactie|info|informatie|moeite|tijd
voor alles
и|а|ну|но|тоже|очень|всем|ребята|друзья|друг|коллеги|бот|сегодня|еще|тогда|так|просто
за помощь|ответ|все|информацию|быстрый|объяснение|совет|подсказку ответ?
あなた|みなさん|皆さん|皆様|さん|ね|よ|です|ます|とても|本当に|すごく|どうも|あ|え|お
了|啦|啊|呀|哦|呢|吧|嘛|哈|你|您|大家|各位|非常|真的|很|太|亲|就|那
여러분|모두|정말|너무|진짜|요|님|그럼|아주`;
