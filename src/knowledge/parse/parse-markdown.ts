/**
 * Markdown and MDX → stored Markdown. Front matter gives the title and goes; of MDX, the statements that a reader never sees
 * (imports, exports, comments) go and component tags leave their content. Code fences are never touched.
 */
import { readFrontMatter } from '../text/front-matter.ts';
import { firstHeading } from '../text/headings.ts';
import { markdownLines } from '../text/lines.ts';
import type { ParsedSource } from '../types.ts';

const statement = /^(?:import\s[^;]*from\s*['"].*|import\s*['"].*|export\s+(?:const|let|default|function)\b.*)$/;
const componentTag = /<\/?[A-Z][^<>]{0,1000}>/g;
const comment = /\{\/\*.{0,300}?\*\/\}/g;

/** Undefined where nothing of a line is for a reader. */
function withoutComponents(line: string): string | undefined {
  if (statement.test(line)) return undefined;
  const plain = line.replace(comment, '').replace(componentTag, '');
  return plain.trim() === '' && line.trim() !== '' ? undefined : plain;
}

const withoutMdx = (markdown: string) =>
  [...markdownLines(markdown)].flatMap(({ text, kind }) => (kind === 'prose' ? (withoutComponents(text) ?? []) : text)).join('\n');

export function parseMarkdown(text: string, isMdx: boolean): ParsedSource {
  const { attributes, bodyStart } = readFrontMatter(text);
  const body = text.slice(bodyStart).replace(/^\uFEFF/, '');
  const markdown = isMdx ? withoutMdx(body) : body;
  const title = attributes['title'];
  return { title: typeof title === 'string' && title.trim() !== '' ? title.trim() : firstHeading(markdown), markdown: markdown.trim() };
}
