/** The best of many, kept in order while they come by; only those that may be among them are compared by more than their score. */

export interface Scored {
  readonly score: number;
}

export class BestHits<Item extends Scored> {
  readonly items: Item[] = [];
  readonly #limit: number;
  readonly #compare: (a: Item, b: Item) => number;

  /** @param compare a total order, best first, that agrees with the scores */
  constructor(limit: number, compare: (a: Item, b: Item) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  /** What a score has to reach to be among the best. */
  get floor(): number {
    return this.items.length < this.#limit ? 0 : (this.items.at(-1)?.score ?? 0);
  }

  add(item: Item): void {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.items[middle] as Item, item) <= 0) low = middle + 1;
      else high = middle;
    }
    if (low >= this.#limit) return;
    this.items.splice(low, 0, item);
    if (this.items.length > this.#limit) this.items.pop();
  }
}
