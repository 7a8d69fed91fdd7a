/**
 * What an index holds: the documents' chunks with their terms in reading order, so that it can be seen which words stand close together
 * (forward lists), the terms with their chunks (inverted lists), and the counts that scoring needs. Replacing a document marks its
 * old chunks dead and takes them out of the counts at once. `parts` gives what is alive, piece by piece, and `of` makes lists of
 * it again: so a snapshot is written and read, and so the dead are left behind.
 */
import { setImmediate } from 'node:timers/promises';
import type { Language } from '../../language/languages.ts';
import { perLanguage } from '../../language/per-language.ts';
import { rawWords, termsOf } from '../../language/tokens.ts';
import { unshared } from '../../markdown/unshared.ts';
import { headingWeight, titleWeight } from '../scoring.ts';
import { Numbers, Postings } from './postings.ts';

/** Milliseconds. Long work is done in pieces of this length, so that searches are answered meanwhile. */
const maxBusyMs = 10;
/** Of terms and of words, what a part holds: some milliseconds of work. */
const termsPerPart = 500_000;
const wordsPerPart = 20_000;
/** Words of a language whose terms are remembered; some five megabytes. A hundred thousand chunks have as many different ones. */
const maxRemembered = 60_000;
/** A longer word is worked out each time it comes. Characters. */
const maxRememberedChars = 64;

/** @returns what is to be waited for, now and then, so that other work gets its turn */
export function createPauses(): () => Promise<void> | undefined {
  let pauseAt = performance.now() + maxBusyMs;
  return () => {
    if (performance.now() < pauseAt) return undefined;
    return setImmediate().then(() => {
      pauseAt = performance.now() + maxBusyMs;
    });
  };
}

/** Terms by number, and how many live chunks hold each. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly liveCounts = new Numbers();
  readonly #remembered = perLanguage(() => new Map<string, readonly number[]>());

  get size(): number {
    return this.#ids.size;
  }

  /** The number of a term, a new one if there is none. */
  add(term: string): number {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    const id = this.liveCounts.extend(1);
    this.#ids.set(term, id);
    return id;
  }

  /** The numbers of a text's terms, in reading order. A word is worked out once, and costs one look when it comes again. */
  numbersOf(text: string, language: Language): number[] {
    const known = this.#remembered(language);
    const numbers: number[] = [];
    for (const word of rawWords(text)) {
      let ofWord = known.get(word);
      if (!ofWord) {
        ofWord = termsOf(word, language).map((term) => this.add(term));
        if (known.size >= maxRemembered) known.clear();
        if (word.length <= maxRememberedChars) known.set(unshared(word), ofWord);
      }
      for (const number of ofWord) numbers.push(number);
    }
    return numbers;
  }

  find(term: string): number | undefined {
    return this.#ids.get(term);
  }

  /** Live chunks that hold a term. */
  holders(term: string): number {
    return this.liveCounts.values[this.#ids.get(term) ?? -1] ?? 0;
  }

  /** In the order of their numbers. */
  terms(): IterableIterator<string> {
    return this.#ids.keys();
  }
}

/** The chunks of a document, end to end. */
export interface ChunkTerms {
  /** Of each chunk three: terms of its title, of its headings and of its text. */
  readonly lengths: Uint32Array;
  /** In reading order, by their numbers. */
  readonly terms: Uint32Array;
}

interface DocumentName {
  readonly id: string;
  readonly version: string;
  readonly language: Language;
}

/** Words, in the order of their numbers, and how many chunks hold each; those that none holds are empty, so that nothing removed is told. */
interface WordsPart {
  readonly words: readonly string[];
  readonly holders: Uint32Array;
}

/** Documents and their chunks, those of all documents end to end. */
interface DocumentsPart extends ChunkTerms {
  readonly documents: readonly (DocumentName & { readonly chunks: number })[];
}

/** How much follows: terms of all chunks, words, chunks over all words. */
interface SizesPart {
  readonly length: number;
  readonly size: number;
  readonly entries: number;
}

export type SegmentPart = SizesPart | WordsPart | DocumentsPart;

