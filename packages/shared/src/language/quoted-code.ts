/** Finds code that a reply quotes in the code of a text. */
import { type Span, spanOf } from './invisible.ts';
import { segments } from './segments.ts';

const codeSpan = /(?<=`)[^`\n]{1,500}(?=`)/g;

/**
 * Finds consecutive lines of a code block, or a code span. The lines may be shifted together, but
 * not against each other. A prompt (`$ `) or the line around a quoted value may be missing.
 */
export function codeIn(passage: string, code: string): Span | undefined {
  const escaped = code.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').split('\n');
  const written = escaped.filter((line) => line.trim() !== '');
  if (written.length === 0) return undefined;
  const shift = Math.min(...written.map((line) => line.search(/\S/)));
  const lines = written.map((line) => {
    const [, indent = '', rest = ''] = /^(\s*)(.*)$/.exec(line.slice(shift).trimEnd()) ?? [];
    return `${indent}${rest.split(/[ \t]+/).join('[ \\t]+')}`;
  });
  const between = '[ \\t]*\\n(?:[ \\t>]*\\n)*\\k<indent>';
  const wanted = new RegExp(
    `^(?<indent>[ \\t>]*)(?:[$>%] |[^\\n]*["'](?=[^\\n]*["']))?(?<code>${lines.join(between)})["']?[ \\t]*$`,
    'dmu',
  );
  const blocks = [...segments(passage)].filter(({ kind }) => kind === 'code');
  for (const { start, end } of [...blocks, ...passage.matchAll(codeSpan).map(spanOf)]) {
    const [from, to] = wanted.exec(passage.slice(start, end))?.indices?.groups?.['code'] ?? [];
    if (from !== undefined && to !== undefined) return { start: start + from, end: start + to };
  }
  return undefined;
}
