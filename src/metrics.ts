/**
 * `GET /metrics`. Each label value creates a stored series, so labels have few values; callers and
 * namespaces at most 50 each.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AnswerMade } from './ask/ask.ts';
import type { RequestFacts, RequestOutcome, Stage } from './trace.ts';
import type { Warnings } from './warnings.ts';

/** Gauges: name and help. */
const gauges = {
  namespaces: ['namespaces', 'Number of namespaces'],
  documents: ['documents', 'Number of documents in all namespaces'],
  chunks: ['chunks', 'Number of chunks of all documents'],
  chunksWithoutVector: ['chunks_without_vector', 'Chunks that are not embedded yet'],
  folderScanSeconds: ['folder_scan_seconds', 'Duration of the last full scan of KNOWLEDGE_DIR'],
  mirrorAgeSeconds: ['mirror_age_seconds', 'Seconds since this server last reached the database'],
} as const;

/** Current values of the gauges; undefined: not applicable or unknown. */
export type GaugeValues = Readonly<Partial<Record<keyof typeof gauges, number | undefined>>> &
  Readonly<{
    jobs?: Readonly<Record<'waiting' | 'running', number>> | undefined;
    warnings: ReturnType<Warnings['list']>;
    droppedLogLines: ReadonlyMap<string, number>;
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

function createBoundedLabel() {
  const known = new Set<string>();
  return (value: string) => {
    if (known.size < 50) known.add(value);
    return known.has(value) ? value : 'other';
  };
}

/**
 * Keys are labelled by their hash, other callers by kind, because subjects and addresses identify
 * people.
 */
function callerLabelOf(countedAs = '') {
  const [kind = ''] = countedAs.split(':');
  if (kind === 'key') return countedAs;
  return kind === 'address' || kind === '' ? 'anonymous' : kind;
}

/** A model that was tried with sample sentences. */
type ProbedJudge = Readonly<{ model: string; canCheck: boolean }>;

export class Metrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #requests = this.#counter(
    'requests_total',
    'Requests by operation and status; none: unknown path or method',
    'operation',
    'status',
  );
  readonly #durations = this.#histogram(
    'request_duration_seconds',
    'Duration of requests; streams are measured to their end',
    longTimes,
    'operation',
  );
  readonly #callerRequests = this.#counter(
    'caller_requests_total',
    'Requests by operation, caller and namespace; other: beyond the first 50 of each',
    'operation',
    'caller',
    'namespace',
  );
  readonly #errors = this.#counter('errors_total', 'Failed requests by error code', 'code');
  readonly #answers = this.#counter(
    'answers_total',
    'Answers by reason; degraded: the configured model failed',
    'reason',
    'degraded',
  );
  readonly #dropped = this.#counter(
    'dropped_sentences_total',
    'Unsupported sentences that were removed',
  );
  readonly #repaired = this.#counter(
    'repaired_sentences_total',
    'Sections shown in place of unsupported sentences',
  );
  readonly #rewritten = this.#counter(
    'rewritten_sentences_total',
    'Unsupported sentences that were written again',
  );
  readonly #coverage = this.#histogram(
    'coverage',
    'How well the documents cover the question, 0 to 1',
    tenths,
  );
  readonly #modelCalls = this.#counter(
    'model_calls_total',
    'Model calls by outcome and purpose (search, answer, check, rewrite)',
    'model',
    'outcome',
    'purpose',
  );
  readonly #modelTokens = this.#counter('model_tokens_total', 'Model tokens', 'model', 'direction');
  readonly #modelFailures = this.#counter(
    'model_failures_total',
    'Failed model calls by reason',
    'model',
    'reason',
  );
  readonly #judges = this.#gauge(
    'judge_can_check',
    '1 if the model judged enough sample sentences right to check answers, else 0',
    'model',
  );
  readonly #circuits = this.#gauge(
    'model_circuit_open',
    '1 while a model is paused because it fails, else 0',
    'role',
  );
  readonly #callerTokens = this.#counter(
    'caller_tokens_total',
    'Model tokens by caller; other: callers beyond the first 50',
    'caller',
    'direction',
  );
  readonly #namespaceTokens = this.#counter(
    'namespace_tokens_total',
    'Model tokens by namespace; other: namespaces beyond the first 50',
    'namespace',
    'direction',
  );
  readonly #genAiTokens = new Histogram({
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of a model call, as the provider counts them',
    buckets: tokenCounts,
    labelNames: [...genAiLabels, 'gen_ai_token_type'],
    registers: this.#registers,
  });
  readonly #genAiDurations = new Histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Duration of a model call',
    buckets: operationTimes,
    labelNames: [...genAiLabels, 'error_type'],
    registers: this.#registers,
  });
  readonly #modelDurations = this.#histogram(
    'model_call_duration_seconds',
    'Duration of a model call, to the end of its reply',
    longTimes,
    'model',
  );
  readonly #build = this.#gauge(
    'build_info',
    'Always 1; the labels are the versions of the server and of Node.js',
    'version',
    'node',
  );
  readonly #searches = this.#histogram(
    'search_duration_seconds',
    'Duration of searches',
    shortTimes,
  );
  readonly #stages = this.#histogram(
    'stage_duration_seconds',
    'Duration of the stages of requests',
    shortTimes,
    'stage',
  );
  readonly #endedJobs = this.#counter('jobs_ended_total', 'Ended jobs by status', 'status');
  readonly #rows = this.#counter(
    'ingest_rows_total',
    'Ingested sources by result',
    'status',
    'kind',
  );
  readonly #gauges = Object.entries(gauges).map(
    ([key, [name, help]]) => [key as keyof typeof gauges, this.#gauge(name, help)] as const,
  );
  readonly #jobs = this.#gauge(
    'jobs',
    'Jobs: waiting on all servers that share them, running on this server',
    'state',
  );
  readonly #droppedLogLines = this.#counter(
    'dropped_log_lines_total',
    'Log lines that could not be written, by level',
    'level',
  );
  readonly #warnings = this.#gauge(
    'warnings',
    'Lasting conditions that need an operator: number of affected namespaces, or 1',
    'code',
  );
  readonly #callerLabel = createBoundedLabel();
  readonly #namespaceLabel = createBoundedLabel();
  readonly #gaugeValues;
  /** The model that was last tried; undefined: none yet. */
  judge: ProbedJudge | undefined;

  /** @param gaugeValues called whenever the metrics are read @param version version of the server */
  constructor(gaugeValues: () => Promise<GaugeValues>, version: string) {
    this.#gaugeValues = gaugeValues;
    this.#build.set({ version, node: process.version }, 1);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Adds metrics of the process, such as memory, CPU and event loop lag. Call once per process. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry, prefix });
  }

  requestEnded(
    { operation = 'none', status, ms, caller }: RequestOutcome,
    { code, namespace = '' }: Pick<RequestFacts, 'code' | 'namespace'>,
  ): void {
    this.#requests.inc({ operation, status });
    this.#callerRequests.inc({
      operation,
      caller: this.#callerLabel(callerLabelOf(caller)),
      // A name that a failed request invents is no label.
      namespace: status < 400 ? this.#namespaceLabel(namespace) : '',
    });
    this.#durations.observe({ operation }, ms / 1_000);
    if (code !== undefined) this.#errors.inc({ code });
  }

  stageEnded(stage: Stage, ms: number): void {
    this.#stages.observe({ stage }, ms / 1_000);
    if (stage === 'search') this.#searches.observe(ms / 1_000);
  }

  answered({ reason, isDegraded, dropped, repaired, rewritten, coverage }: AnswerMade): void {
    this.#answers.inc({ reason, degraded: String(isDegraded) });
    this.#dropped.inc(dropped);
    this.#repaired.inc(repaired);
    this.#rewritten.inc(rewritten);
    if (coverage !== undefined) this.#coverage.observe(coverage);
  }

  modelCalled(
    {
      model,
      provider,
      outcome,
      reason,
      ms,
      isCounted,
      ...tokens
    }: Readonly<{
      model: string;
      provider: string;
      outcome: string;
      reason: string | undefined;
      ms: number;
      inputTokens: number;
      outputTokens: number;
      isCounted: boolean;
    }>,
    {
      countedAs,
      namespace: asked = '',
      purpose = 'answer',
    }: Readonly<Partial<Record<'countedAs' | 'namespace' | 'purpose', string | undefined>>>,
  ): void {
    this.#modelCalls.inc({ model, outcome, purpose });
    if (reason !== undefined) this.#modelFailures.inc({ model, reason });
    this.#modelDurations.observe({ model }, ms / 1_000);
    const call = {
      gen_ai_operation_name: 'chat',
      gen_ai_provider_name: provider,
      gen_ai_request_model: model,
    };
    const failure = reason === undefined ? {} : { error_type: reason };
    this.#genAiDurations.observe({ ...call, ...failure }, ms / 1_000);
    const caller = this.#callerLabel(callerLabelOf(countedAs));
    const namespace = this.#namespaceLabel(asked);
    for (const direction of ['input', 'output'] as const) {
      const count = tokens[`${direction}Tokens`];
      this.#modelTokens.inc({ model, direction }, count);
      this.#callerTokens.inc({ caller, direction }, count);
      this.#namespaceTokens.inc({ namespace, direction }, count);
      if (isCounted) this.#genAiTokens.observe({ ...call, gen_ai_token_type: direction }, count);
    }
  }

  judgeProbed(judge: ProbedJudge): void {
    this.judge = judge;
    this.#judges.set({ model: judge.model }, judge.canCheck ? 1 : 0);
  }

  circuitChanged({ role, isOpen }: { readonly role: string; readonly isOpen: boolean }): void {
    this.#circuits.set({ role }, isOpen ? 1 : 0);
  }

  rowDone({ status, kind }: { readonly status: string; readonly kind: string }): void {
    this.#rows.inc({ status, kind });
  }

  jobEnded(status: string): void {
    this.#endedJobs.inc({ status });
  }

  /** All metrics in the text format of Prometheus. */
  async read(): Promise<string> {
    const values = await this.#gaugeValues();
    this.#droppedLogLines.reset();
    for (const [level, lines] of values.droppedLogLines)
      this.#droppedLogLines.inc({ level }, lines);
    this.#warnings.reset();
    for (const { code, count } of values.warnings) this.#warnings.set({ code }, count);
    for (const [key, gauge] of this.#gauges) {
      const value = values[key];
      // Removes a gauge whose value is no longer known.
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
    this.#jobs.reset();
    for (const [state, count] of Object.entries(values.jobs ?? {}))
      this.#jobs.set({ state }, count);
    return this.#registry.metrics();
  }

  #counter<Label extends string>(name: string, help: string, ...labelNames: Label[]) {
    return new Counter({ name: prefix + name, help, labelNames, registers: this.#registers });
  }

  #gauge<Label extends string>(name: string, help: string, ...labelNames: Label[]) {
    return new Gauge({ name: prefix + name, help, labelNames, registers: this.#registers });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ) {
    const registers = this.#registers;
    return new Histogram({ name: prefix + name, help, buckets, labelNames, registers });
  }
}
