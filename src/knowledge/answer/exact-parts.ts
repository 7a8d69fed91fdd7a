/**
 * What has to be taken over exactly: figures with their units, addresses, URLs, host and file names, code, quotations. A sentence that
 * states one which its evidence does not hold is not supported, however alike the words are.
 */

const tokenPatterns = [
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu, // e-mail
  /(?:\b[a-z][a-z0-9+.-]{0,30}:)?\/\/[^\s<>()[\]"'`]+|\bwww\.[^\s<>()[\]"'`]+/gi, // URL
  /(?<![\p{L}\p{N}@/.-])(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?:\/[^\s<>()[\]"'`]*)?/gu, // host or file name
];
const codePattern = /`([^`\n]{1,300})`/g;
const quotationPattern = /[“"„«]([^“"”„«»\n]{3,300})[”"“»]/g;

/** A minus stands right before its figure; `plans - 30 days` has a dash. */
const figure = /(?:(?<![\p{L}\p{N}])[-−](?=[$€£¥\d]))?(?:[$€£¥]\s?)?\d+(?:[.,:/-]\d+)*(?:\s?[%‰])?/gu;
const thousandsMark = /(?<=\d),(?=\d{3}(?!\d))/g;
const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const numberWords = new Map<string, string>([
  ...small.map((word, value) => [word, String(value)] as const),
  ...['thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'].map((word, tens) => [word, String((tens + 3) * 10)] as const),
  ['hundred', '100'],
  ['thousand', '1000'],
  ['fortnight', '14'],
]);
/** `one` is a pronoun more often than a figure, and nobody writes `zero` for an amount. */
const seldomFigures = new Set(['0', '1']);
const units =
  /^(?:milli)?seconds?$|^(?:minute|hour|day|week|month|quarter|year|decade|weekday|workday)s?$|^(?:business|working|calendar)$|^(?:sec|min|hrs?|ms|am|pm)$|^[kmgt]i?b(?:ps)?$|^(?:kilo|mega|giga|tera)?bytes?$|^(?:percent|dollars?|euros?|pounds?|yen|cents?|usd|eur|gbp|jpy)$|^(?:km|kg|cm|mm|miles?|met(?:er|re)s?)$/i;
const wordsAfter = 4;

const flattened = (text: string) =>
  text
    .replace(/[*_`~\\]+/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
const trimmedEnd = (token: string) => token.replace(/[.,;:!?'"*_]+$/, '');
const normalised = (value: string) => value.replace(/\s/g, '').replace('−', '-').replace(thousandsMark, '');

/** Look-alikes (`evil․test` with another dot) are what a browser would make of them. */
const tokens = (text: string): string[] =>
  tokenPatterns.flatMap((pattern) => [...text.normalize('NFKC').matchAll(pattern)].map(([match]) => trimmedEnd(match.toLowerCase())));

interface Figure {
  /** In one spelling: `1,000` and `1000` are the same, `two` is `2`. */
  readonly value: string;
  readonly isWord: boolean;
  /** The next words, as far as a unit may stand. */
  readonly after: readonly string[];
  /** What follows in a script without spaces, which writes the unit right behind the figure: 30日, 1,200円. */
  readonly joined: string | undefined;
}

const singular = (word: string) => word.replace(/(?<!s)s$/, '');

/** Every figure of a text, written in digits or as a word. */
function figuresOf(text: string): Figure[] {
  const plain = text.normalize('NFKC');
  const found = [...plain.matchAll(figure)].map((match) => ({
    value: normalised(match[0]),
    end: match.index + match[0].length,
    isWord: false,
  }));
  for (const match of plain.toLowerCase().matchAll(/\p{L}+/gu)) {
    const value = numberWords.get(match[0]);
    if (value !== undefined) found.push({ value, end: match.index + match[0].length, isWord: true });
  }
  return found.map(({ value, end, isWord }) => {
    const next = plain.slice(end, end + 80);
    return {
      value,
      isWord,
      after: [...next.matchAll(/[\p{L}\p{N}%]+/gu)].slice(0, wordsAfter).map(([word]) => word.toLowerCase()),
      joined: /^\s?([\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}])/u.exec(next)?.[1],
    };
  });
}

/** The units that a sentence gives a figure. */
const unitsOf = ({ after, joined }: Figure): readonly string[] =>
  joined === undefined ? after.slice(0, 2).filter((word) => units.test(word)) : [joined];

const withoutCurrency = (value: string) => value.replace(/^\D+/, '');

/** Whether one statement of a figure is what a sentence says: the same amount, with the same unit close behind it. */
const isSame = (said: Figure, stated: Figure): boolean =>
  (said.value === stated.value || said.value === withoutCurrency(stated.value)) &&
  unitsOf(said).every((unit) => stated.joined === unit || stated.after.some((word) => singular(word) === singular(unit)));

/** Whether `evidence` states every figure of a sentence, with the same unit. */
export function holdsFigures(sentence: string, evidence: string): boolean {
  const said = figuresOf(sentence).filter(({ value, isWord }) => !(isWord && seldomFigures.has(value)));
  if (said.length === 0) return true;
  const stated = figuresOf(evidence);
  return said.every((one) => stated.some((other) => isSame(one, other)));
}

/** Whether a passage holds every address, URL, name, piece of code and quotation of a sentence, whole. */
export function holdsTokens(sentence: string, passage: string): boolean {
  const there = new Set(tokens(passage));
  if (!tokens(sentence).every((token) => there.has(token))) return false;
  const everything = flattened(passage);
  const quoted = [...sentence.matchAll(codePattern), ...sentence.matchAll(quotationPattern)].map(([, inner = '']) =>
    trimmedEnd(flattened(inner)).trim(),
  );
  return quoted.every((part) => part === '' || isWholeIn(everything, part));
}

/** Found without a letter or figure of a longer word right beside it. */
function isWholeIn(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    if (!/[\p{L}\p{N}_]/u.test(text.charAt(at - 1)) && !/[\p{L}\p{N}_]/u.test(text.charAt(at + part.length))) return true;
  }
  return false;
}
