/**
 * What `GET /metrics` tells, for Prometheus. A label holds a word of a closed set (operations, reasons, codes, stages, models that are set
 * up), never a path or a user's text: each value is a series that is kept. Callers and namespaces are labels of tokens only, 50 of each.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AnswerMade } from './app/ask/ask.ts';
import type { RequestOutcome, Stage } from './trace.ts';
import type { Warning } from './warnings.ts';

/** How much there is at this moment; undefined where there is no such thing, or it cannot be told. */
export interface Stock {
  readonly warnings: readonly Warning[];
  readonly droppedLogLines: ReadonlyMap<string, number>;
  readonly namespaces?: number;
  readonly documents?: number;
  readonly chunks?: number;
  readonly jobsWaiting?: number | undefined;
  readonly jobsRunning?: number | undefined;
  readonly chunksWithoutVector?: number | undefined;
  readonly folderScanSeconds?: number | undefined;
  readonly mirrorAgeSeconds?: number | undefined;
}

interface Called {
  readonly model: string;
  readonly provider: string;
  readonly outcome: string;
  readonly reason: string | undefined;
  readonly ms: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly isCounted: boolean;
}

type CalledFor = Readonly<{ countedAs?: string | undefined; namespace?: string | undefined }>;

const longTimes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const shortTimes = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];
/** As OpenTelemetry's conventions for generative AI set them. */
const tokenCounts = Array.from({ length: 14 }, (_, power) => 4 ** power);
const operationTimes = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

const prefix = 'knowledge_';
const genAiLabels = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;

function createBoundedLabel(maxValues = 50): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.size < maxValues) known.add(value);
    return known.has(value) ? value : 'other';
  };
}

/** A key by its hash, as in the log; every other caller by kind: tokens and addresses name persons. */
function callerLabelOf(countedAs = ''): string {
  const [kind = ''] = countedAs.split(':');
  if (kind === 'key') return countedAs;
  return kind === 'address' || kind === '' ? 'anonymous' : kind;
}

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
    repaired: counter('repaired_sentences_total', 'Sentences of replies that the words of a passage replaced'),
    coverage: histogram('coverage', 'How surely the documents speak of what was asked, 0 to 1', tenths),
    modelCalls: counter('model_calls_total', 'Calls of models by outcome', 'model', 'outcome'),
    modelTokens: counter('model_tokens_total', 'Tokens of models', 'model', 'direction'),
    modelFailures: counter('model_failures_total', 'Failed calls of models by reason', 'model', 'reason'),
    circuits: gauge('model_circuit_open', '1 while a model is paused because it fails, else 0', 'role'),
    callerTokens: counter('caller_tokens_total', 'Tokens of models by caller; other: callers beyond the first 50', 'caller', 'direction'),
    namespaceTokens: counter(
      'namespace_tokens_total',
      'Tokens of models by namespace; other: namespaces beyond the first 50',
      'namespace',
      'direction',
    ),
    genAiTokens: new Histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a call of a model, as its provider counts them',
      buckets: tokenCounts,
      labelNames: [...genAiLabels, 'gen_ai_token_type'],
      registers,
    }),
    genAiDurations: new Histogram({
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'Duration of a call of a model',
      buckets: operationTimes,
      labelNames: [...genAiLabels, 'error_type'],
      registers,
    }),
    build: gauge('build_info', 'Always 1; the labels are the versions of the server and of Node.js', 'version', 'node'),
    modelDurations: histogram('model_call_duration_seconds', 'Until the end of the reply', longTimes, 'model'),
    searches: histogram('search_duration_seconds', 'Searches of requests', shortTimes),
    stages: histogram('stage_duration_seconds', 'What requests go through', shortTimes, 'stage'),
    rows: counter('ingest_rows_total', 'Sources by what became of them', 'status', 'kind'),
    namespaces: gauge('namespaces', 'Namespaces that are there'),
    documents: gauge('documents', 'Documents of all namespaces'),
    chunks: gauge('chunks', 'Chunks of all documents'),
    jobs: gauge('jobs', 'Jobs: waiting, of all servers that share them; running, of this one', 'state'),
    unembedded: gauge('chunks_without_vector', 'Chunks that wait for their vector'),
    folderScan: gauge('folder_scan_seconds', 'Duration of the last full look through the knowledge folder'),
    mirrorAge: gauge('mirror_age_seconds', 'Since this server last heard of the database'),
    droppedLogLines: counter('dropped_log_lines_total', 'Log lines that could not be written, by level', 'level'),
    warnings: gauge('warnings', 'Lasting conditions that need an operator: number of affected namespaces, or 1', 'code'),
  };
}

/** What is not known any more is not told as it was. */
function tellStock(meters: ReturnType<typeof createMeters>, stock: Stock): void {
  const { namespaces, documents, chunks, jobs, unembedded, folderScan, mirrorAge, warnings, droppedLogLines } = meters;
  droppedLogLines.reset();
  for (const [level, lines] of stock.droppedLogLines) droppedLogLines.inc({ level }, lines);
  warnings.reset();
  for (const { code, count } of stock.warnings) warnings.set({ code }, count);
  const told = [
    [namespaces, stock.namespaces],
    [documents, stock.documents],
    [chunks, stock.chunks],
    [unembedded, stock.chunksWithoutVector],
    [folderScan, stock.folderScanSeconds],
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

/** @param stockOf looked at whenever the metrics are read @param version of the server */
export function createMetrics(stockOf: () => Promise<Stock>, version: string) {
  const registry = new Registry();
  const meters = createMeters(registry);
  const callerLabel = createBoundedLabel();
  const namespaceLabel = createBoundedLabel();
  meters.build.set({ version, node: process.version }, 1);
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
    answered({ reason, isDegraded, dropped, repaired, coverage }: AnswerMade): void {
      meters.answers.inc({ reason, degraded: String(isDegraded) });
      meters.dropped.inc(dropped);
      meters.repaired.inc(repaired);
      if (coverage !== undefined) meters.coverage.observe(coverage);
    },
    modelCalled({ model, provider, outcome, reason, ms, isCounted, ...tokens }: Called, use: CalledFor): void {
      meters.modelCalls.inc({ model, outcome });
      if (reason !== undefined) meters.modelFailures.inc({ model, reason });
      meters.modelDurations.observe({ model }, ms / 1_000);
      const call = { gen_ai_operation_name: 'chat', gen_ai_provider_name: provider, gen_ai_request_model: model };
      meters.genAiDurations.observe({ ...call, ...(reason === undefined ? {} : { error_type: reason }) }, ms / 1_000);
      const caller = callerLabel(callerLabelOf(use.countedAs));
      const namespace = namespaceLabel(use.namespace ?? '');
      for (const [direction, count] of [['input', tokens.inputTokens] as const, ['output', tokens.outputTokens] as const]) {
        meters.modelTokens.inc({ model, direction }, count);
        meters.callerTokens.inc({ caller, direction }, count);
        meters.namespaceTokens.inc({ namespace, direction }, count);
        if (isCounted) meters.genAiTokens.observe({ ...call, gen_ai_token_type: direction }, count);
      }
    },
    circuitChanged: ({ role, isOpen }: { readonly role: string; readonly isOpen: boolean }): void =>
      meters.circuits.set({ role }, isOpen ? 1 : 0),
    rowDone: ({ status, kind }: { readonly status: string; readonly kind: string }): void => meters.rows.inc({ status, kind }),

    async read(): Promise<string> {
      tellStock(meters, await stockOf());
      return registry.metrics();
    },
  };
}
