/**
 * HTTP bodies of calls, from the embedded log or the calling service. The proxy merges identical
 * concurrent requests and caches ended calls for 30 seconds, both only per key and user. It maps
 * failures to the status codes of a gateway.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isJsonFields } from '../../packages/calls/src/call-record.ts';
import { aborted, CallsError, upstreamFailure } from '../../packages/calls/src/errors.ts';
import { toSearchParams } from '../../packages/calls/src/query.ts';
import {
  type CallSource,
  type CallsFilter,
  type CallsRequestOptions,
  defaultPerPage,
  defaultTranscriptionsPerPage,
  type TranscriptionsQuery,
} from '../../packages/calls/src/types.ts';
import type { RateLimit, Upstream, UpstreamRequest } from '../../packages/calls/src/upstream.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import type { SummaryOptions, UserCalls } from './summarize.ts';

export interface CallsAsker extends Required<CallsRequestOptions> {
  readonly apiKey: string | undefined;
}

export interface CallAnswer {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly etag?: string | undefined;
  readonly rateLimit?: RateLimit | undefined;
}

export interface CallAnswers {
  /** True: the calls come with the server. */
  readonly isSample?: boolean;
  list(filter: CallsFilter, asker: CallsAsker): Promise<CallAnswer>;
  get(sessionId: string, asker: CallsAsker): Promise<CallAnswer>;
  listTranscriptions(
    sessionId: string,
    query: TranscriptionsQuery,
    asker: CallsAsker,
  ): Promise<CallAnswer>;
  summarize(filter: CallsFilter, options: SummaryOptions, asker: CallsAsker): Promise<CallAnswer>;
}

