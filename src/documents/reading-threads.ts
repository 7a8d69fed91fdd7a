/**
 * Reads stored files for the index. A worker thread chunks batches and long prose; a few files with
 * short paragraphs are read in this thread. The worker ends when idle.
 */
import { Worker } from 'node:worker_threads';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { siblingModule } from '../../packages/shared/src/concurrency/sibling-module.ts';
import type { DocumentStore } from './document-store.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import type { FileToRead, ReaderSettings, ReadFiles } from './reading-thread.ts';

const program = siblingModule('reading-thread', import.meta.url);
/** So few files are read faster than a thread starts. */
const maxInThisThread = 16;
const batchSize = 32;
/** One in progress and one waiting. */
const maxBatches = 2;
/** A slower file is read in this thread and cut by size only. Milliseconds. */
const defaultMaxMs = 20_000;
const idleMs = 20_000;
/** A thread with many words uses much memory and ends sooner. */
const manyWords = 10_000;
const idleAfterManyMs = 2_000;
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 };

type PendingRead = FileToRead &
  Readonly<{
    resolve: (read: ReadDocument | undefined | Promise<ReadDocument | undefined>) => void;
    /**
     * Whether the thread ended during the batch of this file. Then the file is sent again in its own
     * batch.
     */
    isSuspect?: boolean;
  }>;

const needsThread = new Error('The worker thread splits the prose of this document.');

export class BackgroundReader {
  readonly #store;
  readonly #settings;
  readonly #maxMs;
  readonly #pending: PendingRead[] = [];
  readonly #sent: PendingRead[][] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Indexed by the thread's word numbers. */
  #words: string[] = [];
  #isScheduled = false;

  constructor(store: DocumentStore, settings: ReaderSettings, maxMs = defaultMaxMs) {
    this.#store = store;
    this.#settings = settings;
    this.#maxMs = maxMs;
  }

  /** As `readDocument`. */
  readonly read = (namespace: string, file: string, known: string | undefined) =>
    new Promise<ReadDocument | undefined>((resolve) => {
      this.#pending.push({ namespace, file, known, resolve });
      if (!this.#isScheduled) void yieldToEventLoop().then(() => this.#readOrSend());
      this.#isScheduled = true;
    });

  #readOrSend() {
    this.#isScheduled = false;
    if (this.#sent.length > 0 || this.#pending.length > maxInThisThread) this.#send();
    else for (const one of this.#pending.splice(0)) one.resolve(this.#readInThisThread(one));
  }

  #readInThisThread(one: PendingRead): Promise<ReadDocument | undefined> {
    const { namespace, file, known } = one;
    const split = () => Promise.reject(needsThread);
    return readDocument(this.#store, split, namespace, file, known).catch((error: unknown) => {
      if (error !== needsThread) throw error;
      return new Promise((resolve) => {
        this.#pending.push({ ...one, resolve });
        this.#send();
      });
    });
  }

  #readWithoutThread({ namespace, file, known, resolve }: PendingRead) {
    resolve(readDocument(this.#store, async () => [], namespace, file, known));
  }

  #post(files: PendingRead[]) {
    this.#worker ??= new Worker(program, { workerData: this.#settings, resourceLimits })
      .on('message', (read: ReadFiles) => this.#receive(read))
      .on('error', () => this.#end())
      .on('exit', () => this.#end());
    this.#sent.push(files);
    this.#worker.postMessage(
      files.map(({ namespace, file, known }) => ({ namespace, file, known })),
    );
  }

  /** Sends pending files, or schedules the end of the idle thread. */
  #send(): void {
    const pending = this.#pending;
    while (pending.length > 0 && this.#sent.length < maxBatches) {
      const suspect = pending.findIndex(({ isSuspect }) => isSuspect);
      this.#post(
        pending.splice(
          0,
          suspect === 0 ? 1 : suspect < 0 ? batchSize : Math.min(suspect, batchSize),
        ),
      );
    }
    const isIdle = this.#sent.length === 0;
    clearTimeout(this.#timer);
    const maxIdleMs = this.#words.length > manyWords ? idleAfterManyMs : idleMs;
    this.#timer = setTimeout(() => this.#end(), isIdle ? maxIdleMs : this.#maxMs);
    if (!isIdle) this.#worker?.ref();
    else for (const one of [this.#worker, this.#timer]) one?.unref();
  }

  #receive({ read, words, beginsList }: ReadFiles) {
    if (beginsList) this.#words = [];
    for (const word of words) this.#words.push(word);
    const files = this.#sent.shift() ?? [];
    // Files that the thread left over come first.
    this.#pending.unshift(...files.splice(read.length));
    for (const [index, file] of files.entries()) {
      const one = read[index];
      if (one === null) this.#readWithoutThread(file);
      else file.resolve(one && this.#withWords(one));
    }
    this.#send();
  }

  #withWords({ content, ...read }: NonNullable<ReadFiles['read'][number]>): ReadDocument {
    if (!content) return read;
    return { ...read, content: { ...content, terms: { words: this.#words, ...content.terms } } };
  }

  /** Ends the thread; a new one gets its unanswered files. */
  #end(): void {
    clearTimeout(this.#timer);
    this.#worker?.removeAllListeners().on('error', () => undefined);
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#words = [];
    const [first = [], ...others] = this.#sent.splice(0);
    this.#pending.unshift(...others.flat());
    const [one] = first;
    if (one && first.length === 1) this.#readWithoutThread(one);
    else this.#pending.unshift(...first.map((each) => ({ ...each, isSuspect: true })));
    if (this.#pending.length > 0) this.#send();
  }
}
