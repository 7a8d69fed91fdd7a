/**
 * How well the words of a sentence are met by the words of a passage: the same, near-synonyms of the lexicon, words of one family. What
 * the passage has for a word is looked up once, whatever part of the passage is asked afterwards.
 */
import type { Language } from '../text/languages.ts';
import type { Word } from './statement.ts';
import { isFamily, standIns, startOf } from './word-families.ts';

/** What a word counts that is not the same. */
export const synonymShare = 0.85;
const familyShare = 0.8;

/** How well a word is met by some of the passage's stems, 0 to 1. */
export type Meets = (word: Word, stems: ReadonlySet<string>) => number;

interface Candidate {
  readonly stem: string;
  readonly share: number;
}

/** @param vocabulary every stem that is asked about later */
export function createWordMatch(vocabulary: ReadonlySet<string>, language: Language): Meets {
  const resolved = new Map<string, readonly (readonly Candidate[])[] | undefined>();
  let families: Map<string, string[]> | undefined;

  function familyOf(word: string): readonly string[] {
    const start = startOf(word);
    if (start === undefined) return [];
    if (!families) {
      families = new Map();
      for (const stem of vocabulary) {
        const key = startOf(stem);
        if (key === undefined) continue;
        const list = families.get(key);
        if (list) list.push(stem);
        else families.set(key, [stem]);
      }
    }
    return (families.get(start) ?? []).filter((other) => isFamily(word, other) || isFamily(other, word));
  }

  /** The best first. */
  function candidatesOf(part: string): Candidate[] {
    const found: Candidate[] = vocabulary.has(part) ? [{ stem: part, share: 1 }] : [];
    for (const stem of standIns(part, language)) if (vocabulary.has(stem)) found.push({ stem, share: synonymShare });
    for (const stem of familyOf(part)) if (stem !== part) found.push({ stem, share: familyShare });
    return found;
  }

  return (word, stems) => {
    if (stems.has(word.term)) return 1;
    let parts = resolved.get(word.term);
    if (parts === undefined && !resolved.has(word.term)) {
      const each = (word.parts.length > 0 ? word.parts : [word.term]).map(candidatesOf);
      parts = each.some((candidates) => candidates.length > 0) ? each : undefined;
      resolved.set(word.term, parts);
    }
    if (parts === undefined) return 0;
    let sum = 0;
    for (const candidates of parts) {
      for (const { stem, share } of candidates) {
        if (!stems.has(stem)) continue;
        sum += share;
        break;
      }
    }
    return sum / parts.length;
  };
}
