/**
 * Prose that is too long for one chunk, cut by @mastra/rag's recursive splitter at paragraph, line and sentence ends. The package
 * takes most of a second to load, so a thread of its own loads it when the first such text is met, and ends when no more come.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createQueue } from '../concurrency/queue.ts';
import type { SplitProse } from '../documents/chunk.ts';
import type { Cut } from './split-prose-worker.ts';

const program = new URL('./split-prose-worker.ts', import.meta.url);
/** A text that takes longer is cut by its size alone. */
const maxMs = 10_000;
const idleMs = 20_000;
const maxHeapMb = 256;

export function createProseSplitter(): SplitProse {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  const inOrder = createQueue();

  function end(): void {
    void worker?.terminate();
    worker = undefined;
  }

  async function cut(asked: Cut): Promise<number[]> {
    clearTimeout(idle);
    // An error of a thread that nobody listens to would end the process.
    worker ??= new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }).on('error', () => undefined);
    worker.ref();
    const answered = once(worker, 'message', { signal: AbortSignal.timeout(maxMs) });
    worker.postMessage(asked);
    const [starts] = await answered.catch(() => [undefined]);
    if (!starts) end();
    worker?.unref();
    idle = setTimeout(end, idleMs).unref();
    return starts ?? [];
  }

  return (text, maxChars) => inOrder(() => cut({ text, maxChars }));
}
