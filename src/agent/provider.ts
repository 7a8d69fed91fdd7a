/**
 * Models behind any OpenAI-compatible endpoint (OpenAI, a gateway, Ollama, vLLM): a language model by its chat completions, and an
 * embedding model. What the embedder throws holds a status or a system code and nothing else: provider errors carry texts of documents,
 * and some quote the key.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { lazy } from '../concurrency/lazy.ts';
import { retry } from '../concurrency/retry.ts';
import { KnowledgeError, systemErrorCode } from '../errors.ts';
import { type Embedder, toUnitVector } from '../search/vectors/embedder.ts';
import { isSetUpWrongly, readProviderFailure } from './provider-failure.ts';

export interface ProviderOptions {
  /** Undefined where the endpoint asks for none. */
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly model: string;
}

/**
 * A provider's answer is read to a bound and no further, however long it says it is: what comes after it is an error, and is not waited for.
 * @param maxBytes of a body, after decompression
 */
const createBoundedFetch =
  (maxBytes: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes) controller.error(new Error(`the answer of the provider is larger than ${maxBytes} bytes`));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, response);
  };

/** Ten thousand tokens as events, with what a model thinks before them, take three million. */
const maxReplyBytes = 8 * 1024 * 1024;

interface WholeReply {
  readonly choices?: readonly { readonly message?: { readonly tool_calls?: readonly object[] } }[];
}

/** The events of a reply that came as one JSON body. */
async function* toEvents(response: Response): AsyncGenerator<string> {
  const { choices = [], ...reply } = (await response.json()) as WholeReply;
  const streamed = choices.map(({ message, ...choice }, index) => {
    const calls = message?.tool_calls?.map((call, order) => ({ index: order, ...call }));
    return { index, ...choice, delta: { ...message, ...(calls && { tool_calls: calls }) } };
  });
  yield `data: ${JSON.stringify({ ...reply, choices: streamed })}\n\ndata: [DONE]\n\n`;
}

/** As they are tried, in this order; OpenAI's reasoning models take the second alone, and many other servers the first alone. */
const limitNames = ['max_tokens', 'max_completion_tokens'] as const;

/**
 * Sets the sampling parameters of every request. If a model refuses one by name (400, 422), the request is repeated with the other name, or
 * without it. What a model refused is not sent to it again; a limit that it refuses by any name, as too large, is left out of this request.
 * @param maxTokens 0: no limit is sent
 */
function createParameterFetch(send: typeof fetch, baseUrl: string, maxTokens: number): typeof fetch {
  const names = new URL(baseUrl).hostname === 'api.openai.com' ? limitNames.toReversed() : limitNames;
  const known = new Set<string>();

  function parametersBut(refused: ReadonlySet<string>): Record<string, number> {
    const limit = maxTokens > 0 ? names.find((name) => !refused.has(name)) : undefined;
    return { ...(refused.has('temperature') ? {} : { temperature: 0 }), ...(limit ? { [limit]: maxTokens } : {}) };
  }

  function remember(refused: ReadonlySet<string>): void {
    const hasLimit = names.some((name) => !refused.has(name));
    for (const name of refused) if (hasLimit || name === 'temperature') known.add(name);
  }

  return async (input, init) => {
    const asked = JSON.parse(String(init?.body)) as object;
    const refused = new Set(known);
    for (;;) {
      const parameters = parametersBut(refused);
      const response = await send(input, { ...init, body: JSON.stringify({ ...asked, ...parameters }) });
      if (response.ok) remember(refused);
      if (response.status !== 400 && response.status !== 422) return response;
      const reason = await response.text();
      const named = Object.keys(parameters).filter((name) => reason.includes(name));
      if (named.length === 0) return new Response(reason, response);
      for (const name of named) refused.add(name);
    }
  };
}

/** Replies are requested as streams. Some endpoints ignore that and answer with one JSON body, which is read as a stream too. */
const createReplyFetch =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (!response.ok || !/^application\/json\b/i.test(response.headers.get('content-type') ?? '')) return response;
    const events = ReadableStream.from(toEvents(response)).pipeThrough(new TextEncoderStream());
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
  };

/** @param maxTokens of a reply, its thoughts included; 0: as many as the provider allows */
export async function createProviderModel({ apiKey, baseUrl, model }: ProviderOptions, maxTokens: number): Promise<LanguageModelV4> {
  const send = createParameterFetch(createBoundedFetch(maxReplyBytes), baseUrl, maxTokens);
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI({ baseURL: baseUrl, apiKey: apiKey ?? 'none', fetch: createReplyFetch(send) }).chat(model);
}

