/**
 * HTML elements and their Markdown. A name in `<…>` that is not an HTML element is text:
 * `<your-key>`, `Map<String>`.
 */
import { slug } from 'github-slugger';
import { DomUtils, parseDocument } from 'htmlparser2';
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { explicitAnchorOf } from '../../../shared/src/markdown/headings.ts';
import { joinLines } from '../data/table-markdown.ts';
import { raisedText, superOrSubscript } from './small-text.ts';

const names = (list: string) => new Set(list.trim().split(/\s+/));

/** Elements without visible text. */
export const neverShown = names(`
  script style template noscript iframe object embed svg canvas select textarea datalist dialog
  audio video map math head title
`);
/** Text that no longer holds. */
export const struck = names('del s strike');
/** Elements whose content is not parsed as markup. */
export const rawContent = names('script style textarea title iframe noscript');
export const voidElements = names(
  'area base br col embed hr img input link meta param source track wbr',
);
/** Elements whose end tag is often omitted, except paragraphs. */
export const optionalEnd = names('li dt dd td th tr thead tbody tfoot option colgroup body html');
export const blockElements = names(`
  address article aside blockquote body center dd details div dl dt fieldset figcaption figure
  footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol optgroup option p pre
  search section summary table tbody td tfoot th thead tr ul caption legend menu colgroup
`);
const inlineElements = names(`
  a abbr acronym b bdi bdo big button cite code data del dfn em font i ins kbd label mark meter
  nobr output picture progress q rp rt ruby s samp small span strike strong sub sup time tt u
  var
`);

export const isHtmlName = (name: string): boolean => {
  const lower = name.toLowerCase();
  if (name !== lower && name !== name.toUpperCase()) return false;
  return [blockElements, inlineElements, voidElements, neverShown].some((some) => some.has(lower));
};

const hiddenStyle =
  /display\s*(?:['"]\s*)?:\s*['"]?none|visibility\s*(?:['"]\s*)?:\s*['"]?(?:hidden|collapse)|font-?size\s*(?:['"]\s*)?:\s*['"]?0(?![.\d]*[1-9])|opacity\s*(?:['"]\s*)?:\s*['"]?0(?![.\d]*[1-9])|text-?decoration(?:-?line)?\s*(?:['"]\s*)?:\s*['"]?line-through/i;

export function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  const mark = attributes.get('hidden');
  if (mark !== undefined && mark !== 'until-found' && mark.trim() !== 'false') return true;
  return (
    attributes.get('aria-hidden') === 'true' || hiddenStyle.test(attributes.get('style') ?? '')
  );
}

