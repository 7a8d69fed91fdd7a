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
const maxAnswerValues = (rows: number): number => 10_000 + Math.min(rows, maxAllowedRows) * 600;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

type AnswerExcess = 'rows' | 'values' | 'depth';

/** Returns a function that takes the next byte and reports whether it belongs to a string. */
function createTextFinder(): (byte: number) => boolean {
  let inText = false;
  let isEscaped = false;
  return (byte) => {
    if (!inText) {
      inText = byte === quote;
      return inText;
    }
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else inText = byte !== quote;
    return true;
  };
}

/**
 * @param rows requested rows @returns a function that takes the next bytes and reports the first
 * exceeded limit
 */
export function createAnswerBounds(rows: number): (part: Uint8Array) => AnswerExcess | undefined {
  const maxValues = maxAnswerValues(rows);
  const isText = createTextFinder();
  let depth = 0;
  let values = 0;
  let listed = 0;
  let inRows = false;

  function open(isList: boolean): void {
    depth++;
    values++;
    // Rows are the entries of a list directly in the answer object.
    if (depth !== 2) return;
    inRows = isList;
    listed = 1;
  }

  function read(byte: number): void {
    if (byte === openList || byte === openObject) open(byte === openList);
    if (byte === closeList || byte === closeObject) depth--;
    if (byte !== comma) return;
    values++;
    if (depth === 2 && inRows) listed++;
  }

  function excess(): AnswerExcess | undefined {
    if (listed > rows) return 'rows';
    if (values > maxValues) return 'values';
    return depth > maxDepth ? 'depth' : undefined;
  }

  return (part) => {
    for (const byte of part) {
      if (isText(byte)) continue;
      read(byte);
      const found = excess();
      if (found !== undefined) return found;
    }
    return undefined;
  };
}
