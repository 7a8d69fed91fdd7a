/**
 * A piece of a passage as a person reads it on one line: links by their labels, table rows as "header: value", code as code, without tags of
 * site generators. Nothing in it acts in a reader's client or speaks to a model.
 */
import type { TextSegment } from '../language/segments.ts';
import { withoutTemplateTags } from '../markdown/template-tags.ts';
import { isShowable } from './rank-units.ts';
import { shownAs } from './shown-sentence.ts';

/** Shown characters of one excerpt: three with their marks are at most 900. */
export const maxExcerptChars = 292;
/** A longer lead is left out. */
const maxLeadChars = 120;

const cell = /(?<!\\)\|/;
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(cell)
    .map((one) => one.replace(/\\\|/g, '|').trim());

/** A table row by its header: `Plan: Starter; Price: $15`. */
export function rowAsText(row: string, header: string): string {
  const names = cellsOf(header).map((name) => name.replace(/[*_]{1,3}/g, ''));
  const pairs = cellsOf(row).map((value, at) => ({ name: names[at] ?? '', value }));
  return pairs
    .filter(({ value }) => /[\p{L}\p{N}\p{S}]/u.test(value))
    .map(({ name, value }) => (name === '' || name === value ? value : `${name}: ${value}`))
    .join('; ');
}

const link =
  /!?\[([^[\]]{0,300})\]\(\s{0,3}<?[^()<>\s]{0,2000}(?:\([^()]{0,300}\)[^()<>\s]{0,300})?>?(?:\s{1,3}["'][^"'\n]{0,300}["'])?\s{0,3}\)/g;
const tag = /<\/?[a-z][^<>]{0,500}>/gi;
const autolink = /<((?:https?:\/\/|mailto:)[^<>\s]{1,500}|[^<>\s@]{1,100}@[^<>\s]{1,200})>/g;
const footnote = /\[\^[^[\]\s]{1,40}\]/g;

/** Links, tags and template tags of prose; code spans stay. */
const bare = (text: string): string =>
  withoutTemplateTags(text)
    .split(/(`[^`\n]{1,500}`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(autolink, '$1').replace(tag, ' ').replace(footnote, '')))
    .join('')
    .replace(link, '$1');

function asCode(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.includes('`') ? line.replace(/`/g, "'") : `\`${line}\``;
}

/** A unit on one line; empty if it may not be shown. @param header of a row */
export function shownUnit(text: string, kind: TextSegment['kind'], header = ''): string {
  const line =
    kind === 'code' ? asCode(shownAs(text, kind)) : shownAs(kind === 'row' ? rowAsText(bare(text), bare(header)) : bare(text), 'sentence');
  const shown = line
    .replace(/\s+/g, ' ')
    .replace(/^(?:>\s*|#{1,6}\s+)+/, '')
    .trim();
  return isShowable(shown) && !/<[a-z!/?]/i.test(shown.replace(/`[^`]*`/g, '')) ? shown : '';
}

/** The end of a text that is too long, at a word. */
export function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars - 1);
  const at = cut.lastIndexOf(' ');
  const kept = at > maxChars / 2 ? cut.slice(0, at) : cut;
  // Half a code span is none.
  const isOpen = (kept.split('`').length - 1) % 2 === 1;
  return `${kept.replace(/[\s,;:.]+$/, '').replace(/[\uD800-\uDBFF]$/, '')}…${isOpen ? '`' : ''}`;
}

interface Piece {
  readonly start: number;
  readonly end: number;
}

export const separatorChars = 3;

/** What announces a list item, if it is short. */
function shownLead(text: string, lead: TextSegment): string {
  const shown = shownUnit(text.slice(lead.start, lead.end), lead.kind);
  return shown.length > maxLeadChars ? '' : shown;
}

export const leadLength = (text: string, lead: TextSegment | undefined): number =>
  lead === undefined ? 0 : shownLead(text, lead).length + separatorChars;

/** Units that stand in a span, each cut to it, on one line. @param lead what announces the first of them, above the span */
export function excerptOf(text: string, units: readonly TextSegment[], { start, end }: Piece, lead?: TextSegment): string {
  const inside = units.filter((unit) => unit.start < end && unit.end > start);
  const shown = inside.flatMap(({ kind, header, ...unit }) => {
    // A row is read as a whole.
    const [from, to] = kind === 'row' ? [unit.start, unit.end] : [Math.max(start, unit.start), Math.min(end, unit.end)];
    const line = shownUnit(text.slice(from, to), kind, header && text.slice(header.start, header.end));
    return line === '' ? [] : [`${from > unit.start ? '… ' : ''}${line}${to < unit.end ? ' …' : ''}`];
  });
  const above = lead && lead.end <= start ? shownLead(text, lead) : '';
  const led = above === '' || shown.length === 0 ? shown : [above, ...shown];
  const whole = joined(led, inside);
  return isShowable(whole) ? shortened(whole, maxExcerptChars) : '';
}

/** List items and rows have no stop of their own. */
const joined = (lines: readonly string[], units: readonly TextSegment[]): string => {
  const isList = units.some(({ kind }) => kind === 'item' || kind === 'row');
  return lines.reduce(
    (whole, line) => (whole === '' ? line : `${whole}${isList && !/[.!?:;…。！？]$/.test(whole) ? ' ·' : ''} ${line}`),
    '',
  );
};