interface Place extends Omit<DocumentName, 'id'> {
  readonly first: number;
  readonly count: number;
}

export class Segment {
  readonly vocabulary = new Vocabulary();
  readonly postings: Postings;
  /** Per chunk: number of its document, position in the document, whether it is alive, number of its terms. */
  readonly documentOf = new Numbers();
  readonly ordinals = new Numbers();
  readonly alive = new Numbers();
  readonly lengths = new Numbers();
  /** Per chunk: where its terms begin, where those of its title end, and those of its headings; those of its text follow. */
  readonly starts = new Numbers();
  readonly #titleEnds = new Numbers();
  readonly textStarts = new Numbers();
  readonly terms: Numbers;
  /** Number of a document → its id. */
  readonly documentIds: string[] = [];
  readonly documents = new Map<string, Place>();
  /** Language → its live documents. */
  readonly languages = new Map<Language, number>();
  liveChunks = 0;
  /** Terms of the live chunks. */
  liveLength = 0;
  /** Per term, for the chunk that is being counted: its frequency so far. All zero between two chunks. */
  #frequencies = new Uint32Array(1024);
  readonly #pause = createPauses();

  constructor({ length, size, entries }: SizesPart = { length: 0, size: 0, entries: 0 }) {
    this.terms = new Numbers(length);
    this.postings = new Postings(size, entries);
  }

  /** @param next gives the parts in their order, then undefined */
  static async of(next: () => Promise<SegmentPart | undefined>): Promise<Segment> {
    let segment = new Segment();
    /** Number that the parts give a word → the number that it has here. */
    const numbers: number[] = [];
    for (let part = await next(); part !== undefined; part = await next()) {
      if ('entries' in part) segment = new Segment(part);
      else if ('words' in part) {
        for (const [index, word] of part.words.entries())
          numbers.push(word === '' ? 0 : segment.#expect(word, part.holders[index] as number));
      } else await segment.#addAll(part, numbers);
    }
    return segment;
  }

  /** @returns the number of a word that so many chunks are going to hold */
  #expect(word: string, holders: number): number {
    const term = this.vocabulary.add(word);
    this.postings.reserve(term, holders);
    return term;
  }

