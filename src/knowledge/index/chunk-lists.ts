/**
 * What an index holds: the documents' chunks with their terms (forward lists), the terms with their chunks (inverted lists), and the
 * counts that scoring needs. Replacing a document marks its old chunks dead and takes them out of the counts at once; `packed` gives
 * the same lists with the living alone, end to end.
 */
import { setImmediate } from 'node:timers/promises';
import type { Language } from '../text/languages.ts';
import { type ChunkTerms, ForwardLists, type PackedChunks } from './forward-lists.ts';
import { maxFrequency, type PackedPostings, PostingLists } from './posting-lists.ts';
import { headingWeight, titleWeight } from './scoring.ts';
import { Vocabulary } from './vocabulary.ts';

/** Work on all chunks is done in pieces of this many milliseconds, so that searches are answered meanwhile. */
const maxBusyMs = 10;
const chunksAtATime = 64;

export interface StoredDocument {
  readonly id: string;
  readonly chunks: number;
  readonly language: Language;
}

/** Lists without anything dead. */
export interface PackedLists extends PackedChunks {
  readonly vocabulary: Vocabulary;
  /** In the order of their chunks. */
  readonly documents: readonly StoredDocument[];
}

interface Place {
  readonly first: number;
  readonly count: number;
  readonly language: Language;
}

async function* inPieces(count: number): AsyncGenerator<number> {
  let pauseAt = performance.now() + maxBusyMs;
  for (let from = 0; from < count; from += chunksAtATime) {
    if (performance.now() > pauseAt) {
      await setImmediate();
      pauseAt = performance.now() + maxBusyMs;
    }
    yield from;
  }
}

export class ChunkLists {
  readonly vocabulary: Vocabulary;
  readonly chunks: ForwardLists;
  postings: PostingLists;
  /** Number of a document → its id. */
  readonly documentIds: string[] = [];
  readonly documents = new Map<string, Place>();
  /** Language → its live documents. */
  readonly languages = new Map<Language, number>();
  liveChunks = 0;
  /** Terms of the live chunks. */
  liveLength = 0;
  /** Entries of the inverted lists that were added since they were packed. */
  addedPostings = 0;
  /** Per term, for the chunk that is being counted: its frequency so far. All zero between two chunks. */
  #frequencies = new Uint32Array(1024);
  #distinct = new Uint32Array(1024);

  private constructor(packed?: PackedLists) {
    this.vocabulary = packed?.vocabulary ?? new Vocabulary();
    this.chunks = new ForwardLists(packed);
    this.postings = new PostingLists();
    for (const { id, chunks, language } of packed?.documents ?? []) {
      const document = this.documentIds.push(id) - 1;
      const first = this.chunks.size;
      for (let ordinal = 0; ordinal < chunks; ordinal++) this.chunks.place(document, ordinal);
      this.#enter(id, { first, count: chunks, language });
    }
    this.liveChunks = this.chunks.size;
    this.liveLength = this.chunks.terms.length;
  }

  static empty(): ChunkLists {
    return new ChunkLists();
  }

  static async of(packed: PackedLists): Promise<ChunkLists> {
    const lists = new ChunkLists(packed);
    lists.postings = new PostingLists(await lists.#invert());
    return lists;
  }

  #enter(id: string, place: Place): void {
    this.documents.set(id, place);
    this.languages.set(place.language, (this.languages.get(place.language) ?? 0) + 1);
  }

