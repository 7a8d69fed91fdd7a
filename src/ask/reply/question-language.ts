/**
 * Detects the language of a question, which has few words. Among close languages, that of the
 * documents is likely; an unknown or foreign one gets it too.
 */
import { createRequire } from 'node:module';
import { francAll } from 'franc-min';
import { lazy } from '../../../packages/shared/src/concurrency/lazy.ts';
import {
  isPaired,
  isStopWord,
  type Language,
  languageOf,
} from '../../../packages/shared/src/language/languages.ts';
import { informationOf } from '../../search/word-frequency.ts';

/** Languages with messages and stop words → ISO 639-3, and letters besides a to z. */
const own = {
  de: ['deu', 'äöüß'],
  en: ['eng', ''],
  es: ['spa', 'áéíóúüñ'],
  fr: ['fra', 'àâæçéèêëîïôœùûüÿ'],
  it: ['ita', 'àèéìíîòóùú'],
  nl: ['nld', 'ëéïóöüèêáí'],
  pt: ['por', 'áâãàçéêíóôõúü'],
  ru: ['rus', 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'],
} as const;
type OwnLanguage = keyof typeof own;
const owned = Object.keys(own) as OwnLanguage[];
const isOwn = (code: string): code is OwnLanguage => Object.hasOwn(own, code);

/** Other languages that share words with ours: lists of `stopword`, by ISO 639-3. */
const foreign =
  'bul cat ces dan est fin hrv hun ind lav lit nob pol ron slk slv swe tur ukr vie'.split(' ');
/** Takes 15 ms the first time, so the server calls it before the first question. */
export const foreignWords = lazy(() => {
  const lists: Readonly<Record<string, string[]>> = createRequire(import.meta.url)('stopword');
  return foreign.map((code) => [code, new Set(lists[code])] as const);
});

const letters = Object.fromEntries(
  owned.map((code) => [
    code,
    new RegExp(`^[${code === 'ru' ? '' : 'a-z'}${own[code][1]}'’]+$`, 'u'),
  ]),
) as Readonly<Record<OwnLanguage, RegExp>>;

const isCyrillic = /^[\P{L}\p{Script=Cyrillic}]*\p{Script=Cyrillic}[\P{L}\p{Script=Cyrillic}]*$/u;
const russianOnly = /[ыэё]/iu;
const notRussian = /[^\P{L}а-яё]/iu;
const otherCyrillic = ['ukr', 'bul', 'srp'];

const maxChars = 500;
const minShare = 0.12;
/** Minimum ratio to the second language; below it, letters decide. */
const minLead = 1.15;
/** Maximum score of the second language by letters; the first has 1. */
const maxSecond = 0.92;
/** Maximum information of a common English word: one of a hundred thousand spoken words. */
const maxInformation = 0.85;
/** Share of English, if all words are common ones. */
const englishShare = 0.6;

/** Language → share of its words among those of a question, highest first. */
function sharesIn(words: readonly string[]) {
  const lower = words.map((word) => word.toLowerCase());
  const share = (isWord: (word: string) => boolean) =>
    lower.filter(isWord).length / Math.max(1, lower.length);
  const possible = owned.filter((code) =>
    words.every((word) => !/^\p{Ll}/u.test(word) || letters[code].test(word)),
  );
  const isCommon = (word: string) => informationOf(word) < maxInformation;
  const isEnglish = share(isCommon) === 1;
  return [
    ...possible.map((code) => {
      const found = lower.filter((word) => isStopWord(word, code));
      // `car` of `car rental` is a word of English too, and does not show that it is French.
      const isChance = code !== 'en' && found.length === 1 && found.every(isCommon);
      const stops = isChance ? 0 : found.length / Math.max(1, lower.length);
      return [code, code === 'en' && isEnglish ? Math.max(stops, englishShare) : stops] as const;
    }),
    ...foreignWords().map(([code, list]) => [code, share((word) => list.has(word))] as const),
  ].sort((a, b) => b[1] - a[1]);
}

/** The languages of the most words of a question; more than one if that is close. */
function likely(text: string) {
  const shares = sharesIn(text.match(/[\p{L}\p{M}'’]+/gu) ?? []);
  const most = shares[0]?.[1] ?? 0;
  const near = shares.filter(([, share]) => share >= minShare && share * minLead > most);
  const codes = near.map(([code]) => code);
  if (!isCyrillic.test(text)) return codes;
  if (russianOnly.test(text) || codes.join() === 'ru') return notRussian.test(text) ? [] : ['ru'];
  // Their short words are alike.
  return notRussian.test(text) ? [] : [...new Set(['ru', ...codes, ...otherCyrillic])];
}

/** @param documents language of the documents, if known */
export function questionLanguage(question: string, documents: Language = 'en'): Language {
  const text = question.slice(0, maxChars).normalize('NFC');
  const byScript = languageOf(text, 'other');
  if (isPaired(byScript)) return languageOf(text, documents);
  if (/[¿¡]/.test(text)) return 'es';
  const near = likely(text);
  if (near.includes(documents) || !near.some(isOwn)) return documents;
  const only = near.map((code) => (isOwn(code) ? own[code][0] : code));
  const [found, second] = francAll(text, { only, minLength: 3 });
  const code = only.length === 1 ? only[0] : found?.[0];
  const isSure = only.length === 1 || (second?.[1] ?? 0) <= maxSecond;
  return owned.find((one) => isSure && own[one][0] === code) ?? documents;
}
