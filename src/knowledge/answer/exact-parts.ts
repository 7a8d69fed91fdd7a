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

const figure = /(?:[-−]\s?)?(?:[$€£¥]\s?)?\d+(?:[.,:/-]\d+)*(?:\s?[%‰])?/g;
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
const figureText = (text: string) => text.normalize('NFKC');
const normalised = (value: string) => value.replace(/\s/g, '').replace('−', '-').replace(thousandsMark, '');

/** Look-alikes (`evil․test` with another dot) are what a browser would make of them. */
const tokens = (text: string): string[] =>
  tokenPatterns.flatMap((pattern) => [...text.normalize('NFKC').matchAll(pattern)].map(([match]) => trimmedEnd(match.toLowerCase())));

interface Figure {
  readonly value: string;
  /** Unit words among the next words. */
  readonly units: readonly string[];
}

const unitName = (word: string) => word.toLowerCase().replace(/s$/, '');

function writtenFigures(text: string): Figure[] {
  const plain = figureText(text);
  const marks = [...plain.matchAll(figure)].map((match) => ({ value: normalised(match[0]), end: match.index + match[0].length }));
  for (const match of plain.toLowerCase().matchAll(/\p{L}+/gu)) {
    const value = numberWords.get(match[0]);
    if (value !== undefined && !seldomFigures.has(value)) marks.push({ value, end: match.index + match[0].length });
  }
  return marks.map(({ value, end }) => {
    const next = [...plain.slice(end, end + 60).matchAll(/[\p{L}\p{N}%]+/gu)].slice(0, wordsAfter).map(([word]) => word);
    const unit = next
      .slice(0, 2)
      .filter((word) => units.test(word))
      .map(unitName);
    // Scripts without spaces write the unit right behind the figure: 30日, 1,200円.
    const joined = /^\s?([\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}])/u.exec(plain.slice(end))?.[1];
    return { value, units: joined === undefined ? unit : [joined] };
  });
}

/** Every figure of a text, also without its currency, with what follows it. */
function statedFigures(text: string): Map<string, string[]> {
  const plain = figureText(text);
  /** Figure → what follows it, wherever it stands. */
  const stated = new Map<string, string[]>();
  const add = (value: string, end: number) => {
    const after = [...plain.slice(end, end + 80).matchAll(/[\p{L}\p{N}%]+/gu)]
      .slice(0, wordsAfter)
      .map(([word]) => unitName(word))
      .join(' ');
    for (const spelling of new Set([value, value.replace(/^[^\d]+/, '')])) stated.set(spelling, [...(stated.get(spelling) ?? []), after]);
  };
  for (const match of plain.matchAll(figure)) add(normalised(match[0]), match.index + match[0].length);
  for (const match of plain.toLowerCase().matchAll(/\p{L}+/gu)) {
    const value = numberWords.get(match[0]);
    if (value !== undefined) add(value, match.index + match[0].length);
  }
  return stated;
}

/** Whether `evidence` states every figure of a sentence, with the same unit. */
export function holdsFigures(sentence: string, evidence: string): boolean {
  const wanted = writtenFigures(sentence);
  if (wanted.length === 0) return true;
  const stated = statedFigures(evidence);
  return wanted.every(
    ({ value, units: wantedUnits }) => stated.get(value)?.some((after) => wantedUnits.every((unit) => after.includes(unit))) ?? false,
  );
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
