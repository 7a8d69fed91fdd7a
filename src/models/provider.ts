/**
 * Language and embedding models of OpenAI-compatible endpoints (OpenAI, a gateway, Ollama, vLLM),
 * and language models of Mastra's router. Errors of the embedder contain only a status or system
 * code: provider errors quote documents, and some quote the key.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { lazy } from '../../packages/shared/src/concurrency/lazy.ts';
import { retry } from '../../packages/shared/src/concurrency/retry.ts';
import { KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';
import { type Embedder, toUnitVector } from '../search/vectors/embedder.ts';
import {
  isSetUpWrongly,
  isWorthAnother,
  RedirectError,
  readProviderFailure,
} from './provider-failure.ts';

export type ProviderOptions = Readonly<{
  /** Undefined if the endpoint needs none. */
  apiKey: string | undefined;
  baseUrl: string;
  model: string;
  /** Provider and wire of Mastra's router; undefined: the endpoint is OpenAI-compatible. */
  routed?: { readonly provider: string; readonly wire: string };
}>;

/**
 * Fails a response that exceeds `maxBytes` after decompression, whatever its declared length.
 * @throws RedirectError
 */
export const createBoundedFetch =
  (maxBytes: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new RedirectError();
    }
    if (!response.body) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes)
            controller.error(new Error(`the provider's response is larger than ${maxBytes} bytes`));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, response);
  };

/** Ten thousand tokens with reasoning, as events, take three million bytes. */
const maxReplyBytes = 8 * 1024 * 1024;

async function* toEvents(response: Response) {
  const { choices = [], ...reply } = (await response.json()) as Readonly<{
    choices?: readonly { readonly message?: { readonly tool_calls?: readonly object[] } }[];
  }>;
  const streamed = choices.map(({ message, ...choice }, index) => {
    const calls = message?.tool_calls?.map((call, order) => ({ index: order, ...call }));
    return { index, ...choice, delta: { ...message, ...(calls && { tool_calls: calls }) } };
  });
  yield `data: ${JSON.stringify({ ...reply, choices: streamed })}\n\ndata: [DONE]\n\n`;
}

/**
 * Tried in this order; OpenAI's reasoning models accept only the second, many other servers only
 * the first.
 */
const limitNames = ['max_tokens', 'max_completion_tokens'] as const;

/**
 * Sets the sampling parameters of every request. If a model rejects one (400, 422), repeats the
 * request with its other name or without it, and remembers the rejection. If both names of the
 * token limit are rejected, the value is probably too large; only this request omits it.
 * @param maxTokens 0: no limit is sent
 */
function createParameterFetch(
  send: typeof fetch,
  baseUrl: string,
  maxTokens: number,
): typeof fetch {
  const names =
    new URL(baseUrl).hostname === 'api.openai.com' ? limitNames.toReversed() : limitNames;
  const known = new Set<string>();

  function parametersBut(refused: ReadonlySet<string>) {
    const limit = maxTokens > 0 ? names.find((name) => !refused.has(name)) : undefined;
    return {
      ...(refused.has('temperature') ? {} : { temperature: 0 }),
      ...(limit ? { [limit]: maxTokens } : {}),
    };
  }

  function remember(refused: ReadonlySet<string>) {
    const hasLimit = names.some((name) => !refused.has(name));
    for (const name of refused) if (hasLimit || name === 'temperature') known.add(name);
  }

  return async (input, init) => {
    const asked = JSON.parse(String(init?.body)) as object;
    const refused = new Set(known);
    for (;;) {
      const parameters = parametersBut(refused);
      const response = await send(input, {
        ...init,
        body: JSON.stringify({ ...asked, ...parameters }),
      });
      if (response.ok) remember(refused);
      if (response.status !== 400 && response.status !== 422) return response;
      const reason = await response.text();
      const named = Object.keys(parameters).filter((name) => reason.includes(name));
      if (named.length === 0) return new Response(reason, response);
      for (const name of named) refused.add(name);
    }
  };
}

/** Some endpoints ignore `stream` and send one JSON body; converts it to a stream. */
const createReplyFetch =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (!response.ok || !/^application\/json\b/i.test(response.headers.get('content-type') ?? ''))
      return response;
    const events = ReadableStream.from(toEvents(response)).pipeThrough(new TextEncoderStream());
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
  };

/**
 * Mastra's client of another wire. It is of version 3, whose calls and stream parts are those of
 * version 4 for texts and tools.
 */
async function createRoutedModel(
  { provider, wire }: NonNullable<ProviderOptions['routed']>,
  options: ProviderOptions,
  maxTokens: number,
): Promise<LanguageModelV4> {
  const { apiKey = '', baseUrl, model } = options;
  const { ModelsDevGateway, modelSupportsTemperature } = await import('@mastra/core/llm');
  const gateway = new ModelsDevGateway({
    [provider]: {
      url: baseUrl,
      npm: `@ai-sdk/${wire}`,
      name: provider,
      apiKeyEnvVar: '',
      models: [model],
      gateway: 'models.dev',
    },
  });
  const own = (await gateway.resolveLanguageModel({
    modelId: model,
    providerId: provider,
    apiKey,
  })) as unknown as LanguageModelV4;
  const limit = maxTokens > 0 ? { maxOutputTokens: maxTokens } : {};
  const parameters = modelSupportsTemperature(`${provider}/${model}`)
    ? { temperature: 0, ...limit }
    : limit;
  return {
    specificationVersion: 'v4',
    provider: own.provider,
    modelId: own.modelId,
    supportedUrls: own.supportedUrls,
    doGenerate: (call) => own.doGenerate({ ...call, ...parameters }),
    doStream: (call) => own.doStream({ ...call, ...parameters }),
  };
}

