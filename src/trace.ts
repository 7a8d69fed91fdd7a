/**
 * What is known of a request while it is served: where its time goes, what it reads and changes. One record for each, found from everything
 * that happens for it; what is done where there is no request, or after its end, is told to nobody. Holds no text of a user.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** What a request goes through. Those of the sources of one ingest overlap, so their times may add up to more than the request took. */
export type Stage = 'authenticate' | 'recall' | 'search' | 'embed' | 'model' | 'check' | 'keep' | 'fetch' | 'convert' | 'index';

export type SpanAttributes = Readonly<Record<string, string | number | readonly string[]>>;

export interface TraceSpan {
  child(name: string, isClient: boolean): TraceSpan;
  set(attributes: SpanAttributes): void;
  /** @param failure its code, where it failed */
  end(failure?: string): void;
}

export interface RequestSpan extends TraceSpan {
  endRequest(record: RequestRecord, outcome: RequestOutcome): void;
}

/** What is told of a request, in words that come from the program: valid names, ids, codes and numbers. */
export interface RequestFacts {
  readonly namespace?: string;
  readonly tool?: string;
  readonly runId?: string;
  readonly reason?: string;
  readonly code?: string;
  /** Status of a failure after the headers were sent. */
  readonly lateStatus?: number;
  /** Whether what was asked for is not the caller's, though the answer does not say so. */
  readonly isForeign?: boolean;
  /** What was changed: an id, or how many. */
  readonly changed?: Readonly<Record<string, string | number>>;
}

export interface TokenUse {
  input: number;
  output: number;
}

export interface RequestRecord {
  readonly requestId: string;
  readonly span: RequestSpan | undefined;
  /** Milliseconds. */
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
}

export interface Watch {
  /** @param traceparent W3C Trace Context, as the client sent it @param isTraced false: the request has no span */
  begin(requestId: string, traceparent: string | undefined, isTraced: boolean): RequestRecord;
  end(record: RequestRecord, outcome: RequestOutcome): void;
}

type Place = Readonly<{ record: RequestRecord; span: TraceSpan | undefined }>;

const places = new AsyncLocalStorage<Place>();

const here = (): Place | undefined => {
  const place = places.getStore();
  return place?.record.isOver ? undefined : place;
};

export const inRequest = <T>(record: RequestRecord, work: () => T): T => places.run({ record, span: record.span }, work);

/** For what a request starts and does not wait for. */
export const outOfRequest = <T>(work: () => T): T => places.exit(work);

/** One more thing that is known; of what changes, all is kept. */
export function note({ changed, ...facts }: RequestFacts): void {
  const record = here()?.record;
  if (!record) return;
  const all = changed ? { changed: { ...record.facts.changed, ...changed } } : {};
  record.facts = { ...record.facts, ...facts, ...all };
}

/** One more row of an ingest, of this status. */
export function noteRow(status: string): void {
  const before = here()?.record.facts.changed?.[status];
  note({ changed: { [status]: (typeof before === 'number' ? before : 0) + 1 } });
}

export const currentRequestId = (): string | undefined => here()?.record.requestId;

export type StageEnd = Readonly<{ attributes?: SpanAttributes; failure?: string | undefined; tokens?: TokenUse }>;

export interface OpenStage {
  /** What happens here is a part of it. */
  within<T>(work: () => T): T;
  /** Once; what comes after it is not heard. */
  end(end?: StageEnd): void;
}

const untold: OpenStage = { within: (work) => work(), end: () => undefined };

function openSpan(name: string, isClient: boolean, onEnd: (record: RequestRecord, ms: number) => void): OpenStage {
  const place = here();
  if (!place) return untold;
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

/** The same items; each is made within the span. */
export async function* eachWithin<T>({ within }: OpenStage, items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
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

function countStage({ stages, onStage }: RequestRecord, stage: Stage, ms: number): void {
  stages.set(stage, (stages.get(stage) ?? 0) + ms);
  onStage(stage, ms);
}

/** Counts time that another thread took for the request. */
export function addStage(stage: Stage, ms: number): void {
  const record = here()?.record;
  if (record) countStage(record, stage, ms);
}

/** @param name of its span */
export const beginStage = (stage: Stage, name: string = stage, isClient = false): OpenStage =>
  openSpan(name, isClient, (record, ms) => countStage(record, stage, ms));

export function failureName(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown';
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name;
}

async function endAfter<T>(open: OpenStage, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> {
  if (open === untold) return work();
  try {
    const result = await open.within(work);
    open.end({ attributes });
    return result;
  } catch (error) {
    open.end({ attributes, failure: failureName(error) });
    throw error;
  }
}

export const inStage = <T>(stage: Stage, work: () => Promise<T>): Promise<T> => endAfter(beginStage(stage), {}, work);

/** A call of a tool by the agent, as a span (OpenTelemetry's conventions for generative AI). Rejects as the work does. */
export const inToolSpan = <T>(toolName: string, work: () => Promise<T>): Promise<T> =>
  endAfter(
    beginSpan(`execute_tool ${toolName}`),
    { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': toolName, 'gen_ai.tool.type': 'function' },
    work,
  );

/** A piece of a stage that is too short for a span of its own, and does not wait. */
export function inStageNow<T>(stage: Stage, work: () => T): T {
  const record = here()?.record;
  if (!record) return work();
  const started = performance.now();
  const result = work();
  record.stages.set(stage, (record.stages.get(stage) ?? 0) + performance.now() - started);
  return result;
}
