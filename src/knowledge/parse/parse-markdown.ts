/**
 * Markdown and MDX → stored Markdown. Front matter gives the title and goes; of MDX, the statements that a reader never sees
 * (imports, exports, comments) go and component tags leave their content. Code fences are never touched.
 */
import { readFrontMatter } from '../text/front-matter.ts';
import { firstHeading } from '../text/headings.ts';
import type { ParsedSource } from '../types.ts';

const fence = /^ {0,3}(`{3,}|~{3,})/;
const statement = /^(?:import\s[^;]*from\s*['"].*|import\s*['"].*|export\s+(?:const|let|default|function)\b.*)$/;
const componentTag = /<\/?[A-Z][^<>]{0,2000}>/g;
const comment = /\{\/\*.{0,2000}?\*\/\}/g;

/** Lines outside fences go through `rewrite`; undefined drops the line. */
function rewriteOutsideFences(markdown: string, rewrite: (line: string) => string | undefined): string {
  let open: string | undefined;
  const kept: string[] = [];
  for (const line of markdown.split('\n')) {
    const mark = fence.exec(line)?.[1];
    if (open !== undefined) {
      if (mark?.startsWith(open) && line.trim() === mark) open = undefined;
      kept.push(line);
    } else if (mark !== undefined) {
      open = mark;
      kept.push(line);
    } else {
      const rewritten = rewrite(line);
      if (rewritten !== undefined) kept.push(rewritten);
    }
  }
  return kept.join('\n');
}

const withoutComponents = (markdown: string) =>
  rewriteOutsideFences(markdown, (line) => {
    if (statement.test(line)) return undefined;
    const plain = line.replace(comment, '').replace(componentTag, '');
    return plain.trim() === '' && line.trim() !== '' ? undefined : plain;
  });

export function parseMarkdown(text: string, isMdx: boolean): ParsedSource {
  const { attributes, bodyStart } = readFrontMatter(text);
  const body = text.slice(bodyStart).replace(/^\uFEFF/, '');
  const markdown = isMdx ? withoutComponents(body) : body;
  const title = attributes['title'];
  return { title: typeof title === 'string' && title.trim() !== '' ? title.trim() : firstHeading(markdown), markdown: markdown.trim() };
}
