/** Composes metrics, traces and warnings. */
import { createMetrics, type GaugeValues, type Metrics } from '../metrics.ts';
import { packageVersion } from '../package.ts';
import type { Watch } from '../trace.ts';
import { createTracing, type Tracing } from '../tracing.ts';
import type { Warning } from '../warnings.ts';
import type { IngestionParts } from './ingest.ts';
import type { SearchParts } from './search.ts';
import type { SharedParts } from './shared-parts.ts';

/** Undefined if the part is missing or fails. */
const orUndefined = <T>(asked: Promise<T> | undefined): Promise<T | undefined> =>
  Promise.resolve(asked).catch(() => undefined);

type ServerStock = Omit<GaugeValues, 'warnings' | 'droppedLogLines'>;

/** Current counts for the metrics; all parts must be open. */
export async function stockOf(
  { namespaces, semantic, mirror }: SearchParts,
  { jobs }: IngestionParts,
): Promise<ServerStock> {
  const counted = await orUndefined(jobs.count());
  const { documents, chunks } = namespaces.total();
  const { wanted, done } = semantic?.progress() ?? {};
  const ageMs = mirror?.health().ageMs;
  return {
    namespaces: namespaces.countWith([]),
    documents,
    chunks,
    jobsWaiting: counted?.waiting,
    jobsRunning: counted?.running,
    chunksWithoutVector: wanted === undefined || done === undefined ? undefined : wanted - done,
    folderScanSeconds: namespaces.lastScanMs === 0 ? undefined : namespaces.lastScanMs / 1_000,
    mirrorAgeSeconds: typeof ageMs === 'number' ? ageMs / 1_000 : undefined,
  };
}

const watchWith = (
  metrics: Metrics,
  tracing: Tracing,
  diskCheck: SharedParts['diskCheck'],
): Watch => ({
  begin: (requestId, traceparent, isTraced) => ({
    requestId,
    span: isTraced ? tracing.start(traceparent) : undefined,
    stages: new Map(),
    tokens: { input: 0, output: 0 },
    onStage: metrics.stageEnded,
    facts: {},
    isOver: false,
  }),
  end(record, outcome) {
    const { code, lateStatus: status = outcome.status } = record.facts;
    metrics.requestEnded({ ...outcome, status }, record.facts);
    diskCheck.failed(code);
    record.span?.endRequest(record, outcome);
  },
});

type WatchParts = Readonly<{
  metrics: Metrics;
  tracing: Tracing;
  watch: Watch;
  warnings: () => Warning[];
}>;

export function composeWatch(
  { config, logger, onWarning, warnings, diskCheck }: SharedParts,
  stock: () => Promise<ServerStock>,
): WatchParts {
  const droppedLogLines = logger.droppedLines ?? new Map();
  const metrics = createMetrics(
    async () => ({ ...(await stock()), warnings: warnings.list(), droppedLogLines }),
    packageVersion,
  );
  const tracing = createTracing(
    config.tracing && { ...config.tracing, version: packageVersion, onWarning },
  );
  const watch = watchWith(metrics, tracing, diskCheck);
  return { metrics, tracing, watch, warnings: warnings.list };
}
