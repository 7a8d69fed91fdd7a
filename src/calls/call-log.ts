/**
 * The embedded call log: a file of call records in JSON Lines, and what the platform's webhooks say, behind the same port as the real
 * service. A line that is no call record is counted and reported, and never costs the others; of several records of one session the last
 * one counts. The file is read again when it changes; until that is done, and where it is missing, empty or half-written, what was known
 * goes on answering.
 */
import { readFile, stat } from 'node:fs/promises';
import { setImmediate as breathe, setTimeout as wait } from 'node:timers/promises';
import { createEventLog, type EventLog, parseCallEvent } from './call-events.ts';
import { isCallRecord } from './call-record.ts';
import { CallTable, type Line } from './call-table.ts';
import { CallsError } from './errors.ts';
import { projectCall } from './projection.ts';
import { pageOf } from './query.ts';
import { summarizeCalls, type UserCalls } from './summarize.ts';
import type { CallRecord, CallsFilter, CallsPage } from './types.ts';

export interface CallLogOptions {
  /** JSON Lines of call records; may be missing and come later. */
  readonly file: string;
  /** Where to keep what webhooks say; unset: it is forgotten with the process. */
  readonly journal?: string | undefined;
  readonly onWarning?: (message: string, error?: unknown) => void;
}

export interface CallLog extends UserCalls {
  open(): Promise<void>;
  close(): Promise<void>;
  /** The body of a webhook. @returns whether it changed anything, said nothing new, or is no event of a call */
  apply(payload: unknown): Promise<'applied' | 'unchanged' | 'ignored'>;
  /** Looks at the file now. Resolves when a change of it is read. */
  refresh(): Promise<void>;
  status(): { readonly calls: number; readonly badLines: number };
}

/** One `stat` each time, so it costs nothing. */
const lookEveryMs = 1_000;
/** A file that changed while it was read is read again, after a pause. */
const settleMs = 50;
const maxRounds = 5;
/** Parsed without a pause: some 10 ms of work. */
const pieceBytes = 1024 * 1024;
/** Put together without a pause: some 10 ms of work. */
const callsAtOnce = 300;
/** A call with a thousand participants takes some 300 kB. */
const maxLineBytes = 4 * 1024 * 1024;
const maxProblems = 5;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const keepsServing = 'the calls that were read before go on being served.';

/** Lines of a file that are not blank. */
export function* linesIn(content: Buffer): Generator<Line & { readonly number: number }> {
  let start = content.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  for (let number = 1; start < content.length; number++) {
    const found = content.indexOf('\n', start);
    const end = found < 0 ? content.length : found;
    if (content.toString('latin1', start, end).trim() !== '') yield { start, end, number };
    start = end + 1;
  }
}

/** Undefined for a line that is too long or no JSON. */
export function parseCallLine(content: Buffer, { start, end }: Line): unknown {
  try {
    return end - start > maxLineBytes ? undefined : JSON.parse(content.toString('utf8', start, end));
  } catch {
    return undefined;
  }
}

interface Loaded {
  readonly table: CallTable;
  readonly badLines: number;
  /** The first of them, as sentences. */
  readonly problems: readonly string[];
  /** The last line has no end and is no record: somebody is still writing. */
  readonly isTorn: boolean;
}

/** @throws what the file system says, where the file cannot be read */
async function loadCalls(path: string, signal: AbortSignal): Promise<Loaded> {
  const content = await readFile(path, { signal });
  const table = new CallTable(content);
  const problems: string[] = [];
  let [badLines, isTorn, pause] = [0, false, pieceBytes];
  for (const { number, start, end } of linesIn(content)) {
    if (start > pause) {
      await breathe(undefined, { signal });
      pause = start + pieceBytes;
    }
    const value = parseCallLine(content, { start, end });
    if (isCallRecord(value)) {
      table.put(value, { start, end });
      continue;
    }
    isTorn = end === content.length;
    if (++badLines > maxProblems) continue;
    if (end - start > maxLineBytes) problems.push(`Line ${number} is longer than a call record can be.`);
    else problems.push(`Line ${number} ${value === undefined ? 'is not valid JSON' : 'has no sessionId or no initiatedAt'}.`);
  }
  table.inOrder();
  return { table, badLines, problems, isTorn };
}

/** Differs where a file has changed: its size, times or identity. @returns undefined where there is no such file */
async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs, ctimeMs, ino } = await stat(path);
    return [size, mtimeMs, ctimeMs, ino].join(':');
  } catch {
    return undefined;
  }
}

/** With room for other work in between. */
async function* recordsOf(table: CallTable, rows: readonly number[]): AsyncGenerator<CallRecord> {
  for (const [index, row] of rows.entries()) {
    if (index % callsAtOnce === callsAtOnce - 1) await breathe();
    yield table.record(row);
  }
}

/** Why a file does not replace what is known. */
function reasonToKeep({ table, isTorn }: Loaded): string | undefined {
  if (table.size === 0) return 'The calls file holds no call record';
  return isTorn ? 'The calls file ends in the middle of a record' : undefined;
}

