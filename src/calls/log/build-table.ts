/** Records in the order of a file → a table in the order of an answer. Of several records of one session the last one counts. */
import { setImmediate as breathe } from 'node:timers/promises';
import { callModes, callStatuses, callTypes, receiverTypes } from '../types.ts';
import { byName, type CallFields, type NumberName, numberNames, type ValueName, valueNames } from './call-fields.ts';
import { type CallTable, compareCalls, type NumberColumn, type UserColumn, type ValueColumn } from './call-table.ts';
import { codes, floats, type Growing, integers } from './growing.ts';
import { createLineBlocks } from './line-blocks.ts';
import { addRow, emptySet, type RowSet } from './row-set.ts';
import { sortRows } from './sort-rows.ts';

/** Distinct values of a column that are told apart; a platform has a dozen, a broken file may have any number. */
const maxValues = 200;
const otherWord = 'other';

export interface TableBuilder {
  /** @param line the record as it was written, of which a copy is kept */
  add(fields: CallFields, line: Uint8Array): void;
  /** Sorts and indexes, a column at a time: others get their turn in between. */
  finish(): Promise<CallTable>;
}

interface GrowingWords {
  readonly words: string[];
  readonly codes: Growing<Uint8Array>;
  push(word: string): void;
}

/** What can be asked has a code whatever comes first in a file. */
const knownWords: Readonly<Record<ValueName, readonly string[]>> = {
  type: callTypes,
  mode: callModes,
  status: callStatuses,
  receiverType: receiverTypes,
  hasRecording: ['true', 'false'],
};

function growingWords(name: ValueName): GrowingWords {
  const words: string[] = [...knownWords[name]];
  const numbers = new Map(words.map((word, code) => [word, code]));
  const column = codes();
  return {
    words,
    codes: column,
    push(word) {
      let code = numbers.get(word);
      if (code === undefined) {
        code = Math.min(words.length, maxValues);
        if (code < maxValues) numbers.set(word, code);
        words[code] = code < maxValues ? word : otherWord;
      }
      column.push(code);
    },
  };
}

/** `from[rows[0]], from[rows[1]] …` */
function gather<T extends Float64Array | Uint32Array | Uint8Array>(from: T, rows: Uint32Array): T {
  const gathered = new (from.constructor as new (length: number) => T)(rows.length);
  for (let row = 0; row < rows.length; row++) gathered[row] = from[rows[row] as number] as number;
  return gathered;
}

const columnOf = (values: Float64Array): NumberColumn => ({ values, order: sortRows(values) });

function toValueColumn(words: readonly string[], column: Uint8Array): ValueColumn {
  const sets = words.map(() => emptySet(column.length));
  for (let row = 0; row < column.length; row++) addRow(sets[column[row] as number] as RowSet, row);
  return { words, codes: column, rowsOf: new Map(words.slice(0, maxValues).map((word, code) => [word, sets[code] as RowSet])) };
}

/** By itself, so that it keeps no more than these two. */
const createLookUp = (entryOf: ReadonlyMap<string, number>, rowOfEntry: Int32Array) => (sessionId: string) => {
  const entry = entryOf.get(sessionId);
  return entry === undefined ? undefined : rowOfEntry[entry];
};

