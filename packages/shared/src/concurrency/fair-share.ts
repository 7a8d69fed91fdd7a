/**
 * True while a caller holds fewer slots than are free, so one caller gets at most half (dynamic
 * thresholds, Choudhury & Hahne 1998).
 */
export const isWithinFairShare = (own: number, taken: number, slots: number) => own < slots - taken;

/**
 * Returns the max-min fair maximum per holder, at least 1; Infinity if all amounts fit the
 * capacity. Holders below it keep everything.
 */
export function fairLevel(held: Iterable<number>, capacity: number) {
  let left = capacity;
  const ascending = [...held].sort((a, b) => a - b);
  for (const [position, amount] of ascending.entries()) {
    const level = Math.floor(left / (ascending.length - position));
    if (amount > level) return Math.max(1, level);
    left -= amount;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * Returns the first items of each key up to its fair share, in their order. @param items distinct,
 * most important first
 */
export function fairShare<Item>(
  items: readonly Item[],
  capacity: number,
  keyOf: (item: Item) => string,
): Item[] {
  const groups = [...Map.groupBy(items, keyOf).values()];
  const level = fairLevel(
    groups.map(({ length }) => length),
    capacity,
  );
  const shares = new Set(groups.flatMap((own) => own.slice(0, level)));
  return items.filter((item) => shares.has(item)).slice(0, capacity);
}
