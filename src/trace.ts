/**
 * What is known of a request while it is served: where its time goes, what it reads and changes. One record for each, found from everything
 * that happens for it; what is done where there is no request, or after its end, is told to nobody. Holds no text of a user.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** What a request goes through. Those of the sources of one ingest overlap, so their times may add up to more than the request took. */
export type Stage = 'authenticate' | 'recall' | 'search' | 'embed' | 'model' | 'check' | 'keep' | 'fetch' | 'convert' | 'index';

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A piece of a trace, where requests are traced. */
export interface TraceSpan {
  child(stage: Stage): TraceSpan;
  set(attributes: SpanAttributes): void;
  /** @param failure its code, where it failed */
  end(failure?: string): void;
}

/** A request as a span, which learns its name at its end. */
export interface RequestSpan extends TraceSpan {
  endRequest(record: RequestRecord, outcome: RequestOutcome): void;
}

/** What is told of a request, in words that come from the program: valid names, ids, codes and numbers. */
export interface RequestFacts {
  readonly namespace?: string;
  /** Called as a tool, whichever way. */
  readonly tool?: string;
  /** Of an answer. */
  readonly reason?: string;
  /** Of its failure. */
  readonly code?: string;
  /** Whether what was asked for is not the caller's, though the answer does not say so. */
  readonly isForeign?: boolean;
  /** What was changed: an id, or how many. */
  readonly changed?: Readonly<Record<string, string | number>>;
}

export interface RequestRecord {
  readonly requestId: string;
  readonly span: RequestSpan | undefined;
  /** Milliseconds. */
  readonly stages: Map<Stage, number>;
  readonly onStage: (stage: Stage, ms: number) => void;
  facts: RequestFacts;
  isOver: boolean;
}

export interface RequestOutcome {
  /** Undefined: the request asked for none. */
  readonly operation: string | undefined;
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** Who is told of requests. */
export interface Watch {
  /** @param traceparent W3C Trace Context, as the client sent it */
  begin(requestId: string, traceparent: string | undefined): RequestRecord;
  end(record: RequestRecord, outcome: RequestOutcome): void;
}

interface Place {
  readonly record: RequestRecord;
  readonly span: TraceSpan | undefined;
}

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

/** A stage that ends when its host says so. */
export interface OpenStage {
  /** What happens here is a part of it. */
  within<T>(work: () => T): T;
  /** Once; what comes after it is not heard. */
  end(attributes?: SpanAttributes, failure?: string): void;
}

const untold: OpenStage = { within: (work) => work(), end: () => undefined };

export function beginStage(stage: Stage): OpenStage {
  const place = here();
  if (!place) return untold;
  const { record } = place;
  const span = place.span?.child(stage);
  const started = performance.now();
  let isOpen = true;
  return {
    within: (work) => (span ? places.run({ record, span }, work) : work()),
    end(attributes = {}, failure) {
      if (!isOpen) return;
      isOpen = false;
      const ms = performance.now() - started;
      record.stages.set(stage, (record.stages.get(stage) ?? 0) + ms);
      record.onStage(stage, ms);
      span?.set(attributes);
      span?.end(failure);
    },
  };
}

/** What a failure is called: never its message. */
export function failureName(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown';
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name;
}

/** Rejects as the work does. */
export async function inStage<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
  const open = beginStage(stage);
  if (open === untold) return work();
  try {
    const result = await open.within(work);
    open.end();
    return result;
  } catch (error) {
    open.end({}, failureName(error));
    throw error;
  }
}

/** A piece of a stage that is too short for a span of its own, and does not wait. */
export function inStageNow<T>(stage: Stage, work: () => T): T {
  const record = here()?.record;
  if (!record) return work();
  const started = performance.now();
  const result = work();
  record.stages.set(stage, (record.stages.get(stage) ?? 0) + performance.now() - started);
  return result;
}
