/** Where calls come from. */
import { createCallLog } from '../calls/call-log.ts';
import { createCallsClient } from '../calls/client.ts';
import { answersFrom, createCallProxy } from '../calls/proxy.ts';
import { toUserCalls } from '../calls/summarize.ts';
import { createUpstream } from '../calls/upstream.ts';
import { keylessRights } from '../config.ts';
import type { SharedParts } from './shared-parts.ts';
import type { State } from './state.ts';

/** A caller waits meanwhile: asked again once, and a longer `Retry-After` is the caller's. */
const patience = { attemptTimeoutMs: 10_000, totalTimeoutMs: 20_000, maxAttempts: 2, maxRetryAfterMs: 1_000 };

/** Where calls come from: the calling service through its client and the proxy, or the embedded call log. */
export function composeCalls({ config, replacements, onWarning }: SharedParts, { callEvents }: State) {
  const { upstream, file } = config.calls;
  if (!upstream) {
    const log = createCallLog({ file, journal: callEvents, onWarning });
    const { apply, open, close } = log;
    return { answers: answersFrom(replacements.callLog ?? log), ofUser: log, apply, open, close };
  }
  const { baseUrl, apiKey } = upstream;
  // Without a key of this server, each caller uses their own and may read the calling service's refusal of it.
  const options = { baseUrl, ...patience, quotesRefusals: apiKey === undefined, ...replacements.callsUpstream };
  if (apiKey !== undefined && keylessRights(config)?.includes('calls'))
    onWarning('callers without a key read calls with CALLS_API_KEY: set API_KEYS or a JWT setting');
  const callsWith = (key: string) => toUserCalls(createCallsClient({ ...options, apiKey: key }));
  return {
    answers: createCallProxy({ upstream: createUpstream(options), apiKey, summarizeWith: callsWith }),
    // Without a key there is nothing to ask with.
    ofUser: apiKey === undefined ? undefined : callsWith(apiKey),
    // An upstream has its calls itself.
    apply: undefined,
    open: async () => undefined,
    close: async () => undefined,
  };
}