export function createTableBuilder(): TableBuilder {
  const lines = createLineBlocks();
  const sessionIds: string[] = [];
  const entryOf = new Map<string, number>();
  const numbers = byName(numberNames, floats);
  const values = byName(valueNames, growingWords);
  const places = { block: integers(), start: integers(), length: integers() };
  const userNumbers = new Map<string, number>();
  const taking = { entry: integers(), user: integers(), voiceMinutes: floats(), videoMinutes: floats(), minutes: floats() };

  function addUsers({ users }: CallFields, entry: number): void {
    for (const { uid, voiceMinutes, videoMinutes, minutes } of users) {
      let user = userNumbers.get(uid);
      if (user === undefined) {
        user = userNumbers.size;
        userNumbers.set(uid, user);
      }
      taking.entry.push(entry);
      taking.user.push(user);
      taking.voiceMinutes.push(voiceMinutes);
      taking.videoMinutes.push(videoMinutes);
      taking.minutes.push(minutes);
    }
  }

  /** Entries in the order of rows. */
  async function sorted(): Promise<Uint32Array> {
    const times = numbers.initiatedAt.values();
    const hasTwice = entryOf.size < sessionIds.length;
    const entries = sortRows(times)
      .reverse()
      .filter((entry) => !hasTwice || entryOf.get(sessionIds[entry] as string) === entry);
    await breathe();
    for (let from = 0, to = 0; from < entries.length; from = to) {
      const time = times[entries[from] as number] as number;
      while (to < entries.length && times[entries[to] as number] === time) to++;
      if (to - from > 1)
        entries.subarray(from, to).sort((a, b) => compareCalls(time, sessionIds[a] as string, time, sessionIds[b] as string));
    }
    return entries;
  }

  /** A counting sort by user; rows of a user ascend because they are visited in their order. */
  async function toUserColumn(entries: Uint32Array, rowOfEntry: Int32Array): Promise<UserColumn> {
    const [users, ofEntry] = [taking.user.take(), taking.entry.take()];
    const starts = new Uint32Array(userNumbers.size + 1);
    const firstOfRow = new Int32Array(entries.length).fill(-1);
    for (let place = users.length - 1; place >= 0; place--) {
      const row = rowOfEntry[ofEntry[place] as number] as number;
      if (row < 0) continue;
      firstOfRow[row] = place;
      const next = (users[place] as number) + 1;
      starts[next] = (starts[next] as number) + 1;
    }
    await breathe();
    for (let user = 1; user < starts.length; user++) starts[user] = (starts[user] as number) + (starts[user - 1] as number);
    const placed = new Uint32Array(starts.at(-1) ?? 0);
    const rows = new Uint32Array(placed.length);
    const filled = starts.slice();
    for (let row = 0; row < entries.length; row++)
      for (let place = firstOfRow[row] as number; place >= 0 && ofEntry[place] === entries[row]; place++) {
        const user = users[place] as number;
        const slot = filled[user] as number;
        filled[user] = slot + 1;
        placed[slot] = place;
        rows[slot] = row;
      }
    await breathe();
    const voiceMinutes = gather(taking.voiceMinutes.take(), placed);
    await breathe();
    const videoMinutes = gather(taking.videoMinutes.take(), placed);
    await breathe();
    return { numbers: userNumbers, starts, rows, voiceMinutes, videoMinutes, minutes: gather(taking.minutes.take(), placed) };
  }

  return {
    add(fields, line) {
      const entry = sessionIds.length;
      entryOf.set(fields.sessionId, entry);
      sessionIds.push(fields.sessionId);
      for (const name of numberNames) numbers[name].push(fields.numbers[name]);
      for (const name of valueNames) values[name].push(fields.values[name]);
      const { block, start, length } = lines.add(line);
      places.block.push(block);
      places.start.push(start);
      places.length.push(length);
      addUsers(fields, entry);
    },

    async finish() {
      const entries = await sorted();
      await breathe();
      const rowOfEntry = new Int32Array(sessionIds.length).fill(-1);
      for (let row = 0; row < entries.length; row++) rowOfEntry[entries[row] as number] = row;
      const numberColumns: Partial<Record<NumberName, NumberColumn>> = {};
      for (const name of numberNames) {
        numberColumns[name] = columnOf(gather(numbers[name].take(), entries));
        await breathe();
      }
      const valueColumns: Partial<Record<ValueName, ValueColumn>> = {};
      for (const name of valueNames) {
        valueColumns[name] = toValueColumn(values[name].words, gather(values[name].codes.take(), entries));
        await breathe();
      }
      const users = await toUserColumn(entries, rowOfEntry);
      await breathe();
      const inOrder = Array.from(entries, (entry) => sessionIds[entry] as string);
      await breathe();
      return {
        count: entries.length,
        sessionIds: inOrder,
        rowOf: createLookUp(entryOf, rowOfEntry),
        numbers: numberColumns as CallTable['numbers'],
        values: valueColumns as CallTable['values'],
        users,
        places: {
          block: gather(places.block.take(), entries),
          start: gather(places.start.take(), entries),
          length: gather(places.length.take(), entries),
        },
        lines: lines.finish(),
      };
    },
  };
}
