/**
 * The records of a calls file and of the events in columns, one value of each call behind the other: a filter is one pass over the column
 * of each of its conditions, and a call's users lead to its rows. A record is parsed again only when it is shown.
 */
import { figureOf, type NumberName, numberNames, usersOf, type WordName, wordNames, wordOf } from './call-record.ts';
import type { CallRecord, CallsFilter, Comparison } from './types.ts';

/** Where a line of the content begins, and where it ends without its line end; in bytes. */
export interface Line {
  readonly start: number;
  readonly end: number;
}

type Test = (row: number) => boolean;

/** False for NaN. */
const comparisons: Readonly<Record<keyof Comparison, (column: readonly number[], bound: number) => Test>> = {
  eq: (column, bound) => (row) => column[row] === bound,
  gt: (column, bound) => (row) => (column[row] as number) > bound,
  gte: (column, bound) => (row) => (column[row] as number) >= bound,
  lt: (column, bound) => (row) => (column[row] as number) < bound,
  lte: (column, bound) => (row) => (column[row] as number) <= bound,
};

interface Columns {
  readonly numbers: Readonly<Record<NumberName, number[]>>;
  readonly words: Readonly<Record<WordName, string[]>>;
}

const emptyColumns = <Name extends string, Value>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name): [string, Value[]] => [name, []])) as Record<Name, Value[]>;

/** The conditions of a filter besides its users. A comparison without an operator asks nothing, nor does an empty list. */
function testsOf(filter: CallsFilter, { numbers, words }: Columns): Test[] {
  const { type, types, mode, status, statuses, receiverType, hasRecording, participantsCount } = filter;
  const tests: Test[] = [];
  const choose = (name: WordName, ...wanted: readonly (string | undefined)[]) => {
    const values = wanted.filter((value) => value !== undefined);
    const column = words[name];
    if (values.length > 0) tests.push((row) => values.includes(column[row] as string));
  };
  const compare = (name: NumberName, comparison: Comparison = {}) => {
    for (const operator of Object.keys(comparisons) as (keyof Comparison)[]) {
      const bound = comparison[operator];
      if (bound !== undefined) tests.push(comparisons[operator](numbers[name], bound));
    }
  };
  choose('status', status);
  choose('status', ...(statuses ?? []));
  choose('type', type);
  choose('type', ...(types ?? []));
  choose('mode', mode);
  choose('receiverType', receiverType);
  choose('hasRecording', hasRecording?.toString());
  compare('totalParticipants', participantsCount === undefined ? {} : { eq: participantsCount });
  for (const name of numberNames) compare(name, filter[name]);
  return tests;
}

export class CallTable {
  readonly #content: Buffer;
  readonly #columns: Columns = { numbers: emptyColumns(numberNames), words: emptyColumns(wordNames) };
  readonly #sessionIds: string[] = [];
  readonly #lines: (Line | undefined)[] = [];
  readonly #rowOf = new Map<string, number>();
  readonly #rowsOfUser = new Map<string, Set<number>>();
  /** By row: what events make of a call. */
  readonly #projected = new Map<number, CallRecord>();
  #order: number[] = [];
  #isSorted = true;

  /** @param content of the calls file, which lines are of */
  constructor(content: Buffer = Buffer.alloc(0)) {
    this.#content = content;
  }

  get size(): number {
    return this.#rowOf.size;
  }

  /** Puts a record in the place of what was known of its session. @param line of the file; undefined: what events make of it */
  put(call: CallRecord, line?: Line): void {
    const known = this.#rowOf.get(call.sessionId);
    const row = known ?? this.size;
    if (known === undefined) this.#order.push(row);
    else for (const { uid } of usersOf(this.record(row))) this.#rowsOfUser.get(uid)?.delete(row);
    for (const { uid } of usersOf(call)) this.#rowsOfUser.set(uid, (this.#rowsOfUser.get(uid) ?? new Set()).add(row));
    this.#rowOf.set(call.sessionId, row);
    this.#sessionIds[row] = call.sessionId;
    if (line || known === undefined) this.#lines[row] = line;
    if (!line) this.#projected.set(row, call);
    for (const name of numberNames) this.#columns.numbers[name][row] = figureOf(call, name);
    for (const name of wordNames) this.#columns.words[name][row] = wordOf(call, name);
    this.#isSorted = false;
  }

  /** What the file has of a session. */
  filed(sessionId: string): CallRecord | undefined {
    return this.#filedAt(this.#rowOf.get(sessionId) ?? -1);
  }

  /** @param uid somebody who has to take part; undefined: anybody */
  get(sessionId: string, uid: string | undefined): CallRecord | undefined {
    const row = this.#rowOf.get(sessionId);
    return row === undefined || (uid !== undefined && !this.#takesPart(row, uid)) ? undefined : this.record(row);
  }

  /** Rows, newest first; of the same second by session, descending. @param onBehalfOf another user who has to take part */
  find(filter: CallsFilter, onBehalfOf?: string): readonly number[] {
    const [uid, other] = [filter.uid, onBehalfOf].filter((one) => one !== undefined);
    let rows = uid === undefined ? this.inOrder() : [...(this.#rowsOfUser.get(uid) ?? [])].sort(this.#byTime);
    if (other !== undefined) rows = rows.filter((row) => this.#takesPart(row, other));
    for (const test of testsOf(filter, this.#columns)) rows = rows.filter(test);
    return rows;
  }

  record(row: number): CallRecord {
    return this.#projected.get(row) ?? (this.#filedAt(row) as CallRecord);
  }

  /** Sorted when it is asked for: what is nearly in order is put in order in one pass. */
  inOrder(): readonly number[] {
    if (!this.#isSorted) this.#order = this.#order.toSorted(this.#byTime);
    this.#isSorted = true;
    return this.#order;
  }

  readonly #byTime = (a: number, b: number): number => {
    const { initiatedAt } = this.#columns.numbers;
    const ids = this.#sessionIds;
    return (initiatedAt[b] as number) - (initiatedAt[a] as number) || ((ids[a] as string) > (ids[b] as string) ? -1 : 1);
  };

  #takesPart(row: number, uid: string): boolean {
    return this.#rowsOfUser.get(uid)?.has(row) ?? false;
  }

  #filedAt(row: number): CallRecord | undefined {
    const line = this.#lines[row];
    return line && JSON.parse(this.#content.toString('utf8', line.start, line.end));
  }
}
