/** Small talk in Dutch and Russian, in the notation of small-talk-en.ts; refuses words of questions about a product. */

const dutch = `
hallo|hoi|hey|hé|hai|goeiedag|goedemorgen|goedemiddag|goedenavond|goeiemorgen|goeiemiddag|goeieavond|goedendag|welkom|hoihoi
goede|goeden morgen|middag|avond|dag|nacht
dag allemaal|iedereen|team
hoe gaat|gaan het ermee?
hoe gaat het met jou|je|u|jullie
hoe is het met? jou|je|u?
alles goed|oké|ok|duidelijk|prima met? je|jou?
bedankt|dankje|dankjewel|dankuwel
dank je|u wel?
bedankt alvast|nogmaals|allemaal|hoor
heel|hartelijk|erg|super erg? bedankt|dank
veel|alvast|nogmaals dank|bedankt
heel|erg goed|fijn|mooi|leuk|handig|duidelijk|aardig
prima|perfect|super|geweldig|fantastisch|uitstekend|mooi|fijn|lekker|leuk|gaaf|tof|goed|netjes|goedzo|knap|handig|helder|top
goed|mooi|lekker|fijn gedaan|werk|zo|bezig|antwoord|idee
goed om te weten
dat|het|dit is|was heel|erg|echt|zo? fijn|duidelijk|goed|handig|top|alles|mooi|juist|het|oké|ok
dat|dit klopt|helpt|werkt mij|me? goed|enorm?
je|jij bent heel|erg|de|een|echt? geweldig|top|beste|held|aardig|lief
gefeliciteerd
doei|doeg|houdoe|vaarwel
tot ziens|straks|later|morgen|snel|dan|gauw|zo|kijk
fijne|prettige|goede dag|avond|middag|week|werkdag nog?
nog een fijne|prettige dag|avond|middag|week
een? fijn|prettig|goed weekend
ja|nee|jawel|zeker|klopt|begrepen|juist|precies|natuurlijk|akkoord|duidelijk|inderdaad|graag|okee|jep|helaas
ik snap|begrijp|weet het|dat?
is goed|ok|oké|prima
komt goed
geen probleem|dank|idee|zorgen|punt|vragen
niks|niets te danken
niets meer|verder
graag gedaan
maakt niet|niks uit
excuus|excuses|jammer
het spijt me
alsjeblieft|alstublieft|aub|ajb
een? moment|momentje|ogenblik geduld? alsjeblieft|alstublieft|graag?
dat was|is het|alles
wie ben|bent jij|je|u eigenlijk|precies?
wat ben|bent jij|je|u eigenlijk|precies?
hoe heet je|jij|u
wat is je|jouw|uw naam
ben|bent je|jij|u een echte|echt? bot|robot|mens|ai|machine|chatbot|persoon
ben|bent je|jij|u echt|er|daar
is dit een bot|robot|mens|ai|machine|chatbot
is daar|er|hier iemand daar|hier?
wat kan|kun|kunt je|jij|u allemaal|eigenlijk? voor? mij|me? doen|betekenen?
wat doe|kan je|jij allemaal|eigenlijk?
wat kan ik je|jou|u|hier allemaal? vragen
hoe kan|kun|kunt je|jij|u mij|me|ons helpen
waarmee kan|kun|kunt je|jij|u mij|me|ons? helpen
help|hulp|help mij|me|ons?
kan|kun|kunt je|jij|u|iemand mij|me|ons? even? helpen
ik heb je|jouw|uw|even|wat? hulp nodig
ik heb|had een|nog|even? een? vraag|vraagje|vragen
nog? een korte|snelle? vraag|vraagje
mag|kan ik je|u|jou|even? iets|wat vragen
mag|kan ik je|u|jou|even? een vraag stellen
iemand daar|hier
en met? jou|u|jij
insgelijks
ik ook
aangenaam
aangenaam kennis te maken`;

const russian = `
привет|приветик|приветики|здравствуйте|здравствуй|здрасьте|здрасте|хай|хей|салют|приветствую|алло|здарова|здорово|прив|ку
доброе|добрый|доброго утро|утра|день|дня|вечер|вечера
доброго времени суток
доброй|спокойной ночи
как дела|поживаете|поживаешь|жизнь|ты|вы|настроение сегодня?
как дела у вас|тебя
как твои|ваши дела
что нового
спасибо|спс|спасиб|спасибочки|благодарю|пасиб|пасибо|мерси
спасибо большое|огромное|вам|тебе|заранее|всем|еще
большое|огромное вам|тебе? спасибо
очень благодарен|благодарна|признателен|хорошо|круто|приятно|полезно|помогло|жаль|интересно|рад|рада
отлично|супер|класс|классно|круто|прекрасно|замечательно|великолепно|идеально|хорошо|молодец|браво|шикарно|огонь|потрясающе|интересно
хорошая|отличная|хороший|отличный работа|идея|ответ|вопрос
ты|вы очень|просто? молодец|лучший|лучшая|супер|гений|молодцы|прав|права|правы
это очень|все? полезно|хорошо|круто|отлично|помогло|понятно|верно|правильно|работает|ясно
мне? очень? помогло
поздравляю
пока|покеда|бай|прощай|прощайте|счастливо|бб|чао
до свидания|встречи|завтра|скорого|связи
увидимся
всего доброго|хорошего|наилучшего
хорошего|удачного|приятного дня|вечера|выходных
удачи
да|нет|неа|ага|угу|ок|окей|ладно|понял|поняла|понятно|ясно|точно|верно|конечно|согласен|согласна|договорились|принято|именно
я все? понял|поняла|вижу|знаю|согласен|согласна
все понятно|ясно|хорошо|отлично|верно
все в порядке
без проблем
не за что
не стоит|важно|нужно
нет проблем
ничего страшного?
пожалуйста|плиз|плз
извини|извините|простите|прости|сорри|сори|пардон|жаль
прошу прощения
одну? минутку|секунду|минуточку|секундочку|минуту
один? момент
на? этом|это все
больше ничего
ха|хаха|хахаха|ахах|ахаха|лол|хех|ого|вау|ой|ах|эх|хм
кто|что ты|вы такой|такая|такое|такие?
кто это|здесь
ты|вы кто|что
как тебя|вас зовут
ты|вы бот|робот|человек|живой|ии|машина|настоящий|реальный|тут|здесь|нейросеть
ты|вы бот|робот|человек|живой или бот|робот|человек
это бот|робот|человек|ии
я разговариваю|общаюсь|говорю с ботом|роботом|человеком
что ты|вы умеешь|можешь|умеете|можете|знаешь|знаете делать|сделать?
чем|как ты|вы? мне? можешь|можете мне? помочь
помощь|помоги|помогите|хелп мне|нам?
можешь|можете|сможете|сможешь ты|вы? мне|нам? помочь
не? могли бы вы|ты? мне|нам? помочь
мне|нам нужна|требуется твоя|ваша? помощь
у меня|нас есть|еще? один|небольшой? вопрос|вопросы
один|есть|небольшой|быстрый вопрос
можно вопрос|спросить
можно задать вопрос
могу я? задать вопрос
есть|тут|здесь кто-нибудь|кто-то тут|здесь?
кто-нибудь тут|здесь|есть
а? ты|вы как
а? у? вас|тебя как
приятно познакомиться
взаимно
расскажи|расскажите немного? о себе`;

export const smallTalkDutchRussian: string = [dutch, russian].join('');
