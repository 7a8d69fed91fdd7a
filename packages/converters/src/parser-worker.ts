/**
 * Child process of `parse.ts`: parses one source at a time until its parent exits or its memory
 * limit is exceeded.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { KnowledgeError } from '../../shared/src/errors.ts';
import { withoutInvisible } from '../../shared/src/language/invisible.ts';
import { type FormatName, formats, type SourceBytes } from './formats.ts';

export type ParseJob = SourceBytes & Readonly<{ format: FormatName }>;

// Compiling the libraries takes most of the start, so later processes reuse the result.
enableCompileCache();

/** Watches parent and memory in a thread, because a running parser blocks the main thread. */
const watch = `const { workerData: maxBytes } = require('node:worker_threads');
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent || process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL'); }, 30);`;
new Worker(watch, { eval: true, workerData: Number(process.argv[2]) }).unref();

// Answering questions has priority over parsing sources.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

async function parse(job: ParseJob) {
  try {
    const read = await formats[job.format].load();
    // The parser may block this process until it is killed, so the message must be sent first.
    await new Promise((resolve) => process.send?.({ isReading: true }, resolve));
    const parsed = await read(job);
    // Here, because 19 MB of Arabic take a second.
    return { parsed: { ...parsed, markdown: withoutInvisible(parsed.markdown).trim() } };
  } catch (error) {
    return error instanceof KnowledgeError
      ? { code: error.code, message: error.message }
      : { code: 'ingest_failed' };
  }
}

process.on('message', async (job: ParseJob) => {
  process.send?.({ ...(await parse(job)), residentBytes: process.memoryUsage.rss() });
  // Node writes the cache when a process exits, but this one is killed.
  flushCompileCache();
});
process.on('disconnect', () => process.exit());
