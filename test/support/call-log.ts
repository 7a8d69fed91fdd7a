/** A call log in memory with the plainest meaning of a filter. */
import { CallsError } from '../../src/calls/errors.ts';
import type { CallRecord, CallSource } from '../../src/calls/types.ts';

export const isCallOf = (call: CallRecord, uid: string): boolean =>
  call.initiator === uid || call.receiver === uid || call.participants.some((participant) => participant.uid === uid);

/** Knows `status`, `uid`, pages and users; enough to see that a filter arrives. */
export function callLogOf(calls: readonly CallRecord[]): CallSource {
  const of = (uid: string | undefined) => calls.filter((call) => uid === undefined || isCallOf(call, uid));
  return {
    async list({ status, uid, page = 1, perPage = 30 }, { onBehalfOf } = {}) {
      const found = of(onBehalfOf).filter((call) => (!status || call.status === status) && (!uid || isCallOf(call, uid)));
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
    async get(sessionId, { onBehalfOf } = {}) {
      const call = of(onBehalfOf).find((one) => one.sessionId === sessionId);
      if (!call) throw new CallsError('ERR_CALL_SESSION_NOT_FOUND', 'There is no call with this sessionId.', { status: 404 });
      return call;
    },
  };
}
