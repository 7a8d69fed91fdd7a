/**
 * Client of a `/rerank` endpoint, as Cohere, Jina, Voyage, vLLM, llama.cpp, Infinity and TEI serve
 * it. If it fails, the order of the search stays, the log warns once, and the endpoint is paused.
 * Errors contain only a status or code, because replies quote documents.
 */

import { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { beginStage } from '../trace.ts';
import { createBoundedFetch, type ProviderOptions } from './provider.ts';
import { describeFailure, failureReasonOf, SilentModelError } from './provider-failure.ts';

type RerankerOptions = Omit<ProviderOptions, 'routed'> &
  Readonly<{
    onWarning: (message: string) => void;
    /** Short, because a reader waits. Milliseconds; default 3,000. */
    timeoutMs?: number | undefined;
    /** Pause after a failure. Milliseconds; default 30,000. */
    pauseMs?: number | undefined;
  }>;

/** Some endpoints repeat the documents. */
const maxReplyBytes = 4 * 1024 * 1024;

/** @param statusCode 0: the reply is malformed */
const rerankError = (statusCode: number) =>
  Object.assign(new Error('the rerank endpoint failed'), { statusCode });

/**
 * Reads the scores in any order. Texts without a score follow in the given order. @throws Error
 * with `statusCode`
 */
function orderIn(reply: unknown, count: number) {
  // Voyage has `data`; TEI sends only the list.
  const { results, data } = Object(reply);
  const listed = Array.isArray(reply) ? reply : (results ?? data);
  const scores = new Map<number, number>();
  for (const entry of Array.isArray(listed) ? listed : []) {
    const {
      index,
      relevance_score: relevance,
      score = relevance,
    } = Object(entry) as Record<string, unknown>;
    const isValid =
      typeof index === 'number' &&
      Number.isInteger(index) &&
      index >= 0 &&
      index < count &&
      !scores.has(index);
    // Positions that count from 1, for example, would give a wrong order.
    if (!isValid || typeof score !== 'number' || !Number.isFinite(score)) throw rerankError(0);
    scores.set(index, score);
  }
  if (scores.size === 0) throw rerankError(0);
  const scoreOf = (at: number) => scores.get(at) ?? Number.NEGATIVE_INFINITY;
  // The sort is stable: ties keep the order of the search.
  return Array.from({ length: count }, (_, at) => at).sort((a, b) =>
    scoreOf(a) === scoreOf(b) ? 0 : scoreOf(b) - scoreOf(a),
  );
}

export class Reranker {
  readonly #options;
  readonly #timeoutMs;
  readonly #breaker;
  readonly #send = createBoundedFetch(maxReplyBytes);
  /** Whether the endpoint takes `texts`, as TEI does. */
  #takesTexts = false;

  constructor(options: RerankerOptions) {
    const { timeoutMs = 3_000, pauseMs = 30_000, onWarning } = options;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    const warn = (error: unknown) =>
      onWarning(
        `RERANK_MODEL does not answer as expected (${describeFailure(error)}). The order of the search is used; it is retried every ${pauseMs / 1_000} seconds.`,
      );
    this.#breaker = new CircuitBreaker({ pauseMs, onOpen: warn });
  }

  /** Orders texts by relevance. @returns all positions, best first; undefined: the order stays */
  order(query: string, texts: readonly string[]): Promise<readonly number[] | undefined> {
    return this.#breaker.run(() => this.#rank(query, texts)).catch(() => undefined);
  }

  async #rank(query: string, texts: readonly string[]) {
    const { model } = this.#options;
    const stage = beginStage('rerank', `rerank ${model}`, true);
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    const late = () => new SilentModelError('whole', this.#timeoutMs);
    try {
      const reply = await stage.within(() =>
        withAbort(deadline, late, () => this.#ask(query, texts, deadline)),
      );
      const order = orderIn(reply, texts.length);
      const { total_tokens: total } = Object(Object(reply).usage);
      const input = Number.isInteger(total) && total > 0 ? total : 0;
      stage.end({ attributes: { 'gen_ai.request.model': model }, tokens: { input, output: 0 } });
      return order;
    } catch (error) {
      stage.end({ failure: failureReasonOf(error) });
      throw error;
    }
  }

  async #ask(query: string, texts: readonly string[], signal: AbortSignal): Promise<unknown> {
    const { apiKey, baseUrl, model } = this.#options;
    const body = this.#takesTexts
      ? { query, texts, truncate: true }
      : { model, query, documents: texts, top_n: texts.length };
    const response = await this.#send(`${baseUrl.replace(/\/+$/, '')}/rerank`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
    if (response.ok) return response.json();
    const reason = await response.text();
    if (this.#takesTexts || response.status !== 422 || !reason.includes('`texts`'))
      throw rerankError(response.status);
    this.#takesTexts = true;
    return this.#ask(query, texts, signal);
  }
}
