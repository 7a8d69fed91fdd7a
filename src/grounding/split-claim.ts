/**
 * A sentence without a number of its own that no passage supports as a whole, in two at a joint where a statement begins: each half may
 * have a passage. What is said second has to be said of the same thing, so its passage has to speak of what the sentence begins with.
 */
import type { Language } from '../language/languages.ts';
import { contentWords, rawWords, terms } from '../language/tokens.ts';

export interface ClaimHalves {
  readonly first: string;
  readonly second: string;
}

const joint = /(?:[,;]\s+|(?<!\s)\s+)(?=(?:and|but|while|whereas|which|und|aber|während|et|mais|tandis que|y|pero|mientras)\s)|;\s+/giu;
/** What holds under a condition is not said without it. */
const condition = /^\W{0,3}(?:if|when|unless|once|wenn|falls|sofern|sobald|si|quand|lorsque|cuando)\s/i;
/** A shorter half is an item of a list. */
const minHalfWords = 4;
const maxHalves = 8;
/** Words in which a sentence says what it is about, and those of them in which it names it. */
const leadingWords = 6;
const namingWords = 4;

/** Every way to cut it, in reading order. */
export function splitClaim(text: string): ClaimHalves[] {
  if (condition.test(text)) return [];
  return [...text.matchAll(joint)]
    .slice(0, maxHalves)
    .map(({ 0: cut, index }) => {
      const end = index + (/^[,;]/.test(cut) ? 1 : 0);
      return { first: text.slice(0, end).trim(), second: text.slice(index + cut.length).trim() };
    })
    .filter(({ first, second }) => rawWords(first).length >= minHalfWords && rawWords(second).length >= minHalfWords);
}

/** Where a sentence may have ended that was not told from the next: `red . Its`, `red.Its`, `of the U.S. Its`, a new line. */
const stop = /(?<=[.!?]["”’)]?)\s+(?=["“(]?\p{Lu})|(?<=\p{Ll}{2}[.!?])(?=\p{Lu}\p{Ll})|(?<!\s)\s*\n\s*/gu;

/** The sentences of what was taken for one; nothing where it is one. */
export function statementsOf(text: string): string[] {
  const parts = text.split(stop).filter((part) => /\p{L}/u.test(part));
  return parts.length > 1 && parts.length <= maxHalves ? parts : [];
}

/** @param passage with its title and headings */
export function speaksOfSame(first: string, passage: string, language: Language): boolean {
  const begins = (count: number) => contentWords(rawWords(first).slice(0, count).join(' '), language);
  const there = new Set(terms(passage, language));
  const lead = begins(leadingWords);
  const isNamed = begins(namingWords).every(({ term, isName }) => !isName || there.has(term));
  return isNamed && lead.filter(({ term }) => there.has(term)).length * 2 >= lead.length;
}
