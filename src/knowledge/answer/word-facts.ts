/** What is known of a word by itself, whatever sentence it stands in. Words repeat, so each is worked out once. */
import { fold, isStopWord, type Language } from '../text/languages.ts';
import { discourse } from '../text/lexicon/discourse.ts';
import { surprisalOf } from '../text/real-words.ts';
import { unshared } from '../text/unshared.ts';
import { hasUnspaced, termsOf } from '../text/words.ts';
import { measuresOf } from './measures.ts';
import type { SpokenWord } from './turns.ts';

export interface WordFacts {
  readonly terms: readonly string[];
  /** Of a compound, those that are no stop words. */
  readonly parts: readonly string[];
  readonly spoken: SpokenWord;
  readonly lower: string;
  readonly isCapital: boolean;
  readonly isUnspaced: boolean;
  /** Tells nothing by itself: a stop word, a figure, a unit. */
  readonly isSilent: boolean;
  /** Units that it names, also as a part: `30-day`. */
  readonly measures: readonly string[];
  /** How telling it is; 1 for a word of the trade. */
  readonly weight: number;
}

/** Bits of a word that everybody says, and bits above them that make it a word of the trade. */
const commonBits = 8;
const tellingBits = 7;
const minWeight = 0.15;
const discourseWeight = 0.12;
/** A longer one is not worth remembering. */
const maxRememberedChars = 40;
const maxRemembered = 20_000;

/** Tell which days only before a unit: `business days`, but not `your business`. */
export const daysOfWork = /^(?:business|working)$/i;

const discourses = new Map<Language, ReadonlySet<string>>();

function isDiscourse(folded: string, language: Language): boolean {
  let words = discourses.get(language);
  if (!words) {
    const lexicon: Partial<Record<Language, string>> = discourse;
    words = new Set((lexicon[language] ?? '').split(',').map((word) => word.trim()));
    discourses.set(language, words);
  }
  return words.has(folded);
}

function weightOf(folded: string, language: Language): number {
  if (isDiscourse(folded, language)) return discourseWeight;
  return language === 'en' ? Math.min(1, Math.max(minWeight, (surprisalOf(folded) - commonBits) / tellingBits)) : 1;
}

function workedOut(raw: string, language: Language): WordFacts {
  const { of } = measuresOf(language);
  const terms = termsOf(raw, language);
  const written = fold(raw);
  const isUnspaced = hasUnspaced(raw);
  const [whole = raw] = terms;
  return {
    terms,
    parts: terms.length > 1 ? terms.slice(1).filter((part) => !isStopWord(part, language)) : [whole],
    // The month has no side, the verb has one.
    spoken: raw === 'May' ? { stem: raw, written: raw } : { stem: whole, written },
    lower: raw.toLowerCase(),
    isCapital: /^\p{Lu}/u.test(raw),
    isUnspaced,
    isSilent: isStopWord(raw, language) || /^[\p{N}.,:/-]+$/u.test(raw) || (of(raw) !== undefined && !daysOfWork.test(raw)),
    measures: (/[-/]/.test(raw) ? raw.split(/[-/]/) : [raw]).map(of).filter((measure) => measure !== undefined),
    weight: isUnspaced ? 1 : weightOf(written, language),
  };
}

const remembered = new Map<Language, Map<string, WordFacts>>();

/** @param raw as `rawWords` gives it */
export function factsOf(raw: string, language: Language): WordFacts {
  let known = remembered.get(language);
  if (!known) {
    known = new Map();
    remembered.set(language, known);
  }
  let facts = known.get(raw);
  if (!facts) {
    const word = unshared(raw);
    facts = workedOut(word, language);
    if (raw.length > maxRememberedChars) return facts;
    if (known.size >= maxRemembered) known.clear();
    known.set(word, facts);
  }
  return facts;
}
