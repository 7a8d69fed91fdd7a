/** Runs work on request, never concurrently: requests during a run cause one more run after it. */
export class RepeatedRun {
  readonly #work;
  #running: Promise<void> | undefined;
  #isRequested = false;
  #isClosed = false;

  /** @param work must not reject */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  request() {
    this.#isRequested = true;
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  /** Starts no further run. Resolves when the current run ends. */
  async close() {
    this.#isClosed = true;
    await this.#running;
  }

  async #run() {
    while (this.#isRequested && !this.#isClosed) {
      this.#isRequested = false;
      await this.#work();
    }
    this.#running = undefined;
  }
}
