/** An ingest that is waited for: every request ends in rows, in their order, also where it is ended before its time. */
import { KnowledgeError } from '../errors.ts';
import { kindOfTask, labelOfTask, type Run } from './ingest-run.ts';
import { type ReportRow, toReportRow } from './report.ts';
import type { IngestRequest } from './requests.ts';

export interface IngestNowOptions {
  readonly namespace: string;
  readonly requests: readonly IngestRequest[];
  readonly prune: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onRow?: (row: ReportRow) => void;
  /** Told how many tasks there are, each time that number changes. */
  readonly onTotal?: (tasks: number) => void;
}

/** Rows in the order of the tasks: the requests first, then what was found. */
export type IngestNow = (options: IngestNowOptions) => Promise<ReportRow[]>;

export function createIngestNow(run: Run): IngestNow {
  return async ({ namespace, requests, prune, signal, onRow, onTotal }) => {
    const rows = new Map<number, ReportRow>();
    const finished = new Set<number>();
    let total = requests.length;
    onTotal?.(total);
    try {
      await run({
        namespace,
        requests,
        prune,
        signal,
        observer: {
          async onDone({ task, row, found = [] }) {
            finished.add(task);
            total += found.length;
            if (found.length > 0) onTotal?.(total);
            if (!row) return;
            const told = toReportRow(row);
            rows.set(task, told);
            onRow?.(told);
          },
        },
      });
    } catch (error) {
      if (!signal?.aborted) throw error;
      const cancelled = new KnowledgeError('cancelled', 'The request was ended before this source was done.');
      for (const [number, request] of requests.entries()) {
        if (finished.has(number)) continue;
        rows.set(number, toReportRow({ source: labelOfTask(request), kind: kindOfTask(request), status: 'failed', error: cancelled }));
      }
    }
    return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
  };
}
