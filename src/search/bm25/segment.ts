/**
 * What an index holds: the documents' chunks with their terms in reading order, so that it can be seen which words stand close together
 * (forward lists), the terms with their chunks (inverted lists), and the counts that scoring needs. Replacing a document marks its
 * old chunks dead and takes them out of the counts at once. `parts` gives what is alive, piece by piece, and `addPart` takes it up
 * again: so a snapshot is written and read, and so the dead are left behind.
 */
import { createTimeSlicer } from '../../concurrency/time-slicer.ts';
import { withoutInvisible } from '../../language/invisible.ts';
import type { Language } from '../../language/languages.ts';
import { perLanguage } from '../../language/per-language.ts';
import { workOutTerms } from '../../language/tokens.ts';
import { headingWeight, titleWeight } from '../scoring.ts';
import type { EngineDocument } from '../search-engine.ts';
import { Numbers, Postings } from './postings.ts';
import { WordNumbers } from './word-numbers.ts';

/** What a part holds: some milliseconds of work. */
export const termsPerPart = 250_000;

/** Terms by number, and how many live chunks hold each. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  /** In the order of their numbers. */
  readonly terms: string[] = [];
  readonly liveCounts = new Numbers();
  #words = this.#noWords();

  get size(): number {
    return this.#ids.size;
  }

  /** The number of a term, a new one if there is none. */
  add(term: string): number {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    const id = this.liveCounts.extend(1);
    this.#ids.set(term, id);
    this.terms.push(term);
    return id;
  }

  /** Appends the numbers of a chunk's terms, in reading order. @returns how many there are in its title, its headings and its text */
  appendChunk(title: string, { headingPath, text }: EngineDocument['chunks'][number], language: Language, to: Numbers): number[] {
    const words = this.#words(language);
    return [title, headingPath.join('\n'), text].map((field) => words.append(withoutInvisible(field), to));
  }

  /** Frees what only the next documents would be read faster with. */
  forgetWords(): void {
    this.#words = this.#noWords();
  }

  #noWords() {
    return perLanguage((language) => new WordNumbers((word) => workOutTerms(word, language).map((term) => this.add(term))));
  }

  find(term: string): number | undefined {
    return this.#ids.get(term);
  }

  /** Live chunks that hold a term. */
  holders(term: string): number {
    return this.liveCounts.values[this.#ids.get(term) ?? -1] ?? 0;
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

/** Documents with their chunks, those of all documents end to end, and the words that they hold: a term is a position in these. */
export interface SegmentPart extends ChunkTerms {
  readonly words: readonly string[];
  readonly documents: readonly (DocumentName & { readonly chunks: number })[];
}

interface Place extends DocumentName {
  readonly first: number;
  readonly count: number;
}

function endToEnd(views: readonly Uint32Array[]): Uint32Array {
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
  /** Per chunk: number of its document, whether it is alive, number of its terms. */
  readonly documentOf = new Numbers();
  readonly alive = new Numbers();
  readonly lengths = new Numbers();
  /** Per chunk: where its terms begin, where those of its title end, and those of its headings; those of its text follow. */
  readonly starts = new Numbers();
  readonly #titleEnds = new Numbers();
  readonly textStarts = new Numbers();
  readonly terms = new Numbers();
  /** By the numbers of the documents, dead ones included. */
  readonly owners: Place[] = [];
  readonly documents = new Map<string, Place>();
  /** Language → its live documents. */
  readonly languages = new Map<Language, number>();
  liveChunks = 0;
  /** Terms of the live chunks. */
  liveLength = 0;
  /** Per term, for the chunk that is being counted: its frequency so far. All zero between two chunks. */
  #frequencies = new Uint32Array(1024);
  readonly #pause = createTimeSlicer();

  static async of(parts: AsyncIterable<SegmentPart> | Iterable<SegmentPart>): Promise<Segment> {
    const segment = new Segment();
    for await (const part of parts) await segment.addPart(part);
    return segment;
  }

  /** Room for the chunks that are read next. @param terms in all, repeated ones too */
  reserve(terms: number): void {
    this.terms.reserve(this.terms.length + terms);
    this.postings.reserve(terms);
  }

  /** Takes up what `parts` gave. */
  async addPart({ words, documents, lengths, terms }: SegmentPart): Promise<void> {
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
  get size(): number {
    return this.documentOf.length;
  }

  /**
   * Takes up a document, in place of the one with its id. A search that comes meanwhile sees the one before, whole; from one moment on it
   * sees the new one, whole. Only the counts that words are weighed by move with the work.
   */
  async add(name: DocumentName, { lengths, terms }: ChunkTerms): Promise<void> {
    const [first, count] = [this.size, lengths.length / 3];
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
      this.starts.push(start);
      this.#titleEnds.push(start + title);
      this.textStarts.push(start + title + headings);
      this.alive.push(0);
      this.documentOf.push(document);
      this.#tally(first + ordinal, 1);
      from += length;
      const pausing = this.#pause();
      if (pausing) await pausing;
    }
    const before = this.#leave(name.id);
    this.alive.values.fill(1, first, this.size);
    this.documents.set(name.id, place);
    this.languages.set(name.language, (this.languages.get(name.language) ?? 0) + 1);
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

  /** Terms of a document that is held. */
  lengthOf(id: string): number {
    const place = this.documents.get(id);
    return place ? this.#endOf(place) - (this.starts.values[place.first] as number) : 0;
  }

  #endOf({ first, count }: Place): number {
    const last = first + count - 1;
    return count === 0
      ? (this.starts.values[first] as number)
      : (this.starts.values[last] as number) + (this.lengths.values[last] as number);
  }

  /** These documents and the words that they hold: nothing of others. Valid until the next change. */
  *parts(ids: Iterable<string> = this.documents.keys()): Generator<SegmentPart> {
    let places: Place[] = [];
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

  #partOf(places: readonly Place[]): SegmentPart {
    const lengths: number[] = [];
    for (const { first, count } of places) {
      for (let chunk = first; chunk < first + count; chunk++) {
        const start = this.starts.values[chunk] as number;
        const end = start + (this.lengths.values[chunk] as number);
        const [titleEnd, textStart] = [this.#titleEnds.values[chunk] as number, this.textStarts.values[chunk] as number];
        lengths.push(titleEnd - start, textStart - titleEnd, end - textStart);
      }
    }
    const held = places.filter(({ count }) => count > 0);
    const terms = endToEnd(held.map((place) => this.terms.values.subarray(this.starts.values[place.first], this.#endOf(place))));
    return {
      words: this.#renumber(terms),
      documents: places.map(({ first: _, count: chunks, ...name }) => ({ ...name, chunks })),
      lengths: Uint32Array.from(lengths),
      terms,
    };
  }

  /** Numbers terms by the words that they hold, in the order in which these come. @returns the words */
  #renumber(terms: Uint32Array): string[] {
    const words: string[] = [];
    /** Of each term its new number plus one. */
    const numbers = new Uint32Array(this.vocabulary.size);
    for (let at = 0; at < terms.length; at++) {
      const term = terms[at] as number;
      if (numbers[term] === 0) numbers[term] = words.push(this.vocabulary.terms[term] as string);
      terms[at] = (numbers[term] as number) - 1;
    }
    return words;
  }
}
