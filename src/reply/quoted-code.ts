/** Code of a reply that a passage holds letter by letter: as a block, as lines of one that follow each other, or as a part of one line. */
import { segments } from '../language/segments.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Line extends Span {
  readonly text: string;
}

/** Blank lines and comments may be left out. */
const saysNothing = /^\s*(?:(?:#|\/\/|--\s|;|<!--).*)?$/;

/** Indentation and the spaces between words may differ. */
function linesOf(code: string, from = 0): Line[] {
  let at = from;
  return code.split('\n').flatMap((line) => {
    const start = at;
    at += line.length + 1;
    return saysNothing.test(line)
      ? []
      : [{ text: line.trim().replace(/\s+/g, ' '), start: start + line.search(/\S/), end: start + line.trimEnd().length }];
  });
}

function runIn(lines: readonly Line[], wanted: readonly Line[]): Span | undefined {
  const first = lines.findIndex((_, at) => wanted.every(({ text }, order) => lines[at + order]?.text === text));
  const [from, to] = [lines[first], lines[first + wanted.length - 1]];
  return from && to && { start: from.start, end: to.end };
}

/** A part of a line, without a letter or figure of a longer word beside it. */
function partOf(text: string, code: string): Span | undefined {
  for (let start = text.indexOf(code); start >= 0; start = text.indexOf(code, start + 1)) {
    const end = start + code.length;
    if (!/[\p{L}\p{N}_]/u.test(text.charAt(start - 1)) && !/[\p{L}\p{N}_]/u.test(text.charAt(end))) return { start, end };
  }
  return undefined;
}

const codeSpan = /`([^`\n]{1,500})`/g;

export function codeIn(passage: string, code: string): Span | undefined {
  const wanted = linesOf(code);
  if (wanted.length === 0) return undefined;
  const blocks = [...segments(passage)].filter(({ kind }) => kind === 'code');
  for (const { start, end } of blocks) {
    const run = runIn(linesOf(passage.slice(start, end), start), wanted);
    if (run) return run;
  }
  const [only, ...others] = wanted;
  if (!only || others.length > 0) return undefined;
  const spans = [...passage.matchAll(codeSpan)].map(({ 1: inner = '', index }) => ({ start: index + 1, end: index + 1 + inner.length }));
  for (const { start, end } of [...blocks, ...spans]) {
    const part = partOf(passage.slice(start, end), code.trim());
    if (part) return { start: start + part.start, end: start + part.end };
  }
  return undefined;
}