export const etagOf = (body: string | Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url')}"`;

/**
 * Answers from the embedded log. The caller's `apikey` is ignored: every caller sees the same
 * calls.
 */
export const answersFrom = (source: CallSource & UserCalls): CallAnswers => ({
  list: async (filter, { onBehalfOf, signal }) => ({
    body: JSON.stringify(await source.list(filter, { onBehalfOf, signal })),
  }),
  async get(sessionId, { onBehalfOf, signal }) {
    const data = await source.get(sessionId, { onBehalfOf, signal });
    const body = JSON.stringify({ data });
    return { body, etag: data.status === 'ended' ? etagOf(body) : undefined };
  },
  listTranscriptions: async (sessionId, query, { onBehalfOf, signal }) => ({
    body: JSON.stringify(await source.listTranscriptions(sessionId, query, { onBehalfOf, signal })),
  }),
  summarize: async (filter, options, { onBehalfOf, signal }) => ({
    body: JSON.stringify(await source.summarize(filter, { ...options, onBehalfOf, signal })),
  }),
});

/**
 * Runs `start` once for concurrent requests with the same key. Aborts it when the last caller
 * leaves.
 */
type RequestDeduplicator<T> = (
  key: string,
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

export function createRequestDeduplicator<T>(): RequestDeduplicator<T> {
  const flights = new Map<
    string,
    { readonly outcome: Promise<T>; readonly ending: AbortController; waiting: number }
  >();

  return async (key, signal, start) => {
    if (signal?.aborted) throw aborted(signal.reason);
    const ending = new AbortController();
    const flight = flights.get(key) ?? { outcome: start(ending.signal), ending, waiting: 0 };
    flights.set(key, flight);
    flight.waiting++;
    const errorOf = () => aborted(signal?.reason);
    return withAbort(signal, errorOf, () => flight.outcome).finally(() => {
      flight.waiting--;
      // The next caller starts again instead of joining an ended request.
      if (flight.waiting > 0 || flights.get(key) !== flight) return;
      flights.delete(key);
      flight.ending.abort();
    });
  };
}

export interface CallProxyOptions {
  readonly upstream: Upstream;
  readonly apiKey: string | undefined;
  /** Reads all pages with a key and summarizes them; throws if there are too many calls. */
  readonly summarizeWith: (apiKey: string) => Pick<UserCalls, 'summarize'>;
  readonly now?: () => number;
}

const keepMs = 30_000;
const maxKeptCalls = 500;
const maxKeptBytes = 64 * 1024;
/** Shorter keys may occur in a body by chance. */
const minSearchedKeyChars = 16;

function gatewayFailure(thrown: unknown, isOwnKey: boolean): unknown {
  if (!(thrown instanceof CallsError)) return thrown;
  const { code, message, status, requestId } = thrown;
  const as = (newStatus: number) =>
    new CallsError(code, message, { ...thrown, status: newStatus, cause: thrown });
  if (isOwnKey && (status === 401 || (status === 403 && code.startsWith('AUTH_')))) {
    const refused =
      'The calling service refuses the key of this server. Its operator must check CALLS_API_KEY.';
    return new CallsError('ERR_UPSTREAM_KEY_REFUSED', refused, {
      status: 502,
      requestId,
      cause: thrown,
    });
  }
  if (status === 422) return as(400);
  if (status === 408) return as(504);
  return status >= 500 && ![502, 503, 504].includes(status) ? as(502) : thrown;
}

function rejectLeakedKey(
  apiKey: string | undefined,
  body: string | Uint8Array<ArrayBuffer>,
  requestId?: string,
): void {
  const searched =
    typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (apiKey !== undefined && apiKey.length >= minSearchedKeyChars && searched.includes(apiKey))
    throw upstreamFailure(
      'MALFORMED',
      'The answer of the calling service contains the key of this server and was discarded. Check the base URL.',
      { requestId },
    );
}

const keyless =
  'This server has no key of the calling service. Send yours in the header apikey, with your credentials for this server.';

type ProxyRequest = Pick<UpstreamRequest, 'sessionId' | 'part' | 'query' | 'maxRows'>;

export function createCallProxy({
  upstream,
  apiKey,
  summarizeWith,
  now = Date.now,
}: CallProxyOptions): CallAnswers {
  const share = createRequestDeduplicator<CallAnswer>();
  const kept = new LRUCache<string, CallAnswer>({
    max: maxKeptCalls,
    ttl: keepMs,
    ttlResolution: 0,
    perf: { now },
  });

  async function fetchAnswer(
    what: ProxyRequest,
    asker: CallsAsker,
    key: string,
    signal: AbortSignal,
  ): Promise<CallAnswer> {
    const { bytes, json, requestId, rateLimit } = await upstream.ask({
      ...what,
      apiKey: key,
      onBehalfOf: asker.onBehalfOf,
      signal,
    });
    const isOneCall = what.maxRows === undefined;
    const data = isJsonFields(json) ? json['data'] : undefined;
    if (isOneCall ? !isJsonFields(data) : !Array.isArray(data))
      throw upstreamFailure(
        'MALFORMED',
        'The answer of the calling service has no calls. Check the base URL.',
        { requestId },
      );
    rejectLeakedKey(apiKey, bytes, requestId);
    const hasEnded = isJsonFields(data) && data['status'] === 'ended';
    return {
      body: bytes,
      etag: hasEnded ? etagOf(bytes) : undefined,
      rateLimit: apiKey === undefined ? rateLimit : undefined,
    };
  }

  async function summarizeCalls(
    filter: CallsFilter,
    options: SummaryOptions,
    asker: CallsAsker,
    key: string,
    signal: AbortSignal,
  ) {
    const summary = await summarizeWith(key).summarize(filter, {
      ...options,
      onBehalfOf: asker.onBehalfOf,
      signal,
    });
    const body = JSON.stringify(summary);
    // User ids come from the calling service and may contain the key.
    rejectLeakedKey(apiKey, body);
    return { body };
  }

  async function answer(
    what: readonly (string | null)[],
    asker: CallsAsker,
    fetch: (key: string, signal: AbortSignal) => Promise<CallAnswer>,
  ): Promise<CallAnswer> {
    const key = apiKey ?? asker.apiKey;
    if (key === undefined) {
      throw new CallsError('AUTH_ERR_EMPTY_APIKEY', keyless, { status: 401 });
    }
    const holder = createHash('sha256').update(key).digest('base64');
    const identity = JSON.stringify([holder, asker.onBehalfOf ?? null, ...what]);
    const known = kept.get(identity);
    if (known) return known;
    const got = await share(identity, asker.signal, (signal) =>
      fetch(key, signal).catch((thrown: unknown) => {
        throw gatewayFailure(thrown, apiKey !== undefined);
      }),
    );
    if (got.etag !== undefined && got.body.length <= maxKeptBytes)
      kept.set(identity, { body: got.body, etag: got.etag });
    return got;
  }

  return {
    list(filter, asker) {
      const query = toSearchParams(filter);
      const what = { query, maxRows: filter.perPage ?? defaultPerPage };
      return answer(['list', query.toString()], asker, (key, signal) =>
        fetchAnswer(what, asker, key, signal),
      );
    },
    get: (sessionId, asker) =>
      answer(['get', sessionId], asker, (key, signal) =>
        fetchAnswer({ sessionId }, asker, key, signal),
      ),
    listTranscriptions(sessionId, asked, asker) {
      const query = toSearchParams(asked);
      const what = {
        sessionId,
        part: 'transcriptions',
        query,
        maxRows: asked.perPage ?? defaultTranscriptionsPerPage,
      } as const;
      return answer(['transcriptions', sessionId, query.toString()], asker, (key, signal) =>
        fetchAnswer(what, asker, key, signal),
      );
    },
    summarize(filter, options, asker) {
      const what = [
        'summary',
        toSearchParams(filter).toString(),
        options.by?.join() ?? null,
        options.timeZone ?? null,
      ];
      return answer(what, asker, (key, signal) =>
        summarizeCalls(filter, options, asker, key, signal),
      );
    },
  };
}