/** @param take is given what a changed file holds @returns what looks at the file, one look at a time */
function createFileFollower(
  file: string,
  ended: AbortSignal,
  onWarning: NonNullable<CallLogOptions['onWarning']>,
  take: (loaded: Loaded) => Promise<void>,
): () => Promise<void> {
  let stamp: string | undefined;
  let isMissing = false;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    for (let round = 1; ; round++) {
      const before = await stampOf(file);
      if (before === undefined && !isMissing)
        onWarning('The calls file is missing; the calls that were read before, if any, go on being served.');
      isMissing = before === undefined;
      if (before === undefined || before === stamp) {
        stamp = before;
        return;
      }
      const loaded = await loadCalls(file, ended);
      if ((await stampOf(file)) === before || round === maxRounds) {
        stamp = before;
        return take(loaded);
      }
      await wait(settleMs, undefined, { signal: ended });
    }
  }

  return () => {
    // A change during a reading is found by the next look.
    if (ended.aborted) return looking ?? Promise.resolve();
    looking ??= look()
      .catch((error: unknown) => {
        if (!ended.aborted) onWarning(`The calls file cannot be read; ${keepsServing}`, error);
      })
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
}

/** The calls of a file, and of the events over them. */
function createKnownCalls(events: EventLog) {
  let table = new CallTable();
  /** What is about to take the place of the table; events go into both. */
  let next: CallTable | undefined;

  /** What was said of a session, over what the file has of it. */
  function project(into: CallTable, sessionId: string): void {
    const said = events.of(sessionId);
    const record = said && projectCall(into.filed(sessionId), said);
    if (isCallRecord(record)) into.put(record);
  }

  return {
    table: () => table,
    update(sessionId: string): void {
      for (const one of [table, next]) if (one) project(one, sessionId);
    },
    /** Puts the events over the calls of a file, and answers with them from then on. */
    async replace(calls: CallTable): Promise<void> {
      next = calls;
      let projected = 0;
      for (const sessionId of events.sessions()) {
        project(calls, sessionId);
        if (++projected % callsAtOnce === 0) await breathe();
      }
      table = calls;
      next = undefined;
    },
  };
}

/** @throws CallsError `ERR_BAD_REQUEST` for a page that cannot be */
function toPage(table: CallTable, found: readonly number[], filter: CallsFilter): CallsPage {
  const { page, perPage } = pageOf(filter);
  const data = found.slice((page - 1) * perPage, page * perPage).map((row) => table.record(row));
  const pagination = {
    total: found.length,
    count: data.length,
    per_page: perPage,
    current_page: page,
    total_pages: Math.max(1, Math.ceil(found.length / perPage)),
  };
  return { data, meta: { pagination } };
}

export function createCallLog({ file, journal, onWarning = () => undefined }: CallLogOptions): CallLog {
  const events = createEventLog(journal);
  const known = createKnownCalls(events);
  let badLines = 0;
  let hasFile = false;
  let looking: NodeJS.Timeout | undefined;
  const ended = new AbortController();

  async function take(loaded: Loaded): Promise<void> {
    for (const problem of loaded.problems) onWarning(`The calls file: ${problem}`);
    if (loaded.badLines > loaded.problems.length) onWarning(`The calls file: ${loaded.badLines} lines in all are no call records.`);
    const reason = hasFile ? reasonToKeep(loaded) : undefined;
    if (reason !== undefined) return onWarning(`${reason}; ${keepsServing}`);
    badLines = loaded.badLines;
    hasFile = loaded.table.size > 0;
    await known.replace(loaded.table);
  }
  const refresh = createFileFollower(file, ended.signal, onWarning, take);

  return {
    async open() {
      await events.open();
      // Without a file there are the events alone.
      await known.replace(known.table());
      await refresh();
      looking = setInterval(() => void refresh(), lookEveryMs).unref();
    },

    async close() {
      clearInterval(looking);
      ended.abort();
      await refresh();
      await events.settled();
    },

    refresh,
    status: () => ({ calls: known.table().size, badLines }),

    async list(filter, { onBehalfOf, signal } = {}) {
      signal?.throwIfAborted();
      const table = known.table();
      return toPage(table, table.find(filter, onBehalfOf), filter);
    },

    async get(sessionId, { onBehalfOf } = {}) {
      const call = known.table().get(sessionId, onBehalfOf);
      // Somebody else's call is as if it were not there.
      if (!call) throw new CallsError('ERR_CALL_SESSION_NOT_FOUND', 'There is no call with this session id.', { status: 404 });
      return call;
    },

    async summarize(filter, { onBehalfOf, signal, ...options } = {}) {
      signal?.throwIfAborted();
      const table = known.table();
      return summarizeCalls(recordsOf(table, table.find(filter, onBehalfOf)), options);
    },

    async apply(payload) {
      const said = parseCallEvent(payload);
      if (!said) return 'ignored';
      const news = events.join(said);
      if (news?.sessionId !== undefined) known.update(news.sessionId);
      await events.keep(news);
      return news ? 'applied' : 'unchanged';
    },
  };
}
