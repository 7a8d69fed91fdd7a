/** A child process of `parse.ts`: one source at a time, until its parent is gone or it has taken too much memory. */
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { KnowledgeError } from '../errors.ts';
import { type FormatName, formats, type SourceBytes } from './formats.ts';

export interface ParseJob extends SourceBytes {
  readonly format: FormatName;
}

/** A parser at work hears nothing of its parent's end and of its own size, so a thread beside it looks. */
const watch = `const { workerData: maxBytes } = require('node:worker_threads');
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent || process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL'); }, 30);`;
new Worker(watch, { eval: true, workerData: Number(process.argv[2]) }).unref();

// Whoever asks the server goes before whoever feeds it.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

async function parse(job: ParseJob) {
  try {
    const read = await formats[job.format].load();
    // A parser may hold this process from here to its end: the message has to leave before.
    await new Promise((resolve) => process.send?.({ isReading: true }, resolve));
    return { parsed: await read(job) };
  } catch (error) {
    return error instanceof KnowledgeError ? { code: error.code, message: error.message } : { code: 'ingest_failed', message: undefined };
  }
}

process.on('message', async (job: ParseJob) => {
  const reply = await parse(job);
  process.send?.({ ...reply, residentBytes: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit());
