/** The summary of what was found, from the columns: no record is parsed. */
import { addTo, type CallsSummary, createTally, type SummaryKey, type SummaryOptions, type Tally } from '../summarize.ts';
import type { CallTable, ValueColumn } from './call-table.ts';
import type { Found } from './find-calls.ts';
import { forEachRow, hasRow, type RowSet } from './row-set.ts';

function addUsers({ users }: CallTable, rows: RowSet, tally: Tally): void {
  for (const [uid, user] of users.numbers) {
    const end = users.starts[user + 1] as number;
    let own: ReturnType<Tally['group']>;
    for (let place = users.starts[user] as number; place < end; place++) {
      if (!hasRow(rows, users.rows[place] as number)) continue;
      own ??= tally.group('user', uid);
      if (!own) return;
      addTo(own, users.voiceMinutes[place] as number, users.videoMinutes[place] as number, users.minutes[place] as number);
    }
  }
}

export function summarizeFound(table: CallTable, { rows, told }: Found, options: SummaryOptions): CallsSummary {
  const tally = createTally(options);
  const { initiatedAt, voiceMinutes, videoMinutes, duration } = table.numbers;
  const groupsOf = (key: SummaryKey, { words }: ValueColumn) => words.map((word) => tally.group(key, word));
  const [types, statuses] = [groupsOf('type', table.values.type), groupsOf('status', table.values.status)];
  let today = '';
  let ofToday: ReturnType<Tally['group']>;
  forEachRow(rows, (row) => {
    const day = tally.dayOf(initiatedAt.values[row] as number);
    if (day !== today) {
      today = day;
      ofToday = tally.group('day', day);
    }
    const [voice, video, took] = [voiceMinutes.values[row] as number, videoMinutes.values[row] as number, duration.values[row] as number];
    addTo(tally.total, voice, video, took);
    const [ofType, ofStatus] = [types[table.values.type.codes[row] as number], statuses[table.values.status.codes[row] as number]];
    if (ofToday) addTo(ofToday, voice, video, took);
    if (ofType) addTo(ofType, voice, video, took);
    if (ofStatus) addTo(ofStatus, voice, video, took);
  });
  addUsers(table, rows, tally);
  for (const { fields } of told) tally.add(fields);
  return tally.summary();
}
