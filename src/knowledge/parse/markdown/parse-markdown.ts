/**
 * Markdown, MDX and plain text → stored Markdown. Front matter gives the title and goes; its description stays, because some pages say
 * nowhere else what they are about. Plain text is kept as it is written.
 */
import { readFrontMatter } from '../../text/front-matter.ts';
import { firstHeading } from '../../text/headings.ts';
import type { ParsedSource } from '../../types.ts';
import { withoutInvisible } from '../invisible.ts';
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

export function parseMarkdown(text: string, format: 'markdown' | 'mdx' | 'text'): ParsedSource {
  const { attributes, bodyStart } = readFrontMatter(text);
  const body = text.slice(bodyStart).replace(/^\uFEFF/, '');
  const cleaned = format === 'text' ? tidyLines(withoutInvisible(body)) : cleanMarkdown(body, format === 'mdx');
  const markdown = format === 'text' ? cleaned : withDescription(cleaned, cleanMarkdown(textOf(attributes['description']), false));
  return { title: textOf(attributes['title']) || firstHeading(markdown), markdown };
}
