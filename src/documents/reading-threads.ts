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

export type ReadInBackground = ReturnType<typeof createBackgroundReader>;

/** @returns a function that reads as `readDocument` */
export function createBackgroundReader(
  store: DocumentStore,
  settings: ReaderSettings,
  maxMs = defaultMaxMs,
) {
  const pending: PendingRead[] = [];
  const sent: PendingRead[][] = [];
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Indexed by the thread's word numbers. */
  let words: string[] = [];
  let isScheduled = false;

  function readOrSend() {
    isScheduled = false;
    if (sent.length > 0 || pending.length > maxInThisThread) send();
    else for (const one of pending.splice(0)) one.resolve(readInThisThread(one));
  }

  function readInThisThread(one: PendingRead): Promise<ReadDocument | undefined> {
    const { namespace, file, known } = one;
    const split = () => Promise.reject(needsThread);
    return readDocument(store, split, namespace, file, known).catch((error: unknown) => {
      if (error !== needsThread) throw error;
      return new Promise((resolve) => {
        pending.push({ ...one, resolve });
        send();
      });
    });
  }

  const readWithoutThread = ({ namespace, file, known, resolve }: PendingRead) =>
    resolve(readDocument(store, async () => [], namespace, file, known));

  function post(files: PendingRead[]) {
    worker ??= new Worker(program, { workerData: settings, resourceLimits })
      .on('message', receive)
      .on('error', end)
      .on('exit', end);
    sent.push(files);
    worker.postMessage(files.map(({ namespace, file, known }) => ({ namespace, file, known })));
  }

  /** A suspect is a batch of its own. */
  function nextBatch() {
    const suspect = pending.findIndex(({ isSuspect }) => isSuspect);
    const size = suspect < 0 ? batchSize : Math.min(suspect, batchSize);
    return pending.splice(0, size || 1);
  }

  /** Sends pending files, or schedules the end of the idle thread. */
  function send() {
    while (pending.length > 0 && sent.length < maxBatches) post(nextBatch());
    const isIdle = sent.length === 0;
    clearTimeout(timer);
    const maxIdleMs = words.length > manyWords ? idleAfterManyMs : idleMs;
    timer = setTimeout(end, isIdle ? maxIdleMs : maxMs);
    if (!isIdle) worker?.ref();
    else for (const one of [worker, timer]) one?.unref();
  }

  function receive({ read, words: newWords, beginsList }: ReadFiles) {
    if (beginsList) words = [];
    for (const word of newWords) words.push(word);
    const files = sent.shift() ?? [];
    // Files that the thread left over come first.
    pending.unshift(...files.splice(read.length));
    for (const [index, file] of files.entries()) {
      const one = read[index];
      if (one === null) readWithoutThread(file);
      else file.resolve(one && withWords(one));
    }
    send();
  }

  function withWords({ content, ...read }: NonNullable<ReadFiles['read'][number]>): ReadDocument {
    if (!content) return read;
    return { ...read, content: { ...content, terms: { words, ...content.terms } } };
  }

  /** Ends the thread; a new one gets its unanswered files. */
  function end() {
    clearTimeout(timer);
    worker?.removeAllListeners().on('error', () => undefined);
    void worker?.terminate();
    worker = undefined;
    words = [];
    const [first = [], ...others] = sent.splice(0);
    pending.unshift(...others.flat());
    const [one] = first;
    if (one && first.length === 1) readWithoutThread(one);
    else pending.unshift(...first.map((each) => ({ ...each, isSuspect: true })));
    if (pending.length > 0) send();
  }

  return (namespace: string, file: string, known: string | undefined) =>
    new Promise<ReadDocument | undefined>((resolve) => {
      pending.push({ namespace, file, known, resolve });
      if (!isScheduled) void yieldToEventLoop().then(readOrSend);
      isScheduled = true;
    });
}
