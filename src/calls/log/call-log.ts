/**
 * The embedded call log: a file of call records, and what the platform's webhooks tell, behind the same port as the real service. The file
 * is read again when it changes; until that is done, and where it is missing, empty or half-written, what was known goes on answering.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { CallsError } from '../errors.ts';
import type { CallsSummary, SummaryOptions } from '../summarize.ts';
import type { CallSource, CallsFilter, CallsRequestOptions } from '../types.ts';
import type { CallFacts } from '../webhooks/call-facts.ts';
import { parseCallEvent } from '../webhooks/parse-event.ts';
import { toFields } from './call-fields.ts';
import { type CallTable, emptyTable } from './call-table.ts';
import { toConditions } from './conditions.ts';
import { createFactsJournal } from './facts-journal.ts';
import { findCalls, pageOfFound, recordAt } from './find-calls.ts';
import { type LoadedTable, loadTable } from './load-table.ts';
import { summarizeFound } from './summarize-found.ts';
import { createToldCalls, type FiledCall } from './told-calls.ts';
import { type FileWatch, stampOf, watchFile } from './watch-file.ts';

export interface CallLogOptions {
  /** JSON Lines of call records; may be missing and come later. */
  readonly file: string;
  /** Where to keep what webhooks tell; unset: it is forgotten with the process. */
  readonly journal?: string | undefined;
  readonly onWarning?: (message: string, error?: unknown) => void;
}

export interface CallLog extends CallSource {
  open(): Promise<void>;
  close(): Promise<void>;
  summarize(filter: CallsFilter, options?: SummaryOptions & CallsRequestOptions): Promise<CallsSummary>;
  /** The body of a webhook. @returns whether it changed anything, said nothing new, or is no event of a call */
  apply(payload: unknown): Promise<'applied' | 'unchanged' | 'ignored'>;
  /** Looks at the file now. Resolves when a change of it is read. */
  refresh(): Promise<void>;
  status(): { readonly calls: number; readonly badLines: number };
}

/** A file that changed while it was read is read again, after a breath. */
const settleMs = 50;
const maxRounds = 5;
/** The journal is rewritten when it has this many lines for each call, and as many more. */
const journalGrowth = 4;
const journalSlack = 1_000;

export function createCallLog({ file, journal: journalPath, onWarning = () => undefined }: CallLogOptions): CallLog {
  let table: CallTable = emptyTable();
  let badLines = 0;
  let stamp: string | undefined;
  let hasWarnedOfMissing = false;
  /** Something that was said is not on disk. */
  let isBehind = false;
  let writing: Promise<void> = Promise.resolve();
  let watched: FileWatch | undefined;
  let reading: Promise<void> | undefined;
  const ended = new AbortController();
  const journal = journalPath === undefined ? undefined : createFactsJournal(journalPath);
  const inFile = (sessionId: string): FiledCall | undefined => {
    const row = table.rowOf(sessionId);
    return row === undefined ? undefined : { row, record: recordAt(table, row) };
  };
  const told = createToldCalls(inFile);

  const notFound = () => new CallsError('ERR_CALL_SESSION_NOT_FOUND', 'There is no call with this session id.', { status: 404 });

  /** Why the file does not replace what is known. */
  function reasonToKeep({ table: next, isTorn }: LoadedTable): string | undefined {
    if (table.count === 0) return undefined;
    if (next.count === 0) return 'The calls file holds no call record';
    return isTorn ? 'The calls file ends in the middle of a record' : undefined;
  }

  function take(loaded: LoadedTable): void {
    for (const problem of loaded.problems) onWarning(`The calls file: ${problem}`);
    if (loaded.badLines > loaded.problems.length) onWarning(`The calls file: ${loaded.badLines} lines in all are no call records.`);
    const reason = reasonToKeep(loaded);
    if (reason !== undefined) {
      onWarning(`${reason}; the calls that were read before go on being served.`);
      return;
    }
    table = loaded.table;
    badLines = loaded.badLines;
    told.refold();
  }

  async function readIfChanged(): Promise<void> {
    for (let round = 0; round < maxRounds; round++) {
      const before = await stampOf(file);
      if (before === undefined) {
        if (!hasWarnedOfMissing) onWarning('The calls file is missing; the calls that were read before, if any, go on being served.');
        hasWarnedOfMissing = true;
        stamp = undefined;
        return;
      }
      hasWarnedOfMissing = false;
      if (before === stamp) return;
      const loaded = await loadTable(file, ended.signal);
      if ((await stampOf(file)) === before || round === maxRounds - 1) {
        stamp = before;
        return take(loaded);
      }
      await wait(settleMs, undefined, { signal: ended.signal });
    }
  }

  /** One at a time; a change during a reading is found by the next look. */
  function refresh(): Promise<void> {
    reading ??= readIfChanged()
      .catch((error: unknown) => {
        if (!ended.signal.aborted) onWarning('The calls file cannot be read; the calls that were read before go on being served.', error);
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  /** All of it is written anew where the file has grown too long, or where an earlier line could not be written. */
  async function write(news: CallFacts | undefined): Promise<void> {
    if (!journal || (!news && !isBehind)) return;
    const isLong = journal.lines() > told.count() * journalGrowth + journalSlack;
    const wasBehind = isBehind;
    isBehind = true;
    if (wasBehind || isLong || !news) await journal.replace(told.facts());
    else await journal.append(news);
    isBehind = false;
  }

  function keep(news: CallFacts | undefined): Promise<void> {
    const next = writing.then(() => write(news));
    writing = next.catch(() => undefined);
    return next;
  }

  const find = (filter: CallsFilter, options: CallsRequestOptions) => {
    options.signal?.throwIfAborted();
    return findCalls(table, told.list(), toConditions(filter, options.onBehalfOf));
  };

  return {
    async open() {
      await refresh();
      for (const facts of (await journal?.read()) ?? []) told.join(facts);
      watched = watchFile(file, () => void refresh());
    },

    async close() {
      watched?.close();
      ended.abort();
      await reading;
      await writing;
    },

    refresh,
    status: () => ({ calls: table.count + told.list().filter(({ row }) => row === undefined).length, badLines }),

    list: async (filter, options = {}) => pageOfFound(table, find(filter, options), filter),

    async get(sessionId, { onBehalfOf } = {}) {
      const record = told.get(sessionId)?.record ?? inFile(sessionId)?.record;
      // Somebody else's call is as if it were not there.
      if (!record || (onBehalfOf !== undefined && !toFields(record)?.users.some(({ uid }) => uid === onBehalfOf))) throw notFound();
      return record;
    },

    summarize: async (filter, options = {}) => summarizeFound(table, find(filter, options), options),

    async apply(payload) {
      const facts = parseCallEvent(payload);
      if (!facts) return 'ignored';
      const news = told.join(facts);
      await keep(news);
      return news ? 'applied' : 'unchanged';
    },
  };
}
