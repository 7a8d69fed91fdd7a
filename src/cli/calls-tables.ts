/** Calls as tables of text: columns as wide as they need, cut where a terminal ends. */
import type { CallFigures, CallsSummary } from '../calls/summarize.ts';
import type { CallRecord, CallsPage } from '../calls/types.ts';
import { printable } from './progress.ts';

const gap = '  ';

interface Column {
  readonly title: string;
  readonly isFigure?: boolean;
}

/** @param width of the terminal; undefined: nothing is cut */
function table(columns: readonly Column[], rows: readonly (readonly string[])[], width?: number): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = columns.map(({ title }, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const render = (row: readonly string[]) => {
    const line = row
      .map((cell, column) => (columns[column]?.isFigure ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join(gap)
      .trimEnd();
    return width !== undefined && line.length > width ? `${line.slice(0, width - 1)}…` : line;
  };
  return [columns.map(({ title }) => title), widths.map((length) => '-'.repeat(length)), ...cells].map(render).join('\n');
}

const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
const minutes = (value: number) => value.toFixed(2);

export function callsTable({ data, meta }: CallsPage, width?: number): string {
  const { total, current_page, total_pages } = meta.pagination;
  const rows = data.map((call: CallRecord) => [
    time(call.initiatedAt),
    String(call.status ?? ''),
    String(call.type ?? ''),
    String(call.mode ?? ''),
    String(call.initiator ?? ''),
    String(call.receiver ?? ''),
    minutes(Number(call.totalDurationInMinutes) || 0),
    String(call.totalParticipants ?? ''),
    call.hasRecording ? 'yes' : '',
    call.sessionId,
  ]);
  const columns = [
    { title: 'begun (UTC)' },
    { title: 'status' },
    { title: 'type' },
    { title: 'mode' },
    { title: 'from' },
    { title: 'to' },
    { title: 'minutes', isFigure: true },
    { title: 'users', isFigure: true },
    { title: 'rec' },
    { title: 'session' },
  ];
  const shown = data.length > 0 ? `${table(columns, rows, width)}\n\n` : '';
  return `${shown}${total} ${total === 1 ? 'call' : 'calls'}, page ${current_page} of ${total_pages}\n`;
}

const figures = ({ calls, durationMinutes, voiceMinutes, videoMinutes }: CallFigures) => [
  String(calls),
  minutes(durationMinutes),
  minutes(voiceMinutes),
  minutes(videoMinutes),
];

export function summaryTables({ total, by, timeZone }: CallsSummary, width?: number): string {
  const columns = (title: string) => [
    { title },
    { title: 'calls', isFigure: true },
    { title: 'minutes', isFigure: true },
    { title: 'voice', isFigure: true },
    { title: 'video', isFigure: true },
  ];
  const parts = Object.entries(by).map(([key, { groups, leftOut }]) => {
    const rows = groups.map((group) => [group.key, ...figures(group)]);
    const title = key === 'day' ? `day (${timeZone})` : key;
    return `${table(columns(title), rows, width)}${leftOut > 0 ? `\n… and ${leftOut} more` : ''}`;
  });
  return [table(columns('all'), [['', ...figures(total)]], width), ...parts].join('\n\n').trimEnd().concat('\n');
}
