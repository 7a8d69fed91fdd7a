/**
 * Records each request across asynchronous calls: stage times and facts for the log, no user text.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Sources of one ingestion run concurrently, so the sum of their stages may exceed the duration of
 * the request.
 */
export type Stage =
  | 'authenticate'
  | 'recall'
  | 'search'
  | 'embed'
  | 'rerank'
  | 'model'
  | 'check'
  | 'keep'
  | 'fetch'
  | 'convert'
  | 'index';

type SpanAttributes = Readonly<Record<string, string | number | readonly string[]>>;

export interface TraceSpan {
  child(name: string, isClient: boolean): TraceSpan;
  set(attributes: SpanAttributes): void;
  /** @param failure error code if the work failed */
  end(failure?: string): void;
}

export interface RequestSpan extends TraceSpan {
  endRequest(record: RequestRecord, outcome: RequestOutcome): void;
}

/** Facts for the log: only valid names, ids, codes and numbers. */
export interface RequestFacts {
  readonly namespace?: string;
  readonly tool?: string;
  readonly runId?: string;
  readonly reason?: string;
  readonly code?: string;
  /** Status of a failure after the headers were sent. */
  readonly lateStatus?: number;
  /** Whether the caller has no access, though the response says "not found". */
  readonly isForeign?: boolean;
  /** Ids or counts of changed entries. */
  readonly changed?: Readonly<Record<string, string | number>>;
}

interface TokenUse {
  input: number;
  output: number;
}

export interface RequestRecord {
  readonly requestId: string;
  readonly span: RequestSpan | undefined;
  /** Milliseconds by stage. */
  readonly stages: Map<Stage, number>;
  readonly onStage: (stage: Stage, ms: number) => void;
  readonly tokens: TokenUse;
  facts: RequestFacts;
  isOver: boolean;
}

export interface RequestOutcome {
  readonly operation: string | undefined;
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
  /** Id of the caller; metrics show its kind or the hash of its key. */
  readonly caller?: string | undefined;
}

export interface Watch {
  /** @param traceparent header of the client (W3C Trace Context) @param isTraced false: no span */
  begin(requestId: string, traceparent: string | undefined, isTraced: boolean): RequestRecord;
  end(record: RequestRecord, outcome: RequestOutcome): void;
}

type Place = Readonly<{ record: RequestRecord; span: TraceSpan | undefined }>;

const places = new AsyncLocalStorage<Place>();

const activePlace = () => {
  const place = places.getStore();
  return place?.record.isOver ? undefined : place;
};

export const inRequest = <T>(record: RequestRecord, work: () => T): T =>
  places.run({ record, span: record.span }, work);

/** Detaches background work from the request that starts it. */
export const outOfRequest = <T>(work: () => T): T => places.exit(work);

/** Adds facts to the current request. Entries of `changed` are merged. */
export function note({ changed, ...facts }: RequestFacts): void {
  const record = activePlace()?.record;
  if (!record) return;
  const all = changed ? { changed: { ...record.facts.changed, ...changed } } : {};
  record.facts = { ...record.facts, ...facts, ...all };
}

/** Counts an ingested source of this status. */
export function noteRow(status: string): void {
  const before = activePlace()?.record.facts.changed?.[status];
  note({ changed: { [status]: (typeof before === 'number' ? before : 0) + 1 } });
}

export const currentRequestId = (): string | undefined => activePlace()?.record.requestId;

type StageEnd = Readonly<{
  attributes?: SpanAttributes;
  failure?: string | undefined;
  tokens?: TokenUse;
}>;

export interface OpenStage {
  /** Runs work as a child of the span. */
  within<T>(work: () => T): T;
  /** Only the first call counts. */
  end(end?: StageEnd): void;
}

const noStage: OpenStage = { within: (work) => work(), end: () => undefined };

function openSpan(
  name: string,
  isClient: boolean,
  onEnd: (record: RequestRecord, ms: number) => void,
): OpenStage {
  const place = activePlace();
  if (!place) return noStage;
  const { record } = place;
  const span = place.span?.child(name, isClient);
  const started = performance.now();
  let isOpen = true;
  return {
    within: (work) => (span ? places.run({ record, span }, work) : work()),
    end({ attributes = {}, failure, tokens } = {}) {
      if (!isOpen) return;
      isOpen = false;
      onEnd(record, performance.now() - started);
      record.tokens.input += tokens?.input ?? 0;
      record.tokens.output += tokens?.output ?? 0;
      span?.set(attributes);
      span?.end(failure);
    },
  };
}

export const beginSpan = (name: string): OpenStage => openSpan(name, false, () => undefined);

/** Yields the items; produces each within the span. */
export async function* eachWithin<T>(
  { within }: OpenStage,
  items: AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await within(() => iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

function countStage({ stages, onStage }: RequestRecord, stage: Stage, ms: number) {
  stages.set(stage, (stages.get(stage) ?? 0) + ms);
  onStage(stage, ms);
}

/** @param name name of the span */
export const beginStage = (stage: Stage, name: string = stage, isClient = false): OpenStage =>
  openSpan(name, isClient, (record, ms) => countStage(record, stage, ms));

function failureName(thrown: unknown) {
  if (!(thrown instanceof Error)) return 'unknown';
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name;
}

async function endAfter<T>(open: OpenStage, attributes: SpanAttributes, work: () => Promise<T>) {
  if (open === noStage) return work();
  try {
    const result = await open.within(work);
    open.end({ attributes });
    return result;
  } catch (error) {
    open.end({ attributes, failure: failureName(error) });
    throw error;
  }
}

export const inStage = <T>(stage: Stage, work: () => Promise<T>): Promise<T> =>
  endAfter(beginStage(stage), {}, work);

/**
 * Runs a tool call of the agent in a span (OpenTelemetry's conventions for generative AI). Rejects
 * with the error of the work.
 */
export const inToolSpan = <T>(toolName: string, work: () => Promise<T>): Promise<T> =>
  endAfter(
    beginSpan(`execute_tool ${toolName}`),
    {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.type': 'function',
    },
    work,
  );

/** Adds synchronous work to a stage, without a span because it is short. */
export function inStageNow<T>(stage: Stage, work: () => T): T {
  const record = activePlace()?.record;
  if (!record) return work();
  const started = performance.now();
  const result = work();
  record.stages.set(stage, (record.stages.get(stage) ?? 0) + performance.now() - started);
  return result;
}
