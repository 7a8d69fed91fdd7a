/** Elements that are something by their role alone get the name that HTML has for it (https://www.w3.org/TR/html-aria/), so that all else knows one way. */
import { attributeOf, elementsBelow, type HtmlNode, textOf } from './dom.ts';

const nameOfRole: Readonly<Record<string, string>> = {
  table: 'table',
  grid: 'table',
  treegrid: 'table',
  rowgroup: 'tbody',
  row: 'tr',
  cell: 'td',
  gridcell: 'td',
  columnheader: 'th',
  rowheader: 'th',
  list: 'ul',
  listitem: 'li',
  term: 'dt',
  definition: 'dd',
  paragraph: 'p',
  blockquote: 'blockquote',
  code: 'code',
};

/** What says more is a card that can be pressed. */
const maxButtonChars = 60;

export function nameByRole(root: HtmlNode): void {
  for (const element of elementsBelow(root)) {
    if (element.name !== 'div' && element.name !== 'span') continue;
    const role = attributeOf(element, 'role') ?? '';
    const level = Number(attributeOf(element, 'aria-level') ?? 2);
    if (role === 'heading') element.name = `h${level >= 1 && level <= 6 ? Math.floor(level) : 6}`;
    else if (role === 'button' && textOf(element, maxButtonChars + 1).length <= maxButtonChars) element.name = 'button';
    else element.name = nameOfRole[role] ?? element.name;
  }
}
