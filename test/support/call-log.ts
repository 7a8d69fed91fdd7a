/** In-memory call log with minimal filters. */
import { CallsError } from '../../packages/calls/src/errors.ts';
import type { CallRecord, CallSource, CallsFilter } from '../../packages/calls/src/types.ts';
import { summarizeCalls, type UserCalls } from '../../src/calls/summarize.ts';

export const isCallOf = (call: CallRecord, uid: string): boolean =>
  call.initiator === uid ||
  call.receiver === uid ||
  call.participants.some((participant) => participant.uid === uid);

/** Supports `status`, `uid`, pages and `onBehalfOf`: enough to check that filters arrive. */
export function callLogOf(calls: readonly CallRecord[]): CallSource & UserCalls {
  const of = (uid: string | undefined) =>
    calls.filter((call) => uid === undefined || isCallOf(call, uid));
  const fits = (call: CallRecord, { status, uid }: CallsFilter) =>
    (!status || call.status === status) && (!uid || isCallOf(call, uid));
  return {
    summarize: (filter, { onBehalfOf, ...options } = {}) =>
      summarizeCalls(
        of(onBehalfOf).filter((call) => fits(call, filter)),
        options,
      ),
    async list(filter = {}, { onBehalfOf } = {}) {
      const { page = 1, perPage = 30 } = filter;
      const found = of(onBehalfOf).filter((call) => fits(call, filter));
      const data = found.slice((page - 1) * perPage, page * perPage);
      const pagination = {
        total: found.length,
        count: data.length,
        per_page: perPage,
        current_page: page,
        total_pages: Math.ceil(found.length / perPage),
      };
      return { data, meta: { pagination } };
    },
    listTranscriptions: async () =>
      Promise.reject(new Error('no test lists transcriptions of this log')),
    async get(sessionId, { onBehalfOf } = {}) {
      const call = of(onBehalfOf).find((one) => one.sessionId === sessionId);
      if (!call)
        throw new CallsError('ERR_CALL_SESSION_NOT_FOUND', 'No such call.', { status: 404 });
      return call;
    },
  };
}
