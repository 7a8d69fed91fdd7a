/**
 * `GET /metrics`. Each label value creates a stored series, so labels have few values; callers and
 * namespaces at most 50 each.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AnswerMade } from './ask/ask.ts';
import type { RequestFacts, RequestOutcome, Stage } from './trace.ts';
import type { Warning } from './warnings.ts';

/** Current values of the gauges; undefined: not applicable or unknown. */
export interface GaugeValues {
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

interface ModelCallRecord {
  readonly model: string;
  readonly provider: string;
  readonly outcome: string;
  readonly reason: string | undefined;
  readonly ms: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly isCounted: boolean;
}

type CallAttribution = Readonly<{
  countedAs?: string | undefined;
  namespace?: string | undefined;
  purpose?: string | undefined;
}>;

const longTimes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const shortTimes = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];
/** Buckets of OpenTelemetry's conventions for generative AI. */
const tokenCounts = Array.from({ length: 14 }, (_, power) => 4 ** power);
const operationTimes = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

const prefix = 'knowledge_';
const genAiLabels = [
  'gen_ai_operation_name',
  'gen_ai_provider_name',
  'gen_ai_request_model',
] as const;

function createBoundedLabel(maxValues = 50): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.size < maxValues) known.add(value);
    return known.has(value) ? value : 'other';
  };
}

/**
 * Keys are labelled by their hash, other callers by kind, because subjects and addresses identify
 * people.
 */
function callerLabelOf(countedAs = ''): string {
  const [kind = ''] = countedAs.split(':');
  if (kind === 'key') return countedAs;
  return kind === 'address' || kind === '' ? 'anonymous' : kind;
}

