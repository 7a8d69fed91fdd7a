/**
 * Prepares a supported sentence for reading: on one line, without quote marks and line wraps, and
 * without a beginning that refers to a sentence that is not shown. The citation still quotes the
 * file exactly.
 */
import { isAddressedToModel } from '../../shared/src/language/addressed-to-model.ts';
import { pattern } from '../../shared/src/language/pattern.ts';
import { segments, type TextSegment } from '../../shared/src/language/segments.ts';
import { holdsActiveMarkup } from '../../shared/src/markdown/active-markup.ts';
import { areOnePlace, type Place } from './rules.ts';

const unspaced = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}、。，！？]`;
/** Chinese and Japanese continue on the next line without a space. */
const unspacedWrap = new RegExp(String.raw`(?<=${unspaced})[ \t]*\n[\s>]*(?=${unspaced})`, 'gu');
/** A backslash at the end of a line is a hard break. */
const wrap = /\\?[ \t]*\n[\s>]*/g;
const alert = /^\s*\[![A-Za-z]{1,20}\][\s>]*/;
const spaces = /(`[^`\n]{1,500}`)|[ \t]{2,}/g;
/**
 * Matches `[text][name]`, whose address is not in the sentence. The first group matches code, which
 * is kept.
 */
const referenceLink = /(`[^`\n]{1,500}`)|\[([^[\]`\n]{1,300})\]\[(?!\d)[^[\]\n]{0,100}\]/g;

const asLine = (text: string): string => {
  const joined = text.replace(alert, '').replace(unspacedWrap, '').replace(wrap, ' ').trim();
  const line = joined.replace(spaces, (_, code?: string) => code ?? ' ');
  return line.includes('](')
    ? line
    : line.replace(referenceLink, (_, code?: string, label?: string) => code ?? label ?? '');
};

const quotedLine = /^[ \t]*>[ \t]?/;

const withoutQuoteMarks = (code: string): string => {
  const lines = code.split('\n');
  return lines.every((line) => quotedLine.test(line))
    ? lines.map((line) => line.replace(quotedLine, '')).join('\n')
    : code;
};

export function shownAs(text: string, kind: TextSegment['kind']): string {
  if (kind === 'code') return withoutQuoteMarks(text);
  return kind === 'row' ? text : asLine(text);
}

/**
 * Joining words that can be removed without changing the truth, unlike `for example` and
 * `otherwise`.
 */
const joiningWords = [
  pattern`
    therefore|thus|hence|consequently|accordingly|as a result|for this reason|however|
    nevertheless|nonetheless|that said|moreover|furthermore|in addition|additionally|also|so|
    cependant|toutefois|en outre|de plus|par conséquent|ainsi|donc|además|sin embargo|no obstante|
    por lo tanto|por tanto|tuttavia|inoltre|pertanto|quindi|perciò|além disso|no entanto|contudo|
    porém|portanto|однако|кроме того|таким образом
  `,
  'したがって|そのため|しかし|また|さらに|なお|ただし|因此|所以|但是|不过|此外|另外|然而',
  'therefore|consequently|moreover|furthermore|additionally',
  'but|and|따라서|그러나|하지만|또한|그러므로|그리고|поэтому',
] as const;
const joining = new RegExp(
  pattern`
    ^(?:(?:${joiningWords[0]}),\s+|(?:${joiningWords[1]})[、，]|(?:${joiningWords[2]})\s+
      (?=(?:the|our|a|an|it|they|we|you|this|these|all|each|every)\s)|(?:${joiningWords[3]})\s+)
      (?=\S)
  `,
  'iu',
);

export const leansOnBefore = (text: string): boolean => joining.test(text);

/** Capitalizes a text, except words like `iPhone`. */
export const capitalized = (text: string): string =>
  text.replace(/^\p{Ll}(?=\p{Ll}*(?:[\s,]|$))/u, (letter) => letter.toUpperCase());

/** Removes the joining word of a sentence, and `Our`. */
export const onItsOwn = (text: string): string => {
  const rest = text.replace(joining, '');
  const capital = rest === text ? text : capitalized(rest);
  // `Our` refers to an owner that an earlier, hidden sentence names.
  return capital.replace(/^Our (?!own\b)(?=\p{Ll})/u, 'The ');
};

const yesOrNo =
  /^(?:\*\*)?(?:yes|no|yep|nope|ja|nein|oui|non|s[ií]|はい|いいえ|是的|不是)(?:\*\*)?[,.!:、，。！]\s*(?=[\p{L}\p{N}])/iu;

/** Removes a leading `Yes,` from a model's sentence, because no passage supports it. */
export const withoutYesOrNo = (text: string): string => {
  const rest = text.replace(yesOrNo, '');
  return rest === text ? text : capitalized(rest);
};

