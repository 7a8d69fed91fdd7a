/** One fuzz pass against one server: concurrent requests, every response checked. */
import { createChecks, type Problem, type ValidatorOf } from './checks.ts';
import { type Canary, createLeakFinder } from './leaks.ts';
import { createMemory } from './memory.ts';
import { type ApiDocument, createRouter, operationsOf, type Schema } from './openapi.ts';
import { createRequests, type FuzzRequest, type Surroundings } from './requests.ts';
import { type Answer, createAgent, type NoAnswer, send } from './send.ts';

export interface Pass {
  /** Origin, without a path. */
  readonly url: string;
  readonly around: Surroundings;
  readonly canaries: readonly Canary[];
  readonly restock?: () => Promise<void>;
  readonly isAlive?: () => boolean;
  /** Compiled once for all passes. */
  readonly validatorOf: ValidatorOf;
  readonly seed: number;
  readonly requests: number;
  readonly concurrency: number;
  /** Restricts the pass to the operation with this id. */
  readonly only?: string | undefined;
  /** Aborts the pass; results so far are reported. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, failed: number) => void;
}

export interface Failure extends Problem {
  readonly request: FuzzRequest;
  readonly answer: Answer | NoAnswer;
}

export interface PassReport {
  readonly requests: number;
  readonly failures: readonly Failure[];
  /** Operation → status → count; status 0: the connection was closed. */
  readonly statuses: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Bodies drawn from a schema that this schema rejects: bugs of the fuzz. */
  readonly misdrawn: number;
  readonly drawn: number;
}

const restockEvery = 100;
/** Requests without a response after which the server counts as down. */
const maxUnanswered = 50;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const isAnswer = (answer: Answer | NoAnswer): answer is Answer => 'status' in answer;

export async function readDocument(base: string): Promise<ApiDocument> {
  const response = await fetch(`${base}/api/openapi.json`);
  if (!response.ok) throw new Error(`${base}/api/openapi.json returned ${response.status}`);
  return (await response.json()) as ApiDocument;
}

export async function runPass(pass: Pass): Promise<PassReport> {
  const {
    url,
    around,
    canaries,
    restock,
    isAlive = () => true,
    validatorOf,
    seed,
    requests: count,
    concurrency,
    only,
    signal,
    onProgress,
  } = pass;
  const all = operationsOf(await readDocument(url + around.pathPrefix));
  const operations = only === undefined ? all : all.filter(({ id }) => id === only);
  if (operations.length === 0)
    throw new Error(
      `Unknown operation ${only}. Choose one of ${all.map(({ id }) => id).join(', ')}`,
    );
  const routesOf = createRouter(all);
  const problemsOf = createChecks(validatorOf, createLeakFinder(canaries));
  const memory = createMemory();
  const isValid = (schema: Schema, value: unknown) => validatorOf(schema)(value);
  const draw = createRequests({ operations, seed, memory, around, isValid });
  const agent = createAgent(concurrency);
  const failures: Failure[] = [];
  const statuses = new Map<string, Map<number, number>>();
  const counted = { drawn: 0, misdrawn: 0, unanswered: 0 };
  let next = 0;
  let done = 0;

  const isWellDrawn = ({ value, operation: { body } }: FuzzRequest) => {
    const schema = body['application/json']?.schema;
    return !schema || isValid(schema, value);
  };

  function problemsWithout(request: FuzzRequest, { isLate, closed = '' }: NoAnswer): Problem[] {
    if (isLate) return [{ check: 'no answer', cause: 'timed out' }];
    if (request.isBelowHttp || closed.startsWith('not sent') || request.body?.isChunked) return [];
    // The server rejects an oversized body and closes the connection before reading all of it.
    const isLarge = (request.body?.bytes.length ?? 0) > 1_000_000;
    if (isLarge && /ECONNRESET|EPIPE/.test(closed)) return [];
    return [{ check: 'no answer', cause: closed }];
  }

  async function once(request: FuzzRequest): Promise<void> {
    const { operation, path, method } = request;
    const answer = await send(url, request, agent);
    // Ctrl-C stops the server too.
    if (signal?.aborted) return;
    const own = statuses.get(operation.id) ?? new Map<number, number>();
    statuses.set(operation.id, own);
    const status = isAnswer(answer) ? answer.status : 0;
    own.set(status, (own.get(status) ?? 0) + 1);
    if (!isAnswer(answer)) counted.unanswered++;
    const inner = path.startsWith(around.pathPrefix) ? path.slice(around.pathPrefix.length) : path;
    const problems = isAnswer(answer)
      ? problemsOf(request, answer, routesOf(method, inner))
      : problemsWithout(request, answer);
    failures.push(...problems.map((problem) => ({ ...problem, request, answer })));
    if (isAnswer(answer) && answer.status < 300 && answer.text.length < 1_000_000)
      memory.learn(parsed(answer.text));
  }

  async function work(): Promise<void> {
    while (
      next < count &&
      !signal?.aborted &&
      isAlive() &&
      counted.unanswered < Math.max(maxUnanswered, count)
    ) {
      const number = next++;
      if (restock && number % restockEvery === 0) await restock().catch(() => undefined);
      const request = draw(number);
      if (request.value !== undefined) {
        counted.drawn++;
        if (!isWellDrawn(request)) counted.misdrawn++;
      }
      await once(request);
      done++;
      onProgress?.(done, failures.length);
    }
  }

  await Promise.all(Array.from({ length: concurrency }, work));
  agent.destroy();
  return { requests: done, failures, statuses, ...counted };
}
