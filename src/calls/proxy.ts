/**
 * HTTP bodies of calls, from the embedded log or the calling service. The proxy merges identical
 * concurrent requests and caches ended calls for 30 seconds, both only per key and user. It maps
 * failures to the status codes of a gateway.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  Drift,
  fieldsOf,
  isJsonFields,
  parseCallRecord,
} from '../../packages/calls/src/call-record.ts';
import {
  aborted,
  CallsError,
  malformed,
  upstreamFailure,
} from '../../packages/calls/src/errors.ts';
import { toSearchParams } from '../../packages/calls/src/query.ts';
import {
  type CallSource,
  type CallsFilter,
  type CallsRequestOptions,
  defaultTranscriptionsPerPage,
  maxPerPage,
  type TranscriptionsQuery,
} from '../../packages/calls/src/types.ts';
import type { RateLimit, Upstream, UpstreamRequest } from '../../packages/calls/src/upstream.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { requireOwn, type SummaryOptions, type UserCalls } from './summarize.ts';

/** `isProven`: `onBehalfOf` is the subject of a token, so that no other calls may be shown. */
type CallsAsker = Required<CallsRequestOptions> &
  Readonly<{ apiKey: string | undefined; isProven?: boolean }>;

type CallAnswer = Readonly<{
  body: string | Uint8Array<ArrayBuffer>;
  etag?: string | undefined;
  rateLimit?: RateLimit | undefined;
}>;

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
  `"${hash('sha256', body, 'base64url')}"`;

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

/** Merges concurrent requests with the same key. */
export class RequestDeduplicator<T> {
  readonly #flights = new Map<
    string,
    { readonly outcome: Promise<T>; readonly ending: AbortController; waiting: number }
  >();

  /** Runs `start` once for concurrent requests. Aborts it when the last caller leaves. */
  async run(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (signal?.aborted) throw aborted(signal.reason);
    const ending = new AbortController();
    const flight = this.#flights.get(key) ?? { outcome: start(ending.signal), ending, waiting: 0 };
    this.#flights.set(key, flight);
    flight.waiting++;
    const errorOf = () => aborted(signal?.reason);
    return withAbort(signal, errorOf, () => flight.outcome).finally(() => {
      flight.waiting--;
      // The next caller starts again instead of joining an ended request.
      if (flight.waiting > 0 || this.#flights.get(key) !== flight) return;
      this.#flights.delete(key);
      flight.ending.abort();
    });
  }
}

const keepMs = 30_000;
const maxKeptCalls = 500;
const maxKeptBytes = 64 * 1024;
/** Shorter keys may occur in a body by chance. */
const minSearchedKeyChars = 16;

export function gatewayFailure(thrown: unknown, isOwnKey: boolean): unknown {
  if (!(thrown instanceof CallsError)) return thrown;
  const { code, message, status, requestId } = thrown;
  const as = (newStatus: number) =>
    new CallsError(code, message, { ...thrown, status: newStatus, cause: thrown });
  if (isOwnKey && (status === 401 || (status === 403 && code.startsWith('AUTH_')))) {
    const refused =
      'The calling service refuses the key of this server. Its operator must check CALLS_API_KEY.';
    const options = { status: 502, requestId, cause: thrown };
    return new CallsError('ERR_UPSTREAM_KEY_REFUSED', refused, options);
  }
  if (status === 422) return as(400);
  if (status === 408) return as(504);
  return status >= 500 && ![502, 503, 504].includes(status) ? as(502) : thrown;
}

function rejectLeakedKey(
  apiKey: string | undefined,
  body: string | Uint8Array<ArrayBuffer>,
  requestId?: string,
) {
  const searched =
    typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (apiKey !== undefined && apiKey.length >= minSearchedKeyChars && searched.includes(apiKey))
    throw upstreamFailure(
      'MALFORMED',
      'The answer of the calling service contains the key of this server and was discarded. Check the base URL.',
      { requestId },
    );
}

/** @throws CallsError if a user has no part in a row, read as for a summary */
function requireOwnRows(rows: readonly unknown[], uid: string | undefined) {
  for (const row of rows) {
    // A row without a session id is checked too.
    const call = parseCallRecord({ ...Object(row), sessionId: '-' }, new Drift());
    if (call) requireOwn(call, uid);
  }
}

const keyless =
  'This server has no key of the calling service. Send yours in the header apikey, with your credentials for this server.';

export class CallProxy implements CallAnswers {
  readonly #upstream;
  readonly #apiKey;
  readonly #callsWith;
  readonly #flights = new RequestDeduplicator<CallAnswer>();
  readonly #kept: LRUCache<string, CallAnswer>;

