/** Sharing a bounded room among those who use it, so that one who uses it much cannot take the place of the others. */

/**
 * Whether somebody who holds `own` of a room may take one more: as long as more is free than they hold, so that alone they get half of it
 * and there is a place for who comes later (dynamic thresholds, Choudhury & Hahne 1998).
 */
export const mayTakeOneMore = (own: number, taken: number, room: number): boolean => own < room - taken;

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

export function countBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string, amountOf: (item: Item) => number = () => 1) {
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
