/**
 * Extracts terms of documents outside of an index, such as in another thread. Terms are indexes
 * into a growing list of words.
 */
import type { DocumentTerms, EngineDocument } from '../search-engine.ts';
import { Uint32List } from './postings.ts';
import { Vocabulary } from './segment.ts';

/** Maximum words per list, about 60 MB; then a new list begins. */
const maxWords = 500_000;

export interface NewWords {
  readonly words: readonly string[];
  readonly beginsList: boolean;
}

export class TermsReader {
  #vocabulary = new Vocabulary();
  #given = 0;
  readonly #numbers = new Uint32List();

  read({
    title,
    language,
    chunks,
  }: Pick<EngineDocument, 'title' | 'language' | 'chunks'>): Omit<DocumentTerms, 'words'> {
    this.#numbers.length = 0;
    const lengths = chunks.flatMap((chunk) =>
      this.#vocabulary.appendChunk(title, chunk, language, this.#numbers),
    );
    return { lengths: Uint32Array.from(lengths), numbers: this.#numbers.view().slice() };
  }

  /**
   * Returns the new words since the last call, in the order of their numbers, which continue those
   * of earlier calls. `beginsList`: whether a new list begins.
   */
  takeWords(): NewWords {
    const beginsList = this.#given === 0;
    const words = this.#vocabulary.terms.slice(this.#given);
    this.#given += words.length;
    if (this.#given > maxWords) {
      this.#vocabulary = new Vocabulary();
      this.#given = 0;
    }
    return { words, beginsList };
  }
}
