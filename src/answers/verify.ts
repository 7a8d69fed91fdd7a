/** Whether a stored document still holds a quote. Offsets and revision come from a caller and are not believed; the text as it is now is. */

export interface QuotedSpan {
  readonly quote: string;
  /** UTF-16 units into the stored file, as they were when the answer was given. */
  readonly start: number;
  readonly end: number;
  readonly revision: string;
}

/** `holds`: the same file, the quote where it was. `moved`: the quote is at `start` to `end` now. `gone`: no document, or no quote in it. */
export type CitationStatus =
  | { readonly status: 'holds' | 'moved'; readonly start: number; readonly end: number }
  | { readonly status: 'gone' };

/**
 * How much of `quote` is matched after one more unit (Knuth, Morris & Pratt 1977).
 * @param borders for each prefix of the quote, the length of its longest proper prefix that also ends it; as many as are needed
 */
function matchedAfter(unit: number, quote: string, matched: number, borders: Int32Array): number {
  let length = matched;
  while (length > 0 && unit !== quote.charCodeAt(length)) length = borders[length - 1] ?? 0;
  return unit === quote.charCodeAt(length) ? length + 1 : length;
}

/**
 * Where `quote` stands in `text`, nearest to `near`; of two as near, the first. Takes time in proportion to both lengths, whatever they
 * hold: `indexOf` does not promise that, and a caller chooses the quote.
 * @returns undefined where it does not stand in it
 */
function nearestOccurrence(text: string, quote: string, near: number): number | undefined {
  const borders = new Int32Array(quote.length);
  for (let at = 1; at < quote.length; at++) borders[at] = matchedAfter(quote.charCodeAt(at), quote, borders[at - 1] ?? 0, borders);
  let nearest: number | undefined;
  for (let at = 0, matched = 0; at < text.length; at++) {
    matched = matchedAfter(text.charCodeAt(at), quote, matched, borders);
    if (matched < quote.length) continue;
    const start = at - quote.length + 1;
    matched = borders[matched - 1] ?? 0;
    if (nearest !== undefined && Math.abs(start - near) >= Math.abs(nearest - near)) return nearest;
    nearest = start;
  }
  return nearest;
}

/** @param storedText the stored file as it is now; undefined where there is none @param storedRevision of that text */
export function verifyCitation(
  storedText: string | undefined,
  storedRevision: string | undefined,
  { quote, start, end, revision }: QuotedSpan,
): CitationStatus {
  if (storedText === undefined || quote === '') return { status: 'gone' };
  const isInPlace = start >= 0 && end - start === quote.length && storedText.slice(start, end) === quote;
  if (isInPlace) return { status: revision === storedRevision ? 'holds' : 'moved', start, end };
  const found = nearestOccurrence(storedText, quote, start);
  return found === undefined ? { status: 'gone' } : { status: 'moved', start: found, end: found + quote.length };
}