async function openAiClient(
  { apiKey = 'none', baseUrl }: Pick<ProviderOptions, 'apiKey' | 'baseUrl'>,
  send: typeof fetch,
) {
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI({ baseURL: baseUrl, apiKey, fetch: send });
}

/** @param maxTokens per reply, including reasoning; 0: the provider's limit */
export async function createProviderModel(
  options: ProviderOptions,
  maxTokens: number,
): Promise<LanguageModelV4> {
  if (options.routed) return createRoutedModel(options.routed, options, maxTokens);
  const bounded = createBoundedFetch(maxReplyBytes);
  const send = createParameterFetch(bounded, options.baseUrl, maxTokens);
  return (await openAiClient(options, createReplyFetch(send))).chat(options.model);
}

/** 96 vectors of 4,096 numbers take nine million bytes. */
const maxVectorBytes = 64 * 1024 * 1024;

const noVectors = (message: string) =>
  new KnowledgeError('model_failed', `The embedding model ${message}.`);

/** @returns an error without text of the provider, which quotes documents */
function embeddingError(thrown: unknown) {
  if (thrown instanceof RedirectError) return noVectors('redirects: give its final address');
  if (thrown instanceof KnowledgeError) return thrown;
  const { status, waitMs } = readProviderFailure(thrown);
  const name = systemErrorCode(thrown) ?? (thrown instanceof Error ? thrown.name : 'unknown');
  const isWrongSetting = isSetUpWrongly(thrown);
  if (!isWorthAnother(thrown) && !isWrongSetting)
    return status < 400
      ? noVectors(`sent an invalid response (${name})`)
      : noVectors(`rejected these texts (${status})`);
  const problem = isWrongSetting ? 'rejected the key or the settings' : 'is overloaded or down';
  return new KnowledgeError(
    'model_unavailable',
    `The embedding model ${status < 400 ? `is unreachable (${name})` : `${problem} (${status})`}.`,
    waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
  );
}

/** Sorts items by their `index`, which the SDK ignores; some servers mix them up. */
function sortByIndex<T>(items: readonly T[], body: unknown) {
  const listed = (body as { data?: readonly { index?: unknown }[] } | undefined)?.data ?? [];
  const ordered = new Map(listed.map(({ index }, at) => [index, items[at] as T]));
  const isComplete =
    listed.length === items.length && items.every((_, index) => ordered.has(index));
  return isComplete ? items.map((_, index) => ordered.get(index) as T) : [...items];
}

type EmbedderOptions = ProviderOptions &
  Readonly<{
    /** Default 96. */
    maxBatch?: number;
    /** Per call. Milliseconds; default 60,000. */
    timeoutMs?: number;
    /** Longest pause before the second attempt; doubles each time. Milliseconds; default 1,000. */
    firstPauseMs?: number;
  }>;

/**
 * Calls `POST /embeddings`; retries after a broken connection, 408, 429 and 5xx, and follows
 * `Retry-After` (RFC 9110 10.2.3) up to 20 seconds. A longer wait is reported.
 */
export class ProviderEmbedder implements Embedder {
  readonly model: string;
  readonly maxBatch: number;
  readonly #timeoutMs;
  readonly #firstPauseMs;
  readonly #loadModel;
  #dimensions: number | undefined;

  constructor(options: EmbedderOptions) {
    const { model } = options;
    this.model = model;
    this.maxBatch = options.maxBatch ?? 96;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    this.#firstPauseMs = options.firstPauseMs ?? 1_000;
    this.#loadModel = lazy(async () => {
      const client = await openAiClient(options, createBoundedFetch(maxVectorBytes));
      return client.embeddingModel(model);
    });
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    return retry(() => this.#call(texts, signal), {
      maxAttempts: 3,
      maxRetryAfterMs: 20_000,
      firstPauseMs: this.#firstPauseMs,
      isRetryable: isWorthAnother,
      retryAfterMs: (thrown) => readProviderFailure(thrown).waitMs,
      signal,
    }).catch((thrown: unknown) => {
      signal.throwIfAborted();
      throw embeddingError(thrown);
    });
  }

  async #call(texts: readonly string[], outer: AbortSignal) {
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    try {
      const model = await this.#loadModel();
      const { embeddings, response } = await model.doEmbed({
        values: [...texts],
        abortSignal: AbortSignal.any([deadline, outer]),
      });
      if (embeddings.length !== texts.length)
        throw noVectors(`returned ${embeddings.length} vectors for ${texts.length} texts`);
      const vectors = sortByIndex(embeddings, response?.body).map(toUnitVector);
      const length = (this.#dimensions ?? vectors[0]?.length) as number;
      const other = vectors.find((vector) => vector.length !== length);
      if (other) throw noVectors(`returned ${other.length} numbers instead of ${length}`);
      this.#dimensions = length;
      return vectors;
    } catch (error) {
      outer.throwIfAborted();
      if (!deadline.aborted) throw error;
      throw new KnowledgeError(
        'timeout',
        `The embedding model did not answer within ${this.#timeoutMs / 1_000} seconds.`,
      );
    }
  }
}
