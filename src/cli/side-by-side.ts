/**
 * Two texts for a person who looks for what changed between them: beside each other where there is room, else below each other, with the
 * words that one has and the other has not in colour.
 */
import { styleText } from 'node:util';
import { shownLine } from '../language/invisible.ts';

export interface Shown {
  /** Of the terminal, in columns; undefined: a pipe, for which nothing is wrapped. */
  readonly width: number | undefined;
  readonly isColoured: boolean;
}

interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Below that, two columns would be too narrow to read. */
const minWidthOfTwo = 100;
const between = ' │ ';
const [indent, was, now] = ['  ', 'was  ', 'now  '];
const nothing = 'nothing like it is there any more';
/** Pairs of words that are compared; longer texts are shown without marks. */
const maxPairs = 1_000_000;

const words = new Intl.Segmenter('en', { granularity: 'word' });
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** What terminals show two columns wide (UAX 11). */
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6\p{Emoji_Presentation}]/v;
const columnsOf = (character: string): number => (wide.test(character) ? 2 : 1);

const piecesOf = (text: string): string[] => [...words.segment(shownLine(text).trim())].map(({ segment }) => segment);

/** Those of `a` and of `b` that are in no longest common subsequence of both (Wagner & Fischer 1974). */
function compare(a: readonly string[], b: readonly string[]): [Piece[], Piece[]] {
  const row = b.length + 1;
  const common = new Uint16Array((a.length + 1) * row);
  const at = (i: number, j: number) => common[i * row + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * row + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const [left, right]: [Piece[], Piece[]] = [[], []];
  let j = 0;
  for (const [i, text] of a.entries()) {
    while (j < b.length && text !== b[j] && at(i, j + 1) >= at(i + 1, j)) right.push({ text: b[j++] ?? '', isChanged: true });
    const isCommon = text === b[j];
    left.push({ text, isChanged: !isCommon });
    if (isCommon) right.push({ text: b[j++] ?? '', isChanged: false });
  }
  return [left, [...right, ...b.slice(j).map((text) => ({ text, isChanged: true }))]];
}

const unmarked = (pieces: readonly string[]): Piece[] => pieces.map((text) => ({ text, isChanged: false }));

/** What is written without a space in it; a line ends between two of these. */
function* runsOf(pieces: readonly Piece[]): Generator<Piece[]> {
  let run: Piece[] = [];
  for (const piece of pieces) {
    if (piece.text.trim() !== '') run.push(piece);
    else if (run.length > 0) {
      yield run;
      run = [];
    }
  }
  if (run.length > 0) yield run;
}

interface Line {
  readonly pieces: Piece[];
  columns: number;
}

/** Lines of at most `width` columns; what is longer than that is cut between two characters. */
function wrap(pieces: readonly Piece[], width: number): Line[] {
  const lines: Line[] = [{ pieces: [], columns: 0 }];
  const last = () => lines.at(-1) as Line;
  const add = (text: string, isChanged: boolean, columns: number) => {
    if (last().columns + columns > width) lines.push({ pieces: [], columns: 0 });
    last().pieces.push({ text, isChanged });
    last().columns += columns;
  };
  for (const run of runsOf(pieces)) {
    const parts = run.flatMap(({ text, isChanged }) =>
      [...characters.segment(text)].map(({ segment }) => ({ segment, isChanged, columns: columnsOf(segment) })),
    );
    const columns = parts.reduce((sum, part) => sum + part.columns, 0);
    if (last().columns > 0 && last().columns + 1 + columns > width) lines.push({ pieces: [], columns: 0 });
    else if (last().columns > 0) add(' ', false, 1);
    for (const part of parts) add(part.segment, part.isChanged, part.columns);
  }
  return lines;
}

function render({ pieces, columns }: Line, colour: 'red' | 'green' | undefined, width = 0): string {
  let text = '';
  for (let at = 0; at < pieces.length; ) {
    const { isChanged } = pieces[at] as Piece;
    const end = pieces.findIndex((piece, other) => other > at && piece.isChanged !== isChanged);
    const same = pieces.slice(at, end < 0 ? undefined : end);
    const joined = same.map((piece) => piece.text).join('');
    text += isChanged && colour ? styleText(colour, joined, { validateStream: false }) : joined;
    at += same.length;
  }
  return text + ' '.repeat(Math.max(0, width - columns));
}

/**
 * @param after null: there is nothing in its place
 * @returns lines
 */
export function sideBySide(before: string, after: string | null, { width, isColoured }: Shown): string[] {
  const [a, b] = [piecesOf(before), piecesOf(after ?? nothing)];
  const [left, right] = after === null || a.length * b.length > maxPairs ? [unmarked(a), unmarked(b)] : compare(a, b);
  const [red, green] = isColoured ? (['red', 'green'] as const) : [undefined, undefined];
  if (width === undefined || width < minWidthOfTwo) {
    const below = (label: string, pieces: readonly Piece[], colour: typeof red | typeof green) =>
      wrap(pieces, width === undefined ? Number.POSITIVE_INFINITY : Math.max(1, width - indent.length - label.length)).map(
        (line, at) => `${indent}${at === 0 ? label : ' '.repeat(label.length)}${render(line, colour)}`,
      );
    return [...below(was, left, red), ...below(now, right, green)];
  }
  const column = Math.floor((width - indent.length - between.length) / 2);
  const [lefts, rights] = [wrap(left, column), wrap(right, column)];
  const empty: Line = { pieces: [], columns: 0 };
  const rows = Array.from({ length: Math.max(lefts.length, rights.length) }, (_, at) =>
    `${indent}${render(lefts[at] ?? empty, red, column)}${between}${render(rights[at] ?? empty, green)}`.trimEnd(),
  );
  return [`${indent}${was.padEnd(column)}${between}${now.trimEnd()}`, ...rows];
}
