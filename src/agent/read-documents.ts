/**
 * Stored files → what the index takes of them. One or two are read here; of more, and of prose that has to be cut, another thread makes
 * chunks and terms, many files at a time. It ends when no more come.
 */
import { Worker } from 'node:worker_threads';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { createChunker } from '../documents/chunk.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { createDocumentReader, type DocumentReader, type ReadDocument } from '../documents/read-document.ts';
import type { FileToRead, ReaderSettings, ReadFiles } from './read-documents-worker.ts';

const program = new URL('./read-documents-worker.ts', import.meta.url);
/** So few are read sooner than a thread starts. */
const maxHere = 2;
const maxAtATime = 32;
/** A batch that is read, and one that waits for that. */
const maxSent = 2;
/** A file that takes longer is read here, and its prose cut by size alone. */
const usualMaxMs = 20_000;
const idleMs = 20_000;
/** A thread that knows many words has read much, and holds much: it ends sooner. */
const [manyWords, idleAfterManyMs] = [10_000, 2_000] as const;
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 };

interface Asked extends FileToRead {
  readonly resolve: (read: ReadDocument | undefined | Promise<ReadDocument | undefined>) => void;
  /** The thread ended while it read this one or others with it: it is sent by itself. */
  readonly isSuspect?: boolean;
}

const needsThread = new Error('The prose of this document is cut by another thread.');

export class BackgroundReader {
  readonly #settings: ReaderSettings;
  readonly #maxMs: number;
  readonly #readShort: DocumentReader;
  readonly #readAlone: DocumentReader;
  readonly #asked: Asked[] = [];
  readonly #sent: Asked[][] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** By the numbers that the thread gives them. */
  #words: string[] = [];
  #isScheduled = false;

  constructor(store: DocumentStore, settings: ReaderSettings, maxMs = usualMaxMs) {
    this.#settings = settings;
    this.#maxMs = maxMs;
    const readWith = (splitProse: () => Promise<number[]>) => createDocumentReader(store, createChunker(splitProse));
    this.#readShort = readWith(() => Promise.reject(needsThread));
    this.#readAlone = readWith(async () => []);
  }

  readonly read: DocumentReader = (namespace, file, known) =>
    new Promise((resolve) => {
      this.#asked.push({ namespace, file, known, resolve });
      if (!this.#isScheduled) void yieldToEventLoop().then(() => this.#readOrSend());
      this.#isScheduled = true;
    });

  /** Starts the thread, for the many files that will be asked for: what it loads is there when they are. */
  prepare(): void {
    this.#post([]);
    this.#send();
  }

  #readOrSend(): void {
    this.#isScheduled = false;
    if (this.#sent.length > 0 || this.#asked.length > maxHere) this.#send();
    else for (const one of this.#asked.splice(0)) one.resolve(this.#readHere(one));
  }

  #readHere(one: Asked): Promise<ReadDocument | undefined> {
    return this.#readShort(one.namespace, one.file, one.known).catch((error: unknown) => {
      if (error !== needsThread) throw error;
      return new Promise((resolve) => {
        this.#asked.push({ ...one, resolve });
        this.#send();
      });
    });
  }

  #giveAlone({ namespace, file, known, resolve }: Asked): void {
    resolve(this.#readAlone(namespace, file, known));
  }

  #post(files: Asked[]): void {
    this.#worker ??= new Worker(program, { workerData: this.#settings, resourceLimits })
      .on('message', (read: ReadFiles) => this.#give(read))
      .on('error', () => this.#end())
      .on('exit', () => this.#end());
    this.#sent.push(files);
    this.#worker.postMessage(files.map(({ namespace, file, known }) => ({ namespace, file, known })));
  }

  /** Sends files while there are any; without, the thread ends in a while. */
  #send(): void {
    const asked = this.#asked;
    while (asked.length > 0 && this.#sent.length < maxSent) {
      const suspect = asked.findIndex(({ isSuspect }) => isSuspect);
      this.#post(asked.splice(0, suspect === 0 ? 1 : suspect < 0 ? maxAtATime : Math.min(suspect, maxAtATime)));
    }
    const isIdle = this.#sent.length === 0;
    clearTimeout(this.#timer);
    const maxIdleMs = this.#words.length > manyWords ? idleAfterManyMs : idleMs;
    this.#timer = setTimeout(() => this.#end(), isIdle ? maxIdleMs : this.#maxMs);
    if (!isIdle) this.#worker?.ref();
    else for (const one of [this.#worker, this.#timer]) one?.unref();
  }

  #give({ read, words, beginsList }: ReadFiles): void {
    if (beginsList) this.#words = [];
    for (const word of words) this.#words.push(word);
    const files = this.#sent.shift() ?? [];
    // What it left for later comes first.
    this.#asked.unshift(...files.splice(read.length));
    for (const [index, file] of files.entries()) {
      const one = read[index];
      if (one === null) this.#giveAlone(file);
      else file.resolve(one && this.#withWords(one));
    }
    this.#send();
  }

  #withWords({ content, ...read }: NonNullable<ReadFiles['read'][number]>): ReadDocument {
    return content ? { ...read, content: { ...content, terms: content.terms && { words: this.#words, ...content.terms } } } : read;
  }

  /** Ends the thread; what it has not answered yet is sent to another. */
  #end(): void {
    clearTimeout(this.#timer);
    this.#worker?.removeAllListeners().on('error', () => undefined);
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#words = [];
    const [first = [], ...others] = this.#sent.splice(0);
    this.#asked.unshift(...others.flat());
    const [one] = first;
    if (one && first.length === 1) this.#giveAlone(one);
    else this.#asked.unshift(...first.map((each) => ({ ...each, isSuspect: true })));
    if (this.#asked.length > 0) this.#send();
  }
}
