/** The lines of a job, and which of those that a file holds can be believed: the folder is open to whoever has the machine. */
import type { Task, TaskDone } from '../ingest-run.ts';
import { isNamespaceName } from '../namespaces.ts';
import type { ReportRow } from '../report.ts';
import { type IngestRequest, isIngestRequest } from '../requests.ts';

const statuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof statuses)[number];
/** What a run is about to do with a document. */
export type Writing = 'added' | 'updated' | 'removed';

export interface AskedLine {
  readonly line: 'asked';
  readonly id: string;
  readonly namespace: string;
  readonly prune: boolean;
  /** ISO 8601. */
  readonly at: string;
  readonly requests: readonly IngestRequest[];
}

export type JobLine =
  | AskedLine
  | { readonly line: 'started'; readonly at: string }
  | { readonly line: 'writing'; readonly task: number; readonly status: Writing }
  | ({ readonly line: 'done' } & TaskDone<ReportRow>)
  | { readonly line: 'ended'; readonly at: string; readonly status: JobStatus; readonly tasks: number };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));

const isTask = (value: unknown): value is Task =>
  isIngestRequest(value) ||
  (isObject(value) && value['type'] === 'page' && isCount(value['site']) && typeof value['url'] === 'string' && isCount(value['depth']));

const isRow = (value: unknown): boolean =>
  isObject(value) && typeof value['source'] === 'string' && typeof value['kind'] === 'string' && typeof value['status'] === 'string';

export const isAskedLine = (value: unknown, id: string): value is AskedLine =>
  isObject(value) &&
  value['line'] === 'asked' &&
  value['id'] === id &&
  typeof value['namespace'] === 'string' &&
  isNamespaceName(value['namespace']) &&
  isTime(value['at']) &&
  Array.isArray(value['requests']) &&
  value['requests'].every(isIngestRequest);

export function isJobLine(value: unknown): value is JobLine {
  if (!isObject(value)) return false;
  if (value['line'] === 'started') return isTime(value['at']);
  if (value['line'] === 'writing') return isCount(value['task']) && ['added', 'updated', 'removed'].includes(String(value['status']));
  if (value['line'] === 'ended')
    return isTime(value['at']) && isCount(value['tasks']) && statuses.some((status) => status === value['status']);
  const { row, found } = value;
  return (
    value['line'] === 'done' &&
    isCount(value['task']) &&
    (row === undefined || isRow(row)) &&
    (found === undefined || (Array.isArray(found) && found.every(isTask)))
  );
}
