/** Keeps the best `limit` items of a stream, sorted. */
export class TopItems<Item extends { readonly score: number }> {
  /** Best first. */
  readonly items: Item[] = [];
  readonly #limit;
  readonly #order;

  /** @param order below 0 if the first item is better */
  constructor(limit: number, order: (a: Item, c: Item) => number) {
    this.#limit = limit;
    this.#order = order;
  }

  /** Minimum score to be among the best. */
  get floor() {
    return this.items.length < this.#limit
      ? Number.NEGATIVE_INFINITY
      : (this.items.at(-1)?.score ?? Number.POSITIVE_INFINITY);
  }

  add(item: Item) {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#order(item, this.items[middle] as Item) < 0) high = middle;
      else low = middle + 1;
    }
    if (low >= this.#limit) return;
    this.items.splice(low, 0, item);
    if (this.items.length > this.#limit) this.items.pop();
  }
}