  /** @param callsWith reads all calls with a key */
  constructor(
    upstream: Pick<Upstream, 'ask'>,
    apiKey: string | undefined,
    callsWith: (apiKey: string) => UserCalls,
    now = Date.now,
  ) {
    this.#upstream = upstream;
    this.#apiKey = apiKey;
    this.#callsWith = callsWith;
    this.#kept = new LRUCache({ max: maxKeptCalls, ttl: keepMs, ttlResolution: 0, perf: { now } });
  }

  list(filter: CallsFilter, asker: CallsAsker) {
    const query = toSearchParams(filter);
    // Without `perPage` the calling service chooses the length of its pages.
    const request = { query, maxRows: filter.perPage ?? maxPerPage };
    return this.#fetch(['list', query.toString()], request, asker, async (rows, key, signal) => {
      const { onBehalfOf } = asker;
      requireOwnRows(rows, onBehalfOf);
      // A page beyond the end has no calls to check, but the total of all. This checks page 1.
      if (rows.length === 0 && (filter.page ?? 1) > 1)
        await this.#callsWith(key).list({ ...filter, page: 1 }, { onBehalfOf, signal });
    });
  }

  get(sessionId: string, asker: CallsAsker) {
    const check = async (rows: readonly unknown[]) => requireOwnRows(rows, asker.onBehalfOf);
    return this.#fetch(['get', sessionId], { sessionId }, asker, check);
  }

  async listTranscriptions(sessionId: string, asked: TranscriptionsQuery, asker: CallsAsker) {
    // Transcriptions name no users, so their call is checked.
    if (asker.isProven) await this.get(sessionId, asker);
    const query = toSearchParams(asked);
    const maxRows = asked.perPage ?? defaultTranscriptionsPerPage;
    const request = { sessionId, part: 'transcriptions', query, maxRows } as const;
    return this.#fetch(['transcriptions', sessionId, query.toString()], request, asker);
  }

  summarize(filter: CallsFilter, options: SummaryOptions, asker: CallsAsker) {
    const { by, timeZone = null } = options;
    const what = ['summary', toSearchParams(filter).toString(), by?.join() ?? null, timeZone];
    const { onBehalfOf } = asker;
    return this.#answer(what, asker, async (key, signal) => {
      const calls = this.#callsWith(key);
      const summary = await calls.summarize(filter, { ...options, onBehalfOf, signal });
      const body = JSON.stringify(summary);
      // User ids come from the calling service and may contain the key.
      rejectLeakedKey(this.#apiKey, body);
      return { body };
    });
  }

  #fetch(
    what: readonly string[],
    request: Omit<UpstreamRequest, 'apiKey' | 'onBehalfOf' | 'signal'>,
    asker: CallsAsker,
    check?: (rows: readonly unknown[], apiKey: string, signal: AbortSignal) => Promise<void>,
  ) {
    const { onBehalfOf } = asker;
    return this.#answer(what, asker, async (apiKey, signal) => {
      const { bytes, json, requestId, rateLimit } = await this.#upstream.ask({
        ...request,
        apiKey,
        onBehalfOf,
        signal,
      });
      const isOneCall = request.maxRows === undefined;
      const { data } = fieldsOf(json);
      if (isOneCall ? !isJsonFields(data) : !Array.isArray(data))
        throw malformed('calls', requestId);
      rejectLeakedKey(this.#apiKey, bytes, requestId);
      if (asker.isProven) await check?.([data].flat(), apiKey, signal);
      return {
        body: bytes,
        etag: fieldsOf(data)['status'] === 'ended' ? etagOf(bytes) : undefined,
        rateLimit: this.#apiKey === undefined ? rateLimit : undefined,
      };
    });
  }

  async #answer(
    what: readonly (string | null)[],
    { apiKey, onBehalfOf, isProven = false, signal }: CallsAsker,
    fetch: (key: string, signal: AbortSignal) => Promise<CallAnswer>,
  ) {
    const key = this.#apiKey ?? apiKey;
    if (key === undefined) throw new CallsError('AUTH_ERR_EMPTY_APIKEY', keyless, { status: 401 });
    const holder = hash('sha256', key, 'base64');
    const identity = JSON.stringify([holder, onBehalfOf ?? null, isProven, ...what]);
    const known = this.#kept.get(identity);
    if (known) return known;
    const got = await this.#flights.run(identity, signal, (ending) =>
      fetch(key, ending).catch((thrown: unknown) => {
        throw gatewayFailure(thrown, this.#apiKey !== undefined);
      }),
    );
    if (got.etag !== undefined && got.body.length <= maxKeptBytes)
      this.#kept.set(identity, { body: got.body, etag: got.etag });
    return got;
  }
}
