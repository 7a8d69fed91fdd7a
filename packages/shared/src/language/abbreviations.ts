/** Dots that do not end a sentence: of abbreviations (`lexicon/…/abbreviations`) and ordinals. */
import { isStopWord, languageOf } from './languages.ts';
import { lexiconGroups, listedLanguages } from './lexicon.ts';

/** Abbreviation, without spaces and its last dot → kinds. Those of all languages count in any. */
const kinds = new Map<string, Set<string>>();
/** Beginnings of those with inner dots. */
const beginnings = new Set<string>();
for (const language of listedLanguages)
  for (const { name, sides } of lexiconGroups(language, 'abbreviations'))
    for (const entry of sides.flat()) {
      kinds.set(entry, (kinds.get(entry) ?? new Set()).add(name));
      for (const { index } of entry.matchAll(/\./g)) beginnings.add(entry.slice(0, index));
    }
/** Parts of abbreviations, in lower case: most words before a dot are none. */
const parts = new Set([...kinds.keys()].flatMap((entry) => entry.toLowerCase().split('.')));
const lastPart = /([\p{L}\p{M}\p{N}º№/-]{1,13})\.\s*$/u;
const mayContinue = (before: string) => {
  const part = lastPart.exec(before)?.[1] ?? '';
  return /^(?:\p{L}|\d{1,2}|[IVX]{2,6})$/u.test(part) || parts.has(part.toLowerCase());
};

/** Characters examined before a dot, and after it. */
const maxBefore = 32;
const maxAfter = 40;
const lastWord =
  /(?<![\p{L}\p{N}'’])((?:[\p{L}\p{M}º№/-]{1,12}\. ?){0,3}[\p{L}\p{M}º№/-]{1,12})\.\s*$/u;
/** The word after the dot, without quote and emphasis marks before it. */
const firstWord = /^[\s("'„“«*_]*([\p{L}\p{N}\p{M}.]*)/u;
/** `J. Doe`, but not `item b. Next`. */
const initial = /(?:^|[\s(])\p{Lu}\.\s*$/u;
/** `U.S. Army`, `12. St. Louis` */
const initials = /(?:\p{Lu}\.){2}\s*$/u;
const ordinal = /(?:(?<=^|[\s(])([\p{L},]{1,20})\s+|^)(?:\d{1,2}|[IVX]{2,6})\.\s*$/u;

const isStop = (word: string) => listedLanguages.some((language) => isStopWord(word, language));

/** The abbreviation as written and in lower case, then without its first parts: `wird.z.b`, `z.b`. */
function* formsOf(written: string) {
  const parts = written.replaceAll(' ', '').split('.');
  for (const from of parts.keys()) {
    const form = parts.slice(from).join('.');
    yield form;
    yield form.includes('.') ? form.toLowerCase() : form.charAt(0).toLowerCase() + form.slice(1);
  }
}

/** @param isMeasure whether a figure is before the abbreviation: `8 p.m.` may end a sentence */
function isContinued(form: string, next: string, isMeasure: boolean) {
  const found = kinds.get(form);
  if (!found || next === '…') return false;
  if (found.has('always') || /^\p{Ll}/u.test(next)) return true;
  if (/^\p{N}/u.test(next) && found.has('figure')) return true;
  return (found.has('unit') || (found.has('name') && !isMeasure)) && !isStop(next);
}

function isAbbreviation(written: string, next: string, isMeasure: boolean) {
  const [second = ''] = next.toLowerCase().split('.');
  return formsOf(written).some((form) => {
    const longer = second === '' ? '' : `${form}.${second}`;
    return beginnings.has(longer) || kinds.has(longer) || isContinued(form, next, isMeasure);
  });
}

/** The last text, because a paragraph may have thousands of figures. */
let known = { text: '', isGerman: false };
function isGerman(text: string) {
  if (known.text !== text) known = { text, isGerman: languageOf(text) === 'de' };
  return known.isGerman;
}

/** `Am 3. Mai`, `die 2. Etage`, `12. 5. 2024`, but not `Seite 12. Der …` */
function isOrdinal(before: string, next: string, text: string) {
  const found = ordinal.exec(before);
  if (!found) return false;
  if (kinds.get(next)?.has('ordinal')) return true;
  const leads = found[1] === undefined || isStopWord(found[1], 'de');
  return leads && next !== '…' && !isStopWord(next, 'de') && isGerman(text);
}

/**
 * Whether a dot does not end its sentence. In a text that still grows, the last word may be
 * incomplete, so it does not count as a stop word. @param end offset after the dot and its spaces
 */
export function continuesAfterDot(text: string, end: number) {
  const before = text.slice(Math.max(0, end - maxBefore), end);
  if (!mayContinue(before)) return false;
  const found = firstWord.exec(text.slice(end, end + maxAfter));
  const word = found?.[1]?.replace(/\.$/, '') ?? '';
  const next = end + (found?.[0].length ?? 0) === text.length ? `${word}…` : word;
  const last = lastWord.exec(before);
  return (
    initial.test(before) ||
    (initials.test(before) && word !== '' && !isStop(next)) ||
    (last?.[1] !== undefined &&
      isAbbreviation(last[1], next, /\p{N}\s?$/u.test(before.slice(0, last.index)))) ||
    isOrdinal(before, next, text)
  );
}
