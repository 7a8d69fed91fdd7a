/**
 * Many calls as columns, row 0 the newest: what a filter can ask, without a record being parsed. Immutable. Values have a set of rows
 * each, figures a list of rows in their order, users a list of their rows.
 */
import { byName, type NumberName, numberNames, type ValueName, valueNames } from './call-fields.ts';
import type { LineBlocks } from './line-blocks.ts';
import type { RowSet } from './row-set.ts';

export interface ValueColumn {
  /** What a code of `codes` means; the last one stands for every value beyond `maxValues`. */
  readonly words: readonly string[];
  readonly codes: Uint8Array;
  readonly rowsOf: ReadonlyMap<string, RowSet>;
}

export interface NumberColumn {
  /** By row; NaN where the record has none. */
  readonly values: Float64Array;
  /** Rows in ascending order of their value, those without one left out. */
  readonly order: Uint32Array;
}

/** Who took part: the rows of user `n` are `rows[starts[n]] … rows[starts[n + 1] - 1]`, ascending; the minutes stand beside them. */
export interface UserColumn {
  readonly numbers: ReadonlyMap<string, number>;
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly voiceMinutes: Float64Array;
  readonly videoMinutes: Float64Array;
  readonly minutes: Float64Array;
}

export interface CallTable {
  readonly count: number;
  readonly sessionIds: readonly string[];
  rowOf(sessionId: string): number | undefined;
  readonly numbers: Readonly<Record<NumberName, NumberColumn>>;
  readonly values: Readonly<Record<ValueName, ValueColumn>>;
  readonly users: UserColumn;
  readonly places: { readonly block: Uint32Array; readonly start: Uint32Array; readonly length: Uint32Array };
  readonly lines: LineBlocks;
}

/** Before anything is read. */
export function emptyTable(): CallTable {
  const number = (): NumberColumn => ({ values: new Float64Array(), order: new Uint32Array() });
  const value = (): ValueColumn => ({ words: [], codes: new Uint8Array(), rowsOf: new Map() });
  const [none, minutes] = [new Uint32Array(), new Float64Array()];
  return {
    count: 0,
    sessionIds: [],
    rowOf: () => undefined,
    numbers: byName(numberNames, number),
    values: byName(valueNames, value),
    users: { numbers: new Map(), starts: new Uint32Array(1), rows: none, voiceMinutes: minutes, videoMinutes: minutes, minutes },
    places: { block: none, start: none, length: none },
    lines: { read: () => '', bytes: 0 },
  };
}

export const readLine = ({ places, lines }: CallTable, row: number): string =>
  lines.read({ block: places.block[row] as number, start: places.start[row] as number, length: places.length[row] as number });

/** Newest first; of the same second by session, descending. Negative: `a` comes first. */
export function compareCalls(aInitiatedAt: number, aSessionId: string, bInitiatedAt: number, bSessionId: string): number {
  if (aInitiatedAt !== bInitiatedAt) return bInitiatedAt - aInitiatedAt;
  if (aSessionId === bSessionId) return 0;
  return aSessionId > bSessionId ? -1 : 1;
}

/** Where a call stands, or would stand. */
export function positionOf({ count, numbers, sessionIds }: CallTable, initiatedAt: number, sessionId: string): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareCalls(numbers.initiatedAt.values[middle] as number, sessionIds[middle] as string, initiatedAt, sessionId);
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
