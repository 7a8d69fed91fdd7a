/**
 * What kind of thing a question asks for, as far as its form tells: an amount of money, a time, a number, a way to reach somebody. A
 * sentence that holds such a thing is the likelier answer.
 */

interface AnswerType {
  readonly asks: RegExp;
  readonly holds: RegExp;
}

const numberWord = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|sixty|ninety|half|once|twice';
const timeUnit =
  'seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|quarters?|years?|ms|sekunden?|minuten?|stunden?|tagen?|tage|wochen?|monaten?|jahren?|jahre|secondes?|heures?|jours?|semaines?|mois|ans?|segundos?|minutos?|horas?|d[ií]as?|semanas?|meses|mes|a[ñn]os?|giorn[oi]|or[ae]|settiman[ae]|mes[ei]|ann[oi]|dagen?|weken|maanden|jaar|uur|секунд\\S*|минут\\S*|час\\S*|дн\\S*|день|недел\\S*|месяц\\S*|год\\S*|лет';
/** The month: elsewhere the word says what is possible. */
const inMay = '\\b(?:in|of|by|until|since|from) may\\b|\\bmay \\p{N}|\\b\\p{N}{1,2}(?:st|nd|rd|th)? may\\b(?! \\p{L})';
/** `5 business days`, `14 Werktage`: what may stand between a number and its unit. */
const dayKind = '(?:(?:business|working|work|calendar|full|whole|consecutive|more)[-\\s]+)?(?:werk|arbeits|kalender)?';
const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';

const types: readonly AnswerType[] = [
  {
    // A length of time, or a moment.
    asks: /\bhow (?:long|soon|fast|quickly|late|early|old)\b|\bwhen\b|\bhow many (?:minutes|hours|days|weeks|months|years)\b|\b(?:what|which) (?:time|date|day|year|month|decade|century)\b|\bdeadline\b|\buntil when\b|\bby when\b|\bwie (?:lange|bald|schnell|alt|viele (?:tage|wochen|monate|stunden))\b|\bwann\b|\bcombien de (?:temps|jours|mois)\b|\bquand\b|\bcu[aá]ndo\b|\bcu[aá]nto (?:tiempo|tarda)\b|\bquando\b|\bquanto tempo\b|\bhoe ?lang\b|\bwanneer\b|когда|как долго|いつ|何[日時分週年]|どのくらい|多久|几[天个]|什么时候|언제|며칠|얼마나/iu,
    holds: new RegExp(
      `(?:\\p{N}|\\b(?:${numberWord}))[-\\s]*${dayKind}(?:${timeUnit})(?![\\p{L}])|\\b(?:1[5-9]|20)\\p{N}{2}\\b|\\b\\p{N}{1,2}[:.]\\p{N}{2}\\b|\\b\\p{N}{1,2} ?[ap]m\\b|\\b(?:${months})\\b|${inMay}|\\b(?:immediately|instantly|at once|daily|weekly|monthly|yearly|annually|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\\b|[\\p{N}一二三四五六七八九十]+ ?(?:営業|个?工作)?[日時分週月年天个小周일시분주월년]`,
      'iu',
    ),
  },
  {
    asks: /\bhow (?:much|expensive|pricey)\b|\b(?:price|costs?|fee|charge|pay|budget|salary|allowance|spend)\b|\bwie ?viel\b|\bwas kostet\b|\bkosten\b|\bpreis\b|\bcombien\b|\bprix\b|\bcu[aá]nto\b|\bprecio\b|\bquanto\b|\bprezzo\b|\bpreço\b|\bhoeveel\b|\bprijs\b|сколько|цена|стоит|いくら|料金|多少钱|价格|费用|얼마|가격/iu,
    holds:
      /[$€£¥₩₽]\s?\p{N}|\p{N}\s?(?:[$€£¥₩₽%]|(?:[円元원]|(?:euros?|eur|usd|dollars?|pounds?|gbp|cents?|percent|per cent|руб\S*)(?![\p{L}])))|\bfree\b|\bkostenlos\b|\bgratis\b|無料|免费|무료/iu,
  },
  {
    asks: /\bhow (?:many|often|big|large|far|high|tall|wide|deep|heavy|small)\b|\b(?:limit|maximum|max|minimum|min|quota|size|number|percentage|percent|rate|version|port|default)\b|\bwie (?:viele?|oft|gro(?:ß|ss)|hoch|weit)\b|\bcombien\b|\bcu[aá]nt[oa]s\b|\bquant[ie]\b|\bhoe(?:veel| vaak| groot)\b|сколько|何[人個件回]|最大|上限|多少|几个|최대|몇/iu,
    holds: new RegExp(`\\p{N}|\\b(?:${numberWord}|unlimited|no limit)\\b|[一二三四五六七八九十百千]`, 'iu'),
  },
  {
    // Whom to turn to.
    asks: /\bwho (?:do|should|can|must|to)\b|\bwhom\b|\bwhere (?:do|can|should) (?:i|we) (?:write|call|report|send|ask|turn)\b|\b(?:contact|phone|e-?mail|reach|ring|hotline|extension)\b|\bwen\b|\ban wen\b|どこに(?:連絡|報告)|联系/iu,
    holds:
      /(?<![\w.+-])[\w.+-]+@[\w-]+\.\w|\bextension \p{N}|\+\p{N}[\p{N} ()-]{5,}|\b(?:call|write to|e-?mail|contact|tell|inform|report (?:it )?to|ask|turn to)\b/iu,
  },
];

/** How well a sentence fits the kind of answer that a question asks for: 1 where it holds one, 0 where it does not or nothing tells. */
export function createFit(question: string): (sentence: string) => number {
  const asked = types.filter(({ asks }) => asks.test(question));
  return (sentence) => (asked.some(({ holds }) => holds.test(sentence)) ? 1 : 0);
}
