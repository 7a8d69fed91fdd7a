/**
 * Detects the kind of answer that a question asks for, such as a price or a time, and whether a
 * sentence has it. Languages without patterns have no kinds.
 */

import { pattern } from '../../packages/shared/src/language/pattern.ts';

export type QuestionKind =
  | 'price'
  | 'time'
  | 'number'
  | 'who'
  | 'where'
  | 'why'
  | 'steps'
  | 'yesNo';

const asks: readonly (readonly [QuestionKind, RegExp])[] = [
  [
    'price',
    new RegExp(
      pattern`
        \bhow (?:much|expensive)\b(?! (?:time|notice|storage|space|memory|data|traffic|
          \w+ (?:leave|time)))|
        \b(?:price|costs?|fee|fees|charge|budget|allowance)\b|\bwas kostet|\bwie teuer\b|
        \bcombien coûte|\bcuánto (?:cuesta|vale)|いくら|料金|多少钱
      `,
      'iu',
    ),
  ],
  [
    'time',
    new RegExp(
      pattern`
        \bhow (?:long|soon|fast|quickly|often|old|far in advance|much (?:time|notice))\b|
        (?:^|[,?.!:]\s*|\b(?:and|until|since|by|from|or|hi|hey|so|so,)\s)when\s+
          (?!i\b|you\b|we\b)|
        \b(?:what|which) (?:time|date|day|year|month)\b|\bdeadline\b|
        \bwie (?:lange?|oft|schnell)\b|\bwann\b|\bquand\b|\bcombien de (?:temps|jours)\b|
        \bcuándo\b|\bcuánto tiempo\b|何[日時年]|いつ|多久|什么时候|언제|얼마나
      `,
      'iu',
    ),
  ],
  [
    'number',
    new RegExp(
      pattern`
        \bhow (?:many|big|large|high|far|much)\b|\b(?:what|which) percentage\b|
        \b(?:limit|maximum|minimum)\b|\bwie viele?\b|\bcombien\b|\bcuánt[oa]s?\b|何[分人回件個]|多少|几
      `,
      'iu',
    ),
  ],
  [
    'who',
    /\bwho(?:m|se|['’]s)?\b|\bwer\b|\bwem\b|\bqui\b(?! (?:est|sont) (?:le|la|les)\b)|\bquién(?:es)?\b|誰|谁|누가/iu,
  ],
  ['where', /\bwhere\b|\bwo(?:hin)?\b|\bd?['’]?où\b|\bdónde\b|どこ|哪里|어디/iu],
  ['why', /\bwhy\b|\bwarum\b|\bpourquoi\b|\bpor qué\b|なぜ|为什么|왜/iu],
  [
    'steps',
    new RegExp(
      pattern`
        \bhow (?:do|can|could|to|would|should)\b|\bsteps?\b|
        \bwie (?:kann|können|mach\p{L}*|geht|richt\p{L}*)\b|\bcomment\b|\bcómo\b|\bcome\b|
        \bcomo\b|\bhoe (?:kan|doe|moet)\b|как|どうやって|方法|如何|怎么|어떻게
      `,
      'iu',
    ),
  ],
  [
    'yesNo',
    new RegExp(
      pattern`
        (?:^|[,.!?:]\s+)(?:(?:hey|hi|so|and|ok(?:ay)?)[,\s]+)?
          (?:do|does|did|can|could|may|might|should|must|is|are|was|were|will|would|has|have|am|
          kann|können|darf|dürfen|muss|müssen|gibt es|ist|sind|hat|haben|wird|werden|puis-je|
          peut-on|est-ce|puedo|se puede|hay)\b
      `,
      'iu',
    ),
  ],
];

const unit = pattern`
    (?:ms|milliseconds?|s|secs?|seconds?|min|minutes?|h|hrs?|hours?|days?|weeks?|months?|
      quarters?|years?|yrs?|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|jours?|
      heures?|semaines?|mois|ans?|días?|horas?|semanas?|meses|años?|minutos?)
  `;
const length =
  '(?:mm|cm|km|m|metres?|meters?|centimet(?:re|er)s?|kilomet(?:re|er)s?|inch(?:es)?|feet|foot|yards?|miles?|pages?|words|lines|characters)';
const workday = '(?:business|calendar|working|full|consecutive|paid)';
const holdsDuration = new RegExp(
  pattern`
    \d\)?[\s-]?(?:${workday}\s)?(?:${unit}|${length})\b|
    \b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|
      ninety|an?|each|every|same|next|ein(?:e[mnr]?)?|zwei|drei|jede[nrs]?)\)?[\s-](?:\(\d+\)\s)?
      (?:${workday}\s)?${unit}\b|
    \b(?:immediately|instantly|at once|forever|indefinitely|sofort)\b|\d\s?[日時分年月周天点]
  `,
  'iu',
);
const holdsMoment = new RegExp(
  pattern`
    ${holdsDuration.source}|\b\d{1,2}(?:st|nd|rd|th)\b|
    \b(?:january|february|march|april|june|july|august|september|october|november|december|monday|
      tuesday|wednesday|thursday|friday|saturday|sunday|januar|februar|märz|mai|juni|juli|oktober|
      dezember|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?\b|
    \b(?:may|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d|\d{4}-\d\d|\d{1,2}[:h.]\d\d\b|
    \d\s?(?:a\.?m|p\.?m|uhr|o['’]clock)\b|
    \bat (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)\b|
    \b(?:as soon as|after|until|at the end of|sobald|nachdem|bis)\s\p{L}|\b(?:1[89]|20)\d\d\b
  `,
  'iu',
);
const holdsFrequency = new RegExp(
  pattern`
    ${holdsDuration.source}|
    \b(?:daily|weekly|bi-?weekly|monthly|quarterly|yearly|annual|annually|hourly|once|twice|
      per ${unit}|täglich|wöchentlich|monatlich|jährlich)\b
  `,
  'iu',
);
const asksForFrequency = /\bhow often\b|\bwie oft\b|\bcada cuánto\b/iu;
/** Matches questions that a duration answers, not a date or an event. */
const asksForDuration = new RegExp(
  pattern`
      \bhow (?:long|soon|fast|quickly|old|far in advance|much (?:time|notice))\b|
      \bwie (?:lange?|schnell)\b|\bcombien de (?:temps|jours)\b|\bcuánto tiempo\b|多久
    `,
  'iu',
);
const figure = new RegExp(
  pattern`
      \p{N}|[$€£¥]|
      \b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|unlimited|free|once|twice|
        no limit|any number|half|all|both|none|eine?[nrs]?|zwei|drei|vier|fünf)\b
    `,
  'iu',
);

const holds: Readonly<Record<QuestionKind, RegExp>> = {
  price: new RegExp(
    pattern`
        [$€£¥%]|
        \b(?:eur|usd|gbp|euros?|dollars?|pounds?|cents?|free|included|kostenlos|gratis|
          gratuit\p{L}*|no (?:extra )?(?:charge|costs?|fee)|on request|unlimited)\b|
        円|元|無料
      `,
    'iu',
  ),
  time: holdsMoment,
  number: figure,
  who: new RegExp(
    pattern`
      (?<=[\p{L}\p{N},;:)] )["“(*_[]{0,3}\p{Lu}\p{L}|@|
      \b(?:managers?|teams?|owners?|admins?|administrators?|leads?|supervisors?|directors?|
        officers?|controller|staff|employees?|members?|users?|customers?|accountants?|engineers?|
        partners?|authors?|captains?|specialists?|agents?|contractors?|support|anyone|everyone|
        nobody|no one|people|person|department|only you|yourself)\b|
      \p{Script=Han}|\p{Script=Hangul}
    `,
    'u',
  ),
  where: new RegExp(
    pattern`
        \b(?:at|in|on|under|from|to|via|into|inside|behind|below|above|through|bei|im|am|unter|
          über|dans|sur|sous|chez|en)\b|
        [/›>]|\p{Script=Han}|\p{Script=Hangul}
      `,
    'iu',
  ),
  why: new RegExp(
    pattern`
      \b(?:because|since|so that|so (?:you|we|it|they)|due to|as a result|reasons?|in order to|
        to (?:avoid|prevent|protect|ensure|make sure|keep|reduce)|otherwise|which is why|weil|
        damit|denn|da|parce que|car|porque)\b|
      ため|から|因为|때문
    `,
    'iu',
  ),
  steps: new RegExp(
    pattern`
        ^[\W_]{0,4}(?:to\b[^,]{1,80},\s*|then,?\s+|first,?\s+|please\s+|if\b[^,]{1,80},\s*|
          in\b[^,]{1,60},\s*|simply\s+)?(?:add|ask|assign|book|call|change|check|choose|clear|
          click|close|complete|configure|connect|contact|copy|create|define|delete|disable|divide|
          download|drag|edit|e-?mail|enable|ensure|enter|export|file|fill|find|follow|give|go|
          import|install|invite|log|make|message|move|multiply|navigate|notify|open|paste|pick|
          place|post|press|provide|put|read|register|remove|rename|replace|reply|request|reset|
          restart|return|review|run|save|scan|search|select|send|set|share|sign|specify|start|
          stop|submit|switch|take|tap|tell|tick|turn|type|update|upload|use|verify|visit|wait|
          write)\b|
        \b(?:you|employees|users|members|staff|teammates|customers|anyone|owners|admins|they)\s
          (?:can|may|must|should|need to|have to|will need to)\b|
        \b(?:by|with|using|via|through)\s(?:the\s|an?\s)?[\p{L}\x60"*]|\x60[^\x60]+\x60|[›>→]|
        \b(?:öffnen|klicken|wählen|senden|gehen|können|müssen)\b|\bSie\b|[てで]ください|请|하세요|cliquez|
        ouvrez|envoyez|haga|abra|envíe|clicca|apra|klik
      `,
    'iu',
  ),
  yesNo: new RegExp(
    pattern`
        \b(?:can(?:not|['’]t)?|may|must|should|shall|will|won['’]t|need(?:s|ed)?|is|are|was|were|
          isn['’]t|aren['’]t|do|does|don['’]t|doesn['’]t|not|no|never|only|yes|any|all|every|each|
          unless|required?s?|allowed|supports?|supported|includes?|included|available|possible|
          eligible|entitled|have|has|gets?|kann|können|darf|dürfen|muss|müssen|ist|sind|hat|haben|
          wird|werden|nicht|kein\p{L}*|peut|peuvent|pas|puede|pueden|no|sí)\b|
        \p{Script=Han}|\p{Script=Hiragana}|\p{Script=Hangul}
      `,
    'iu',
  ),
};

/** Returns the kind that the question asks for first. */
export function kindOf(question: string): QuestionKind | undefined {
  const found = asks
    .map(([kind, pattern]) => ({ kind, at: question.search(pattern) }))
    .filter(({ at }) => at >= 0);
  return found.toSorted((a, b) => a.at - b.at)[0]?.kind;
}

const questionWord = new RegExp(
  pattern`
      ^\W*(?:please\s+)?(?:tell|give|show|write|explain|list|translate|find|make|recommend|
        solve)\b|
      \b(?:what|which|how|why|who|where|when|can|could|do|does|did|is|are|should|would|will|may|
        was|welche\p{L}*|wie|wer|wo|wann|warum|kann|quel\p{L}*|comment|pourquoi|qué|cuál\p{L}*|
        cómo)\b|
      [何どなぜ什么怎哪]|무엇|어떻게
    `,
  'iu',
);
const topicOpening = new RegExp(
  pattern`
      ^\W*(?:and\s+)?(?:(?:what|how) about|what do(?:es)? .{1,40}? say (?:about|on)|
        what should (?:i|we) know about|was muss ich über|que savoir sur|qué debo saber sobre|
        che cosa devo sapere su|o que devo saber sobre|wat moet ik weten over|что нужно знать про)
        (?!\p{L})
    `,
  'iu',
);
const maxTopicWords = 6;

/** Whether a question only names a topic: `refund window?` */
export function isTopic(question: string): boolean {
  const topic = question.replace(topicOpening, '').trim();
  return !questionWord.test(topic) && topic.split(/\s+/).length <= maxTopicWords;
}

const figures = /\d+(?:[.,]\d+)*/g;

const timeOf = (question: string): RegExp =>
  asksForFrequency.test(question)
    ? holdsFrequency
    : asksForDuration.test(question)
      ? holdsDuration
      : holds.time;

/** Matches the unit after `how many`; an answer must contain a number of this unit. */
const counted = /\bhow many (?:\p{L}+ ){0,2}?(hours|days|weeks|months|years|minutes|seconds)\b/iu;

/** Whether a text contains the kind of answer; figures from the question do not count. */
export function holdsKind(kind: QuestionKind | undefined, question: string, text: string): boolean {
  if (kind === undefined) return true;
  const given = new Set(question.match(figures) ?? []);
  const own = given.size === 0 ? text : text.replace(figures, (one) => (given.has(one) ? '' : one));
  const unitAsked = kind === 'number' ? counted.exec(question)?.[1] : undefined;
  if (unitAsked !== undefined)
    return new RegExp(String.raw`\d\)?[\s-](?:\p{L}+\s){0,3}${unitAsked.slice(0, -1)}`, 'iu').test(
      own,
    );
  return (kind === 'time' ? timeOf(question) : holds[kind]).test(own);
}
