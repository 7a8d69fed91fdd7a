/**
 * Renders an answer's Markdown with DOM calls only: text of documents never becomes markup. Unknown
 * syntax stays text.
 */

/** Attributes must not contain text of a server, except in `href` of `webLink`. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A link only to a website or an e-mail address, so that it can run no script. */
export const webLink = (text: string, ...children: readonly (Node | string)[]): Node =>
  /^(?:https?:\/\/|mailto:)/i.test(text) && URL.canParse(text)
    ? element(
        'a',
        { href: new URL(text).href, target: '_blank', rel: 'noopener noreferrer nofollow' },
        ...children,
      )
    : element('span', {}, ...children);

/** Returns the button of a citation mark. */
type RenderMark = (index: number) => Node;

/** Text in scripts without capitals may follow an address without a space, so it ends none. */
const inline =
  /\\(?<escaped>[!-/:-@[-`{-~])|`(?<code>[^`\n]{1,500})`|\*\*(?<bold>[^*\n]{1,500})\*\*|\s?\[(?<mark>\d{1,2})\](?!\()|!?\[(?<label>[^[\]\n]{0,500})\]\((?<target>(?:[^()\s]|\([^()\s]{0,300}\)){1,2000})\)|(?<url>https?:\/\/[^\s<>()[\]"`*]{0,1999}[\p{Lu}\p{Ll}\d_/#=-])/gu;

function inlineNode(
  { escaped, code, bold, mark: index, label, target = '', url }: Record<string, string | undefined>,
  mark: RenderMark,
) {
  if (code !== undefined) return element('code', {}, code);
  if (bold !== undefined) return element('strong', {}, ...inlineNodes(bold, mark));
  if (index !== undefined) return mark(Number(index));
  if (url !== undefined) return webLink(url, url);
  return escaped ?? webLink(target, label || target);
}

function inlineNodes(text: string, mark: RenderMark): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let at = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(inline)) {
    nodes.push(text.slice(at, index), inlineNode(groups, mark));
    at = index + whole.length;
  }
  return [...nodes, text.slice(at)];
}

type Kind = 'blank' | 'text' | 'code' | 'row' | 'item' | 'quote';
interface Block {
  readonly kind: Kind;
  readonly lines: string[];
}

const itemStart = /^\s{0,3}(?:[-*+]|(\d{1,9})[.)])\s+/;
const fence = /^\s{0,3}(?:```|~~~)/;

function kindOf(line: string): Kind {
  if (line.trim() === '') return 'blank';
  if (/^\s{0,3}\|/.test(line)) return 'row';
  if (/^\s{0,3}>/.test(line)) return 'quote';
  return itemStart.test(line) ? 'item' : 'text';
}

/** Adds a line outside of code to the last block, or begins a block. */
function addLine(blocks: Block[], line: string) {
  const kind = kindOf(line);
  const last = blocks.at(-1);
  if (last?.kind === 'item' && kind === 'text')
    last.lines.push(`${last.lines.pop()}\n${line.trim()}`);
  else if (last?.kind === kind) last.lines.push(line);
  else blocks.push({ kind, lines: [line] });
}

function blocksOf(text: string) {
  const blocks: Block[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (fence.test(line)) {
      isCode = !isCode;
      blocks.push({ kind: isCode ? 'code' : 'blank', lines: [] });
    } else if (isCode) blocks.at(-1)?.lines.push(line);
    else addLine(blocks, line);
  }
  return blocks;
}

const delimiterRow = /^[\s|:-]+$/;
function tableOf(lines: readonly string[], mark: RenderMark) {
  const hasHead = delimiterRow.test(lines[1] ?? '');
  const rows = lines.flatMap((line) =>
    delimiterRow.test(line) ? [] : line.trim().replace(/^\||(?<!\\)\|$/g, ''),
  );
  const cell = (row: number, text: string) =>
    element(hasHead && row === 0 ? 'th' : 'td', {}, ...inlineNodes(text.trim(), mark));
  const table = element(
    'table',
    {},
    ...rows.map((row, at) =>
      element(
        'tr',
        {},
        ...row.split(/(?<!\\)\|/).map((text) => cell(at, text.replaceAll('\\|', '|'))),
      ),
    ),
  );
  return element('div', { class: 'wide', tabindex: '0' }, table);
}

function listOf(lines: readonly string[], mark: RenderMark) {
  const number = itemStart.exec(lines[0] ?? '')?.[1];
  const items = lines.map((line) =>
    element('li', {}, ...inlineNodes(line.replace(itemStart, ''), mark)),
  );
  return number === undefined
    ? element('ul', {}, ...items)
    : element('ol', { start: number }, ...items);
}

export function renderAnswer(text: string, mark: RenderMark): Node[] {
  return blocksOf(text).flatMap(({ kind, lines }): Node[] => {
    if (kind === 'blank') return [];
    if (kind === 'code')
      return [element('pre', { tabindex: '0' }, element('code', {}, lines.join('\n')))];
    if (kind === 'row') return [tableOf(lines, mark)];
    if (kind === 'item') return [listOf(lines, mark)];
    const content = lines.map((line) => line.replace(/^\s*(?:>\s?)?(?:#{1,6}\s)?/, '')).join('\n');
    return [element(kind === 'quote' ? 'blockquote' : 'p', {}, ...inlineNodes(content, mark))];
  });
}
