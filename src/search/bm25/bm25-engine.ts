/**
 * The search engine in process, over lists in typed arrays. When a third of the chunks is dead, new lists are made of the living, aside,
 * while searches go on. The files of a namespace are only a copy: the documents of one that is missing, damaged or of another version
 * are not held.
 */
import { join } from 'node:path';
import { createTimeSlicer } from '../../concurrency/time-slicer.ts';
import { PartFiles } from '../../disk/part-files.ts';
import { removeStrays } from '../../disk/snapshot-file.ts';
import type { Language } from '../../language/languages.ts';
import type { DocumentTerms, EngineDocument, EngineIndex, EngineQuery, SearchEngine } from '../search-engine.ts';
import { Numbers } from './postings.ts';
import { Ranking } from './ranking.ts';
import { type ChunkTerms, Segment, type SegmentPart, termsPerPart, type Vocabulary } from './segment.ts';

/** Share of dead chunks at which new lists are made. */
const maxDeadShare = 1 / 3;

/** A word has more letters. Room that is not used costs no memory. */
const bytesPerTerm = 4;

class Bm25Index implements EngineIndex {
  readonly #files: PartFiles | undefined;
  readonly #ranking = new Ranking();
  #segment = new Segment();
  /** The words of the last document that came with its terms, and their numbers here plus one, 0: none yet. */
  #known: { readonly words: readonly string[]; readonly vocabulary: Vocabulary; readonly numbers: Numbers } | undefined;

  /** @param folder of its files; undefined where nothing is kept */
  constructor(folder: string | undefined) {
    this.#files =
      folder === undefined
        ? undefined
        : new PartFiles({
            folder,
            maxWeight: termsPerPart,
            weightOf: (id) => this.#segment.lengthOf(id),
            contentOf: (ids) => this.#segment.parts(ids),
          });
  }

  /** Takes up what was put away. */
  async read(onDamaged: (error: unknown) => void): Promise<void> {
    const take = async (parts: AsyncIterable<unknown>) => {
      const ids: string[] = [];
      for await (const part of parts as AsyncIterable<SegmentPart>) {
        await this.#segment.addPart(part);
        ids.push(...part.documents.map(({ id }) => id));
      }
      return ids;
    };
    this.#segment.reserve(((await this.#files?.bytes()) ?? 0) / Uint32Array.BYTES_PER_ELEMENT);
    await this.#files?.read(take, onDamaged);
    // Of a file that is damaged towards its end.
    for (const id of this.#segment.documents.keys()) if (!this.#files?.has(id)) this.#files?.change(id);
  }

  async versions() {
    return new Map([...this.#segment.documents].map(([id, { version }]) => [id, version]));
  }

  reserve(bytes: number) {
    this.#segment.reserve(bytes / bytesPerTerm);
  }

  async upsert({ title, chunks, terms, ...document }: EngineDocument) {
    const numbered = terms ? { lengths: terms.lengths, terms: this.#numbered(terms) } : await this.#read(title, chunks, document.language);
    this.#files?.change(document.id);
    await this.#segment.add(document, numbered);
    await this.#leaveTheDead();
  }

  async #read(title: string, chunks: EngineDocument['chunks'], language: Language): Promise<ChunkTerms> {
    const pause = createTimeSlicer();
    const lengths: number[] = [];
    const terms = new Numbers();
    for (const chunk of chunks) {
      lengths.push(...this.#segment.vocabulary.appendChunk(title, chunk, language, terms));
      await pause();
    }
    return { lengths: Uint32Array.from(lengths), terms: terms.filled() };
  }

  /** The same terms by the numbers that they have here, in place. */
  #numbered({ words, numbers }: DocumentTerms): Uint32Array {
    const { vocabulary } = this.#segment;
    if (this.#known?.words !== words || this.#known.vocabulary !== vocabulary) this.#known = { words, vocabulary, numbers: new Numbers() };
    const known = this.#known.numbers;
    known.extend(Math.max(0, words.length - known.length));
    const { values } = known;
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number;
      if (values[number] === 0) values[number] = vocabulary.add(words[number] as string) + 1;
      numbers[at] = (values[number] as number) - 1;
    }
    return numbers;
  }

  async remove(...documentIds: string[]) {
    for (const id of documentIds) await this.#segment.remove(id);
    await this.#files?.erase(...documentIds);
    await this.#leaveTheDead();
  }

  async statistics() {
    return { chunks: this.#segment.liveChunks, languages: [...this.#segment.languages.keys()] };
  }

  async documentFrequencies(terms: Iterable<string>) {
    const { vocabulary } = this.#segment;
    const frequencies = new Map<string, number>();
    for (const term of terms) {
      const holders = vocabulary.holders(term);
      if (holders > 0) frequencies.set(term, holders);
    }
    return frequencies;
  }

  async search(query: EngineQuery) {
    query.signal?.throwIfAborted();
    return this.#ranking.rank(query, this.#segment);
  }

  async flush() {
    if (!this.#files) return;
    this.#segment.vocabulary.forgetWords();
    this.#known = undefined;
    await this.#files.save();
  }

  async drop() {
    this.#segment = new Segment();
    await this.#files?.drop();
  }

  async #leaveTheDead() {
    const { size, liveChunks } = this.#segment;
    if (size - liveChunks <= size * maxDeadShare) return;
    this.#segment = await Segment.of(this.#segment.parts());
  }
}

/** @param folder of its files alone, one for each namespace; without it nothing outlives the process */
export const createBm25Engine = (folder?: string, onWarning?: (message: string, error: unknown) => void): SearchEngine => ({
  takesTerms: true,
  async open(namespace) {
    const index = new Bm25Index(folder && join(folder, namespace));
    await index.read((error) =>
      onWarning?.(`The words of the namespace "${namespace}" were damaged on disk, and are indexed again.`, error),
    );
    return index;
  },
  async retain(namespaces) {
    if (folder) await removeStrays(folder, namespaces);
  },
});
