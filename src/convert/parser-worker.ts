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

process.on('message', (job: ParseJob) => {
  formats[job.format].read(job).then(
    (parsed) => process.send?.({ parsed, residentBytes: process.memoryUsage.rss() }),
    (error: unknown) => {
      const { code, message } = error instanceof KnowledgeError ? error : { code: 'ingest_failed', message: undefined };
      process.send?.({ code, message, residentBytes: process.memoryUsage.rss() });
    },
  );
});
process.on('disconnect', () => process.exit());
