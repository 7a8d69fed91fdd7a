/**
 * Data of an index: forward lists (terms per chunk in reading order, for proximity), inverted
 * lists, and counts for scoring. Replacing a document marks its old chunks dead. `parts` exports
 * the live documents and `addPart` imports them, for snapshots and compaction.
 */
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import { withoutInvisible } from '../../../packages/shared/src/language/invisible.ts';
import type { Language } from '../../../packages/shared/src/language/languages.ts';
import { perLanguage } from '../../../packages/shared/src/language/per-language.ts';
import { computeTerms } from '../../../packages/shared/src/language/tokens.ts';
import { headingWeight, titleWeight } from '../scoring.ts';
import type { EngineDocument } from '../search-engine.ts';
import { CachedTokenizer } from './cached-tokenizer.ts';
import { Postings, Uint32List } from './postings.ts';

/** Size of a part: a few milliseconds of work. */
export const termsPerPart = 250_000;

/** Term ↔ number, and the number of live chunks with each term. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  /** Terms by number. */
  readonly terms: string[] = [];
  readonly liveCounts = new Uint32List();
  #tokenizers = this.#newTokenizers();

  get size() {
    return this.#ids.size;
  }

  /** Returns the number of a term; assigns one to a new term. */
  add(term: string) {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    const id = this.liveCounts.extend(1);
    this.#ids.set(term, id);
    this.terms.push(term);
    return id;
  }

  /**
   * Appends the term numbers of a chunk. @returns the number of terms in its title, headings and
   * text
   */
  appendChunk(
    title: string,
    { headingPath, text }: EngineDocument['chunks'][number],
    language: Language,
    to: Uint32List,
  ): number[] {
    const tokenizer = this.#tokenizers(language);
    return [title, headingPath.join('\n'), text].map((field) =>
      tokenizer.append(withoutInvisible(field), to),
    );
  }

  clearCaches() {
    this.#tokenizers = this.#newTokenizers();
  }

  #newTokenizers() {
    return perLanguage(
      (language) =>
        new CachedTokenizer((word) => computeTerms(word, language).map((term) => this.add(term))),
    );
  }

  find(term: string): number | undefined {
    return this.#ids.get(term);
  }

  /** Number of live chunks with a term. */
  holders(term: string) {
    return this.liveCounts.values[this.#ids.get(term) ?? -1] ?? 0;
  }
}

/** The chunks of a document, concatenated. */
interface ChunkTerms {
  /** Three per chunk: number of terms in its title, headings and text. */
  readonly lengths: Uint32Array;
  /** Term numbers in reading order. */
  readonly terms: Uint32Array;
}

type DocumentName = Readonly<{
  id: string;
  version: string;
  language: Language;
}>;

/** Several documents with their concatenated chunks. Terms are indexes into `words`. */
export type SegmentPart = ChunkTerms &
  Readonly<{
    words: readonly string[];
    documents: readonly (DocumentName & { readonly chunks: number })[];
  }>;

/** A document, and its range of chunk numbers. */
type IndexedChunks = DocumentName &
  Readonly<{
    first: number;
    count: number;
  }>;

function concatenate(views: readonly Uint32Array[]) {
  const all = new Uint32Array(views.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const view of views) {
    all.set(view, from);
    from += view.length;
  }
  return all;
}

export class Segment {
  readonly vocabulary = new Vocabulary();
  readonly postings = new Postings();
  /**
   * The next three lists contain, per chunk: document number; 1 if alive, else 0; number of terms.
   */
  readonly documentOf = new Uint32List();
  readonly alive = new Uint32List();
  readonly lengths = new Uint32List();
  /** Per chunk: first term, end of the title, start of the text. The headings are in between. */
  readonly #starts = new Uint32List();
  readonly #titleEnds = new Uint32List();
  readonly #textStarts = new Uint32List();
  readonly terms = new Uint32List();
  /** By document number, dead documents included. */
  readonly owners: IndexedChunks[] = [];
  readonly documents = new Map<string, IndexedChunks>();
  /** Language → number of live documents. */
  readonly languages = new Map<Language, number>();
  liveChunks = 0;
  /** Number of terms in live chunks. */
  liveLength = 0;
  /** Scratch space: frequency per term in the current chunk; all zero between chunks. */
  #frequencies = new Uint32Array(1024);
  readonly #slicer = new TimeSlicer();

  static async of(parts: AsyncIterable<SegmentPart> | Iterable<SegmentPart>): Promise<Segment> {
    const segment = new Segment();
    for await (const part of parts) await segment.addPart(part);
    return segment;
  }

  /** Reserves capacity for the next chunks. @param terms total number, repetitions included */
  reserve(terms: number) {
    this.terms.reserve(this.terms.length + terms);
    this.postings.reserve(terms);
  }

