/**
 * What a sentence adds to a true beginning: a remark in brackets or behind its last comma of which the passage holds no word (`…, in
 * cash`), or an end of several such words. Most words of the sentence are the passage's own, so the score alone lets it through.
 */
import type { Language } from '../../language/languages.ts';
import type { PassageReading, Statement, TellingWord } from '../reading.ts';

/** A remark in brackets, or what follows the last comma, dash or colon up to the closing stop. */
const remark = /\s\([^()]{1,300}\)|[,;:–—]\s[^,;:–—()]{1,300}?(?=[\s.!?…。"”’'*_]*$)/gu;
const isRow = /^\s*\|/;
/** More words in a row at the end than this, all unknown to the passage, are an addition. */
const maxUnknownEnd = 2;

type ReadWords = (text: string, language: Language) => readonly TellingWord[];

export interface TrimmedSentence {
  readonly text: string;
  readonly removed: readonly string[];
}

/** Takes out remarks of which the passage holds no telling word. A table row is shown as a whole or not at all. */
export function trimRemarks(sentence: string, { stems, meets, language }: PassageReading, wordsOf: ReadWords): TrimmedSentence {
  const isInvented = (said: string) => {
    const words = wordsOf(said, language);
    return words.length > 0 && words.every((word) => meets(word, stems) === 0);
  };
  const removed: string[] = [];
  if (isRow.test(sentence)) return { text: sentence, removed };
  const text = sentence.replace(remark, (said) => {
    if (!isInvented(said)) return said;
    removed.push(said.replace(/^[\s,;:–—(]+|\)$/gu, ''));
    return '';
  });
  return { text, removed };
}

export function endsInvented({ clauses }: Statement, { stems, meets }: PassageReading): boolean {
  const words = clauses.flatMap((clause) => clause.words);
  return words.length - 1 - words.findLastIndex((word) => meets(word, stems) > 0) > maxUnknownEnd;
}
