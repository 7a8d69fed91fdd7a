/**
 * Stored files → what the index takes of them. One or two are read here; of more, and of prose that has to be cut, another thread makes
 * chunks and terms, many files at a time. It ends when no more come.
 */
import { Worker } from 'node:worker_threads';
import { nextTurn } from '../concurrency/next-turn.ts';
import { createChunker } from '../documents/chunk.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { createDocumentReader, type ReadDocument, type ReadsDocument } from '../documents/read-document.ts';
import type { FileToRead, ReaderSettings, ReadFiles } from './read-documents-worker.ts';

const program = new URL('./read-documents-worker.ts', import.meta.url);
/** So few are read sooner than a thread starts. */
const maxHere = 2;
const maxAtATime = 32;
/** One that is read, and one that waits for that. */
const maxSent = 2;
/** A file that takes longer is read here, and its prose cut by size alone. */
const usualMaxMs = 20_000;
const idleMs = 20_000;
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 };

interface Asked extends FileToRead {
  readonly resolve: (read: ReadDocument | undefined | Promise<ReadDocument | undefined>) => void;
  /** The thread ended while it read this one, or others with it. */
  readonly isSuspect?: boolean;
}

const needsThread = new Error('The prose of this document is cut by another thread.');

export interface BackgroundReader {
  readonly read: ReadsDocument;
  /** Starts the thread, for the many files that will be asked for: what it loads is there when they are. */
  prepare(): void;
}

export function createBackgroundReader(store: DocumentStore, settings: ReaderSettings, maxMs = usualMaxMs): BackgroundReader {
  const readShort = createDocumentReader(
    store,
    createChunker(() => Promise.reject(needsThread)),
  );
  const readAlone = createDocumentReader(
    store,
    createChunker(async () => []),
  );
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isAwaited = false;
  /** By the numbers that the thread gives them. */
  let known: string[] = [];
  const asked: Asked[] = [];
  const sent: Asked[][] = [];

  const readHere = ({ namespace, file, known }: FileToRead) => readAlone(namespace, file, known);

  function end(): void {
    clearTimeout(timer);
    worker?.removeAllListeners().on('error', () => undefined);
    void worker?.terminate();
    worker = undefined;
    const [first = [], ...others] = sent.splice(0);
    if (first.length === 1) for (const one of first) one.resolve(readHere(one));
    else asked.unshift(...first.map((one) => ({ ...one, isSuspect: true })));
    asked.unshift(...others.flat());
    if (asked.length > 0) send();
  }

  function take({ read, words, beginsList }: ReadFiles): void {
    if (beginsList) known = [];
    const list = known;
    for (const word of words) list.push(word);
    const files = sent.shift() ?? [];
    for (const [index, one] of files.slice(0, read.length).entries()) {
      const found = read[index];
      const terms = found?.content?.terms && { words: list, ...found.content.terms };
      if (found === null) one.resolve(readHere(one));
      else one.resolve(found?.content ? { ...found, content: { ...found.content, terms } } : (found as ReadDocument | undefined));
    }
    asked.unshift(...files.slice(read.length));
    send();
  }

  function start(): Worker {
    return new Worker(program, { workerData: settings, resourceLimits }).on('message', take).on('error', end).on('exit', end);
  }

  /** Sends files while there are any; without, the thread may end. */
  function send(): void {
    while (asked.length > 0 && sent.length < maxSent) {
      const alone = asked.findIndex(({ isSuspect }) => isSuspect);
      const files = asked.splice(0, alone === 0 ? 1 : alone < 0 ? maxAtATime : Math.min(alone, maxAtATime));
      sent.push(files);
      worker ??= start();
      worker.postMessage(files.map(({ namespace, file, known }) => ({ namespace, file, known })));
    }
    clearTimeout(timer);
    if (sent.length > 0) {
      worker?.ref();
      timer = setTimeout(end, maxMs);
    } else {
      worker?.unref();
      timer = setTimeout(end, idleMs).unref();
    }
  }

  async function sendOrRead(): Promise<void> {
    await nextTurn();
    isAwaited = false;
    if (sent.length > 0 || asked.length > maxHere) return send();
    for (const one of asked.splice(0))
      one.resolve(
        readShort(one.namespace, one.file, one.known).catch((error: unknown) => {
          if (error !== needsThread) throw error;
          return new Promise((resolve) => {
            asked.push({ ...one, resolve });
            send();
          });
        }),
      );
  }

  return {
    prepare() {
      worker ??= start();
      worker.postMessage([]);
      sent.push([]);
      send();
    },
    read: (namespace, file, known) =>
      new Promise((resolve) => {
        asked.push({ namespace, file, known, resolve });
        if (!isAwaited) void sendOrRead();
        isAwaited = true;
      }),
  };
}