  async addPart({ words, documents, lengths, terms }: SegmentPart) {
    const numbers = Uint32Array.from(words, (word) => this.vocabulary.add(word));
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
  get size() {
    return this.documentOf.length;
  }

  /**
   * Adds or replaces a document. Concurrent searches see one whole version; only the counts for idf
   * change gradually.
   */
  async add(name: DocumentName, { lengths, terms }: ChunkTerms) {
    const first = this.size;
    const count = lengths.length / 3;
    const place = { ...name, first, count };
    const document = this.owners.push(place) - 1;
    let from = 0;
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const title = lengths[ordinal * 3] as number;
      const headings = lengths[ordinal * 3 + 1] as number;
      const length = title + headings + (lengths[ordinal * 3 + 2] as number);
      const start = this.terms.extend(length);
      this.terms.values.set(terms.subarray(from, from + length), start);
      this.lengths.push(length);
      this.#starts.push(start);
      this.#titleEnds.push(start + title);
      this.#textStarts.push(start + title + headings);
      this.alive.push(0);
      this.documentOf.push(document);
      this.#countChunk(first + ordinal, 1);
      from += length;
      const pausing = this.#slicer.pause();
      if (pausing) await pausing;
    }
    const before = this.#markDead(name.id);
    this.alive.values.fill(1, first, this.size);
    this.documents.set(name.id, place);
    this.languages.set(name.language, (this.languages.get(name.language) ?? 0) + 1);
    if (before) await this.#uncount(before);
  }

  async remove(id: string) {
    const before = this.#markDead(id);
    if (before) await this.#uncount(before);
  }

  #markDead(id: string) {
    const place = this.documents.get(id);
    if (!place) return undefined;
    this.alive.values.fill(0, place.first, place.first + place.count);
    this.documents.delete(id);
    const left = (this.languages.get(place.language) ?? 0) - 1;
    if (left > 0) this.languages.set(place.language, left);
    else this.languages.delete(place.language);
    return place;
  }

  async #uncount({ first, count }: IndexedChunks) {
    for (let chunk = first; chunk < first + count; chunk++) {
      this.#countChunk(chunk, -1);
      await this.#slicer.pause();
    }
  }

  /** Adds a chunk to the counts and inverted lists, or removes it from the counts. */
  #countChunk(chunk: number, change: 1 | -1) {
    const { vocabulary, postings } = this;
    if (this.#frequencies.length < vocabulary.size)
      this.#frequencies = new Uint32Array(Math.ceil(vocabulary.size * 1.5));
    const frequencies = this.#frequencies;
    const terms = this.terms.values;
    const { start, titleEnd, textStart, end } = this.placesOf(chunk);
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
    this.liveLength += change * (end - start);
  }

  /** Number of terms of a document; 0 if unknown. */
  lengthOf(id: string) {
    const place = this.documents.get(id);
    return place ? this.#endOf(place) - this.placesOf(place.first).start : 0;
  }

  #endOf({ first, count }: IndexedChunks) {
    return count === 0 ? this.placesOf(first).start : this.placesOf(first + count - 1).end;
  }

  /** First terms of a chunk and of its text, and the ends of its title and of the chunk. */
  placesOf(chunk: number) {
    const start = this.#starts.values[chunk] as number;
    return {
      start,
      titleEnd: this.#titleEnds.values[chunk] as number,
      textStart: this.#textStarts.values[chunk] as number,
      end: start + (this.lengths.values[chunk] as number),
    };
  }

  /**
   * Exports documents with only the words that they contain. A part is valid until the next change.
   */
  *parts(ids: Iterable<string> = this.documents.keys()): Generator<SegmentPart> {
    let places: IndexedChunks[] = [];
    let held = 0;
    for (const id of ids) {
      const place = this.documents.get(id);
      if (!place) continue;
      places.push(place);
      held += this.lengthOf(id);
      if (held < termsPerPart) continue;
      yield this.#partOf(places);
      places = [];
      held = 0;
    }
    if (places.length > 0) yield this.#partOf(places);
  }

  #partOf(places: readonly IndexedChunks[]) {
    const lengths: number[] = [];
    for (const { first, count } of places) {
      for (let chunk = first; chunk < first + count; chunk++) {
        const { start, titleEnd, textStart, end } = this.placesOf(chunk);
        lengths.push(titleEnd - start, textStart - titleEnd, end - textStart);
      }
    }
    const held = places.filter(({ count }) => count > 0);
    const terms = concatenate(
      held.map((place) =>
        this.terms.values.subarray(this.placesOf(place.first).start, this.#endOf(place)),
      ),
    );
    return {
      words: this.#renumber(terms),
      documents: places.map(({ first: _, count: chunks, ...name }) => ({ ...name, chunks })),
      lengths: Uint32Array.from(lengths),
      terms,
    };
  }

  /** Renumbers terms by first occurrence, in place. @returns the words */
  #renumber(terms: Uint32Array) {
    const words: string[] = [];
    /** New number plus one, per term. */
    const numbers = new Uint32Array(this.vocabulary.size);
    for (let at = 0; at < terms.length; at++) {
      const term = terms[at] as number;
      if (numbers[term] === 0) numbers[term] = words.push(this.vocabulary.terms[term] as string);
      terms[at] = (numbers[term] as number) - 1;
    }
    return words;
  }
}