export function codeSpan(text: string): string {
  const code = text.replace(/\s+/g, ' ');
  if (!code.trim()) return code;
  const runs = [...code.matchAll(/`+/g)].map(([run]) => run.length);
  let length = 1;
  while (runs.includes(length)) length++;
  const marks = '`'.repeat(length);
  return /^`|`$|^ .* $/.test(code) ? `${marks} ${code} ${marks}` : `${marks}${code}${marks}`;
}

export function fencedCode(code: string, language: string): string {
  const mark = '`'.repeat(
    (code.match(/`{3,}/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 2) + 1,
  );
  return `${mark}${language}\n${code}\n${mark}`;
}

/** Scripts that separate words with spaces. */
const joined = /[\p{L}\p{N}]/u;
const unjoined = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
const isLetter = (character: string | undefined) =>
  character !== undefined && joined.test(character) && !unjoined.test(character);

/**
 * Whether `inner` is part of a word: marks around it (`**W**arranty`) would hide the word from a
 * search.
 */
export const isPartOfWord = (
  before: string | undefined,
  inner: string,
  after: string | undefined,
): boolean =>
  (isLetter(before) && isLetter(inner[0])) || (isLetter(inner.at(-1)) && isLetter(after));

const emphasis: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  var: '*',
};
const linkable = /^(?:https?:\/\/|mailto:|tel:|#|\.{0,2}\/(?!\/)|[\w-][\w./-]*(?:[?#]|$))/i;

function linkTo(href: string, text: string) {
  if (href === '#' || /[\s<>]/.test(href) || !linkable.test(href) || text.includes(']('))
    return text;
  return `[${text.replace(/\n/g, ' ')}](${href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

/**
 * Wraps inline text in Markdown marks; white space at the edges moves outside. @param before text on
 * its left
 */
export function wrapInline(
  name: string,
  attributes: ReadonlyMap<string, string>,
  text: string,
  before: string,
): string {
  const inner = text.trim();
  if (!inner) return text;
  if (name === 'sup') return raisedText(text, before);
  if (name === 'sub') return superOrSubscript(text, name);
  const around = (marked: string) =>
    text.slice(0, text.length - text.trimStart().length) +
    marked +
    text.slice(text.trimEnd().length);
  const mark = emphasis[name];
  if (mark)
    return inner.startsWith(mark) && inner.endsWith(mark) ? text : around(mark + inner + mark);
  if (name === 'q') return around(`“${inner}”`);
  if (/^(?:a|A|Link)$/.test(name))
    return around(linkTo(decodeAll(attributes.get('href') ?? '').trim(), inner));
  return around(codeSpan(decodeAll(inner)));
}

/** Returns ` {#anchor}` for an anchor that differs from the slug of the heading. */
export function anchorSuffix(label: string, anchor: string | undefined): string {
  const suffix = anchor === undefined || anchor === slug(label) ? '' : ` {#${anchor}}`;
  return explicitAnchorOf(`${label}${suffix}`) === anchor ? suffix : '';
}

/** Writes a heading, with its anchor if that differs from the slug of the text. */
export function headingLine(level: number, text: string, id: string | undefined): string {
  const line = joinLines(text).replaceAll('**', '');
  return `${'#'.repeat(level)} ${line}${anchorSuffix(line, id)}`;
}

/** Writes a list item with its further lines indented. */
export const listItem = (marker: string, text: string): string =>
  `${marker} ${text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length + 1)}`)}`;

// HTML character references. `&lt;div&gt;` becomes a code span: as plain characters it would be
// markup.

const reference = /&(?:#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,30});/gi;
const escapedTag = /&lt;(\/?[a-z][^&<>`\n]{0,200}?)&gt;/gi;
/** Characters that would be Markdown syntax. */
const isMarkup = /[\\`*_[\]<|~#]/;

/**
 * Decodes a reference; undefined if it is unknown or a control character. A space becomes plain; an
 * invisible character becomes empty.
 */
function characterOf(reference: string) {
  const character = DomUtils.textContent(parseDocument(reference));
  if (character === reference || /[\p{Cc}\ufffd]/u.test(character)) return undefined;
  return withoutInvisible(character.replace(/\p{Zs}/gu, ' '));
}

/** Decodes all references, for text that becomes code or data. */
export const decodeAll = (text: string): string =>
  text.replace(reference, (whole) => characterOf(whole) ?? whole);

/** Escapes a decoded character for prose; undefined if its reference must stay. */
function escapedInProse(character: string, before: string, after: string) {
  if (character === '&') return /^#?[a-z0-9]{1,10};/i.test(after) ? undefined : '&';
  if (character === '<') return /^[a-z/!?]/i.test(after) ? '\\<' : '<';
  if (character === '>') return before.trim() === '' ? '\\>' : '>';
  return isMarkup.test(character) ? `\\${character}` : character;
}

/** Decodes references in Markdown prose, except those whose character would change the meaning. */
export const decodeInProse = (text: string): string =>
  text
    .replace(escapedTag, (_, tag: string) => `\`<${decodeAll(tag)}>\``)
    .replace(reference, (whole, at: number, all: string) => {
      const isEscaped = /(?<!\\)(?:\\\\)*\\$/.test(all.slice(Math.max(0, at - 20), at));
      const character = isEscaped ? undefined : characterOf(whole);
      if (character === undefined) return whole;
      const end = at + whole.length;
      return escapedInProse(character, all.slice(0, at), all.slice(end, end + 12)) ?? whole;
    });
