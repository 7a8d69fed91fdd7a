/**
 * Conditions → the set of rows that fit, with the exact count, without a record being parsed. Values and users are sets that are there
 * already; a range is found in the order of its column and marks what lies in it or takes away what lies outside, whichever is less.
 * Where one condition leaves few rows, these are looked at one by one instead.
 */

import type { CallTable, NumberColumn } from './call-table.ts';
import { type Conditions, isWithin, type Range } from './conditions.ts';
import { addAll, addRow, emptySet, fullSet, hasRow, keepCommon, type RowSet, removeRow } from './row-set.ts';

/** Of the rows of a table: below it, looking at each row costs less than sets do. */
const fewShare = 1 / 64;

/** `order[from] … order[to - 1]` lie in a range. */
interface Span {
  readonly column: NumberColumn;
  readonly range: Range;
  readonly from: number;
  readonly to: number;
}

/** The first place in `order` whose value is not below (`withEqual`: not above) the bound. */
function placeOf({ values, order }: NumberColumn, bound: number, withEqual: boolean): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = values[order[middle] as number] as number;
    if (withEqual ? value <= bound : value < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function spanOf(column: NumberColumn, range: Range): Span {
  const from = placeOf(column, range.low, !range.withLow);
  return { column, range, from, to: Math.max(from, placeOf(column, range.high, range.withHigh)) };
}

function keepSpan(set: RowSet, { column, from, to }: Span, rows: number): void {
  const { order } = column;
  const inside = to - from;
  const outside = order.length - inside;
  // Taking away needs every row to have a place in the order.
  if (order.length === rows && outside < inside) {
    for (let place = 0; place < from; place++) removeRow(set, order[place] as number);
    for (let place = to; place < order.length; place++) removeRow(set, order[place] as number);
    return;
  }
  const marked = emptySet(rows);
  for (let place = from; place < to; place++) addRow(marked, order[place] as number);
  keepCommon(set, marked);
}

const noRows = new Uint32Array(0);

function rowsOfUser({ users }: CallTable, uid: string): Uint32Array {
  const user = users.numbers.get(uid);
  return user === undefined ? noRows : users.rows.subarray(users.starts[user], users.starts[user + 1]);
}

export function selectRows(table: CallTable, { ranges, choices, uids }: Conditions): RowSet {
  const { count } = table;
  const spans = ranges.map(({ name, range }) => spanOf(table.numbers[name], range));
  const choiceSets = choices.map(({ name, values }) => {
    const sets = values.flatMap((value) => table.values[name].rowsOf.get(value) ?? []);
    const [only] = sets;
    if (sets.length === 1 && only) return only;
    const joined = emptySet(count);
    for (const set of sets) addAll(joined, set);
    return joined;
  });
  const userRows = uids.map((uid) => rowsOfUser(table, uid));
  const userSets = () =>
    userRows.map((rows) => {
      const set = emptySet(count);
      for (const row of rows) addRow(set, row);
      return set;
    });

  const lists = [...userRows, ...spans.map(({ column, from, to }) => column.order.subarray(from, to))];
  const [shortest] = lists.sort((a, b) => a.length - b.length);
  if (shortest && shortest.length <= count * fewShare) {
    const found = emptySet(count);
    const sets = [...choiceSets, ...userSets()];
    for (const row of shortest)
      if (spans.every(({ column, range }) => isWithin(column.values[row] as number, range)) && sets.every((set) => hasRow(set, row)))
        addRow(found, row);
    return found;
  }
  const found = fullSet(count);
  for (const set of [...choiceSets, ...userSets()]) keepCommon(found, set);
  for (const span of spans) keepSpan(found, span, count);
  return found;
}
