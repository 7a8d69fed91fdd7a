/**
 * Cursors of lists. A cursor contains the sort key of the last listed entry, so inserted or deleted
 * entries do not shift the next page.
 */

/** Sort key of an entry, ascending. Its last part is unique. */
export type ListPlace = readonly (string | number)[];

type PageAsked = Readonly<{
  /** Maximum entries; default: all. */
  limit?: number | undefined;
  cursor?: ListPlace | undefined;
}>;

export const toCursor = (list: string, place: ListPlace) =>
  Buffer.from(JSON.stringify([list, ...place])).toString('base64url');

/** @returns undefined if the text is not a cursor of this list */
export function readCursor(list: string, text: string) {
  try {
    const [name, ...place]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isPlace =
      name === list &&
      place.length > 0 &&
      place.every((part) => typeof part === 'string' || typeof part === 'number');
    return isPlace ? (place as ListPlace) : undefined;
  } catch {
    return undefined;
  }
}

function isAfter(place: ListPlace, cursor: ListPlace) {
  const at = place.findIndex((part, index) => part !== cursor[index]);
  const [own = '', other = ''] = [place[at], cursor[at]];
  return at >= 0 && !(own < other);
}

/** Page of a list in memory and the cursor of the next page. @param entries sorted by place */
export function pageOf<Entry>(
  list: string,
  entries: readonly Entry[],
  placeOf: (entry: Entry) => ListPlace,
  { limit = entries.length, cursor }: PageAsked,
): Readonly<{ page: readonly Entry[]; nextCursor?: string }> {
  const from = cursor ? entries.findIndex((entry) => isAfter(placeOf(entry), cursor)) : 0;
  const page = from < 0 ? [] : entries.slice(from, from + limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && from + limit < entries.length;
  return { page, ...(hasMore && { nextCursor: toCursor(list, placeOf(last)) }) };
}
