/**
 * Markdown, MDX and plain text → stored Markdown. Front matter gives the title and goes; its description stays, because some pages say
 * nowhere else what they are about. Plain text is kept as it is written.
 */

import { withoutInvisible } from '../../language/invisible.ts';
import { readFrontMatter } from '../../markdown/front-matter.ts';
import { firstHeading } from '../../markdown/headings.ts';
import type { ParsedSource } from '../source.ts';
import { cleanMarkdown, tidyLines } from './clean-markdown.ts';

const longestDescription = 1_000;

const textOf = (value: unknown): string => (typeof value === 'string' ? withoutInvisible(value).replace(/\s+/g, ' ').trim() : '');
const comparable = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The description as a first paragraph below the heading, unless the text says the same. */
function withDescription(markdown: string, description: string): string {
  if (
    description === '' ||
    description.length > longestDescription ||
    comparable(markdown.slice(0, 20_000)).includes(comparable(description))
  )
    return markdown;
  const heading = /^# [^\n]*\n*/.exec(markdown)?.[0] ?? '';
  return `${heading === '' ? '' : `${heading.trim()}\n\n`}${description}\n\n${markdown.slice(heading.length)}`.trimEnd();
}

/** Front matter in TOML, as Hugo has it; of it the title counts. */
const tomlFrontMatter = /(?<![\s\S])\uFEFF?\+\+\+[ \t]*\r?\n([\s\S]{0,16384}?)^\+\+\+[ \t]*(?:\r?\n|$)/m;
const tomlTitle = /^title\s*=\s*(?:"([^"\n]{1,300})"|'([^'\n]{1,300})')/m;

function frontMatterOf(text: string): { attributes: Readonly<Record<string, unknown>>; bodyStart: number } {
  const toml = text.startsWith('+++') || text.startsWith('\uFEFF+++') ? tomlFrontMatter.exec(text) : null;
  if (!toml) return readFrontMatter(text);
  const title = tomlTitle.exec(toml[1] ?? '');
  return { attributes: { title: title?.[1] ?? title?.[2] }, bodyStart: toml[0].length };
}

export function parseMarkdown(text: string, format: 'markdown' | 'mdx' | 'text'): ParsedSource {
  const { attributes, bodyStart } = frontMatterOf(text);
  const body = text.slice(bodyStart).replace(/^\uFEFF/, '');
  const cleaned = format === 'text' ? tidyLines(withoutInvisible(body)) : cleanMarkdown(body, format === 'mdx');
  const markdown = format === 'text' ? cleaned : withDescription(cleaned, cleanMarkdown(textOf(attributes['description']), false));
  return { title: textOf(attributes['title']) || firstHeading(markdown), markdown };
}