/** Functions that create metrics of a registry. */
function createCreators(registers: Registry[]) {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `${prefix}${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ) => new Histogram({ name: `${prefix}${name}`, help, buckets, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `${prefix}${name}`, help, labelNames, registers });
  return { counter, histogram, gauge };
}

function createModelMeters(
  { counter, histogram, gauge }: ReturnType<typeof createCreators>,
  registers: Registry[],
) {
  return {
    modelCalls: counter(
      'model_calls_total',
      'Model calls by outcome and purpose (search, answer, check, rewrite)',
      ...(['model', 'outcome', 'purpose'] as const),
    ),
    modelTokens: counter('model_tokens_total', 'Model tokens', 'model', 'direction'),
    modelFailures: counter(
      'model_failures_total',
      'Failed model calls by reason',
      'model',
      'reason',
    ),
    judges: gauge(
      'judge_can_check',
      '1 if the model judged enough sample sentences right to check answers, else 0',
      'model',
    ),
    circuits: gauge(
      'model_circuit_open',
      '1 while a model is paused because it fails, else 0',
      'role',
    ),
    callerTokens: counter(
      'caller_tokens_total',
      'Model tokens by caller; other: callers beyond the first 50',
      'caller',
      'direction',
    ),
    namespaceTokens: counter(
      'namespace_tokens_total',
      'Model tokens by namespace; other: namespaces beyond the first 50',
      'namespace',
      'direction',
    ),
    genAiTokens: new Histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a model call, as the provider counts them',
      buckets: tokenCounts,
      labelNames: [...genAiLabels, 'gen_ai_token_type'],
      registers,
    }),
    genAiDurations: new Histogram({
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'Duration of a model call',
      buckets: operationTimes,
      labelNames: [...genAiLabels, 'error_type'],
      registers,
    }),
    modelDurations: histogram(
      'model_call_duration_seconds',
      'Duration of a model call, to the end of its reply',
      longTimes,
      'model',
    ),
  };
}

function createMeters(registry: Registry) {
  const registers = [registry];
  const creators = createCreators(registers);
  const { counter, histogram, gauge } = creators;
  return {
    requests: counter(
      'requests_total',
      'Requests by operation and status; none: unknown path or method',
      'operation',
      'status',
    ),
    durations: histogram(
      'request_duration_seconds',
      'Duration of requests; streams are measured to their end',
      longTimes,
      'operation',
    ),
    callerRequests: counter(
      'caller_requests_total',
      'Requests by operation, caller and namespace; other: beyond the first 50 of each',
      ...(['operation', 'caller', 'namespace'] as const),
    ),
    errors: counter('errors_total', 'Failed requests by error code', 'code'),
    answers: counter(
      'answers_total',
      'Answers by reason; degraded: the configured model failed',
      'reason',
      'degraded',
    ),
    dropped: counter('dropped_sentences_total', 'Unsupported sentences that were removed'),
    repaired: counter(
      'repaired_sentences_total',
      'Sections shown in place of unsupported sentences',
    ),
    rewritten: counter(
      'rewritten_sentences_total',
      'Unsupported sentences that were written again',
    ),
    coverage: histogram('coverage', 'How well the documents cover the question, 0 to 1', tenths),
    ...createModelMeters(creators, registers),
    build: gauge(
      'build_info',
      'Always 1; the labels are the versions of the server and of Node.js',
      'version',
      'node',
    ),
    searches: histogram('search_duration_seconds', 'Duration of searches', shortTimes),
    stages: histogram(
      'stage_duration_seconds',
      'Duration of the stages of requests',
      shortTimes,
      'stage',
    ),
    jobs: counter('jobs_ended_total', 'Ended jobs by status', 'status'),
    rows: counter('ingest_rows_total', 'Ingested sources by result', 'status', 'kind'),
  };
}

/** @returns a function that sets the gauges, and removes those whose value is no longer known */
function createGaugeUpdater(registry: Registry): (values: GaugeValues) => void {
  const registers = [registry];
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `${prefix}${name}`, help, labelNames, registers });
  const namespaces = gauge('namespaces', 'Number of namespaces');
  const documents = gauge('documents', 'Number of documents in all namespaces');
  const chunks = gauge('chunks', 'Number of chunks of all documents');
  const jobs = gauge(
    'jobs',
    'Jobs: waiting on all servers that share them, running on this server',
    'state',
  );
  const unembedded = gauge('chunks_without_vector', 'Chunks that are not embedded yet');
  const folderScan = gauge(
    'folder_scan_seconds',
    'Duration of the last full scan of KNOWLEDGE_DIR',
  );
  const mirrorAge = gauge(
    'mirror_age_seconds',
    'Seconds since this server last reached the database',
  );
  const dropped = 'Log lines that could not be written, by level';
  const droppedLogLines = new Counter({
    name: `${prefix}dropped_log_lines_total`,
    help: dropped,
    labelNames: ['level'],
    registers,
  });
  const warnings = gauge(
    'warnings',
    'Lasting conditions that need an operator: number of affected namespaces, or 1',
    'code',
  );
  return (values) => {
    droppedLogLines.reset();
    for (const [level, lines] of values.droppedLogLines) droppedLogLines.inc({ level }, lines);
    warnings.reset();
    for (const { code, count } of values.warnings) warnings.set({ code }, count);
    for (const [gauge, value] of [
      [namespaces, values.namespaces],
      [documents, values.documents],
      [chunks, values.chunks],
      [unembedded, values.chunksWithoutVector],
      [folderScan, values.folderScanSeconds],
      [mirrorAge, values.mirrorAgeSeconds],
    ] as const) {
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
    for (const [state, value] of Object.entries({
      waiting: values.jobsWaiting,
      running: values.jobsRunning,
    })) {
      if (value === undefined) jobs.remove({ state });
      else jobs.set({ state }, value);
    }
  };
}

/** A model that was tried with sample sentences. */
export interface ProbedJudge {
  readonly model: string;
  readonly canCheck: boolean;
}

export interface Metrics {
  readonly contentType: string;
  /** Adds metrics of the process, such as memory, CPU and event loop lag. Call once per process. */
  watchProcess(): void;
  requestEnded(outcome: RequestOutcome, facts: Pick<RequestFacts, 'code' | 'namespace'>): void;
  stageEnded(stage: Stage, ms: number): void;
  answered(answer: AnswerMade): void;
  modelCalled(call: ModelCallRecord, use: CallAttribution): void;
  judgeProbed(judge: ProbedJudge): void;
  /** The model that was last tried; undefined: none yet. */
  judge(): ProbedJudge | undefined;
  circuitChanged(circuit: { readonly role: string; readonly isOpen: boolean }): void;
  rowDone(row: { readonly status: string; readonly kind: string }): void;
  jobEnded(status: string): void;
  /** All metrics in the text format of Prometheus. */
  read(): Promise<string>;
}

/** @param gaugeValues called whenever the metrics are read @param version version of the server */
export function createMetrics(gaugeValues: () => Promise<GaugeValues>, version: string): Metrics {
  const registry = new Registry();
  const meters = createMeters(registry);
  const updateGauges = createGaugeUpdater(registry);
  const callerLabel = createBoundedLabel();
  const namespaceLabel = createBoundedLabel();
  let probed: ProbedJudge | undefined;
  meters.build.set({ version, node: process.version }, 1);
  return {
    contentType: registry.contentType,
    watchProcess: () => collectDefaultMetrics({ register: registry, prefix }),

    requestEnded({ operation = 'none', status, ms, caller }, { code, namespace = '' }) {
      meters.requests.inc({ operation, status });
      meters.callerRequests.inc({
        operation,
        caller: callerLabel(callerLabelOf(caller)),
        // A name that a failed request invents is no label.
        namespace: status < 400 ? namespaceLabel(namespace) : '',
      });
      meters.durations.observe({ operation }, ms / 1_000);
      if (code !== undefined) meters.errors.inc({ code });
    },
    stageEnded(stage, ms) {
      meters.stages.observe({ stage }, ms / 1_000);
      if (stage === 'search') meters.searches.observe(ms / 1_000);
    },
    answered({ reason, isDegraded, dropped, repaired, rewritten, coverage }) {
      meters.answers.inc({ reason, degraded: String(isDegraded) });
      meters.dropped.inc(dropped);
      meters.repaired.inc(repaired);
      meters.rewritten.inc(rewritten);
      if (coverage !== undefined) meters.coverage.observe(coverage);
    },
    modelCalled({ model, provider, outcome, reason, ms, isCounted, ...tokens }, use) {
      meters.modelCalls.inc({ model, outcome, purpose: use.purpose ?? 'answer' });
      if (reason !== undefined) meters.modelFailures.inc({ model, reason });
      meters.modelDurations.observe({ model }, ms / 1_000);
      const call = {
        gen_ai_operation_name: 'chat',
        gen_ai_provider_name: provider,
        gen_ai_request_model: model,
      };
      meters.genAiDurations.observe(
        { ...call, ...(reason === undefined ? {} : { error_type: reason }) },
        ms / 1_000,
      );
      const caller = callerLabel(callerLabelOf(use.countedAs));
      const namespace = namespaceLabel(use.namespace ?? '');
      for (const [direction, count] of [
        ['input', tokens.inputTokens] as const,
        ['output', tokens.outputTokens] as const,
      ]) {
        meters.modelTokens.inc({ model, direction }, count);
        meters.callerTokens.inc({ caller, direction }, count);
        meters.namespaceTokens.inc({ namespace, direction }, count);
        if (isCounted) meters.genAiTokens.observe({ ...call, gen_ai_token_type: direction }, count);
      }
    },
    judgeProbed(judge) {
      probed = judge;
      meters.judges.set({ model: judge.model }, judge.canCheck ? 1 : 0);
    },
    judge: () => probed,
    circuitChanged: ({ role, isOpen }) => meters.circuits.set({ role }, isOpen ? 1 : 0),
    rowDone: ({ status, kind }) => meters.rows.inc({ status, kind }),

    jobEnded: (status) => meters.jobs.inc({ status }),

    async read() {
      updateGauges(await gaugeValues());
      return registry.metrics();
    },
  };
}
