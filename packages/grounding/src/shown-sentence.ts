/**
 * Prepares a supported sentence for reading: on one line, without quote marks and line wraps, and
 * without a beginning that refers to a sentence that is not shown. The citation still quotes the
 * file exactly.
 */
import { isAddressedToModel } from '../../shared/src/language/addressed-to-model.ts';
import { noWords, wordsOfReply, yesWords } from '../../shared/src/language/lexicon.ts';
import { pattern } from '../../shared/src/language/pattern.ts';
import type { TextSegment } from '../../shared/src/language/segments.ts';
import { rowHeader } from '../../shared/src/language/table-header.ts';
import { holdsActiveMarkup } from '../../shared/src/markdown/active-markup.ts';
import { asLine } from '../../shared/src/markdown/readable.ts';

export type Place = Readonly<{ passage: number; start: number; end: number }>;

export function shownAs(text: string, kind: TextSegment['kind']): string {
  if (kind === 'row') return text;
  if (kind !== 'code') return asLine(text);
  // Code of a quotation has its mark on each line.
  return /^(?:[ \t]*>.*(?:\n|$))+$/.test(text) ? text.replace(/^[ \t]*>[ \t]?/gm, '') : text;
}

/** Can be removed without changing the truth, unlike `for example` and `otherwise`. */
const joining = new RegExp(
  pattern`
    ^(?:(?:${wordsOfReply('joining')}),\s+|(?:${wordsOfReply('unspaced')})[、，]|
      (?:but|and|따라서|그러나|하지만|또한|그러므로|그리고|поэтому)\s+)(?=\S)
  `,
  'iu',
);

/** Capitalizes a text, except words like `iPhone`. */
export const capitalized = (text: string): string =>
  text.replace(/^\p{Ll}(?=\p{Ll}*(?:[\s,]|$))/u, (letter) => letter.toUpperCase());

const withoutStart = (text: string, start: RegExp) => {
  const rest = text.replace(start, '');
  return rest === text ? text : capitalized(rest);
};

/** Removes the joining word of a sentence, and `Our`: an earlier, hidden sentence names the owner. */
export const onItsOwn = (text: string): string =>
  withoutStart(text, joining).replace(/^Our (?!own\b)(?=\p{Ll})/u, 'The ');

const yesOrNo = new RegExp(
  String.raw`^[^\p{L}\p{N}]{0,3}(?:${yesWords}|${noWords}|sure|certainly|of course|absolutely|correct|right)(?:\*\*)?[,.!:、，。！]\s*`,
  'iu',
);
/** Removes a leading `Yes,` of a model, which states nothing itself. */
export const withoutYesOrNo = (text: string): string => withoutStart(text, yesOrNo);
export const isOpener = (sentence: string): boolean => withoutYesOrNo(sentence) === '';

/** Matches text that imitates our list of sources, our prompt or NO_ANSWER. */
const forged = /\bNO_ANSWER\b|<<<|>>>|^\W{0,4}(?:sources|references|quellen|fuentes|出典)\s*[:：]/i;

/** Whether a text has no active markup, prompt injection or broken character. */
export const isSafe = (text: string): boolean =>
  !holdsActiveMarkup(text) && !isAddressedToModel(text) && !text.includes('\uFFFD');

/** Whether a text is safe, and no forged part of an answer. */
export const isShowable = (text: string): boolean => isSafe(text) && !forged.test(text);

// Lays out sentences: prose continues on the line, list items and code keep their lines, table rows
// get the header of their passage. Each part ends with the numbers of its citations.

export type LayoutPart = Readonly<{
  text: string;
  indexes: readonly number[];
  kind: TextSegment['kind'];
  /** Mark of a list item, or language of code. */
  marker?: string | undefined;
  continuesItem?: boolean;
  /** Only of a row: the header, if the passage has no such row; empty: without words. */
  header?: string | undefined;
  startsParagraph?: boolean | undefined;
  passage: string;
}>;

/** A part as Markdown, without the header of its table. */
function blockOf({ text, indexes, kind, marker }: LayoutPart, inItem: boolean) {
  const mark = indexes.map((index) => `[${index}]`).join('');
  if (kind === 'row') return `${text.replace(/\|\s*$/, '').trimEnd()} ${mark} |`;
  if (kind === 'code') {
    const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length + 1);
    const fence = '`'.repeat(Math.max(3, ...runs));
    return `${fence}${marker ?? ''}\n${text}\n${fence}\n${mark}`;
  }
  const marked = [text, mark].filter(Boolean).join(' ');
  return kind === 'item' && !inItem ? `${marker ?? '-'} ${marked}` : marked;
}

/** Returns a function that lays out the next part: the text that it adds to the body. */
export function createLayout(): (part: LayoutPart) => string {
  let previous: LayoutPart['kind'] | undefined;
  let table: string | undefined;
  return (part) => {
    const { kind, text, continuesItem = false, startsParagraph } = part;
    const header = kind === 'row' ? rowHeader(text, part.passage, part.header) : undefined;
    const isSame = kind === previous && header === table;
    const inItem = isSame && kind === 'item' && continuesItem;
    const block = blockOf(part, inItem);
    const shown = isSame || header === undefined ? block : `${header}\n${block}`;
    const gaps = {
      sentence: startsParagraph ? '\n\n' : ' ',
      item: inItem ? ' ' : '\n',
      row: '\n',
      code: '\n\n',
    };
    const gap = isSame ? gaps[kind] : '\n\n';
    const isFirst = previous === undefined;
    previous = kind;
    table = header;
    return isFirst ? shown : gap + shown;
  };
}

const maxGapChars = 40;
const maxPlaceChars = 400;

/**
 * Cites a place; close places of one section are merged. @param cited in order of citation @returns
 * the number of the place, from 1
 */
export function cite(
  cited: Place[],
  place: Place,
  sectionOf: (place: Place) => number | undefined = () => undefined,
): number {
  const { passage, start, end } = place;
  const joined = (known: Place) => ({
    passage,
    start: Math.min(known.start, start),
    end: Math.max(known.end, end),
  });
  const holds = (known: Place) => known.start <= start && known.end >= end;
  const isNear = (known: Place) => {
    const gap = Math.max(known.start, start) - Math.min(known.end, end);
    const whole = joined(known);
    const isShort = gap <= maxGapChars && whole.end - whole.start <= maxPlaceChars;
    return isShort && sectionOf(known) === sectionOf(place);
  };
  const own = cited.filter((one) => one.passage === passage);
  const found = own.find(holds) ?? own.find(isNear);
  if (!found) return cited.push({ passage, start, end });
  const at = cited.indexOf(found);
  cited[at] = joined(found);
  return at + 1;
}
