/** A child process of `html-process.ts`: one page at a time, until its parent is gone. */
import { Worker } from 'node:worker_threads';
import { KnowledgeError } from '../../errors.ts';
import { parseHtml } from './parse-html.ts';

export interface HtmlJob {
  readonly html: string;
  readonly baseUrl: string | undefined;
}

/** A page in the making hears nothing of its parent's end, so a thread beside it looks for the parent. */
const watch = `const parent = process.ppid; setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 500);`;
new Worker(watch, { eval: true }).unref();

process.on('message', ({ html, baseUrl }: HtmlJob) => {
  parseHtml(html, baseUrl).then(
    (parsed) => process.send?.({ parsed }),
    (error: unknown) => {
      const { code, message } = error instanceof KnowledgeError ? error : { code: 'ingest_failed', message: undefined };
      process.send?.({ code, message });
    },
  );
});
process.on('disconnect', () => process.exit());
