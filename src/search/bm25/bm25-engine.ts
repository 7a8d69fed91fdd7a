/**
 * The search engine in process, over lists in typed arrays. When a third of the chunks is dead, new lists are made of the living, aside,
 * while searches go on. A snapshot of each namespace is only a copy: one that is missing, damaged or of another version is an empty
 * index.
 */
import { join } from 'node:path';
import { createPauses } from '../../concurrency/pauses.ts';
import { readSnapshotFile, removeSnapshotFile, removeStrayFiles, snapshotName, writeSnapshotFile } from '../../disk/snapshot-file.ts';
import type { Language } from '../../language/languages.ts';
import type { DocumentTerms, EngineDocument, EngineIndex, EngineQuery, SearchEngine } from '../search-engine.ts';
import { Numbers } from './postings.ts';
import { Ranking } from './ranking.ts';
import { type ChunkTerms, Segment, type SegmentPart, type Vocabulary } from './segment.ts';

/** Share of dead chunks at which new lists are made. */
const maxDeadShare = 1 / 3;

class Bm25Index implements EngineIndex {
  readonly #path: string | undefined;
  readonly #ranking = new Ranking();
  #segment: Segment;
  /** Whether the text of a removed document may still be on disk. */
  #mayBeStored = true;
  #isChanged = false;
  /** The words of the last document that came with its terms, and their numbers here plus one, 0: none yet. */
  #known: { readonly words: readonly string[]; readonly vocabulary: Vocabulary; readonly numbers: Numbers } | undefined;

  /** @param path of the snapshot; undefined where none is kept */
  constructor(path: string | undefined, segment: Segment) {
    this.#path = path;
    this.#segment = segment;
  }

  async versions() {
    return new Map([...this.#segment.documents].map(([id, { version }]) => [id, version]));
  }

  async upsert({ title, chunks, terms, ...document }: EngineDocument) {
    const numbered = terms ? { lengths: terms.lengths, terms: this.#numbered(terms) } : await this.#read(title, chunks, document.language);
    this.#isChanged = true;
    await this.#segment.add(document, numbered);
    await this.#leaveTheDead();
  }

  async #read(title: string, chunks: EngineDocument['chunks'], language: Language): Promise<ChunkTerms> {
    const pause = createPauses();
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

  async remove(documentId: string) {
    if (this.#path && this.#mayBeStored) await removeSnapshotFile(this.#path);
    this.#mayBeStored = false;
    this.#isChanged = true;
    await this.#segment.remove(documentId);
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
    if (!this.#isChanged || !this.#path) return;
    this.#isChanged = false;
    this.#mayBeStored = true;
    this.#segment.vocabulary.forgetWords();
    this.#known = undefined;
    try {
      await writeSnapshotFile(this.#path, this.#segment.parts());
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }

  async drop() {
    this.#segment = new Segment();
    this.#isChanged = false;
    if (this.#path) await removeSnapshotFile(this.#path);
  }

  async #leaveTheDead() {
    const { size, liveChunks } = this.#segment;
    if (size - liveChunks <= size * maxDeadShare) return;
    this.#segment = await Segment.of(this.#segment.parts());
  }
}

/** @param folder of its snapshots alone; without one nothing outlives the process */
export const createBm25Engine = (folder?: string, onWarning?: (message: string, error: unknown) => void): SearchEngine => ({
  takesTerms: true,
  async open(namespace) {
    const path = folder && join(folder, snapshotName(namespace));
    const onDamaged = (error: unknown) =>
      onWarning?.(`The words of the namespace "${namespace}" were damaged on disk, and are indexed again.`, error);
    const segmentOf = (parts: AsyncIterable<unknown>) => Segment.of(parts as AsyncIterable<SegmentPart>);
    const stored = path ? await readSnapshotFile(path, segmentOf, { onDamaged }) : undefined;
    return new Bm25Index(path, stored ?? new Segment());
  },
  async retain(namespaces) {
    if (folder) await removeStrayFiles(folder, namespaces);
  },
});
