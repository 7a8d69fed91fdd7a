/** How callers share something bounded, so that one heavy caller cannot use it up. */

/**
 * Returns true while a caller holds fewer slots than are free: one caller gets at most half, and a slot is left for the next one (dynamic
 * thresholds, Choudhury & Hahne 1998).
 */
export const isWithinFairShare = (own: number, taken: number, slots: number): boolean => own < slots - taken;

/**
 * How much each may keep where together they hold more than the room: who holds less keeps all, the others are cut to one level, at least
 * one (max-min fairness). Infinity where everything fits.
 */
export function fairLevel(held: Iterable<number>, room: number): number {
  let left = room;
  const ascending = [...held].sort((a, b) => a - b);
  for (const [position, amount] of ascending.entries()) {
    const level = Math.floor(left / (ascending.length - position));
    if (amount > level) return Math.max(1, level);
    left -= amount;
  }
  return Number.POSITIVE_INFINITY;
}

function countBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string, amountOf: (item: Item) => number = () => 1) {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + amountOf(item));
  return counts;
}

/** The items that stay, in their order: of everybody the first, as many as is fair. @param items those that are to stay longest first */
export function fairShare<Item>(
  items: readonly Item[],
  room: number,
  keyOf: (item: Item) => string,
  amountOf: (item: Item) => number = () => 1,
): Item[] {
  const level = fairLevel(countBy(items, keyOf, amountOf).values(), room);
  const used = new Map<string, number>();
  let taken = 0;
  return items.filter((item) => {
    const sum = (used.get(keyOf(item)) ?? 0) + amountOf(item);
    used.set(keyOf(item), sum);
    if (sum > level) return false;
    taken += amountOf(item);
    return taken <= room;
  });
}
