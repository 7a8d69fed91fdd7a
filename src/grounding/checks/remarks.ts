/** Whether the passage speaks of each remark that a sentence adds: in brackets, or behind its last comma, dash or colon. */
import { type PassageReading, type Statement, tellingWordsOf } from '../reading.ts';

const remark = /\s\([^()]{1,300}\)|[,;:–—]\s[^,;:–—()]{1,300}?(?=[\s.!?…。"”’'*_]*$)/gu;

export const remarksHold = ({ text }: Statement, { stems, meets, language }: PassageReading): boolean =>
  [...text.matchAll(remark)].every(([said]) => {
    const words = tellingWordsOf(said, language);
    return words.length === 0 || words.some((word) => meets(word, stems) > 0);
  });
