/** Terms of documents that are read outside of an index, in another thread for one: as numbers into a list of words that grows with them. */
import type { DocumentTerms, EngineDocument } from '../search-engine.ts';
import { Numbers } from './postings.ts';
import { Vocabulary } from './segment.ts';

/** Some 60 megabytes. With more words all are forgotten, and a new list begins. */
const maxWords = 500_000;

export class TermsReader {
  #vocabulary = new Vocabulary();
  #given = 0;
  readonly #numbers = new Numbers();

  read({ title, language, chunks }: Pick<EngineDocument, 'title' | 'language' | 'chunks'>): Omit<DocumentTerms, 'words'> {
    this.#numbers.length = 0;
    const lengths = chunks.flatMap((chunk) => this.#vocabulary.appendChunk(title, chunk, language, this.#numbers));
    return { lengths: Uint32Array.from(lengths), numbers: this.#numbers.filled().slice() };
  }

  /** The words that have come since the last time, in the order of their numbers. */
  takeWords(): { readonly words: readonly string[]; readonly beginsList: boolean } {
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
