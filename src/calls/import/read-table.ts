/**
 * CSV and TSV of calls → records, a row at a time. The first row names the fields; case, spaces and underscores do not matter. An empty
 * cell is a missing field, a column that is no field of a call is kept as text.
 */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

const numbers = [
  'totalAudioMinutes',
  'totalVideoMinutes',
  'totalDurationInMinutes',
  'initiatedAt',
  'startedAt',
  'endedAt',
  'totalParticipants',
] as const;
const texts = ['sessionId', 'totalDuration', 'initiator', 'mode', 'receiver', 'receiverType', 'status', 'type', 'mid'] as const;
const fields = new Map([...numbers, ...texts, 'hasRecording', 'participants'].map((name) => [name.toLowerCase(), name as string]));
const numeric = new Set<string>(numbers);
const times = new Set(['initiatedAt', 'startedAt', 'endedAt']);

const maxRowChars = 1_000_000;

const fieldOf = (title: string) => fields.get(title.replace(/[\s_-]/g, '').toLowerCase()) ?? title.trim();

/** What cannot be understood stays text, for whoever checks the record to say so. */
function toValue(field: string, cell: string): unknown {
  if (numeric.has(field)) {
    if (Number.isFinite(Number(cell))) return Number(cell);
    const moment = times.has(field) ? Date.parse(cell) : Number.NaN;
    return Number.isNaN(moment) ? cell : Math.floor(moment / 1000);
  }
  if (field === 'hasRecording' && /^(?:true|yes|1)$/i.test(cell)) return true;
  if (field === 'hasRecording' && /^(?:false|no|0)$/i.test(cell)) return false;
  if (field !== 'participants') return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

export interface TableRow {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly record: Readonly<Record<string, unknown>>;
}

/** @throws what the parser says of a file that is no table */
export async function* readTable(path: string, delimiter: string): AsyncGenerator<TableRow> {
  const rows = createReadStream(path).pipe(
    parse({
      delimiter,
      bom: true,
      columns: (titles: string[]) => titles.map(fieldOf),
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
      max_record_size: maxRowChars,
    }),
  );
  for await (const { record, info } of rows as AsyncIterable<{ record: Record<string, string>; info: { lines: number } }>) {
    const given = Object.entries(record).filter(([, cell]) => typeof cell === 'string' && cell.trim() !== '');
    yield {
      line: info.lines,
      record: { participants: [], ...Object.fromEntries(given.map(([field, cell]) => [field, toValue(field, cell.trim())])) },
    };
  }
}
