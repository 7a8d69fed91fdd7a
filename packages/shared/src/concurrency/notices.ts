/** Notices that arrive while the next item of a stream is awaited. */
export class Notices<Notice> {
  readonly #waiting: Notice[] = [];
  #wake = () => {};

  add(notice: Notice) {
    this.#waiting.push(notice);
    this.#wake();
  }

  /** Yields each notice immediately, and the items of a stream in their order. */
  async *beside<Item>(
    items: AsyncIterable<Item>,
  ): AsyncGenerator<{ readonly notice: Notice } | { readonly item: Item }, void, undefined> {
    const iterator = items[Symbol.asyncIterator]();
    const take = () => {
      const next = iterator.next();
      // A reader who leaves does not see its failure.
      next.catch(() => undefined);
      return next;
    };
    try {
      for (let next = take(); ; ) {
        const noticed = new Promise<undefined>((resolve) => {
          this.#wake = () => resolve(undefined);
        });
        const step = this.#waiting.length > 0 ? undefined : await Promise.race([next, noticed]);
        for (const notice of this.#waiting.splice(0)) yield { notice };
        if (step === undefined) continue;
        if (step.done) return;
        yield { item: step.value };
        next = take();
      }
    } finally {
      // A reader who leaves does not wait for the next item.
      iterator.return?.().catch(() => undefined);
    }
  }
}
