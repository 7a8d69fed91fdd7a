/**
 * How alike two pages are, from a few numbers kept of each: min-wise hashes of their words, whose equal share estimates the share of
 * words that both hold (Broder, "On the resemblance and containment of documents", 1997).
 */

const hashes = 32;
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

function hashOf(word: string): number {
  let hash = fnvOffset;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
  return hash >>> 0;
}

/** 32 whole numbers; the same for the same words. */
export function sketchOf(text: string): number[] {
  const sketch = new Uint32Array(hashes).fill(0xffffffff);
  for (const word of new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u))) {
    const hash = hashOf(word);
    for (let index = 0; index < hashes; index++) {
      // A different odd multiplier and rotation for each of the hashes.
      const mixed = Math.imul(hash ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b | (index << 1) | 1) >>> 0;
      if (mixed < (sketch[index] as number)) sketch[index] = mixed;
    }
  }
  return [...sketch];
}

/** 0 to 1. */
export const likeness = (one: readonly number[], other: readonly number[]): number =>
  one.filter((value, index) => value === other[index]).length / hashes;
