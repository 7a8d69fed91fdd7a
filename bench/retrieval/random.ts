/**
 * Seeded random numbers: s ← (1103515245·s + 12345) mod 2³¹, the generator of the collections'
 * README. These benches use no other source, so every run asks the same.
 */

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** In [0, end). */
  below(end: number): number;
  pick<T>(values: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 31;
  };
  const below = (end: number) => Math.floor(next() * end);
  return { next, below, pick: (values) => values[below(values.length)]! };
}
