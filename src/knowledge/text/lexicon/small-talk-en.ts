/**
 * English small talk, one pattern per line: words in order, `a|b` one of several, a `?` at the end of a word where it may be missing.
 * Case, accents, apostrophes and repeated letters do not matter. Refuses every word that a question about a product could be made of.
 */
export const smallTalkEnglish = `
hi|hello|hey|heya|hiya|hallo|howdy|yo|greetings|hy|helo|hllo|heyo|hlo|sup|wassup|wazzup|gm|welcome
good|gud morning|afternoon|evening|day|night|mornin
morning|evening
happy monday|friday|weekend|holidays
happy new year
merry christmas
welcome back
what's|wats|what up
how are|r you|u|ya doing? today?
how you|ya doing?
how is|are it|things|everything going?
how's it|things|everything going? today?
how do you do
how have you been
how was your day|weekend
i? hope you are|re? doing? all? well
i? hope you're doing? well
nice|great|good|pleased to meet|see you
long time no see
i am|m? fine|good|great|well|ok|okay
i'm fine|good|great|well|ok|okay|back|here
and|what|how about? you
me too
same here
thank|thanks|thx|thnx|tnx|thanx|thks|tks|thnks|thnaks|tahnks|thansk|thanls|thankyou|tysm|tyvm|tq|ta|cheers
thank|thanks|thx|ty|tnx you|u|ya? so|very? much?
ty
thanks|thank|thx|tnx|ty you? a lot|bunch|million|ton
thanks|thank|thx you? in advance
many|big|huge thanks
much|really|greatly|highly appreciated|obliged
appreciated
i|we? really|do|very? much? appreciate it|that|this|you
i|we? really? appreciate your|the help|support|answer|time
great|good|nice|cool|awesome|amazing|perfect|excellent|wonderful|fantastic|brilliant|lovely|superb|super|sweet|neat|wow|fab|fabulous
terrific|impressive|incredible|bravo|congrats|congratulations|yay|woohoo|hooray|kudos|helpful|interesting|beautiful|funny|better
great|good|nice|excellent|amazing|awesome|fantastic|perfect|helpful job|work|answer|stuff|one|explanation|response|reply|idea|point
good|great|nice to know|hear
well done
that|this|it is|was|s? so|very|really|super|quite|exactly|all|not? great|good|nice|cool|awesome|amazing|perfect|excellent|helpful|clear
that|this|it is|was|s fine|ok|okay|correct|right|true|it|all|enough|funny|interesting
that's|it's so|very|really|super|quite|exactly|all|not? great|good|nice|cool|awesome|amazing|perfect|excellent|helpful|clear|bad
that's|it's fine|ok|okay|correct|right|true|it|all|enough|funny|interesting
that's|that is|will? be? all|it|everything for? now|today
that|this|it really? helps|helped|works|worked me|us? a? lot? now|great|perfectly|fine?
that|this|it|that's|this's|it's? is|was? exactly|just what i needed|wanted
that|this|it|that's|it's? is|was? exactly|just what i was looking for
you are|re so|very|really|the? best|great|awesome|amazing|helpful|welcome|right|smart|funny|kind|nice
you're|ur|your so|very|really|the? best|great|awesome|amazing|helpful|welcome|right|smart|funny|kind|nice
you|u are? a|an lifesaver|legend|star|genius|hero
you're a lifesaver|legend|star|genius|hero
you rock
you saved|made my day|life
i|we? love|like it|this|that|you
works|worked like a charm
much better
sounds|looks|seems good|great|perfect|fine|cool|nice to? me?
lgtm
bye|byebye|goodbye|goodnight|cya|ttyl|farewell|cheerio|laters|gn|brb
good bye
see|c you|ya|u later|soon|around|tomorrow|then|again?
talk|speak to? you? later|soon|tomorrow
catch you later
take care
have a good|nice|great|lovely|wonderful|pleasant day|evening|night|weekend|one|time|afternoon|week
you too
same to you
until next time
so long
got|gotta|have to? go|run now?
i have|gotta|must to? go now?
no more questions
nothing|nothin else?
ok|okay|okey|okie|oki|oke|k|kk|alright|alrighty|allright|aight|right|sure|fine|understood|noted|roger|agreed|correct|exactly|indeed
okie dokie
yes|yeah|yea|yep|yup|ya|yah|no|nope|nah|absolutely|definitely|certainly|true|gotcha|done|hmm|hm|mhm|aha|ah|oh|ooh|ok
lol|lmao|rofl|haha|hahaha|hahahaha|hehe|hehehe|hihi|omg|nvm|nevermind|oops|whoops|ugh|sorry|sry|apologies|np|gtg|yw|please|pls|plz|anytime
i see|understand|agree|know
i got it|that|this|you
i've got it
got it|that|you|u|ya
of course
no problem|prob at all
no problem|worries|prob|probs|thanks|thank|thx|need|way|doubt|rush you?
never mind
makes|make sense
that|it makes|make sense
all|we're good|clear|right|set|fine|done
fair enough|point
my bad|mistake|apologies|pleasure
not at? all|now|really|bad
don't|dont worry mention? about? it?
i? will|ll do|try|check
i'll do|try|check it|that|this? out|later|now?
let me try|check|see|think it|that|this? out|first?
one|a|just a? moment|sec|second|minute|min
wait a|one moment|sec|second|minute
hold on
why not
oh no|well|my god|dear
i? am|m? so|very? sorry
i? am|m? so|very? sorry about|for that|it|this
i'm so|very? sorry
i'm so|very? sorry about|for that|it|this
excuse me
who|what are|r you|u exactly|really?
who is this|that
who's this
who am i talking|speaking|chatting to|with
who made|built|created|trained you
what is|s? your|ur name
what's your|ur name
do you have a name
are|r you|u|this a|an? real|live? bot|robot|human|person|ai|machine|chatbot|chatgpt|gpt|alive|real|there|here|online|ready|serious|kidding
are|r you|u human|ai or a|an? bot|robot|ai|human
are|r you|u a|an bot|robot|ai|human|person|machine or a|an? bot|robot|ai|human|person|machine
is this|it|that a|an? real|live? bot|robot|human|person|ai|machine|chatbot
is anyone|anybody|someone|somebody there|here|around|online|home
anyone|anybody there|here|around|home
am i talking|speaking|chatting to|with a|an real|live? bot|robot|human|person|ai|machine
tell me more? about|? yourself|you
introduce yourself
what can|could|do|will|would you|u do for? me|us?
what can|could you|u help me|us? with
how can|could|do|will you|u help me|us?
what can|should|could|may i|we ask you?
what are you capable|able of|to do?
what are your capabilities|skills
what do you know
how can|do|should i|we use|talk|ask to? you
can|could|would|will|can't you|u|anyone|someone|anybody|somebody please|pls? help me|us? out? with? something|this?
help me|us? out?
sos
i|we? need|want|require some|your? help|assistance
i|we? need a bit of help
i'm in need of help
i|we have|got|ve a|one|another|some|few? quick|small|little|simple|short? question|questions for? you?
quick|small|one|another|simple question
can|could|may i|we ask you? a|some|one? quick|small? question|questions|something
can you hear|see|read|understand me
do you understand|hear me?
knock knock`;
