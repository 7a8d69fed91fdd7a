/**
 * Embedded call log: a JSON Lines file with the API of the calling service. Bad lines are reported
 * and skipped; the last record of a session wins. A changed file is reloaded. While it is missing,
 * empty or half-written, the previous calls are served. Without any, requests fail.
 */
import { readFile, stat } from 'node:fs/promises';
import {
  compileFilter,
  isCallRecord,
  isJsonFields,
  jsonOf,
  toNumber,
  usersOf,
} from '../../packages/calls/src/call-record.ts';
import { CallsError } from '../../packages/calls/src/errors.ts';
import {
  type CallRecord,
  type CallSource,
  type CallsFilter,
  type CallsRequestOptions,
  defaultPerPage,
  defaultTranscriptionsPerPage,
  type ListPage,
  type Transcription,
  type TranscriptionsQuery,
} from '../../packages/calls/src/types.ts';
import { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';
import { Semaphore } from '../../packages/shared/src/concurrency/queue.ts';
import { TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import { KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';
import { type SummaryOptions, summarizeCalls, type UserCalls } from './summarize.ts';

type Warn = (message: string, error?: unknown) => void;

const pollEveryMs = 1_000;
/** Maximum concurrent summaries. More would block the event loop for too long. */
const maxSummaries = 2;
/** A call with a thousand participants has about 300 kB. */
const maxLineBytes = 4 * 1024 * 1024;
const maxProblems = 5;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const retryAfterSeconds = 5;
const keepsServing = 'the previous calls are still served.';

/**
 * Yields the lines that are not blank: `number` from 1, `content` without the line end; `isLast`:
 * it is the last line and has no line end.
 */
function* linesIn(content: Buffer) {
  let start = content.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? byteOrderMark.length
    : 0;
  for (let number = 1; start < content.length; number++) {
    const found = content.indexOf('\n', start);
    const end = found < 0 ? content.length : found;
    const line = content.subarray(start, end);
    if (line.toString('latin1').trim() !== '')
      yield { number, content: line, isLast: end === content.length };
    start = end + 1;
  }
}

async function* inTimeSlices<T>(all: Iterable<T>): AsyncGenerator<T> {
  const slicer = new TimeSlicer();
  for (const one of all) {
    await slicer.pause();
    yield one;
  }
}

/** `isPartial`: the last line is incomplete, because another program is still writing it. */
async function loadCalls(path: string, signal: AbortSignal, onWarning: Warn) {
  const calls = new Map<string, CallRecord>();
  let badLines = 0;
  let isPartial = false;
  for await (const { number, content, isLast } of inTimeSlices(
    linesIn(await readFile(path, { signal })),
  )) {
    signal.throwIfAborted();
    const isTooLong = content.length > maxLineBytes;
    const value = isTooLong ? undefined : jsonOf(content.toString());
    if (isCallRecord(value)) {
      calls.set(value.sessionId, value);
      continue;
    }
    isPartial = isLast;
    const what = value === undefined ? 'is not valid JSON' : 'lacks sessionId or initiatedAt';
    const problem = isTooLong ? `is longer than ${maxLineBytes} bytes` : what;
    if (++badLines <= maxProblems)
      onWarning(`CALLS_FILE: line ${number} ${problem}; it is skipped.`);
  }
  if (badLines > maxProblems) onWarning(`CALLS_FILE: ${badLines} lines are not call records.`);
  return { calls, isPartial };
}

const missing = 'missing';

async function stampOf(path: string) {
  const found = await stat(path).catch(() => undefined);
  return found ? [found.size, found.mtimeMs, found.ctimeMs, found.ino].join(':') : missing;
}

/** Newest first; calls of the same second by session id, descending. */
const byNewest = (a: CallRecord, b: CallRecord) =>
  Number(b.initiatedAt) - Number(a.initiatedAt) || (a.sessionId > b.sessionId ? -1 : 1);

const sortedAtOnce = 2_000;

/** Sorts blocks in time slices, so that the last sort only merges them. */
async function sortNewestFirst(calls: readonly CallRecord[]) {
  const blocks: CallRecord[][] = [];
  const count = Math.ceil(calls.length / sortedAtOnce);
  for await (const at of inTimeSlices(Array(count).keys()))
    blocks.push(calls.slice(at * sortedAtOnce, (at + 1) * sortedAtOnce).sort(byNewest));
  return blocks.flat().sort(byNewest);
}

/** `byUser`: by uid, newest first. */
async function indexCalls(calls: Iterable<CallRecord>) {
  const bySession = new Map<string, CallRecord>();
  const newestFirst: CallRecord[] = [];
  const byUser = new Map<string, CallRecord[]>();
  for await (const given of inTimeSlices(await sortNewestFirst([...calls]))) {
    const call = given.type === 'voice' ? { ...given, type: 'audio' as const } : given;
    bySession.set(call.sessionId, call);
    newestFirst.push(call);
    for (const { uid } of usersOf(call)) {
      const own = byUser.get(uid);
      if (own) own.push(call);
      else byUser.set(uid, [call]);
    }
  }
  return { bySession, newestFirst, byUser };
}
type KnownCalls = Awaited<ReturnType<typeof indexCalls>>;

function findCalls(
  { newestFirst, byUser }: KnownCalls,
  filter: CallsFilter,
  onBehalfOf: string | undefined,
): readonly CallRecord[] {
  const uid = onBehalfOf ?? filter.uid;
  const calls = uid === undefined ? newestFirst : (byUser.get(uid) ?? []);
  return calls.filter(compileFilter(filter, onBehalfOf));
}

function toPage<Row>(found: readonly Row[], page = 1, perPage = defaultPerPage): ListPage<Row> {
  const data = found.slice((page - 1) * perPage, page * perPage);
  const pagination = {
    total: found.length,
    count: data.length,
    per_page: perPage,
    current_page: page,
    total_pages: Math.max(1, Math.ceil(found.length / perPage)),
  };
  return { data, meta: { pagination } };
}

function transcriptionsOf({ transcriptions }: CallRecord): readonly Transcription[] {
  const startOf = ({ startTime }: Transcription) => toNumber(startTime) || 0;
  return Array.isArray(transcriptions)
    ? transcriptions.filter(isJsonFields).sort((a, b) => startOf(b) - startOf(a))
    : [];
}

const maxShownTranscriptions = 5;

function toShown(call: CallRecord, hideTranscriptions = false): CallRecord {
  const { transcriptions, ...rest } = call;
  if (transcriptions === undefined) return call;
  return hideTranscriptions
    ? (rest as CallRecord)
    : { ...call, transcriptions: transcriptionsOf(call).slice(0, maxShownTranscriptions) };
}

export class CallLog implements CallSource, UserCalls {
  readonly #file;
  readonly #onWarning;
  readonly #polling = new Semaphore(1);
  readonly #summarizing = new FairQueue({ slots: maxSummaries });
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** Undefined until the file was read once. */
  #known: KnownCalls | undefined;
  #lastProblem: string | undefined;
  #stamp: string | undefined;

  constructor(file: string, onWarning: Warn = () => undefined) {
    this.#file = file;
    this.#onWarning = onWarning;
  }

  /** Loads the file, then polls it every second. */
  async open() {
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), pollEveryMs).unref();
  }

  async close() {
    clearInterval(this.#timer);
    this.#ended.abort();
    await this.refresh();
  }

  async list(filter: CallsFilter = {}, { onBehalfOf, signal }: CallsRequestOptions = {}) {
    signal?.throwIfAborted();
    const found = findCalls(this.#loaded(), filter, onBehalfOf);
    const { data, meta } = toPage(found, filter.page, filter.perPage);
    return { data: data.map((call) => toShown(call, filter.hideTranscription)), meta };
  }

  async get(sessionId: string, { onBehalfOf }: CallsRequestOptions = {}) {
    return toShown(this.#find(sessionId, onBehalfOf));
  }

  async listTranscriptions(
    sessionId: string,
    { page, perPage = defaultTranscriptionsPerPage }: TranscriptionsQuery = {},
    { onBehalfOf }: CallsRequestOptions = {},
  ) {
    return toPage(transcriptionsOf(this.#find(sessionId, onBehalfOf)), page, perPage);
  }

  async summarize(
    filter: CallsFilter,
    { onBehalfOf, signal, ...options }: SummaryOptions & CallsRequestOptions = {},
  ) {
    return this.#summarizing.run(onBehalfOf ?? '', async () => {
      signal?.throwIfAborted();
      const found = findCalls(this.#loaded(), filter, onBehalfOf);
      return summarizeCalls(inTimeSlices(found), options);
    });
  }

  refresh(): Promise<void> {
    return this.#polling
      .run(() => this.#poll())
      .catch((error: unknown) => {
        if (this.#ended.signal.aborted) return;
        const code = systemErrorCode(error);
        if (code) this.#warnOnce(`cannot be read (${code})`);
        else this.#onWarning(`CALLS_FILE cannot be read; ${this.#served}`, error);
      });
  }

  async #poll() {
    const { signal } = this.#ended;
    const found = await stampOf(this.#file);
    if (signal.aborted || found === this.#stamp) return;
    if (found === missing) this.#warnOnce('is missing');
    else {
      await this.#apply(await loadCalls(this.#file, signal, this.#onWarning));
      this.#lastProblem = undefined;
    }
    this.#stamp = found;
  }

  get #served(): string {
    return this.#known ? keepsServing : 'no calls are served.';
  }

  /** A file that cannot be read is tried again every second. */
  #warnOnce(problem: string) {
    if (problem !== this.#lastProblem) this.#onWarning(`CALLS_FILE ${problem}; ${this.#served}`);
    this.#lastProblem = problem;
  }

  /** @throws KnowledgeError `not_ready`, because an empty list would look like no calls */
  #loaded() {
    if (this.#known) return this.#known;
    const notRead = 'The calls cannot be read. The operator must check CALLS_FILE.';
    throw new KnowledgeError('not_ready', notRead, { retryAfterSeconds });
  }

  async #apply({ calls, isPartial }: Awaited<ReturnType<typeof loadCalls>>) {
    const isEmpty = calls.size === 0;
    const problem = isEmpty ? 'has no call record' : 'ends in the middle of a record';
    if (this.#known && this.#known.newestFirst.length > 0 && (isEmpty || isPartial))
      return this.#onWarning(`CALLS_FILE ${problem}; ${keepsServing}`);
    this.#known = await indexCalls(calls.values());
  }

  #find(sessionId: string, onBehalfOf: string | undefined) {
    const call = this.#loaded().bySession.get(sessionId);
    // A call of another user gets the same error as an unknown call.
    if (!call || !compileFilter({}, onBehalfOf)(call))
      throw new CallsError(
        'ERR_CALL_SESSION_NOT_FOUND',
        'No call has this session id. GET /v3/calls lists the calls.',
        { status: 404 },
      );
    return call;
  }
}
