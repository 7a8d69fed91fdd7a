/**
 * Every call of a filter, page by page. New calls push rows to later pages while one reads: a call is given once. Ends where the pages
 * end, whatever `total_pages` says; an upstream whose pages never end is refused after a number of them.
 */
import type { ReadPage } from './call-record.ts';
import { CallsError } from './errors.ts';
import type { CallRecord } from './types.ts';

/** Pages in succession without a call that is new, after which nothing more is expected. */
const maxPagesWithoutNews = 3;

/**
 * Whether the page is the last one, as far as it tells. That there is more is believed; that there is none only where the claims agree.
 * @param rowsSoFar up to and with this page
 * @param fullPage rows of the fullest page so far: a service may give fewer than were asked for, without saying so
 */
function isLast({ rows, claimed }: ReadPage, page: number, rowsSoFar: number, fullPage: number): boolean {
  const { total, totalPages, perPage } = claimed;
  if (totalPages !== undefined && page < totalPages) return false;
  if (total !== undefined && rowsSoFar < total) return false;
  const agrees = total === rowsSoFar && perPage !== undefined && perPage > 0 && totalPages === Math.ceil(total / perPage);
  return agrees || rows < fullPage;
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
  let rowsSoFar = 0;
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
    fullPage = Math.max(fullPage, read.rows);
    rowsSoFar += read.rows;
    if (withoutNews >= maxPagesWithoutNews || isLast(read, page, (firstPage - 1) * fullPage + rowsSoFar, fullPage)) return;
  }
  throw new CallsError('ERR_TOO_MANY_PAGES', `There are more than ${maxPages} pages: narrow the filter, or raise maxPages.`, {
    status: 400,
  });
}
