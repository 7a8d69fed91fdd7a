/**
 * Lines → paragraphs, list items and code, each with what its place on the page says. A paragraph ends at a wider gap, a change of type, an
 * indented first line, or where the next word would still have fitted.
 */
import { type Compounds, joinLines } from './joins.ts';
import { beginsItem, type Mark, markOf } from './list-marks.ts';
import type { Row } from './page.ts';
import { type BodyStyle, isContentsEntry, type Line, lineOf, withoutLeaders } from './style.ts';

export interface Paragraph {
  readonly kind: 'paragraph';
  text: string;
  readonly mark: Mark | undefined;
  readonly x0: number;
  readonly textX0: number;
  /** Where the block begins that it stands in. */
  readonly columnX0: number;
  readonly size: number;
  readonly isBold: boolean;
  lineCount: number;
  /** The last line leaves no room for another word. */
  isFull: boolean;
  /** Stands apart from the text above and below it. */
  readonly hasGapAbove: boolean;
  hasGapBelow: boolean;
}

export interface Code {
  readonly kind: 'code';
  readonly lines: readonly string[];
}

const widthOfWord = (line: Line) => {
  const [word = ''] = line.text.split(' ', 1);
  return ((line.x1 - line.x0) * (word.length + 1)) / Math.max(1, line.text.length);
};

const endsSentence = /[.!?:;。！？][)"'”’\]]*[⁰¹²³⁴-⁹]*$/u;
const startsLow = /^[\p{Ll}\p{Lo}]/u;

/** Where lines around this one end at the right. */
function rightEdge(lines: readonly Line[], index: number): number {
  let right = 0;
  for (let at = Math.max(0, index - 3); at <= Math.min(lines.length - 1, index + 3); at++) right = Math.max(right, lines[at]?.x1 ?? 0);
  return right;
}

const gapFactor = 1.32;
/** Lines of code that stand further apart are two pieces, in lines of the body. */
const maxCodeGap = 2.6;

function isGap(above: Line, line: Line, body: BodyStyle): boolean {
  const pitch = Math.max(body.pitch * (Math.max(above.size, line.size) / body.size), line.size);
  return line.y - above.y > pitch * gapFactor || line.y < above.y - 1;
}

/** Whether `line` begins a paragraph after `above`, marks aside. @param count lines of the paragraph so far */
function begins(above: Line, line: Line, count: number, hasRoom: boolean, isItem: boolean, body: BodyStyle): boolean {
  if (line.isRuled || isGap(above, line, body)) return true;
  const unit = line.size;
  const isOpen = !endsSentence.test(above.text) && !hasRoom;
  if (Math.abs(line.size - above.size) > unit * 0.08 && !(isOpen && line.isMono !== above.isMono)) return true;
  if (line.isBold !== above.isBold && !isOpen) return true;
  if (line.isBold !== above.isBold && !startsLow.test(line.text) && count === 1 && above.isBold && hasRoom) return true;
  if (hasRoom && !startsLow.test(line.text) && !/[,–—-]$/.test(above.text)) return true;
  const from = isItem && count === 1 ? above.textX0 : above.x0;
  if (line.x0 > from + unit * 0.8) return count > 1 || endsSentence.test(above.text) || hasRoom;
  if (line.x0 < from - unit * 0.8) return isItem ? line.x0 < above.x0 + unit * 0.4 && !isOpen : count > 1;
  return false;
}

/** Whether a line of code goes on a sentence. */
const isInline = (above: Line, line: Line, current: Paragraph, hasRoom: boolean, body: BodyStyle) =>
  !above.isMono &&
  !endsSentence.test(above.text) &&
  Math.abs(line.x0 - above.x0) < line.size * 0.8 &&
  !begins(above, line, current.lineCount, hasRoom, current.mark !== undefined, body);

/** @param rows of one block @param rulesAbove whether a line is drawn above each */
export function paragraphsOf(
  rows: readonly Row[],
  rulesAbove: readonly boolean[],
  body: BodyStyle,
  compounds: Compounds,
): (Paragraph | Code)[] {
  const lines = rows.map((row, index) => lineOf(row, rulesAbove[index] ?? false)).filter((line) => line !== undefined);
  const result: (Paragraph | Code)[] = [];
  const columnX0 = Math.min(...lines.map(({ x0 }) => x0));
  let current: Paragraph | undefined;
  let code: Line[] = [];
  const endCode = () => {
    if (code.length > 0) result.push(codeOf(code, body));
    code = [];
  };
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    const right = rightEdge(lines, index - 1);
    const hasRoom = above !== undefined && above.x1 + widthOfWord(line) < right - line.size * 0.4;
    const isInProse = current !== undefined && above !== undefined && isInline(above, line, current, hasRoom, body);
    if (line.isMono && !body.isMono && !isInProse) {
      const last = code.at(-1);
      if (last && line.y - last.y > body.pitch * maxCodeGap) endCode();
      current = undefined;
      code.push(line);
      continue;
    }
    endCode();
    const found = markOf(line);
    const isEntry = isContentsEntry(line);
    const begun = found && beginsItem(found, line, above, hasRoom, current?.mark) ? found : undefined;
    // An entry of a table of contents is an item.
    const mark = isEntry ? { markdown: '-', rest: line.text, kind: 'bullet' as const, value: undefined } : begun;
    const hasGapAbove = above === undefined || line.isRuled || isGap(above, line, body);
    const text = withoutLeaders(mark ? mark.rest : line.text);
    const isFull = line.x1 + line.size * 3 > rightEdge(lines, index);
    if (
      !current ||
      !above ||
      mark ||
      isContentsEntry(above) ||
      begins(above, line, current.lineCount, hasRoom, current.mark !== undefined, body)
    ) {
      if (current) current.hasGapBelow = hasGapAbove;
      const { x0, textX0, size, isBold } = line;
      current = {
        kind: 'paragraph',
        text,
        mark,
        columnX0,
        x0,
        textX0: mark ? textX0 : x0,
        size,
        isBold,
        lineCount: 1,
        isFull,
        hasGapAbove,
        hasGapBelow: true,
      };
      result.push(current);
    } else {
      current.text = joinLines(current.text, text, compounds, !hasRoom);
      current.lineCount++;
      current.isFull = isFull;
    }
  }
  endCode();
  return result;
}

/** Lines of code keep their indentation and the gaps inside them. */
function codeOf(lines: readonly Line[], body: BodyStyle): Code {
  const left = Math.min(...lines.map(({ x0 }) => x0));
  const [first] = lines;
  const longest = lines.reduce((best, next) => (next.text.length > best.text.length ? next : best), first as Line);
  const charWidth = Math.max(1, (longest.x1 - longest.x0) / Math.max(1, longest.text.length));
  const result: string[] = [];
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    if (above && line.y - above.y > body.pitch * 1.7) result.push('');
    let text = '';
    for (const segment of line.segments) {
      const column = Math.min(200, Math.round((segment.x0 - left) / charWidth));
      text += ' '.repeat(Math.max(text === '' ? 0 : 1, column - text.length)) + segment.text;
    }
    result.push(text.trimEnd());
  }
  return { kind: 'code', lines: result };
}
