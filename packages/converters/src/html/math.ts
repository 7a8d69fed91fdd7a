/** MathML → one line of text: `r²`, `(a+b)/c`. */
import { plainLine } from '../../../shared/src/language/invisible.ts';
import { fractionOf, indexOf, powerOf, rootOf } from '../markdown/small-text.ts';
import { attributeOf, elementsOf, type HtmlElement, rawTextOf } from './dom.ts';

const skipped = /^(?:annotation|annotation-xml|mphantom|none|mprescripts)$/;
/** Two names or two figures side by side are not one. */
const isGlued = (before: string, after: string) =>
  (/\p{L}{2}$/u.test(before) && /^[\p{L}\p{N}]/u.test(after)) ||
  (/[\d⁰¹²³⁴-⁹]$/.test(before) && /^\d/.test(after));

const joined = (elements: readonly HtmlElement[]) =>
  elements.reduce((text, element) => {
    const next = mathText(element, text);
    return text + (isGlued(text, next) ? ' ' : '') + next;
  }, '');

type Write = (parts: readonly string[], element: HtmlElement, before: string) => string;
const power: Write = ([base = '', above = '']) => base + powerOf(above);
const index: Write = ([base = '', below = '']) => base + indexOf(below);
const both: Write = ([base = '', below = '', above = '']) => base + indexOf(below) + powerOf(above);
const writers = new Map<string, Write>([
  ['msup', power],
  ['mover', power],
  ['msub', index],
  ['munder', index],
  ['msubsup', both],
  ['munderover', both],
  ['mfrac', ([above = '', below = ''], _, before) => fractionOf(above, below, before)],
  ['msqrt', (_, element) => rootOf(joined(elementsOf(element)), '')],
  ['mroot', ([base = '', degree = '']) => rootOf(base, degree)],
  [
    'mfenced',
    (parts, element) =>
      (attributeOf(element, 'open') ?? '(') +
      parts.join(', ') +
      (attributeOf(element, 'close') ?? ')'),
  ],
  ['mtable', (parts) => parts.join('; ')],
  ['mtr', (parts) => parts.join(', ')],
]);

/** @param before text on its left */
export function mathText(element: HtmlElement, before = ''): string {
  if (skipped.test(element.name)) return '';
  const children = elementsOf(element).filter(({ name }) => !skipped.test(name));
  if (/^(?:mi|mn|mo|mtext|ms)$/.test(element.name) || children.length === 0)
    return plainLine(rawTextOf(element), Infinity);
  const write = writers.get(element.name);
  return write
    ? write(
        children.map((child) => mathText(child)),
        element,
        before,
      )
    : joined(children);
}
