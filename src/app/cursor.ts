/** Cursors of lists. Each holds the place of the last entry that was listed: entries that come or go move no other entry. */

/** What a list is sorted by, ascending; the last part differs for each entry. */
export type ListPlace = readonly (string | number)[];

export interface PageAsked {
  /** Maximum entries; default: all. */
  readonly limit?: number | undefined;
  readonly cursor?: ListPlace | undefined;
}

export const toCursor = (list: string, place: ListPlace): string => Buffer.from(JSON.stringify([list, ...place])).toString('base64url');

/** @returns undefined if it is no cursor of this list */
export function readCursor(list: string, text: string): ListPlace | undefined {
  try {
    const [name, ...place]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isPlace = name === list && place.length > 0 && place.every((part) => typeof part === 'string' || typeof part === 'number');
    return isPlace ? (place as ListPlace) : undefined;
  } catch {
    return undefined;
  }
}

function compare(a: ListPlace, b: ListPlace): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  const [one = '', other = ''] = [a[at], b[at]];
  return at < 0 ? 0 : one < other ? -1 : 1;
}

/** A page of a list that is in memory, and the cursor of the next one. @param entries sorted by their places */
export function pageOf<Entry>(
  list: string,
  entries: readonly Entry[],
  placeOf: (entry: Entry) => ListPlace,
  { limit = entries.length, cursor }: PageAsked,
): { readonly page: readonly Entry[]; readonly nextCursor?: string } {
  const from = cursor ? entries.findIndex((entry) => compare(placeOf(entry), cursor) > 0) : 0;
  const page = from < 0 ? [] : entries.slice(from, from + limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && from + limit < entries.length;
  return { page, ...(hasMore && { nextCursor: toCursor(list, placeOf(last)) }) };
}
