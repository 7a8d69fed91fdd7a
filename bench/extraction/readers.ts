/**
 * The compared readers: the product's own, Readability with a plain conversion of its HTML, and
 * Defuddle.
 */
import { Readability } from '@mozilla/readability';
import { Defuddle } from 'defuddle/node';
import { fromHtml } from 'hast-util-from-html';
import { toMdast } from 'hast-util-to-mdast';
import { parseHTML } from 'linkedom';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { createParserProcess, createSourceParser } from '../../packages/converters/src/parse.ts';
import { loadedFile } from '../../test/support/sources.ts';
import type { Row } from './row.ts';

type Source = Awaited<ReturnType<Row['source']>>;
/** Returns Markdown; empty if the reader finds nothing. */
export type Reader = (source: Source) => Promise<string>;

const maxBytes = 20 * 1024 * 1024;
const parse = createSourceParser(createParserProcess(), maxBytes);

export const ours: Reader = async ({ bytes, fileName, mediaType, location }) => {
  const loaded = loadedFile(fileName, bytes, { mediaType, location });
  return (await parse({ kind: 'file', namespace: 'bench' }, loaded)).markdown;
};

const markdownOf = (html: string) =>
  toMarkdown(toMdast(fromHtml(html, { fragment: true })), {
    extensions: [gfmToMarkdown()],
    bullet: '-',
    listItemIndent: 'one',
  });

export const readability: Reader = async ({ bytes }) => {
  const { document } = parseHTML(Buffer.from(bytes).toString());
  const article = new Readability(document as never).parse();
  return article === null ? '' : `# ${article.title ?? ''}\n\n${markdownOf(article.content ?? '')}`;
};

export const defuddle: Reader = async ({ bytes, location }) => {
  const { document } = parseHTML(Buffer.from(bytes).toString());
  const article = await Defuddle(document as never, location, { markdown: true });
  return `# ${article.title}\n\n${article.contentMarkdown ?? article.content}`;
};
