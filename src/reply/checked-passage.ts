/** A passage of a request, as its sentences are verified. */
import type { Passage } from '../documents/document.ts';
import { type PlainPassage, toPlainPassage } from '../grounding/plain-passage.ts';
import { createVerifier, type EvidenceText, type Verify } from '../grounding/verify-sentences.ts';
import { placeNames } from './sources.ts';

export interface CheckedPassage {
  readonly passage: Passage;
  readonly plain: PlainPassage;
  /** Whether this passage alone supports a sentence. */
  readonly verify: Verify;
}

export const evidenceOf = (passage: Passage, { text }: PlainPassage): EvidenceText => ({
  text,
  context: placeNames(passage).join('\n'),
  language: passage.document.textLanguage,
});

/** Read for the prompt and for the check of the same request. */
const plainPassages = new WeakMap<Passage, PlainPassage>();

export function plainPassageOf(passage: Passage): PlainPassage {
  const plain = plainPassages.get(passage) ?? toPlainPassage(passage.text);
  plainPassages.set(passage, plain);
  return plain;
}

export function toCheckedPassage(passage: Passage): CheckedPassage {
  const plain = plainPassageOf(passage);
  return { passage, plain, verify: createVerifier([evidenceOf(passage, plain)]) };
}
