/** Where calls come from: the calling service, or the embedded call log. */

import { createCallsClient } from '../../packages/calls/src/client.ts';
import type { CallSource } from '../../packages/calls/src/types.ts';
import { Upstream, type UpstreamOptions } from '../../packages/calls/src/upstream.ts';
import { CallLog } from './call-log.ts';
import { answersFrom, type CallAnswers, CallProxy, gatewayFailure } from './proxy.ts';
import { toUserCalls, type UserCalls } from './summarize.ts';

/** Short, because a caller waits: one retry; a longer `Retry-After` is passed to the caller. */
const patience = {
  attemptTimeoutMs: 10_000,
  totalTimeoutMs: 20_000,
  maxAttempts: 2,
  maxRetryAfterMs: 1_000,
};

/** `ofUser`: undefined without a key of the calling service. */
export type Calls = Pick<CallLog, 'open' | 'close'> &
  Readonly<{
    answers: CallAnswers;
    ofUser: UserCalls | undefined;
  }>;

/** @param log answers instead of the file */
export function openCallLog(
  file: string,
  isSample: boolean,
  onWarning: (message: string, error?: unknown) => void,
  log?: CallSource & UserCalls,
): Calls {
  const own = new CallLog(file, onWarning);
  return {
    answers: { ...answersFrom(log ?? own), isSample },
    ofUser: own,
    open: () => own.open(),
    close: () => own.close(),
  };
}

/** A refused key of the server must not be blamed on the caller. */
function withOwnKey(calls: UserCalls): UserCalls {
  const fail = (thrown: unknown) => {
    throw gatewayFailure(thrown, true);
  };
  return {
    list: (...asked) => calls.list(...asked).catch(fail),
    summarize: (...asked) => calls.summarize(...asked).catch(fail),
  };
}

/** @param apiKey undefined: callers send their own, and may read the service's error texts */
export function openCallService(
  baseUrl: string,
  apiKey: string | undefined,
  replaced: Partial<UpstreamOptions> = {},
): Calls {
  const options = { baseUrl, ...patience, quotesRefusals: apiKey === undefined, ...replaced };
  const callsWith = (key: string) => toUserCalls(createCallsClient({ ...options, apiKey: key }));
  return {
    answers: new CallProxy(new Upstream(options), apiKey, callsWith),
    ofUser: apiKey === undefined ? undefined : withOwnKey(callsWith(apiKey)),
    open: async () => undefined,
    close: async () => undefined,
  };
}
