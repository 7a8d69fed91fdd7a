/**
 * Limits of a JSON answer, checked while its bytes arrive. `JSON.parse` blocks the event loop, and
 * small values cost it most: 4 MiB of `[]` take a second. Pure.
 */

const maxAllowedRows = 100;
const mebibyte = 1024 * 1024;
const maxDepth = 32;

/**
 * Maximum bytes of an answer. A call has at most 50 participants, each with a few devices. @param
 * rows requested rows
 */
export const maxAnswerBytes = (rows: number): number =>
  2 * mebibyte + Math.min(rows, maxAllowedRows) * 32 * 1024;
const maxAnswerValues = (rows: number) => 10_000 + Math.min(rows, maxAllowedRows) * 600;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Takes the bytes of an answer and finds the first exceeded limit. */
export class JsonBounds {
  readonly #rows;
  readonly #maxValues;
  #inText = false;
  #isEscaped = false;
  #depth = 0;
  #values = 0;
  #listed = 0;
  #inRows = false;

  /** @param rows requested rows */
  constructor(rows: number) {
    this.#rows = rows;
    this.#maxValues = maxAnswerValues(rows);
  }

  /** @param part the next bytes */
  excessIn(part: Uint8Array): 'rows' | 'values' | 'depth' | undefined {
    for (const byte of part) {
      if (this.#isText(byte)) continue;
      this.#read(byte);
      if (this.#listed > this.#rows) return 'rows';
      if (this.#values > this.#maxValues) return 'values';
      if (this.#depth > maxDepth) return 'depth';
    }
    return undefined;
  }

  #isText(byte: number) {
    if (!this.#inText) {
      this.#inText = byte === quote;
      return this.#inText;
    }
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else this.#inText = byte !== quote;
    return true;
  }

  #read(byte: number) {
    if (byte === openList || byte === openObject) this.#open(byte === openList);
    if (byte === closeList || byte === closeObject) this.#depth--;
    if (byte !== comma) return;
    this.#values++;
    if (this.#depth === 2 && this.#inRows) this.#listed++;
  }

  #open(isList: boolean) {
    this.#depth++;
    this.#values++;
    // Rows are the entries of a list directly in the answer object.
    if (this.#depth !== 2) return;
    this.#inRows = isList;
    this.#listed = 1;
  }
}
