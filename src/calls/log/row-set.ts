/**
 * Sets of row numbers as bits, 32 rows to a word. Row 0 is the newest call, so the order of the bits is the order of an answer: a page
 * is found by counting bits, without a list of what was found.
 */

export type RowSet = Uint32Array;

const wordsFor = (rows: number) => (rows + 31) >>> 5;

export const emptySet = (rows: number): RowSet => new Uint32Array(wordsFor(rows));

export function fullSet(rows: number): RowSet {
  const set = emptySet(rows).fill(0xffffffff);
  if (rows % 32 !== 0) set[set.length - 1] = 0xffffffff >>> (32 - (rows % 32));
  return set;
}

export function addRow(set: RowSet, row: number): void {
  set[row >>> 5] = (set[row >>> 5] as number) | (1 << (row & 31));
}

export function removeRow(set: RowSet, row: number): void {
  set[row >>> 5] = (set[row >>> 5] as number) & ~(1 << (row & 31));
}

export const hasRow = (set: RowSet, row: number): boolean => (((set[row >>> 5] as number) >>> (row & 31)) & 1) === 1;

/** Keeps in `set` what is in `other` as well. */
export function keepCommon(set: RowSet, other: RowSet): void {
  for (let word = 0; word < set.length; word++) set[word] = (set[word] as number) & (other[word] as number);
}

export function addAll(set: RowSet, other: RowSet): void {
  for (let word = 0; word < set.length; word++) set[word] = (set[word] as number) | (other[word] as number);
}

/** Hamming weight of 32 bits (Hacker's Delight, 5-1). */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function countRows(set: RowSet): number {
  let count = 0;
  for (let word = 0; word < set.length; word++) count += countBits(set[word] as number);
  return count;
}

/** How many rows of the set come before each of `ends`, which are in ascending order. */
export function countsBefore(set: RowSet, ends: readonly number[]): number[] {
  let counted = 0;
  let word = 0;
  return ends.map((end) => {
    for (; word < end >>> 5; word++) counted += countBits(set[word] as number);
    const rest = end & 31;
    return rest === 0 ? counted : counted + countBits((set[word] as number) & (0xffffffff >>> (32 - rest)));
  });
}

/** The rows of the set from its `first`th (0 is its newest) on, at most `count`. */
export function rowsFrom(set: RowSet, first: number, count: number): number[] {
  const rows: number[] = [];
  let skipped = 0;
  for (let word = 0; word < set.length && rows.length < count; word++) {
    let bits = set[word] as number;
    const inWord = countBits(bits);
    if (skipped + inWord <= first) {
      skipped += inWord;
      continue;
    }
    for (; bits !== 0 && rows.length < count; bits &= bits - 1) {
      if (skipped >= first) rows.push(word * 32 + 31 - Math.clz32(bits & -bits));
      skipped++;
    }
  }
  return rows;
}

export function forEachRow(set: RowSet, visit: (row: number) => void): void {
  for (let word = 0; word < set.length; word++)
    for (let bits = set[word] as number; bits !== 0; bits &= bits - 1) visit(word * 32 + 31 - Math.clz32(bits & -bits));
}
