/** Headings of Markdown as plain text. */

import { detachString } from './detach-string.ts';
import { markdownLines } from './lines.ts';

const maxHeadingChars = 300;
/** `{#id .class key=value}`, with a colon in kramdown, as a comment in MDX; `[#id]` in Nextra. */
const attributeList =
  /(?<!\s)\s*(?:\{(?::|\/\*)?([^{}]{1,300}?)(?:\*\/)?\}|\[#([\p{L}\p{N}_.:-]{1,200})\]|\[!?toc\])\s*$/u;
const keyAndValue = /(?<![^\s])[\w:-]{1,60}=(?:"[^"]{0,200}"|'[^']{0,200}'|[^\s"']{1,200})/g;
const idOrClass = /^(?:#[\p{L}\p{N}_.:-]{1,200}|\.[\p{L}_-][\p{L}\p{N}_:-]{0,100}|-)$/u;
const marked = /^ {0,3}(#{1,6})[ \t]+(\S.*)\r?$/;

/** Splits a heading from the attributes that some generators read from its end. */
export function splitAttributes(heading: string): { text: string; anchor: string | undefined } {
  const whole = { text: heading, anchor: undefined };
  const match = attributeList.exec(heading);
  if (!match) return whole;
  const written = match[1]?.trim() ?? '';
  const names = written.replace(keyAndValue, '').split(/\s+/).filter(Boolean);
  const areAttributes =
    written === '' ? match[1] === undefined : names.every((name) => idOrClass.test(name));
  if (!areAttributes) return whole;
  const anchor = match[2] ?? names.find((name) => name.startsWith('#'))?.slice(1);
  return { text: heading.slice(0, match.index), anchor };
}

/** Returns the `{#id}` that some generators append to a heading. */
export const explicitAnchorOf = (source: string): string | undefined =>
  splitAttributes(detachString(source.slice(0, maxHeadingChars))).anchor;

/** Named references common in titles; others stay as written. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  middot: '·',
  bull: '•',
  copy: '©',
  reg: '®',
  trade: '™',
};
const reference = /&(?:#(?:x([0-9a-f]{1,6})|(\d{1,7}))|([a-z]{2,6}));/gi;

/**
 * Decodes HTML character references once, in a title shown as plain text. Only visible characters
 * are decoded.
 */
export const decodeReferences = (title: string) =>
  title.replace(reference, (whole, hex?: string, decimal?: string, name = '') => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const character =
      decimal === undefined && hex === undefined
        ? named[name]
        : code <= 0x10ffff && String.fromCodePoint(code);
    return character && /[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u.test(character)
      ? character.replace(/\p{Zs}/u, ' ')
      : whole;
  });

/** Inverse of `decodeReferences`. */
export const encodeReferences = (title: string) =>
  title.replace(reference, (whole) => `&amp;${whole.slice(1)}`);

const codeTagOrReference = /`([^`]*)`|<[^>]+>|\\?&(?:#?\w{1,10};)?/g;

const withoutMarkup = /^[^\\`*~_<&[{]*$/;

/** Returns a heading's text without markup. */
export function plainHeading(source: string) {
  const heading = detachString(source.slice(0, maxHeadingChars));
  return (withoutMarkup.test(heading) ? heading : withoutMarks(heading))
    .replace(/\s+/g, ' ')
    .trim();
}

const withoutMarks = (heading: string) =>
  splitAttributes(heading)
    .text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    // A tag or reference in a code span is text (`Promise<T>`), as is an escaped reference.
    .replace(codeTagOrReference, (whole, code: string | undefined) => {
      if (whole.startsWith('\\')) return whole.slice(1);
      return code ?? (whole.startsWith('&') ? decodeReferences(whole) : '');
    })
    .replace(/\\([\\`*_{}[\]()#+.!-])/g, '$1')
    .replace(/[*`~]+/g, '')
    .replace(/(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])/gu, '');

/**
 * Headings that begin with `#`, in order, outside code blocks. Linear in the length of the text.
 */
export function* headingsOf(markdown: string) {
  for (const { text: line, kind } of markdownLines(markdown)) {
    const [, marks = '', source = ''] = (kind === 'prose' && marked.exec(line)) || [];
    if (marks === '') continue;
    const written = source.slice(0, maxHeadingChars).trimEnd();
    const text = plainHeading(written.replace(/(?<![^ \t])#{1,100}$/, ''));
    if (text !== '') yield { level: marks.length, text };
  }
}

/** Text of the first level-1 heading. */
export const firstHeading = (markdown: string): string | undefined =>
  headingsOf(markdown).find(({ level }) => level === 1)?.text;
