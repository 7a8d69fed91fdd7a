/**
 * Markdown of documents and answers → elements. A document is data that anybody may have written: what comes out of the parser goes
 * through DOMPurify with the few elements that text needs, so that it holds no script, no style, no form and nothing that is loaded.
 */
import DOMPurify from 'dompurify';
import { getDefaults, Lexer, Parser, Renderer, type Tokens } from 'marked';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);

class TextOnlyRenderer extends Renderer {
  // A picture would be a request to where it lies; what it shows is said instead.
  override image({ text }: Tokens.Image): string {
    return text === '' ? '' : `<em>[${escapeHtml(text)}]</em>`;
  }
  override checkbox({ checked }: Tokens.Checkbox): string {
    return checked ? '☑ ' : '☐ ';
  }
}
const options = { ...getDefaults(), renderer: new TextOnlyRenderer() };

const elements =
  'a p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del ins sub sup kbd br hr dl dt dd table thead tbody tr th td details summary';
const cleaning = {
  ALLOWED_TAGS: elements.split(' '),
  ALLOWED_ATTR: ['href', 'title', 'start', 'colspan', 'rowspan', 'align', 'dir', 'lang'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // An address within a site says nothing here.
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|#)/i,
  RETURN_DOM_FRAGMENT: true as const,
};

/** What nests deeper than the parser goes is shown as it stands. */
function toHtml(text: string): string {
  try {
    return Parser.parse(Lexer.lex(text, options), options);
  } catch {
    return `<pre>${escapeHtml(text)}</pre>`;
  }
}

export function renderMarkdown(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(toHtml(text), cleaning);
  for (const link of fragment.querySelectorAll('a[href]')) {
    if (link.getAttribute('href')?.startsWith('#')) continue;
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  // Below the headings of the page.
  for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) heading.ariaLevel = String(Number(heading.tagName[1]) + 2);
  for (const code of fragment.querySelectorAll('pre, table')) code.setAttribute('tabindex', '0');
  return fragment;
}

export function textNodesOf(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  return nodes;
}

export interface Slice {
  readonly start: number;
  readonly end: number;
  /** What it needs before it, because it begins in the middle of a table or of code. */
  readonly prefix: string;
}

const sliceChars = 4_000;
/** Before a line that begins something of its own; where there is none for so long, anywhere: a parser's time grows faster than a text. */
const maxSliceChars = 2 * sliceChars;
const beginsBlock = /^(?![\s>|*+-]|\d+[.)]\s)/;
const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const delimiterRow = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** What a line is a part of: the opening line of code, or the head of a table. */
function createBlockTracker() {
  let fence: { readonly line: string; readonly mark: string } | undefined;
  let tableHead = '';
  let before = '';
  return {
    prefix: () => (fence ? `${fence.line}\n` : tableHead),
    isInside: () => fence !== undefined,
    take(line: string): void {
      const [, mark = '', rest = ''] = fenceLine.exec(line) ?? [];
      if (fence) {
        if (mark.startsWith(fence.mark) && rest.trim() === '') fence = undefined;
      } else if (mark !== '') fence = { line, mark };
      else if (before.includes('|') && delimiterRow.test(line)) tableHead = `${before}\n${line}\n`;
      else if (!line.includes('|')) tableHead = '';
      before = line;
    },
  };
}

/** Cuts a document where nothing is torn, so that what is far from the reader's eyes need not be rendered. */
export function sliceMarkdown(text: string, from: number): Slice[] {
  const slices: Slice[] = [];
  const tracker = createBlockTracker();
  let [start, prefix, isAfterBlank] = [from, '', true];
  for (let at = from; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = Math.min(newline < 0 ? text.length : newline + 1, at + maxSliceChars);
    const line = text.slice(at, end).replace(/\r?\n$/, '');
    const isApart = isAfterBlank && !tracker.isInside() && beginsBlock.test(line);
    if (end - start > maxSliceChars || (at - start > sliceChars && isApart)) {
      if (at > start) slices.push({ start, end: at, prefix });
      [start, prefix] = [at, tracker.prefix()];
    }
    tracker.take(line);
    isAfterBlank = line.trim() === '';
    at = end;
  }
  if (start < text.length) slices.push({ start, end: text.length, prefix });
  return slices;
}

/** Two marks of punctuation that hardly any text holds, and that Markdown takes for plain text wherever they stand. */
const [opening, closing] = ['\u2e28', '\u2e29'];
const blockMarks = /^(?:[ \t>|]|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t])*/;

/** Puts the two marks around a span, inside of what begins its line and ends it. @returns undefined where that cannot be done */
function markSpan(text: string, start: number, end: number): string | undefined {
  if (text.includes(opening) || text.includes(closing)) return undefined;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const first = Math.max(start, lineStart + (blockMarks.exec(text.slice(lineStart))?.[0].length ?? 0));
  const last = first + text.slice(first, end).replace(/[\s|]+$/, '').length;
  return last <= first ? undefined : `${text.slice(0, first)}${opening}${text.slice(first, last)}${closing}${text.slice(last)}`;
}

/** Takes the two marks out of what was rendered; what stands between them is marked. @returns whether there is any */
function wrapMarked(fragment: DocumentFragment): boolean {
  let isInside = false;
  let isFound = false;
  for (const node of textNodesOf(fragment)) {
    const parts = node.data.split(/([\u2e28\u2e29])/);
    if (parts.length === 1 && !isInside) continue;
    const nodes = parts.map((part) => {
      if (part === opening || part === closing) {
        isInside = part === opening;
        return '';
      }
      if (!isInside || part.trim() === '') return part;
      isFound = true;
      const mark = document.createElement('mark');
      mark.textContent = part;
      return mark;
    });
    node.replaceWith(...nodes);
  }
  return isFound;
}

/** @param span what of the text is to be marked, in its own offsets @returns undefined where the span cannot be found in what is rendered */
export function renderMarked(
  text: string,
  prefix: string,
  span: { readonly start: number; readonly end: number },
): DocumentFragment | undefined {
  const source = markSpan(text, span.start, span.end);
  const fragment = source === undefined ? undefined : renderMarkdown(prefix + source);
  if (!fragment || !wrapMarked(fragment)) return undefined;
  for (const closed of fragment.querySelectorAll<HTMLDetailsElement>('details:has(mark)')) closed.open = true;
  return fragment;
}
