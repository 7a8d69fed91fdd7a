/** Where calls come from: the calling service through its client and the proxy, or the embedded call log. */
import { answersFrom, type CallAnswers } from './calls/call-answers.ts';
import { type CallsClient, createCallsClient } from './calls/client.ts';
import { CallsError } from './calls/errors.ts';
import { toFields } from './calls/log/call-fields.ts';
import { type CallLog, createCallLog } from './calls/log/call-log.ts';
import { createCallProxy } from './calls/proxy.ts';
import { summarizeCalls, type UserCalls } from './calls/summarize.ts';
import type { CallRecord, CallSource, CallsFilter, CallsRequestOptions } from './calls/types.ts';
import { createUpstream, type UpstreamOptions } from './calls/upstream.ts';
import type { Config } from './config.ts';

export interface Calls {
  /** What `/v3/calls` answers. */
  readonly answers: CallAnswers;
  /** What the chat tools ask; undefined where there is no key to ask with. */
  readonly ofUser: UserCalls | undefined;
  /** What takes webhooks; undefined with an upstream, which has its calls itself. */
  readonly apply: CallLog['apply'] | undefined;
  open(): Promise<void>;
  close(): Promise<void>;
}

export interface CallsParts {
  /** Where what webhooks tell is kept. */
  readonly journal: string;
  readonly onWarning: (message: string, error?: unknown) => void;
  /** Stands in for the file of the embedded log. */
  readonly source?: CallSource | undefined;
  readonly upstreamOptions?: Partial<UpstreamOptions> | undefined;
}

/** A caller waits meanwhile: asked again once, and a longer `Retry-After` is the caller's. */
const patience = { attemptTimeoutMs: 10_000, totalTimeoutMs: 20_000, maxAttempts: 2, maxRetryAfterMs: 1_000 };
/** A summary of one user's calls reads at most this many pages of a hundred. */
const maxSummaryPages = 100;

/** Fails rather than show somebody the calls of others: an upstream need not know the header. */
function requireOwn(call: CallRecord, uid: string | undefined): CallRecord {
  if (uid !== undefined && toFields(call)?.users.some((user) => user.uid === uid) !== true) {
    throw new CallsError('ERR_UPSTREAM_NOT_SCOPED', 'The calling service answered with calls of other users, which are not shown.', {
      status: 502,
    });
  }
  return call;
}

/** @param client asked for one user's calls */
function toUserCalls(client: CallsClient): UserCalls {
  async function* each(filter: CallsFilter, { onBehalfOf, signal }: CallsRequestOptions): AsyncGenerator<CallRecord> {
    try {
      for await (const call of client.each(filter, { onBehalfOf, signal, maxPages: maxSummaryPages })) yield requireOwn(call, onBehalfOf);
    } catch (error) {
      if (!(error instanceof CallsError) || error.code !== 'ERR_TOO_MANY_PAGES') throw error;
      throw new CallsError(error.code, 'These are too many calls to add up at once: ask for a shorter period.', {
        status: 400,
        cause: error,
      });
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
    get: async (sessionId, options = {}) => requireOwn(await client.get(sessionId, options), options.onBehalfOf),
    summarize: (filter, { onBehalfOf, signal, ...by } = {}) => summarizeCalls(each(filter, { onBehalfOf, signal }), by),
  };
}

function withUpstream(
  upstream: NonNullable<Config['calls']['upstream']>,
  isOpen: boolean,
  { onWarning, upstreamOptions }: CallsParts,
): Calls {
  const { baseUrl, apiKey } = upstream;
  const options = { baseUrl, ...patience, ...upstreamOptions };
  if (apiKey !== undefined && isOpen)
    onWarning('whoever reaches this server reads calls with CALLS_API_KEY: set API_KEYS or a JWT setting');
  const client = apiKey === undefined ? undefined : createCallsClient({ ...options, apiKey });
  return {
    answers: createCallProxy({ upstream: createUpstream(options), apiKey }),
    ofUser: client && toUserCalls(client),
    apply: undefined,
    open: async () => undefined,
    close: async () => undefined,
  };
}

export function composeCalls({ calls: { upstream, file }, apiKeys, jwt }: Config, parts: CallsParts): Calls {
  if (upstream) return withUpstream(upstream, apiKeys.length === 0 && !jwt, parts);
  const log = createCallLog({ file, journal: parts.journal, onWarning: parts.onWarning });
  return { answers: answersFrom(parts.source ?? log), ofUser: log, apply: log.apply, open: log.open, close: log.close };
}
