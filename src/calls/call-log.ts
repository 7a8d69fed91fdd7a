/**
 * The embedded call log: a file of call records in JSON Lines, and what the platform's webhooks say, behind the same port as the real
 * service. A filter looks at every record, or at those of the user who is asked for. A line that is no call record is counted and reported, and never costs the others;
 * of several records of one session the last one counts. The file is read again when it changes; until that is done, and where it is
 * missing, empty or half-written, what was known goes on answering.
 */
import { readFile, stat } from 'node:fs/promises';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { createSerialQueue } from '../concurrency/queue.ts';
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import { createEventLog, type EventJournal, type EventLog, parseCallEvent } from './call-events.ts';
import { fitsFilter, isCallRecord, isJsonFields, jsonOf, toNumber, usersOf } from './call-record.ts';
import { CallsError } from './errors.ts';
import { projectCall } from './projection.ts';
import { type SummaryOptions, summarizeCalls } from './summarize.ts';
import {
  type CallRecord,
  type CallsFilter,
  type CallsRequestOptions,
  type ListPage,
  type Transcription,
  type TranscriptionsQuery,
  usualPerPage,
  usualTranscriptionsPerPage,
} from './types.ts';

type Warn = (message: string, error?: unknown) => void;

export interface CallLogOptions {
  readonly file: string;
  /** Where to keep what webhooks say; unset: it is forgotten with the process. */
  readonly journal?: EventJournal | undefined;
  readonly onWarning?: Warn;
}

/** One `stat` each time, so it costs nothing; and one look for what other servers were told. */
const lookEveryMs = 1_000;
/** Summaries at a time, one of them of all calls: the slices of many in one turn of the loop would be a long one. */
const maxSummaries = 2;
/** A call with a thousand participants takes some 300 kB. */
const maxLineBytes = 4 * 1024 * 1024;
const maxProblems = 5;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const keepsServing = 'the calls that were read before go on being served.';

/** Lines of a file that are not blank, numbered from 1, without their ends. */
export function* linesIn(content: Buffer) {
  let start = content.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  for (let number = 1; start < content.length; number++) {
    const found = content.indexOf('\n', start);
    const end = found < 0 ? content.length : found;
    const line = content.subarray(start, end);
    if (line.toString('latin1').trim() !== '') yield { number, content: line, isLast: end === content.length };
    start = end + 1;
  }
}

export const parseCallLine = (line: Buffer) => (line.length > maxLineBytes ? undefined : jsonOf(line.toString()));

async function* withPauses<T>(all: Iterable<T>): AsyncGenerator<T> {
  const pause = createTimeSlicer();
  for (const one of all) {
    await pause();
    yield one;
  }
}

type LoadedCalls = Awaited<ReturnType<typeof loadCalls>>;

/** @returns `isTorn`: the last line is no record and has no end, so somebody still writes @throws what the file system says */
async function loadCalls(path: string, signal: AbortSignal, onWarning: Warn) {
  const calls = new Map<string, CallRecord>();
  let [badLines, isTorn] = [0, false];
  for await (const { number, content, isLast } of withPauses(linesIn(await readFile(path, { signal })))) {
    signal.throwIfAborted();
    const value = parseCallLine(content);
    if (isCallRecord(value)) {
      calls.set(value.sessionId, value);
      continue;
    }
    isTorn = isLast;
    const what = value === undefined ? 'is not valid JSON' : 'has no sessionId or no initiatedAt';
    const problem = content.length > maxLineBytes ? 'is longer than a call record can be' : what;
    if (++badLines <= maxProblems) onWarning(`The calls file: Line ${number} ${problem}.`);
  }
  if (badLines > maxProblems) onWarning(`The calls file: ${badLines} lines in all are no call records.`);
  return { calls, badLines, isTorn };
}

const missing = 'missing';

async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found ? [found.size, found.mtimeMs, found.ctimeMs, found.ino].join(':') : missing;
}

/** Of the same second by session, descending. */
const byNewest = (a: CallRecord, b: CallRecord): number =>
  Number(b.initiatedAt) - Number(a.initiatedAt) || (a.sessionId > b.sessionId ? -1 : 1);

