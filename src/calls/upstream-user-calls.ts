/** Calls of one user from a calling service: pages and summaries in which nobody else's calls stand, whatever the service answers. */
import { takesPart } from './call-record.ts';
import type { CallsClient } from './client.ts';
import { badRequest, CallsError } from './errors.ts';
import { summarizeCalls, type UserCalls } from './summarize.ts';
import { type CallRecord, type CallsFilter, type CallsRequestOptions, maxPerPage } from './types.ts';

const maxSummaryPages = 100;

/** Fails rather than show somebody the calls of others: an upstream need not know the header. */
function requireOwn(call: CallRecord, uid: string | undefined): CallRecord {
  if (uid === undefined || takesPart(call, uid)) return call;
  const notTheirs = 'The calling service answered with calls of other users, which are not shown.';
  throw new CallsError('ERR_UPSTREAM_NOT_SCOPED', notTheirs, { status: 502 });
}

export function toUserCalls(client: CallsClient): UserCalls {
  async function* each(filter: CallsFilter, { onBehalfOf, signal }: CallsRequestOptions): AsyncGenerator<CallRecord> {
    try {
      for await (const call of client.each(filter, { onBehalfOf, signal, maxPages: maxSummaryPages })) yield requireOwn(call, onBehalfOf);
    } catch (error) {
      if (!(error instanceof CallsError) || error.code !== 'ERR_TOO_MANY_PAGES') throw error;
      const tooMany = `These are more than ${maxSummaryPages * maxPerPage} calls, too many to add up at once: ask for a shorter period.`;
      throw badRequest(tooMany, error);
    }
  }
  return {
    async list(filter, options = {}) {
      const page = await client.list(filter, options);
      // A page beyond the end shows nobody, and still counts whom it must not.
      const shown = page.data.length > 0 || page.meta.pagination.total === 0 ? page : await client.list({ ...filter, page: 1 }, options);
      for (const call of shown.data) requireOwn(call, options.onBehalfOf);
      return page;
    },
    summarize: (filter, { onBehalfOf, signal, ...by } = {}) => summarizeCalls(each(filter, { onBehalfOf, signal }), by),
  };
}
