/** The child process of `html-process.ts`: one page at a time, until its parent is gone. */
import { KnowledgeError } from '../../errors.ts';
import { parseHtml } from './parse-html.ts';

export interface HtmlJob {
  readonly html: string;
  readonly baseUrl: string | undefined;
}

process.on('message', ({ html, baseUrl }: HtmlJob) => {
  parseHtml(html, baseUrl).then(
    (parsed) => process.send?.({ parsed }),
    (error: unknown) =>
      process.send?.({
        code: error instanceof KnowledgeError ? error.code : 'ingest_failed',
        message: error instanceof KnowledgeError ? error.message : undefined,
      }),
  );
});
process.on('disconnect', () => process.exit());
