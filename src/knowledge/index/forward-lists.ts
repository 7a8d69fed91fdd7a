/**
 * Chunks by number: where each belongs, and its terms in reading order (title, headings, text), end to end in typed arrays. Order
 * is kept, so that a second look can see which words stand close together. A chunk that is removed stays as a dead one until the
 * lists are packed.
 */
import { GrowingArray } from './growing-array.ts';

/** More terms of a title or of headings than this are not kept. */
const maxFieldTerms = 65_535;

/** Terms of one chunk, by field. */
export interface ChunkTerms {
  readonly title: Uint32Array;
  readonly headings: Uint32Array;
  readonly text: Uint32Array;
}

/** The terms of chunks, and where each field of each begins. */
export interface PackedChunks {
  /** Of each chunk: terms of its title, and of its headings after them. */
  readonly titleCounts: Uint16Array<ArrayBuffer>;
  readonly headingCounts: Uint16Array<ArrayBuffer>;
  /** Where a chunk's terms begin; one more than there are chunks. */
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly terms: Uint32Array<ArrayBuffer>;
}

export class ForwardLists {
  /** Per chunk: number of its document, position in the document, whether it is alive. */
  readonly documents = new GrowingArray((length) => new Uint32Array(length));
  readonly ordinals = new GrowingArray((length) => new Uint32Array(length));
  readonly alive = new GrowingArray((length) => new Uint8Array(length));
  readonly titleCounts: GrowingArray<Uint16Array<ArrayBuffer>>;
  readonly headingCounts: GrowingArray<Uint16Array<ArrayBuffer>>;
  readonly starts: GrowingArray<Uint32Array<ArrayBuffer>>;
  readonly terms: GrowingArray<Uint32Array<ArrayBuffer>>;

  /** @param packed taken over, not copied; its chunks are placed by `place` in their order */
  constructor(packed?: PackedChunks) {
    this.titleCounts = new GrowingArray((length) => new Uint16Array(length), packed?.titleCounts);
    this.headingCounts = new GrowingArray((length) => new Uint16Array(length), packed?.headingCounts);
    this.starts = new GrowingArray((length) => new Uint32Array(length), packed?.starts);
    this.terms = new GrowingArray((length) => new Uint32Array(length), packed?.terms);
    if (!packed) this.starts.push(0);
  }

  /** Number of chunks that have a place, dead ones included. */
  get size(): number {
    return this.documents.length;
  }

  /** Says of the next chunk whose it is. @returns its number */
  place(document: number, ordinal: number): number {
    this.ordinals.push(ordinal);
    this.alive.push(1);
    return this.documents.push(document);
  }

  /** @returns the chunk's number */
  add(document: number, ordinal: number, { title, headings, text }: ChunkTerms): number {
    for (const field of [title.subarray(0, maxFieldTerms), headings.subarray(0, maxFieldTerms), text]) {
      const at = this.terms.extend(field.length);
      this.terms.values.set(field, at);
    }
    this.titleCounts.push(Math.min(maxFieldTerms, title.length));
    this.headingCounts.push(Math.min(maxFieldTerms, headings.length));
    this.starts.push(this.terms.length);
    return this.place(document, ordinal);
  }

  /** Where the terms of a chunk's text begin, after those of its title and headings. */
  textStartOf(chunk: number): number {
    const titleCount = this.titleCounts.values[chunk] as number;
    return (this.starts.values[chunk] as number) + titleCount + (this.headingCounts.values[chunk] as number);
  }

  /** Number of a chunk's terms, all fields. */
  lengthOf(chunk: number): number {
    return (this.starts.values[chunk + 1] as number) - (this.starts.values[chunk] as number);
  }

  /** A view; valid until the next `add`. */
  termsOf(chunk: number): Uint32Array {
    return this.terms.values.subarray(this.starts.values[chunk], this.starts.values[chunk + 1]);
  }
}
