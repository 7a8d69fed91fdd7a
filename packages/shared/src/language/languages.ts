/** Language detection, stemmers and stop words. Words of other languages are only folded. */
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { lexiconEntries } from './lexicon.ts';
import { pattern } from './pattern.ts';

const stemmers = {
  de: german,
  en: english,
  es: spanish,
  fr: french,
  it: italian,
  nl: dutch,
  pt: portuguese,
  ru: russian,
};
type StemmedLanguage = keyof typeof stemmers;
/**
 * Languages without spaces, or with attached particles. Searched by words and character pairs;
 * Latin words count as English.
 */
type PairedLanguage = 'ja' | 'ko' | 'zh';

/** ISO 639-1; words of `other` are not stemmed. */
export type Language = StemmedLanguage | PairedLanguage | 'other';

const supported = Object.keys(stemmers) as StemmedLanguage[];
const isSupported = (code: string): code is StemmedLanguage => Object.hasOwn(stemmers, code);
export const isPaired = (code: string): code is PairedLanguage => ['ja', 'ko', 'zh'].includes(code);

/**
 * Accents, Hebrew points, vowels and other marks of Arabic, the Arabic tatweel, and apostrophes that
 * are letters (`обʼєкт`).
 */
const marks = new RegExp(
  pattern`
    [\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7
    \u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u02bb\u02bc]
  `,
  'g',
);
const notAscii = /[^\p{ASCII}]/u;
/** Letters without a Unicode decomposition, and their usual replacements. */
const ligatures: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  // Letters of Arabic that keyboards of Persian and Urdu write otherwise, or that people confuse.
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ے: 'ي',
  ک: 'ك',
  ة: 'ه',
  ۀ: 'ه',
  ە: 'ه',
  ہ: 'ه',
};
const ligature = /[ßæœøłđðþıٱىیےکةۀەہ]/g;
/** Arabic and Persian; the last four bits are the digit. */
const easternDigit = /[٠-٩۰-۹]/g;

/**
 * Lower case, without accents and points of vowels. Keeps marks of other scripts (a dakuten, a
 * matra), which carry meaning.
 */
export function fold(word: string) {
  const lower = word.toLowerCase();
  if (!notAscii.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(marks, '')
    .normalize('NFC')
    .replace(ligature, (letter) => ligatures[letter] ?? letter)
    .replace(easternDigit, (digit) => String(digit.charCodeAt(0) & 15));
}

const stemmable = /^[\p{Script=Latin}\p{Script=Cyrillic}]{3,}$/u;

/** Term of a word: its folded Snowball stem. Figures and words of other scripts are only folded. */
export function stem(written: string, language: Language) {
  // macOS decomposes umlauts.
  const word = notAscii.test(written) ? written.normalize('NFC') : written;
  if (language === 'other' || !stemmable.test(word)) return fold(word);
  // The English stemmer does not know accents (`résumé`); the others need them.
  return language === 'en' || isPaired(language)
    ? english(fold(word))
    : fold(stemmers[language](word.toLowerCase()));
}

/** Not stop words, although they equal `I'd`, `I'll`, `we'll` … without the apostrophe. */
const ownWords = new Set(['id', 'ill', 'hell', 'wed', 'well']);

/** Word of a list → its languages. */
function readWords(list: 'stop-words' | 'joining-words') {
  const words = new Map<string, Language[]>();
  for (const language of supported)
    for (const word of lexiconEntries(language, list))
      words.set(word, [...(words.get(word) ?? []), language]);
  return words;
}
const stopWords = readWords('stop-words');
const joiningWords = readWords('joining-words');

function listed(word: string) {
  const lower = word.toLowerCase();
  if (lower.includes("'") || lower.includes('’')) return lower.replace(/['’]/g, '');
  return ownWords.has(lower) ? '' : lower;
}

export const isStopWord = (word: string, language: Language) =>
  stopWords.get(listed(word))?.includes(language) === true;

/** Whether a word of a reply joins sentences or hedges, as `however`, `typically`. */
export const isJoiningWord = (word: string, language: Language) =>
  joiningWords.get(listed(word))?.includes(language) === true;

const maxSampleChars = 2_000;
/** Minimum share of stop words in prose; lists and code have fewer. */
const minStopWordShare = 0.12;
/**
 * Minimum ratio to the second language: Spanish and Portuguese, German and Dutch share many stop
 * words.
 */
const minLead = 1.15;

const words = /[\p{L}\p{M}'’]+/gu;
const asciiWords = /[A-Za-z']+/g;

/** Elided words of French; without an apostrophe a size, a unit or a name. */
const lone = /^[cdjlmnst]$/i;

/** Share of stop words in a text, per language. */
export function stopWordShares(text: string): ReadonlyMap<Language, number> {
  const sample = text.slice(0, maxSampleChars);
  const found = sample.match(notAscii.test(sample) ? words : asciiWords) ?? [];
  const hits: Partial<Record<Language, number>> = {};
  for (const word of found)
    for (const language of (!lone.test(word) && stopWords.get(listed(word))) || [])
      hits[language] = (hits[language] ?? 0) + 1;
  return new Map(
    supported.map((language) => [language, (hits[language] ?? 0) / Math.max(1, found.length)]),
  );
}

/**
 * Fifteen percent of the letters are enough; the rest are names, code and markup. Chinese has some
 * kana in names. @param declared decides whether Chinese characters alone are Japanese
 */
function languageOfScript(sample: string, declared?: string): Language | undefined {
  const count = (script: RegExp) => sample.match(script)?.length ?? 0;
  const least = Math.max(1, count(/\p{L}/gu) * 0.15);
  if (count(/\p{Script=Hangul}/gu) >= least) return 'ko';
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const both = kana + count(/\p{Script=Han}/gu);
  if (both < least) return undefined;
  return kana * 20 > both || declared === 'ja' ? 'ja' : 'zh';
}

/**
 * Detects the language of a text by script or stop words. If that is unclear (a list, code, a few
 * words), returns the declared language, else English, whose stemming harms other languages little.
 * @param declared BCP 47 tag; second choice, because many pages declare English wrongly
 */
export function languageOf(text: string, declared?: string): Language {
  const code = declared?.toLowerCase().split(/[-_]/)[0];
  const sample = text.slice(0, maxSampleChars);
  const byScript = notAscii.test(sample) && languageOfScript(sample, code);
  if (byScript) return byScript;
  const [first, second] = [...stopWordShares(text)].sort((a, b) => b[1] - a[1]);
  if (first && first[1] >= minStopWordShare && first[1] >= (second?.[1] ?? 0) * minLead)
    return first[0];
  if (!code) return 'en';
  return isSupported(code) || isPaired(code) ? code : 'other';
}
