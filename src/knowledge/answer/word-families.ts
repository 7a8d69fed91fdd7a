/**
 * Words that are not the same and say the same: near-synonyms of the lexicon, words of one family (`pay`, `payment`), and what a prefix
 * makes the contrary of a word. Words are stems.
 */
import type { Language } from '../text/languages.ts';
import { synonymsOf } from '../text/synonyms.ts';

const negatingPrefixes = ['un', 'in', 'im', 'ir', 'il', 'non', 'dis', 'not', 'nicht', 'no', 'de'];
const minBaseLength = 4;
/** Begin like a contrary and are none. */
const noContraries = new Set([
  'inform',
  'discount',
  'discov',
  'display',
  'distanc',
  'insur',
  'instal',
  'intend',
  'indic',
  'interest',
  'include',
  'invest',
  'import',
  'invoic',
  'deliv',
  'debit',
  'demand',
  'department',
  'depend',
  'derived',
  'describ',
  'devic',
  'notic',
  'noted',
  'impress',
  'improv',
  'impact',
  'index',
  'insid',
  'introduc',
  'invit',
  'discuss',
  'district',
  'display',
  'until',
  'under',
  'unit',
  'union',
]);

/** Whether a word is a base of others with a prefix that denies it, and `own`, the words beside it, have not that base as well. */
export const isNegationPrefixed = (word: string, others: ReadonlySet<string>, own: ReadonlySet<string>): boolean =>
  !noContraries.has(word) &&
  negatingPrefixes.some((prefix) => {
    const base = word.slice(prefix.length);
    return word.startsWith(prefix) && base.length >= minBaseLength && others.has(base) && !own.has(base);
  });

const minFamilyStart = 5;
const maxFamilyRest = 5;
/** Of the longer word's letters, those that a family has in common. */
const minFamilyShare = 0.72;

const lettersOnly = /^[\p{Script=Latin}\p{Script=Cyrillic}]+$/u;

/** Of one family: a common beginning of most of the longer word. */
export function isFamily(word: string, other: string): boolean {
  const shorter = Math.min(word.length, other.length);
  let common = 0;
  while (common < shorter && word.charCodeAt(common) === other.charCodeAt(common)) common++;
  if (common < minFamilyStart) return word.length >= 3 && other.startsWith(word) && /^(?:ment|able|er|ing)/.test(other.slice(word.length));
  const longer = Math.max(word.length, other.length);
  return longer - common <= maxFamilyRest && common / longer >= minFamilyShare;
}

export const startOf = (word: string): string | undefined => (lettersOnly.test(word) && word.length >= 3 ? word.slice(0, 3) : undefined);

const maxRemembered = 5_000;
const remembered = new Map<string, readonly string[]>();

/** Stems that may stand for a stem. */
export function standIns(word: string, language: Language): readonly string[] {
  const key = `${language} ${word}`;
  let found = remembered.get(key);
  if (!found) {
    if (remembered.size >= maxRemembered) remembered.clear();
    found = [...new Set(synonymsOf(word, language))];
    remembered.set(key, found);
  }
  return found;
}
