/** What HTML elements become in Markdown: the text between their tags goes in, Markdown comes out. */

import { joinLines } from '../records/table-markdown.ts';
import { decodeAll } from './entities.ts';
import { neverShown } from './html-names.ts';

/** How an element is dealt with: its text wrapped, a block by itself, or only its content kept. */
export type Role = 'skip' | 'wrapped' | 'captured' | 'block' | 'list' | 'table' | 'row' | 'none';

const wrapped = new Set('b strong i em del s strike code tt samp kbd var q a sup sub'.split(' '));
const captured = new Set('h1 h2 h3 h4 h5 h6 li blockquote summary legend caption dt dd td th'.split(' '));
const blocks = new Set(
  'address article aside body center details div dl fieldset figcaption figure footer form header hgroup html main nav p search section'.split(
    ' ',
  ),
);

export function roleOf(name: string): Role {
  if (neverShown.has(name)) return 'skip';
  if (wrapped.has(name)) return 'wrapped';
  if (captured.has(name)) return 'captured';
  if (blocks.has(name)) return 'block';
  if (name === 'ul' || name === 'ol' || name === 'menu') return 'list';
  if (name === 'table') return 'table';
  if (name === 'tr') return 'row';
  return 'none';
}

const hiddenStyle =
  /display\s*['"]?\s*:\s*['"]?none|visibility\s*['"]?\s*:\s*['"]?(?:hidden|collapse)|font-?size\s*['"]?\s*:\s*['"]?0(?![.\d]*[1-9])|opacity\s*['"]?\s*:\s*['"]?0(?![.\d]*[1-9])/i;

/** Whether a renderer would not show an element. */
export function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  const mark = attributes.get('hidden');
  if (mark !== undefined && mark !== 'until-found' && mark.trim() !== 'false') return true;
  return attributes.get('aria-hidden') === 'true' || hiddenStyle.test(attributes.get('style') ?? '');
}

const superscripts: Readonly<Record<string, string>> = {
  0: '⁰',
  1: '¹',
  2: '²',
  3: '³',
  4: '⁴',
  5: '⁵',
  6: '⁶',
  7: '⁷',
  8: '⁸',
  9: '⁹',
  '+': '⁺',
  '-': '⁻',
  n: 'ⁿ',
};
const subscripts: Readonly<Record<string, string>> = {
  0: '₀',
  1: '₁',
  2: '₂',
  3: '₃',
  4: '₄',
  5: '₅',
  6: '₆',
  7: '₇',
  8: '₈',
  9: '₉',
  '+': '₊',
  '-': '₋',
};

/** 10<sup>6</sup> is not 106. Text that has no small characters (1<sup>st</sup>) stays as it is. */
export function raised(text: string, direction: 'sup' | 'sub'): string {
  const small = direction === 'sup' ? superscripts : subscripts;
  const characters = [...text.trim()];
  return characters.length > 0 && characters.every((character) => small[character] !== undefined)
    ? characters.map((character) => small[character]).join('')
    : text;
}

export function codeSpan(text: string): string {
  const code = text.replace(/\s+/g, ' ');
  if (code.trim() === '') return code;
  const runs = [...code.matchAll(/`+/g)].map(([run]) => run.length);
  let length = 1;
  while (runs.includes(length)) length++;
  const marks = '`'.repeat(length);
  return /^`|`$|^ .* $/.test(code) ? `${marks} ${code} ${marks}` : `${marks}${code}${marks}`;
}

const emphasis: Readonly<Record<string, string>> = { b: '**', strong: '**', i: '*', em: '*', var: '*', del: '~~', s: '~~', strike: '~~' };
const linkable = /^(?:https?:\/\/|mailto:|tel:|#|\.{0,2}\/(?!\/)|[\w-][\w./-]*(?:[?#]|$))/i;

/** Text inside a line. White space at its edges stands outside of the marks, as Markdown wants it. */
export function wrapInline(name: string, attributes: ReadonlyMap<string, string>, text: string): string {
  const inner = text.trim();
  if (inner === '' || /\n\s*\n/.test(inner)) return text;
  const [before, after] = [/^\s*/.exec(text)?.[0] ?? '', /\s*$/.exec(text)?.[0] ?? ''];
  const mark = emphasis[name];
  if (mark !== undefined) return inner.startsWith(mark) && inner.endsWith(mark) ? text : `${before}${mark}${inner}${mark}${after}`;
  if (name === 'q') return `${before}“${inner}”${after}`;
  if (name === 'sup' || name === 'sub') return raised(text, name);
  if (name === 'a') {
    const href = decodeAll(attributes.get('href') ?? '').trim();
    if (href === '' || href === '#' || /[\s<>]/.test(href) || !linkable.test(href) || /\]\(/.test(inner)) return text;
    return `${before}[${inner.replace(/\n/g, ' ')}](${href.replace(/[()]/g, encodeURIComponent).replace(/\(/g, '%28').replace(/\)/g, '%29')})${after}`;
  }
  return `${before}${codeSpan(decodeAll(inner))}${after}`;
}

const anchorName = /^[\p{L}\p{N}_.:-]{1,200}$/u;

/** A heading, with its anchor where that is not the one that its text has anyway. */
export function headingLine(level: number, text: string, id: string | undefined): string {
  const line = joinLines(text).replaceAll('**', '');
  const slug = line
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  return `${'#'.repeat(level)} ${line}${id !== undefined && anchorName.test(id) && id !== slug ? ` {#${id}}` : ''}`;
}

/** Lines of a list item, those after the first below its text. */
export const listItem = (marker: string, text: string): string =>
  `${marker} ${text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length + 1)}`)}`;
