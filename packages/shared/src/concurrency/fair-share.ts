/**
 * True while a caller holds fewer slots than are free, so one caller gets at most half (dynamic
 * thresholds, Choudhury & Hahne 1998).
 */
export const isWithinFairShare = (own: number, taken: number, slots: number): boolean =>
  own < slots - taken;

/**
 * Returns the max-min fair maximum per holder, at least 1; Infinity if all amounts fit the
 * capacity. Holders below it keep everything.
 */
export function fairLevel(held: Iterable<number>, capacity: number): number {
  let left = capacity;
  const ascending = [...held].sort((a, b) => a - b);
  for (const [position, amount] of ascending.entries()) {
    const level = Math.floor(left / (ascending.length - position));
    if (amount > level) return Math.max(1, level);
    left -= amount;
  }
  return Number.POSITIVE_INFINITY;
}

function countBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
  amountOf: (item: Item) => number,
) {
  const counts = new Map<string, number>();
  for (const item of items)
    counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + amountOf(item));
  return counts;
}

/**
 * Returns the first items of each key up to its fair share, in their order. @param items most
 * important first
 */
export function fairShare<Item>(
  items: readonly Item[],
  capacity: number,
  keyOf: (item: Item) => string,
  amountOf: (item: Item) => number = () => 1,
): Item[] {
  const level = fairLevel(countBy(items, keyOf, amountOf).values(), capacity);
  const used = new Map<string, number>();
  let taken = 0;
  return items.filter((item) => {
    const sum = (used.get(keyOf(item)) ?? 0) + amountOf(item);
    used.set(keyOf(item), sum);
    if (sum > level) return false;
    taken += amountOf(item);
    return taken <= capacity;
  });
}