  async #addAll({ documents, lengths, terms }: DocumentsPart, numbers: readonly number[]): Promise<void> {
    for (let at = 0; at < terms.length; at++) terms[at] = numbers[terms[at] as number] as number;
    let chunk = 0;
    let from = 0;
    for (const { chunks, ...document } of documents) {
      const own = lengths.subarray(chunk * 3, (chunk + chunks) * 3);
      const to = own.reduce((sum, length) => sum + length, from);
      await this.add(document, { lengths: own, terms: terms.subarray(from, to) });
      chunk += chunks;
      from = to;
    }
  }

  /** Number of chunks, dead ones included. */
  get size(): number {
    return this.documentOf.length;
  }

  /**
   * Takes up a document, in place of the one with its id. A search that comes meanwhile sees the one before, whole; from one moment on it
   * sees the new one, whole. Only the counts that words are weighed by move with the work.
   */
  async add({ id, version, language }: DocumentName, { lengths, terms }: ChunkTerms): Promise<void> {
    const document = this.documentIds.push(id) - 1;
    const first = this.size;
    const count = lengths.length / 3;
    let from = 0;
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const title = lengths[ordinal * 3] as number;
      const headings = lengths[ordinal * 3 + 1] as number;
      const length = title + headings + (lengths[ordinal * 3 + 2] as number);
      const start = this.terms.extend(length);
      this.terms.values.set(terms.subarray(from, from + length), start);
      this.lengths.push(length);
      this.starts.push(start);
      this.#titleEnds.push(start + title);
      this.textStarts.push(start + title + headings);
      this.ordinals.push(ordinal);
      this.alive.push(0);
      this.documentOf.push(document);
      this.#tally(first + ordinal, 1);
      from += length;
      const pausing = this.#pause();
      if (pausing) await pausing;
    }
    const before = this.#leave(id);
    this.alive.values.fill(1, first, this.size);
    this.documents.set(id, { version, language, first, count });
    this.languages.set(language, (this.languages.get(language) ?? 0) + 1);
    if (before) await this.#forget(before);
  }

  async remove(id: string): Promise<void> {
    const before = this.#leave(id);
    if (before) await this.#forget(before);
  }

  /** From here on no search finds it. */
  #leave(id: string): Place | undefined {
    const place = this.documents.get(id);
    if (!place) return undefined;
    this.alive.values.fill(0, place.first, place.first + place.count);
    this.documents.delete(id);
    const left = (this.languages.get(place.language) ?? 0) - 1;
    if (left > 0) this.languages.set(place.language, left);
    else this.languages.delete(place.language);
    return place;
  }

  async #forget({ first, count }: Place): Promise<void> {
    for (let chunk = first; chunk < first + count; chunk++) {
      this.#tally(chunk, -1);
      await this.#pause();
    }
  }

  /** A chunk comes or goes: in the counts, and when it comes in the inverted lists. */
  #tally(chunk: number, change: 1 | -1): void {
    const { vocabulary, postings } = this;
    if (this.#frequencies.length < vocabulary.size) this.#frequencies = new Uint32Array(Math.ceil(vocabulary.size * 1.5));
    const frequencies = this.#frequencies;
    const terms = this.terms.values;
    const start = this.starts.values[chunk] as number;
    const length = this.lengths.values[chunk] as number;
    const end = start + length;
    const [titleEnd, textStart] = [this.#titleEnds.values[chunk] as number, this.textStarts.values[chunk] as number];
    for (let at = start; at < end; at++) {
      const weight = at >= textStart ? 1 : at >= titleEnd ? headingWeight : titleWeight;
      frequencies[terms[at] as number] = (frequencies[terms[at] as number] as number) + weight;
    }
    const liveCounts = vocabulary.liveCounts.values;
    for (let at = start; at < end; at++) {
      const term = terms[at] as number;
      const frequency = frequencies[term] as number;
      if (frequency === 0) continue;
      frequencies[term] = 0;
      if (change > 0) postings.add(term, chunk, frequency);
      liveCounts[term] = (liveCounts[term] as number) + change;
    }
    this.liveChunks += change;
    this.liveLength += change * length;
  }

  /** The living alone, and the words that they hold: nothing of what was removed. Then undefined. Valid until the next change. */
  async *parts(): AsyncGenerator<SegmentPart | undefined, undefined> {
    const { liveCounts, size } = this.vocabulary;
    const entries = liveCounts.values.subarray(0, size).reduce((sum, count) => sum + count, 0);
    yield { length: this.liveLength, size, entries };
    const terms = [...this.vocabulary.terms()];
    for (let first = 0; first < size; first += wordsPerPart) {
      const holders = liveCounts.values.slice(first, Math.min(size, first + wordsPerPart));
      yield { words: Array.from(holders, (count, index) => (count > 0 ? (terms[first + index] as string) : '')), holders };
    }
    const documents: DocumentsPart['documents'][number][] = [];
    const lengths: number[] = [];
    const chunkTerms: number[] = [];
    const taken = (): DocumentsPart => ({
      documents: documents.splice(0),
      lengths: new Uint32Array(lengths.splice(0)),
      terms: new Uint32Array(chunkTerms.splice(0)),
    });
    for (const [id, { version, language, first, count }] of this.documents) {
      documents.push({ id, version, language, chunks: count });
      for (let chunk = first; chunk < first + count; chunk++) {
        const start = this.starts.values[chunk] as number;
        const end = start + (this.lengths.values[chunk] as number);
        const [titleEnd, textStart] = [this.#titleEnds.values[chunk] as number, this.textStarts.values[chunk] as number];
        lengths.push(titleEnd - start, textStart - titleEnd, end - textStart);
        for (let at = start; at < end; at++) chunkTerms.push(this.terms.values[at] as number);
      }
      if (chunkTerms.length >= termsPerPart) yield taken();
    }
    yield taken();
    yield undefined;
  }
}