export interface ProviderEmbedderOptions extends ProviderOptions {
  readonly maxBatch?: number;
  /** Of one call. Milliseconds. */
  readonly timeoutMs?: number;
  /** Longest pause before the second attempt; doubles each time. Milliseconds. */
  readonly firstPauseMs?: number;
}

/** A longer `Retry-After` is reported instead of waited for. */
const attempts = { maxAttempts: 3, maxRetryAfterMs: 20_000 };

/** A batch of 96 vectors of 4,096 numbers takes nine million. */
const maxVectorBytes = 64 * 1024 * 1024;

/** What failed, whether asking again may help, and after how long. */
function judge(thrown: unknown) {
  const { status, waitMs, isRetryable } = readProviderFailure(thrown);
  const failed = (code: 'model_failed' | 'model_unavailable', message: string, isWorthAnother = false) => {
    const wait = code === 'model_failed' || waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1_000) };
    return { error: new KnowledgeError(code, message, wait), isWorthAnother, waitMs };
  };
  if (thrown instanceof KnowledgeError) return { error: thrown, isWorthAnother: false, waitMs };
  if (status < 400) {
    const name = systemErrorCode(thrown) ?? (thrown instanceof Error ? thrown.name : 'unknown');
    return isRetryable
      ? failed('model_unavailable', `The embedding model could not be reached (${name}).`, true)
      : failed('model_failed', `The embedding model gave an answer that cannot be used (${name}).`);
  }
  if (status === 408 || status === 429 || status >= 500)
    return failed('model_unavailable', `The embedding model is overloaded or down (${status}).`, true);
  if (isSetUpWrongly(thrown)) return failed('model_unavailable', `The embedding model refuses to work with these settings (${status}).`);
  return failed('model_failed', `The embedding model refuses these texts (${status}).`);
}

/** Items of an answer say which text each belongs to; the SDK reads them as they stand, and some servers mix them up. */
function inOrder<T>(items: readonly T[], body: unknown): T[] {
  const listed = (body as { data?: readonly { index?: unknown }[] } | undefined)?.data ?? [];
  const ordered = new Map(listed.map(({ index }, at) => [index, items[at] as T]));
  const isComplete = listed.length === items.length && items.every((_, index) => ordered.has(index));
  return isComplete ? items.map((_, index) => ordered.get(index) as T) : [...items];
}

/**
 * An embedding model, by `POST /embeddings`. Asks again where that helps: after a broken connection, 408, 429 and 5xx, after the time that
 * the answer names (`Retry-After`, RFC 9110 10.2.3).
 */
export function createProviderEmbedder(options: ProviderEmbedderOptions): Embedder {
  const { apiKey, baseUrl, model, maxBatch = 96, timeoutMs = 60_000, firstPauseMs = 1_000 } = options;
  const loadModel = lazy(async () => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL: baseUrl, apiKey: apiKey ?? 'none', fetch: createBoundedFetch(maxVectorBytes) }).embeddingModel(model);
  });
  let dimensions: number | undefined;

  async function call(texts: readonly string[], outer: AbortSignal): Promise<Float32Array[]> {
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const { embeddings, response } = await (await loadModel()).doEmbed({
        values: [...texts],
        abortSignal: AbortSignal.any([deadline, outer]),
      });
      if (embeddings.length !== texts.length) {
        throw new KnowledgeError('model_failed', `The embedding model answered ${texts.length} texts with ${embeddings.length} vectors.`);
      }
      const vectors = inOrder(embeddings, response?.body).map(toUnitVector);
      const length = (dimensions ?? vectors[0]?.length) as number;
      const other = vectors.find((vector) => vector.length !== length);
      if (other)
        throw new KnowledgeError('model_failed', `The embedding model answered with ${other.length} numbers instead of ${length}.`);
      dimensions = length;
      return vectors;
    } catch (error) {
      outer.throwIfAborted();
      if (!deadline.aborted) throw error;
      throw new KnowledgeError('timeout', `The embedding model did not answer within ${timeoutMs / 1_000} seconds.`);
    }
  }

  return {
    model,
    maxBatch,
    async embed(texts, signal) {
      if (texts.length === 0) return [];
      const isRetryable = (thrown: unknown) => judge(thrown).isWorthAnother;
      const retryAfterMs = (thrown: unknown) => judge(thrown).waitMs;
      return retry(() => call(texts, signal), { ...attempts, firstPauseMs, isRetryable, retryAfterMs, signal }).catch((thrown: unknown) => {
        signal.throwIfAborted();
        throw judge(thrown).error;
      });
    },
  };
}
