/** Composes the source of calls: the calling service or the embedded call log. */

import { createCallsClient } from '../../packages/calls/src/client.ts';
import { createUpstream } from '../../packages/calls/src/upstream.ts';
import { type CallLog, createCallLog } from '../calls/call-log.ts';
import { answersFrom, type CallAnswers, createCallProxy } from '../calls/proxy.ts';
import { toUserCalls, type UserCalls } from '../calls/summarize.ts';
import { keylessAccess } from '../config.ts';
import { isPackaged, orPackaged } from '../package.ts';
import type { SharedParts } from './shared-parts.ts';

/** Short, because a caller waits: one retry; a longer `Retry-After` is passed to the caller. */
const patience = {
  attemptTimeoutMs: 10_000,
  totalTimeoutMs: 20_000,
  maxAttempts: 2,
  maxRetryAfterMs: 1_000,
};

/** `ofUser`: undefined without a key of the calling service. */
export type CallsParts = Pick<CallLog, 'open' | 'close'> &
  Readonly<{
    answers: CallAnswers;
    ofUser: UserCalls | undefined;
  }>;

export function composeCalls({ config, replacements, onWarning }: SharedParts): CallsParts {
  const { upstream, file } = config.calls;
  if (!upstream) {
    const log = createCallLog({ file: orPackaged(file), onWarning });
    const { open, close } = log;
    const answers = {
      ...answersFrom(replacements.callLog ?? log),
      isSample: !replacements.callLog && isPackaged(file, 'samples/calls.jsonl'),
    };
    return { answers, ofUser: log, open, close };
  }
  const { baseUrl, apiKey } = upstream;
  // Without a key of this server, callers use their own and may read error texts of the calling
  // service.
  const options = {
    baseUrl,
    ...patience,
    quotesRefusals: apiKey === undefined,
    ...replacements.callsUpstream,
  };
  if (apiKey !== undefined && keylessAccess(config)?.rights.includes('calls'))
    onWarning(
      'callers without a key can read all calls with CALLS_API_KEY; set API_KEYS or a JWT setting',
    );
  const callsWith = (key: string) => toUserCalls(createCallsClient({ ...options, apiKey: key }));
  return {
    answers: createCallProxy({
      upstream: createUpstream(options),
      apiKey,
      summarizeWith: callsWith,
    }),
    ofUser: apiKey === undefined ? undefined : callsWith(apiKey),
    open: async () => undefined,
    close: async () => undefined,
  };
}