/** Matches text that imitates our list of sources, our prompt or NO_ANSWER. */
const forged =
  /\bNO_ANSWER\b|\uFFFD|<<<|>>>|^\W{0,4}(?:sources|references|quellen|fuentes|出典)\s*[:：]/i;

/** Whether a text has no active markup, prompt injection or forged part of an answer. */
export const isShowable = (text: string): boolean =>
  !holdsActiveMarkup(text) && !isAddressedToModel(text) && !forged.test(text);

const fenceLine = /^\s*(?:`{3,}|~{3,})/m;

/** Code of a passage is only text, whatever tags it has, unless it could end its fence. */
export const isShowableCode = (code: string): boolean => !fenceLine.test(code);

// Lays out sentences: prose continues on the line, list items and code keep their lines, table rows
// get the header of their passage. Each part ends with the numbers of its citations.

export interface LayoutPart {
  readonly text: string;
  readonly indexes: readonly number[];
  readonly kind: TextSegment['kind'];
  /** Mark of a list item, or language of code. */
  readonly marker?: string | undefined;
  readonly continuesItem?: boolean;
  readonly startsParagraph?: boolean | undefined;
  readonly passage: string;
}

/** Returns the text that a part adds to the body. */
type LayOut = (part: LayoutPart) => string;

const cellsOf = (row: string) =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/).length;

const flat = (row: string) =>
  row.replace(/\s*(\|)\s*|\s+/g, (_, bar?: string) => bar ?? ' ').trim();

/** Returns the header of a row in its passage, with the line below it. */
function headerOf(row: string, passage: string): string | undefined {
  const unit = [...segments(passage)].find(
    ({ kind, start, end }) => kind === 'row' && flat(passage.slice(start, end)) === flat(row),
  );
  const header = unit?.header && passage.slice(unit.header.start, unit.header.end).trim();
  if (!header || holdsActiveMarkup(header) || cellsOf(header) !== cellsOf(row)) return undefined;
  return `${header}\n|${' --- |'.repeat(cellsOf(header))}`;
}

const fenceFor = (code: string) =>
  '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));

function fenced({ text, marker = '' }: LayoutPart): string {
  const fence = fenceFor(text);
  return `${fence}${marker}\n${text}\n${fence}`;
}

const proseBreak = ({ startsParagraph }: LayoutPart) => (startsParagraph ? '\n\n' : ' ');

const itemLine = (
  { marker = '-', continuesItem }: LayoutPart,
  marked: string,
  lineBreak: string,
) => (continuesItem ? ` ${marked}` : `${lineBreak}${marker} ${marked}`);

export function createLayout(): LayOut {
  let previous: LayoutPart['kind'] | undefined;
  let table: string | undefined;

  function breakBefore(kind: LayoutPart['kind'], within: string): string {
    if (previous === undefined) return '';
    return kind === previous ? within : '\n\n';
  }

  return (part) => {
    const { text, indexes, kind, passage } = part;
    const mark = indexes.map((index) => `[${index}]`).join('');
    const marked = [text, mark].filter(Boolean).join(' ');
    let added: string;
    if (kind === 'row') {
      const header = headerOf(text, passage);
      const row = `${text.replace(/\|\s*$/, '').trimEnd()} ${mark} |`;
      const continuesTable = previous === 'row' && header === table;
      added = continuesTable
        ? `\n${row}`
        : `${breakBefore(kind, '\n\n')}${header === undefined ? '' : `${header}\n`}${row}`;
      table = header;
    } else if (kind === 'code') {
      added = `${breakBefore(kind, '\n\n')}${fenced(part)}\n${mark}`;
    } else if (kind === 'item') added = itemLine(part, marked, breakBefore(kind, '\n'));
    else added = `${breakBefore(kind, proseBreak(part))}${marked}`;
    previous = kind;
    return added;
  };
}

/**
 * Cites a place; close places of one section are merged. @param cited in order of citation @returns
 * the number of the place, from 1
 */
export function cite(
  cited: Place[],
  place: Place,
  sectionOf: (place: Place) => number | undefined = () => undefined,
): number {
  const holds = (known: Place) =>
    known.passage === place.passage && known.start <= place.start && known.end >= place.end;
  const joins = (known: Place) =>
    areOnePlace(known, place) && sectionOf(known) === sectionOf(place);
  const at = [cited.findIndex(holds), cited.findIndex(joins)].find((position) => position >= 0);
  const known = at === undefined ? undefined : cited[at];
  if (at === undefined || !known) return cited.push(place);
  cited[at] = {
    ...known,
    start: Math.min(known.start, place.start),
    end: Math.max(known.end, place.end),
  };
  return at + 1;
}