  /**
   * Counts a chunk: its distinct terms are the first entries of `#distinct`, and `#frequencies` has the weighted frequency of each, which
   * the caller sets back to 0. @returns how many there are
   */
  #count(chunk: number): number {
    const size = this.vocabulary.size;
    if (this.#frequencies.length < size) this.#frequencies = new Uint32Array(Math.ceil(size * 1.5));
    const length = this.chunks.lengthOf(chunk);
    if (this.#distinct.length < length) this.#distinct = new Uint32Array(length * 2);
    const frequencies = this.#frequencies;
    const distinct = this.#distinct;
    const { values } = this.chunks.terms;
    const start = this.chunks.starts.values[chunk] as number;
    const titleEnd = start + (this.chunks.titleCounts.values[chunk] as number);
    const textStart = this.chunks.textStartOf(chunk);
    let count = 0;
    for (let at = start; at < start + length; at++) {
      const term = values[at] as number;
      const before = frequencies[term] as number;
      if (before === 0) distinct[count++] = term;
      frequencies[term] = before + (at >= textStart ? 1 : at >= titleEnd ? headingWeight : titleWeight);
    }
    return count;
  }

  /** Inverted lists of all chunks, by their counts in the vocabulary. */
  async #invert(): Promise<PackedPostings> {
    const { liveCounts, size } = this.vocabulary;
    const starts = new Uint32Array(size + 1);
    for (let term = 0; term < size; term++) starts[term + 1] = (starts[term] as number) + (liveCounts.values[term] as number);
    const next = starts.slice();
    const chunks = new Uint32Array(starts[size] as number);
    const frequencies = new Uint8Array(starts[size] as number);
    for await (const from of inPieces(this.chunks.size)) {
      for (let chunk = from; chunk < Math.min(this.chunks.size, from + chunksAtATime); chunk++) {
        const count = this.#count(chunk);
        for (let index = 0; index < count; index++) {
          const term = this.#distinct[index] as number;
          const at = next[term] as number;
          next[term] = at + 1;
          chunks[at] = chunk;
          frequencies[at] = Math.min(maxFrequency, this.#frequencies[term] as number);
          this.#frequencies[term] = 0;
        }
      }
    }
    return { starts, chunks, frequencies };
  }

  /** Takes up a document that is not there. */
  add(id: string, language: Language, counted: readonly ChunkTerms[]): void {
    const document = this.documentIds.push(id) - 1;
    const first = this.chunks.size;
    for (const [ordinal, terms] of counted.entries()) {
      const chunk = this.chunks.add(document, ordinal, terms);
      const distinct = this.#count(chunk);
      for (let index = 0; index < distinct; index++) {
        const term = this.#distinct[index] as number;
        this.postings.add(term, chunk, Math.min(maxFrequency, this.#frequencies[term] as number));
        this.#frequencies[term] = 0;
        this.vocabulary.liveCounts.values[term] = (this.vocabulary.liveCounts.values[term] as number) + 1;
      }
      this.addedPostings += distinct;
      this.liveChunks++;
      this.liveLength += this.chunks.lengthOf(chunk);
    }
    this.#enter(id, { first, count: counted.length, language });
  }

  remove(id: string): void {
    const place = this.documents.get(id);
    if (!place) return;
    for (let chunk = place.first; chunk < place.first + place.count; chunk++) {
      this.chunks.alive.values[chunk] = 0;
      this.liveChunks--;
      this.liveLength -= this.chunks.lengthOf(chunk);
      const distinct = this.#count(chunk);
      for (let index = 0; index < distinct; index++) {
        const term = this.#distinct[index] as number;
        this.#frequencies[term] = 0;
        this.vocabulary.liveCounts.values[term] = (this.vocabulary.liveCounts.values[term] as number) - 1;
      }
    }
    this.documents.delete(id);
    const left = (this.languages.get(place.language) ?? 0) - 1;
    if (left > 0) this.languages.set(place.language, left);
    else this.languages.delete(place.language);
  }

  /** The lists as they are, where nothing of them is dead: a view, valid until the next change. */
  get whole(): PackedLists | undefined {
    const { liveCounts } = this.vocabulary;
    const isWhole = this.liveChunks === this.chunks.size && !liveCounts.values.subarray(0, liveCounts.length).includes(0);
    if (!isWhole) return undefined;
    const { titleCounts, headingCounts, starts, terms } = this.chunks;
    return {
      vocabulary: this.vocabulary,
      documents: this.#stored(),
      titleCounts: titleCounts.values.subarray(0, titleCounts.length),
      headingCounts: headingCounts.values.subarray(0, headingCounts.length),
      starts: starts.values.subarray(0, starts.length),
      terms: terms.values.subarray(0, terms.length),
    };
  }

  /** In the order in which they were added, which is that of their chunks. */
  #stored(): StoredDocument[] {
    return [...this.documents].map(([id, { count, language }]) => ({ id, chunks: count, language }));
  }

  /** The living alone, and the words that they hold: nothing of what was removed. These lists stay as they are. */
  async packed(): Promise<PackedLists> {
    const vocabulary = new Vocabulary();
    const newIds = new Uint32Array(this.vocabulary.size);
    for (const [term, id] of this.vocabulary) {
      const holders = this.vocabulary.liveCounts.values[id] as number;
      if (holders === 0) continue;
      const newId = vocabulary.add(term);
      newIds[id] = newId;
      vocabulary.liveCounts.values[newId] = holders;
    }
    const titleCounts = new Uint16Array(this.liveChunks);
    const headingCounts = new Uint16Array(this.liveChunks);
    const starts = new Uint32Array(this.liveChunks + 1);
    const terms = new Uint32Array(this.liveLength);
    const places = [...this.documents.values()];
    let chunk = 0;
    let at = 0;
    for await (const from of inPieces(places.length)) {
      for (const { first, count } of places.slice(from, from + chunksAtATime)) {
        for (let number = first; number < first + count; number++) {
          titleCounts[chunk] = this.chunks.titleCounts.values[number] as number;
          headingCounts[chunk] = this.chunks.headingCounts.values[number] as number;
          for (const term of this.chunks.termsOf(number)) terms[at++] = newIds[term] as number;
          starts[++chunk] = at;
        }
      }
    }
    return { vocabulary, documents: this.#stored(), titleCounts, headingCounts, starts, terms };
  }
}