function createKnownCalls(events: EventLog) {
  let filed: ReadonlyMap<string, CallRecord> = new Map();
  let calls = new Map<string, CallRecord>();
  let newestFirst: readonly CallRecord[] | undefined;
  /** User → sessions in which they took part at some time; whether they still do, the filter finds. */
  let sessionsOf = new Map<string, Set<string>>();

  function project(sessionId: string): CallRecord | undefined {
    const said = events.of(sessionId);
    const record = said && projectCall(filed.get(sessionId), said);
    return isCallRecord(record) ? record : undefined;
  }

  function put(call: CallRecord, into: Map<string, CallRecord>, of: typeof sessionsOf): void {
    into.set(call.sessionId, call.type === 'voice' ? { ...call, type: 'audio' } : call);
    for (const { uid } of usersOf(call)) of.set(uid, (of.get(uid) ?? new Set<string>()).add(call.sessionId));
  }

  return {
    size: () => calls.size,
    get: (sessionId: string) => calls.get(sessionId),
    find(filter: CallsFilter, onBehalfOf: string | undefined): readonly CallRecord[] {
      const fits = fitsFilter(filter, onBehalfOf);
      const uid = onBehalfOf ?? filter.uid;
      if (uid !== undefined) {
        const theirs = [...(sessionsOf.get(uid) ?? [])].flatMap((sessionId) => calls.get(sessionId) ?? []);
        return theirs.filter(fits).sort(byNewest);
      }
      newestFirst ??= [...calls.values()].sort(byNewest);
      return newestFirst.filter(fits);
    },
    update(sessionId: string): void {
      const record = project(sessionId);
      if (!record) return;
      put(record, calls, sessionsOf);
      newestFirst = undefined;
    },
    async replace(loaded: ReadonlyMap<string, CallRecord>): Promise<void> {
      filed = loaded;
      const [next, nextSessionsOf] = [new Map<string, CallRecord>(), new Map<string, Set<string>>()];
      for await (const call of withPauses(loaded.values())) put(call, next, nextSessionsOf);
      // What is said meanwhile comes at the end.
      for await (const sessionId of withPauses(events.sessions())) {
        const record = project(sessionId);
        if (record) put(record, next, nextSessionsOf);
      }
      newestFirst = [...next.values()].sort(byNewest);
      // In that order already, so that after an event they are put in order in one pass.
      calls = new Map(newestFirst.map((call) => [call.sessionId, call]));
      sessionsOf = nextSessionsOf;
    },
  };
}

function createFileFollower(file: string, known: ReturnType<typeof createKnownCalls>, signal: AbortSignal, onWarning: Warn) {
  const inOrder = createSerialQueue();
  let [badLines, hasFile] = [0, false];
  let stamp: string | undefined;

  async function take(loaded: LoadedCalls): Promise<void> {
    const isEmpty = loaded.calls.size === 0;
    const problem = isEmpty ? 'holds no call record' : 'ends in the middle of a record';
    if (hasFile && (isEmpty || loaded.isTorn)) return onWarning(`The calls file ${problem}; ${keepsServing}`);
    badLines = loaded.badLines;
    hasFile = !isEmpty;
    await known.replace(loaded.calls);
  }

  async function look(): Promise<void> {
    const found = await stampOf(file);
    if (signal.aborted || found === stamp) return;
    if (found === missing) onWarning('The calls file is missing; the calls that were read before, if any, go on being served.');
    else await take(await loadCalls(file, signal, onWarning));
    // What changed since is another stamp, for the next look.
    stamp = found;
  }

  const refresh = () =>
    inOrder(look).catch((error: unknown) => {
      if (!signal.aborted) onWarning(`The calls file cannot be read; ${keepsServing}`, error);
    });
  return { refresh, badLines: () => badLines };
}

function toPage<Row>(found: readonly Row[], page = 1, perPage = usualPerPage): ListPage<Row> {
  const data = found.slice((page - 1) * perPage, page * perPage);
  const total_pages = Math.max(1, Math.ceil(found.length / perPage));
  return { data, meta: { pagination: { total: found.length, count: data.length, per_page: perPage, current_page: page, total_pages } } };
}

