/**
 * Renders untrusted Markdown. DOMPurify keeps only text elements: no scripts, styles, forms or
 * loaded resources.
 */
import DOMPurify from 'dompurify';
import { getDefaults, Lexer, Parser, Renderer, type Tokens } from 'marked';

const escapeHtml = (text: string) => new Option(text).innerHTML;

class TextOnlyRenderer extends Renderer {
  // Shows the alternative text: an image would send a request to its host.
  override image({ text }: Tokens.Image) {
    return text === '' ? '' : `<em>[${escapeHtml(text)}]</em>`;
  }
  override checkbox({ checked }: Tokens.Checkbox) {
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
  // Relative links lead nowhere on this page.
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|#)/i,
  RETURN_DOM_FRAGMENT: true as const,
};

/** Text that nests too deeply for the parser is shown as is. */
function toHtml(text: string) {
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
  // Ranks document headings below those of the page.
  for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6'))
    heading.ariaLevel = String(Number(heading.tagName[1]) + 2);
  for (const code of fragment.querySelectorAll('pre, table')) code.setAttribute('tabindex', '0');
  return fragment;
}

export function textNodesOf(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  return nodes;
}

export type Slice = Readonly<{
  start: number;
  end: number;
  /** Text to render before a slice that begins inside a table or code block. */
  prefix: string;
}>;

const sliceChars = 4_000;
/**
 * A slice ends before a new block, or anywhere beyond this size: parsing time grows faster than the
 * text.
 */
const maxSliceChars = 2 * sliceChars;
const beginsBlock = /^(?![\s>|*+-]|\d+[.)]\s)/;
const fenceLine = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const delimiterRow = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

function createBlockTracker() {
  let fence: Readonly<{ line: string; mark: string }> | undefined;
  let tableHead = '';
  let before = '';
  return {
    /** Opening line of the current code block, or head of the current table. */
    prefix: () => (fence ? `${fence.line}\n` : tableHead),
    isInside: () => fence !== undefined,
    take(line: string) {
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

/** Cuts a document between blocks, so that distant parts need not be rendered. */
export function sliceMarkdown(text: string, from: number): Slice[] {
  const slices: Slice[] = [];
  const tracker = createBlockTracker();
  let start = from;
  let prefix = '';
  let isAfterBlank = true;
  for (let at = from; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = Math.min(newline < 0 ? text.length : newline + 1, at + maxSliceChars);
    const line = text.slice(at, end).replace(/\r?\n$/, '');
    const startsBlock = isAfterBlank && !tracker.isInside() && beginsBlock.test(line);
    if (end - start > maxSliceChars || (at - start > sliceChars && startsBlock)) {
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

/** Two rare punctuation marks that Markdown always treats as plain text. */
const opening = '\u2e28';
const closing = '\u2e29';
const blockMarks = /^(?:[ \t>|]|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t])*/;

/**
 * Puts the two marks around a span, inside the block marks of its lines. @returns undefined if that
 * is impossible
 */
function markSpan(text: string, start: number, end: number) {
  if (text.includes(opening) || text.includes(closing)) return undefined;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const first = Math.max(
    start,
    lineStart + (blockMarks.exec(text.slice(lineStart))?.[0].length ?? 0),
  );
  const last = first + text.slice(first, end).replace(/[\s|]+$/, '').length;
  return last <= first
    ? undefined
    : `${text.slice(0, first)}${opening}${text.slice(first, last)}${closing}${text.slice(last)}`;
}

/**
 * Removes the two marks from the rendered text and highlights the text between them. @returns
 * whether there is such text
 */
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
      return Object.assign(document.createElement('mark'), { textContent: part });
    });
    node.replaceWith(...nodes);
  }
  return isFound;
}

/**
 * @param span offsets in `text` to highlight @returns undefined if the rendered text does not
 * contain the span
 */
export function renderMarked(
  text: string,
  prefix: string,
  { start, end }: Omit<Slice, 'prefix'>,
): DocumentFragment | undefined {
  const source = markSpan(text, start, end);
  const fragment = source === undefined ? undefined : renderMarkdown(prefix + source);
  if (!fragment || !wrapMarked(fragment)) return undefined;
  for (const closed of fragment.querySelectorAll<HTMLDetailsElement>('details:has(mark)'))
    closed.open = true;
  return fragment;
}
