/** Typed client of the calling service (README.md). No CallsError contains the key. */
import {
  Drift,
  type DriftReport,
  parseCallAnswer,
  parseCallRecord,
  parsePage,
  parseTranscription,
  type ReadPage,
} from './call-record.ts';
import { badRequest, CallsError, malformed } from './errors.ts';
import { extraNamesOf, parseCallsQuery, parseQuery, toSearchParams } from './query.ts';
import {
  type CallRecord,
  type CallSource,
  type CallsFilter,
  type CallsRequestOptions,
  defaultPerPage,
  defaultTranscriptionsPerPage,
  maxPerPage,
  transcriptionsParameters,
} from './types.ts';
import {
  baseUrlOfApp,
  isAppId,
  isRegion,
  type RateLimit,
  Upstream,
  type UpstreamOptions,
  type UpstreamRequest,
} from './upstream.ts';

export type CallsClientOptions = Omit<UpstreamOptions, 'baseUrl'> &
  Readonly<{ apiKey: string }> &
  Readonly<
    | { baseUrl: string; appId?: never; region?: never }
    | { baseUrl?: never; appId: string; region: string }
  >;

export interface EachOptions extends CallsRequestOptions {
  /** Default 10,000. Throws if there are more pages. */
  readonly maxPages?: number;
}

export interface ToArrayOptions extends EachOptions {
  readonly limit: number;
}

export interface CallsClient extends CallSource {
  /**
   * Yields every call once, from `filter.page` (default 1) on, in pages of `perPage` (default 100).
   */
  each(filter?: CallsFilter, options?: EachOptions): AsyncGenerator<CallRecord, void, undefined>;
  toArray(options: ToArrayOptions): Promise<CallRecord[]>;
  toArray(filter: CallsFilter, options: ToArrayOptions): Promise<CallRecord[]>;
  rateLimit(): RateLimit | undefined;
  /** Counts deviations from the published schema since the client was created. */
  drift(): DriftReport;
}

const defaultMaxPages = 10_000;
const maxCalls = 100_000;

/** Stops after this many pages in a row without a new call. */
const maxPagesWithoutNewCalls = 3;

/**
 * Whether this is the last page. Trusts a service that reports more pages. Trusts the reported end
 * only if all figures agree.
 * @param rowsSoFar rows including this page
 * @param fullPage rows of the fullest page so far, because a service may return fewer than
 * requested
 */
function isLast({ rows, claimed }: ReadPage, page: number, rowsSoFar: number, fullPage: number) {
  const { total, totalPages, perPage } = claimed;
  if (totalPages !== undefined && page < totalPages) return false;
  if (total !== undefined && rowsSoFar < total) return false;
  const agrees =
    total === rowsSoFar &&
    perPage !== undefined &&
    perPage > 0 &&
    totalPages === Math.ceil(total / perPage);
  return agrees || rows < fullPage;
}

/**
 * Yields each call once, although new calls shift rows to later pages. Ends at the last page,
 * whatever `total_pages` is.
 */
async function* eachCall(
  first: number,
  maxPages: number,
  readPage: (page: number) => Promise<ReadPage>,
): AsyncGenerator<CallRecord, void> {
  const seen = new Set<string>();
  let withoutNews = 0;
  let fullPage = 0;
  let rowsSoFar = 0;
  for (let page = first; page < first + maxPages; page++) {
    const read = await readPage(page);
    if (read.rows === 0) return;
    const news = read.page.data.filter(({ sessionId }) => seen.size < seen.add(sessionId).size);
    yield* news;
    withoutNews = news.length === 0 ? withoutNews + 1 : 0;
    fullPage = Math.max(fullPage, read.rows);
    rowsSoFar += read.rows;
    if (
      withoutNews >= maxPagesWithoutNewCalls ||
      isLast(read, page, (first - 1) * fullPage + rowsSoFar, fullPage)
    )
      return;
  }
  const message = `There are more than ${maxPages} pages. Narrow the filter or raise maxPages.`;
  throw new CallsError('ERR_TOO_MANY_PAGES', message, { status: 400 });
}

function addressOf(appId = '', region = '') {
  if (!isAppId(appId)) throw badRequest('The app id must be 1 to 63 letters and digits.');
  if (!isRegion(region))
    throw badRequest('The region must be 2 to 8 letters, such as us, eu or in.');
  return baseUrlOfApp(appId, region);
}

export function createCallsClient(options: CallsClientOptions): CallsClient {
  const { apiKey, baseUrl, appId, region, ...rest } = options;
  const upstream = new Upstream({ ...rest, baseUrl: baseUrl ?? addressOf(appId, region) });
  const drift = new Drift();

  async function readRows<Row>(
    what: Pick<UpstreamRequest, 'sessionId' | 'part' | 'query' | 'maxRows'>,
    asked: Parameters<typeof parsePage>[1],
    request: CallsRequestOptions,
    parseRow: (raw: unknown) => Row | undefined,
  ) {
    const own = { ...request, apiKey, maxRows: asked.perPage, ...what };
    const { json, requestId } = await upstream.ask(own);
    const read = parsePage(json, asked, parseRow);
    if (!read) throw malformed('list', requestId);
    return read;
  }

  function readPage(filter: CallsFilter, request: CallsRequestOptions) {
    const query = toSearchParams(filter);
    const { page = 1, perPage = defaultPerPage } = parseCallsQuery(query, extraNamesOf(filter));
    // Without `perPage` the calling service chooses the length of its pages.
    const what = { query, maxRows: filter.perPage ?? maxPerPage };
    return readRows(what, { page, perPage }, request, (raw) => parseCallRecord(raw, drift));
  }

  function each(filter: CallsFilter = {}, request: EachOptions = {}) {
    const perPage = filter.perPage ?? maxPerPage;
    return eachCall(filter.page ?? 1, request.maxPages ?? defaultMaxPages, (page) =>
      readPage({ ...filter, page, perPage }, request),
    );
  }

  async function toArray(first: CallsFilter | ToArrayOptions, second?: ToArrayOptions) {
    const [filter, request] =
      second === undefined ? [{}, first as ToArrayOptions] : [first as CallsFilter, second];
    const { limit } = request;
    if (!Number.isInteger(limit) || limit < 1 || limit > maxCalls)
      throw badRequest(`limit must be a whole number from 1 to ${maxCalls}.`);
    const calls: CallRecord[] = [];
    for await (const call of each({ perPage: Math.min(limit, maxPerPage), ...filter }, request)) {
      calls.push(call);
      if (calls.length === limit) break;
    }
    return calls;
  }

  return {
    list: async (filter = {}, request = {}) => (await readPage(filter, request)).page,
    each,
    toArray,
    async get(sessionId, request = {}) {
      const { json, requestId } = await upstream.ask({ ...request, apiKey, sessionId });
      const call = parseCallAnswer(json, drift);
      if (!call) throw malformed('call', requestId);
      return call;
    },
    async listTranscriptions(sessionId, asked = {}, request = {}) {
      const query = toSearchParams(asked);
      const { page = 1, perPage = defaultTranscriptionsPerPage } = parseQuery(
        transcriptionsParameters,
        query,
      );
      const what = { sessionId, part: 'transcriptions', query } as const;
      return (
        await readRows(what, { page, perPage }, request, (raw) => parseTranscription(raw, drift))
      ).page;
    },
    rateLimit: () => upstream.rateLimit,
    drift: () => drift.report(),
  };
}
