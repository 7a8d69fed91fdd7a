/** The report of an ingest, as plain data: what callers read, what a job puts away. */
import type { IngestRow, IngestStatus } from './ingest.ts';
import type { SourceKind } from './types.ts';

export interface ReportRow {
  readonly source: string;
  readonly kind: SourceKind;
  readonly status: IngestStatus;
  readonly document?: {
    readonly id: string;
    readonly file: string;
    readonly title: string;
    readonly bytes: number;
    readonly chunks: number;
    readonly revision: string;
  };
  readonly error?: { readonly code: string; readonly message: string };
}

export type StatusCounts = Readonly<Record<IngestStatus, number>>;

export function toReportRow({ source, kind, status, entry, error }: IngestRow): ReportRow {
  const row = { source, kind, status };
  const problem = error ? { error: { code: error.code, message: error.message } } : {};
  if (!entry) return { ...row, ...problem };
  const { id, file, title, bytes, revision } = entry.document;
  return { ...row, document: { id, file, title, bytes, chunks: entry.chunks.length, revision }, ...problem };
}

export function countRows(rows: Iterable<Pick<ReportRow, 'status'>>): StatusCounts {
  const counts: Record<IngestStatus, number> = { added: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0 };
  for (const { status } of rows) counts[status]++;
  return counts;
}
