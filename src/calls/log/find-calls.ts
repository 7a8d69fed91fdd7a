/** A filter over the file's table and the told calls together: which fit, how many, and the page of them. */
import type { CallRecord, CallsFilter, CallsPage } from '../types.ts';
import { type CallTable, positionOf, readLine } from './call-table.ts';
import { type Conditions, fits, pageOf } from './conditions.ts';
import { countRows, countsBefore, type RowSet, removeRow, rowsFrom } from './row-set.ts';
import { selectRows } from './select-rows.ts';
import type { ToldCall } from './told-calls.ts';

export interface Found {
  /** Of the table, without those that are told anew. */
  readonly rows: RowSet;
  readonly told: readonly ToldCall[];
}

export function findCalls(table: CallTable, told: readonly ToldCall[], conditions: Conditions): Found {
  const rows = selectRows(table, conditions);
  for (const { row } of told) if (row !== undefined) removeRow(rows, row);
  return { rows, told: told.filter(({ fields }) => fits(fields, conditions)) };
}

export const recordAt = (table: CallTable, row: number): CallRecord => JSON.parse(readLine(table, row));

/** @throws CallsError `ERR_BAD_REQUEST` for a page that cannot be */
export function pageOfFound(table: CallTable, { rows, told }: Found, filter: CallsFilter): CallsPage {
  const { page, perPage } = pageOf(filter);
  const total = countRows(rows) + told.length;
  const first = (page - 1) * perPage;
  const before = countsBefore(
    rows,
    told.map(({ fields }) => positionOf(table, fields.numbers.initiatedAt, fields.sessionId)),
  );
  // Where the told calls stand among all; between them are rows of the table.
  const places = before.map((count, index) => count + index);
  const toldBefore = places.filter((place) => place < first).length;
  const toldHere = told.slice(toldBefore, toldBefore + places.filter((place) => place >= first && place < first + perPage).length);
  const wanted = Math.max(0, Math.min(perPage, total - first)) - toldHere.length;
  const data: CallRecord[] = rowsFrom(rows, first - toldBefore, wanted).map((row) => recordAt(table, row));
  for (const [index, { record }] of toldHere.entries()) data.splice((places[toldBefore + index] as number) - first, 0, record);
  return {
    data,
    meta: {
      pagination: {
        total,
        count: data.length,
        per_page: perPage,
        current_page: page,
        total_pages: Math.max(1, Math.ceil(total / perPage)),
      },
    },
  };
}
