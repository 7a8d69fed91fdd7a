/** A table for a terminal: columns as wide as they need to be, and nothing that a page or a person wrote does anything but show. */
import { printable } from './progress.ts';

/** A cell's text, made harmless and cut to a length in characters. */
export function cell(text: string, maxChars: number): string {
  const shown = printable(text);
  return shown.length > maxChars ? `${shown.slice(0, maxChars - 1)}…` : shown;
}

/** Lines of a table with its head; none where it has no rows. */
export function tableLines(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => [...(row[column] ?? '')].length)));
  const render = (row: readonly string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [render(head), render(widths.map((width) => '-'.repeat(width))), ...rows.map(render)];
}
