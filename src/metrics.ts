/**
 * What `GET /metrics` tells, for Prometheus. A label holds a word of a closed set (operations, reasons, codes, stages, models that are set
 * up), never a path, a namespace, a caller or what somebody wrote: each value is a series that is kept for ever.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestOutcome, Stage } from './trace.ts';
import type { Warning } from './warnings.ts';

/** How much there is at this moment; undefined where there is no such thing, or it cannot be told. */
export interface Stock {
  readonly warnings: readonly Warning[];
  readonly namespaces?: number;
  readonly documents?: number;
  readonly chunks?: number;
  readonly jobsWaiting?: number | undefined;
  readonly jobsRunning?: number | undefined;
  readonly chunksWithoutVector?: number | undefined;
  readonly mirrorAgeSeconds?: number | undefined;
}

/** What an answer came to. */
interface Answered {
  readonly reason: string;
  readonly isDegraded: boolean;
  readonly dropped: number;
  /** Undefined: nothing was searched. */
  readonly coverage: number | undefined;
}

/** One call of a model. */
interface Called {
  readonly model: string;
  readonly outcome: string;
  readonly ms: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Seconds. */
const longTimes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const shortTimes = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];
const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

const prefix = 'knowledge_';

function createMeters(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `${prefix}${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name: `${prefix}${name}`, help, buckets, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `${prefix}${name}`, help, labelNames, registers });
  return {
    requests: counter('requests_total', 'Requests by operation and status; none: a path or method of no operation', 'operation', 'status'),
    durations: histogram('request_duration_seconds', 'Until the answer is made; of a stream, until its end', longTimes, 'operation'),
    errors: counter('errors_total', 'Requests that failed, by the code of the error', 'code'),
    answers: counter(
      'answers_total',
      'Answers by reason, and whether they were made without the model that is set up',
      'reason',
      'degraded',
    ),
    dropped: counter('dropped_sentences_total', 'Sentences of replies that no passage supported'),
    coverage: histogram('coverage', 'How surely the documents speak of what was asked, 0 to 1', tenths),
    modelCalls: counter('model_calls_total', 'Calls of models by outcome', 'model', 'outcome'),
    modelTokens: counter('model_tokens_total', 'Tokens of models', 'model', 'direction'),
    modelDurations: histogram('model_call_duration_seconds', 'Until the end of the reply', longTimes, 'model'),
    searches: histogram('search_duration_seconds', 'Searches of requests', shortTimes),
    stages: histogram('stage_duration_seconds', 'What requests go through', shortTimes, 'stage'),
    rows: counter('ingest_rows_total', 'Sources by what became of them', 'status', 'kind'),
    namespaces: gauge('namespaces', 'Namespaces that are there'),
    documents: gauge('documents', 'Documents of all namespaces'),
    chunks: gauge('chunks', 'Chunks of all documents'),
    jobs: gauge('jobs', 'Jobs: waiting, of all servers that share them; running, of this one', 'state'),
    unembedded: gauge('chunks_without_vector', 'Chunks that wait for their vector'),
    mirrorAge: gauge('mirror_age_seconds', 'Since this server last heard of the database'),
    warnings: gauge('warnings', 'Lasting conditions that need an operator: number of affected namespaces, or 1', 'code'),
  };
}

/** What is not known any more is not told as it was. */
function tellStock(meters: ReturnType<typeof createMeters>, stock: Stock): void {
  const { namespaces, documents, chunks, jobs, unembedded, mirrorAge, warnings } = meters;
  warnings.reset();
  for (const { code, count } of stock.warnings) warnings.set({ code }, count);
  const told = [
    [namespaces, stock.namespaces],
    [documents, stock.documents],
    [chunks, stock.chunks],
    [unembedded, stock.chunksWithoutVector],
    [mirrorAge, stock.mirrorAgeSeconds],
  ] as const;
  for (const [gauge, value] of told) {
    if (value === undefined) gauge.remove();
    else gauge.set(value);
  }
  for (const [state, value] of Object.entries({ waiting: stock.jobsWaiting, running: stock.jobsRunning })) {
    if (value === undefined) jobs.remove({ state });
    else jobs.set({ state }, value);
  }
}

export type Metrics = ReturnType<typeof createMetrics>;

/** @param stockOf looked at whenever the metrics are read */
export function createMetrics(stockOf: () => Promise<Stock>) {
  const registry = new Registry();
  const meters = createMeters(registry);
  return {
    contentType: registry.contentType,
    /** Of the process: memory, CPU, the lag of its event loop. Once for a process. */
    watchProcess: () => collectDefaultMetrics({ register: registry, prefix }),

    requestEnded({ operation = 'none', status, ms }: RequestOutcome, code: string | undefined): void {
      meters.requests.inc({ operation, status });
      meters.durations.observe({ operation }, ms / 1_000);
      if (code !== undefined) meters.errors.inc({ code });
    },
    stageEnded(stage: Stage, ms: number): void {
      meters.stages.observe({ stage }, ms / 1_000);
      if (stage === 'search') meters.searches.observe(ms / 1_000);
    },
    answered({ reason, isDegraded, dropped, coverage }: Answered): void {
      meters.answers.inc({ reason, degraded: String(isDegraded) });
      meters.dropped.inc(dropped);
      if (coverage !== undefined) meters.coverage.observe(coverage);
    },
    modelCalled({ model, outcome, ms, inputTokens, outputTokens }: Called): void {
      meters.modelCalls.inc({ model, outcome });
      meters.modelTokens.inc({ model, direction: 'input' }, inputTokens);
      meters.modelTokens.inc({ model, direction: 'output' }, outputTokens);
      meters.modelDurations.observe({ model }, ms / 1_000);
    },
    rowDone: ({ status, kind }: { readonly status: string; readonly kind: string }): void => meters.rows.inc({ status, kind }),

    async read(): Promise<string> {
      tellStock(meters, await stockOf());
      return registry.metrics();
    },
  };
}
