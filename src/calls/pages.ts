/**
 * Every call of a filter, page by page. New calls push rows to later pages while one reads: a call is given once. Ends where the pages
 * end, whatever `total_pages` says; an upstream whose pages never end is refused after a number of them.
 */
import type { ReadPage } from './call-record.ts';
import { CallsError } from './errors.ts';
import type { CallRecord } from './types.ts';

/** Pages in succession without a call that is new, after which nothing more is expected. */
const maxPagesWithoutNews = 3;

/** Whether the page is the last one, as far as it tells. What the answer claims counts only where it agrees with itself. */
function isLast({ rows, claimed }: ReadPage, page: number, rowsBefore: number, fullPage: number): boolean {
  const { total, totalPages, perPage } = claimed;
  if (totalPages !== undefined && page < totalPages) return false;
  const agrees = total !== undefined && perPage !== undefined && perPage > 0 && totalPages === Math.ceil(total / perPage);
  if (agrees && rowsBefore + rows >= total) return true;
  return rows < fullPage;
}

/**
 * @param firstPage from 1
 * @param readPage asks for one page
 * @throws CallsError `ERR_TOO_MANY_PAGES` after `maxPages`
 */
export async function* eachCall(
  firstPage: number,
  maxPages: number,
  readPage: (page: number) => Promise<ReadPage>,
): AsyncGenerator<CallRecord, void, undefined> {
  const seen = new Set<string>();
  let withoutNews = 0;
  let fullPage = 0;
  for (let page = firstPage; page < firstPage + maxPages; page++) {
    const read = await readPage(page);
    if (read.rows === 0) return;
    const known = seen.size;
    for (const call of read.page.data) {
      if (seen.has(call.sessionId)) continue;
      seen.add(call.sessionId);
      yield call;
    }
    withoutNews = seen.size === known ? withoutNews + 1 : 0;
    // A service may give fewer rows than were asked for, without saying so.
    fullPage = read.claimed.perPage ?? Math.max(fullPage, read.rows);
    const rowsBefore = (page - 1) * fullPage;
    if (withoutNews >= maxPagesWithoutNews || isLast(read, page, rowsBefore, fullPage)) return;
  }
  throw new CallsError('ERR_TOO_MANY_PAGES', `There are more than ${maxPages} pages: narrow the filter, or raise maxPages.`, {
    status: 400,
  });
}