function transcriptionsOf({ transcriptions }: CallRecord): readonly Transcription[] {
  const startOf = ({ startTime }: Transcription) => toNumber(startTime) || 0;
  return Array.isArray(transcriptions) ? transcriptions.filter(isJsonFields).sort((a, b) => startOf(b) - startOf(a)) : [];
}

const maxShownTranscriptions = 5;

function toShown(call: CallRecord, isHidden = false): CallRecord {
  const { transcriptions, ...rest } = call;
  if (transcriptions === undefined) return call;
  return isHidden ? (rest as CallRecord) : { ...call, transcriptions: transcriptionsOf(call).slice(0, maxShownTranscriptions) };
}

function createReads(known: ReturnType<typeof createKnownCalls>) {
  function find(sessionId: string, onBehalfOf: string | undefined): CallRecord {
    const call = known.get(sessionId);
    // Another user's call is answered like one that does not exist.
    if (!call || !fitsFilter({}, onBehalfOf)(call))
      throw new CallsError('ERR_CALL_SESSION_NOT_FOUND', 'There is no call with this session id.', { status: 404 });
    return call;
  }

  return {
    async list(filter: CallsFilter, { onBehalfOf, signal }: CallsRequestOptions = {}) {
      signal?.throwIfAborted();
      const { data, meta } = toPage(known.find(filter, onBehalfOf), filter.page, filter.perPage);
      return { data: data.map((call) => toShown(call, filter.hideTranscription)), meta };
    },

    async get(sessionId: string, { onBehalfOf }: CallsRequestOptions = {}) {
      return toShown(find(sessionId, onBehalfOf));
    },

    async listTranscriptions(sessionId: string, query: TranscriptionsQuery = {}, { onBehalfOf }: CallsRequestOptions = {}) {
      return toPage(transcriptionsOf(find(sessionId, onBehalfOf)), query.page, query.perPage ?? usualTranscriptionsPerPage);
    },
  };
}

export function createCallLog({ file, journal, onWarning = () => undefined }: CallLogOptions) {
  const events = createEventLog(journal);
  const known = createKnownCalls(events);
  const summarizing = new FairQueue({ slots: maxSummaries });
  const ended = new AbortController();
  const { refresh, badLines } = createFileFollower(file, known, ended.signal, onWarning);
  let timer: NodeJS.Timeout | undefined;
  let following: Promise<void> | undefined;

  /** Takes in what other servers that share the journal were told: one look at a time. */
  const follow = () => {
    following ??= (async () => {
      for await (const sessionId of withPauses(await events.look())) known.update(sessionId);
    })().finally(() => {
      following = undefined;
    });
    return following;
  };

  return {
    async open() {
      await events.look();
      await known.replace(new Map());
      await refresh();
      timer = setInterval(() => {
        void refresh();
        void follow().catch((error: unknown) => onWarning('What was said of calls cannot be read.', error));
      }, lookEveryMs).unref();
    },

    async close() {
      clearInterval(timer);
      ended.abort();
      await refresh();
      await following?.catch(() => undefined);
      await events.settled();
    },

    ...createReads(known),
    refresh,
    status: () => ({ calls: known.size(), badLines: badLines() }),

    async summarize(filter: CallsFilter, { onBehalfOf, signal, ...options }: SummaryOptions & CallsRequestOptions = {}) {
      return summarizing.run(onBehalfOf ?? '', async () => {
        signal?.throwIfAborted();
        return summarizeCalls(withPauses(known.find(filter, onBehalfOf)), options);
      });
    },

    /** The body of a webhook. @returns whether it changed anything, said nothing new, or is no event of a call */
    async apply(payload: unknown) {
      const said = parseCallEvent(payload);
      if (!said) return 'ignored';
      const news = events.add(said);
      if (news?.sessionId !== undefined) known.update(news.sessionId);
      await events.keep(news);
      return news ? 'applied' : 'unchanged';
    },
  };
}
