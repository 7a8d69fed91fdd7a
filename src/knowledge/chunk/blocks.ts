/**
 * Markdown → its top-level blocks with exact offsets, in reading order: headings, and everything between them. Built on the block
 * rules of markdown-it (CommonMark + tables), whose tokens carry line numbers; inline rules are off, they are not needed and cost
 * most of the time. HTML blocks are off too: they would swallow a heading that follows a component's tag.
 */
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';
import { explicitAnchorOf, plainHeading } from '../text/headings.ts';

export interface Heading {
  readonly kind: 'heading';
  readonly start: number;
  readonly end: number;
  readonly level: number;
  readonly text: string;
  /** Unique in the document: an explicit `{#id}`, else the slug that Markdown renderers give. */
  readonly anchor: string;
}

export interface Block {
  /** `whole` is never split; `parts` may be cut where one of its parts begins; `prose` anywhere between sentences. */
  readonly kind: 'whole' | 'parts' | 'prose';
  readonly start: number;
  readonly end: number;
  /** Offsets at which a part of a list or quote begins; empty unless `kind` is `parts`. */
  readonly partStarts: readonly number[];
}

const parser = new MarkdownIt('default', { html: true });
parser.core.ruler.disable(['inline', 'linkify', 'replacements', 'smartquotes', 'text_join']);
parser.block.ruler.disable(['html_block']);

/** Blocks of `text` from `bodyStart`. A block reaches to where the next begins, so nothing of the body is in no block. */
export function blocksOf(text: string, bodyStart: number): (Heading | Block)[] {
  const body = text.slice(bodyStart);
  const lineStarts = [bodyStart];
  // markdown-it ends lines at \r\n, \r and \n alike.
  for (const match of body.matchAll(/\r\n|\r|\n/g)) lineStarts.push(bodyStart + match.index + match[0].length);
  const offset = (line: number) => lineStarts[line] ?? text.length;

  const slugger = new GithubSlugger();
  const blocks: (Heading | Block)[] = [];
  const tokens = parser.parse(body, {});
  tokens.forEach((token, index) => {
    if (token.level !== 0 || !token.map || token.nesting < 0) return;
    const start = offset(token.map[0]);
    const end = offset(token.map[1]);
    if (token.type === 'heading_open') {
      const source = tokens[index + 1]?.content ?? '';
      const label = plainHeading(source);
      const anchor = explicitAnchorOf(source) ?? slugger.slug(label);
      blocks.push({ kind: 'heading', start, end, level: Number(token.tag.slice(1)), text: label, anchor });
    } else if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open' || token.type === 'blockquote_open') {
      const partStarts: number[] = [];
      for (let inner = index + 1; inner < tokens.length && (tokens[inner]?.level ?? 0) > 0; inner++) {
        const part = tokens[inner];
        if (part?.level === 1 && part.map && part.nesting >= 0) partStarts.push(offset(part.map[0]));
      }
      blocks.push({ kind: 'parts', start, end, partStarts: partStarts.slice(1) });
    } else {
      blocks.push({ kind: token.type === 'paragraph_open' ? 'prose' : 'whole', start, end, partStarts: [] });
    }
  });
  return blocks.map((block, index) => ({ ...block, end: blocks[index + 1]?.start ?? text.length }));
}
