/** A child process of `parser-process.ts`: one source at a time, until its parent is gone or it has taken too much memory. */
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { KnowledgeError } from '../../errors.ts';
import type { ParsedSource } from '../types.ts';
import { decodeText, htmlCharset } from './decode-text.ts';
import type { Format } from './format.ts';

export interface ParseJob {
  readonly format: Format;
  readonly bytes: Uint8Array;
  /** Character encoding as declared by the server, if any. */
  readonly charset: string | undefined;
  /** What relative links are relative to. */
  readonly location: string | undefined;
}

/** A parser at work hears nothing of its parent's end and of its own size, so a thread beside it looks. */
const watch = `const { workerData: maxBytes } = require('node:worker_threads');
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent || process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL'); }, 30);`;
new Worker(watch, { eval: true, workerData: Number(process.argv[2]) }).unref();

// Whoever asks the server goes before whoever feeds it.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

async function parse({ format, bytes, charset, location }: ParseJob): Promise<ParsedSource> {
  switch (format) {
    case 'html':
      return (await import('./html/parse-html.ts')).parseHtml(decodeText(bytes, charset ?? htmlCharset(bytes)), location);
    case 'pdf':
      return (await import('./pdf/parse-pdf.ts')).parsePdf(bytes);
    case 'docx':
      return (await import('./docx/parse-docx.ts')).parseDocx(bytes);
    case 'csv':
      return (await import('./records/parse-table.ts')).parseCsv(decodeText(bytes, charset), ',');
    case 'tsv':
      return (await import('./records/parse-table.ts')).parseCsv(decodeText(bytes, charset), '\t');
    case 'json':
      return (await import('./records/parse-json.ts')).parseJson(decodeText(bytes, charset));
    case 'markdown':
    case 'mdx':
    case 'text':
      return (await import('./markdown/parse-markdown.ts')).parseMarkdown(decodeText(bytes, charset), format);
  }
}

process.on('message', (job: ParseJob) => {
  parse(job).then(
    (parsed) => process.send?.({ parsed, residentBytes: process.memoryUsage.rss() }),
    (error: unknown) => {
      const { code, message } = error instanceof KnowledgeError ? error : { code: 'ingest_failed', message: undefined };
      process.send?.({ code, message, residentBytes: process.memoryUsage.rss() });
    },
  );
});
process.on('disconnect', () => process.exit());
