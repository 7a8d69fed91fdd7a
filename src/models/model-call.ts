/**
 * One call of a model: reads its stream and reports it to the circuit breaker, the metrics and the
 * trace.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  LanguageModelV4StreamPart as StreamPart,
} from '@ai-sdk/provider';
import type { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { beginStage } from '../trace.ts';
import {
  EmptyReplyError,
  type FailureReason,
  failureReasonOf,
  isAboutRequest,
  isSetUpWrongly,
  SilentModelError,
} from './provider-failure.ts';

/** What a request to a model is for. */
export type Purpose = 'search' | 'answer' | 'check' | 'rewrite';

export type ModelCall = Readonly<{
  model: string;
  /** Name by OpenTelemetry's conventions. */
  provider: string;
  /**
   * `answered`: also if the caller left. `refused`: the provider rejected the request or the key.
   */
  outcome: 'answered' | 'failed' | 'refused';
  /** Undefined if the call did not fail. */
  reason: FailureReason | undefined;
  ms: number;
  /** Reported by the provider, or else estimated: a fourth of the characters. */
  inputTokens: number;
  outputTokens: number;
  /** Whether both numbers are from the provider. */
  isCounted: boolean;
}>;

export type ModelUse = Readonly<{
  countedAs?: string | undefined;
  namespace?: string | undefined;
  /** Distinguishes conversations in traces; contains no user text. */
  conversationId?: string | undefined;
  onAnswering?: ((model: string) => void) | undefined;
  /** Default: `answer`. */
  purpose?: Purpose;
  onCall?: ((call: ModelCall) => void) | undefined;
}>;

const preludes = new Set(['stream-start', 'response-metadata', 'text-start', 'reasoning-start']);

/** Whether a raw chunk has reasoning, which the SDK drops. */
function isReasoning(chunk: unknown) {
  const { delta } = Object(Object(chunk).choices?.[0]);
  return ['reasoning', 'reasoning_content'].some(
    (name) => typeof delta?.[name] === 'string' && delta[name] !== '',
  );
}

/**
 * Whether a part precedes the first token: servers send an empty text when they receive the
 * request.
 */
function isPrelude(part: StreamPart) {
  if (part.type === 'raw') return !isReasoning(part.rawValue);
  return preludes.has(part.type) || (part.type === 'text-delta' && part.delta === '');
}

const incompleteReply = () => new Error("the model's reply is incomplete");

/** @param hasContent whether the reply has text or calls a tool before this part */
export function failureIn(part: StreamPart, hasContent = true): unknown {
  if (part.type === 'error') return part.error ?? incompleteReply();
  if (part.type !== 'finish') return undefined;
  const { unified, raw } = part.finishReason;
  // The stream ended without the provider's end mark.
  if (raw === undefined && ['interrupted', 'other'].includes(unified)) return incompleteReply();
  return hasContent ? undefined : new EmptyReplyError(unified);
}

/** Whether a part has text for a reader, or calls a tool. */
const isContent = (part: StreamPart) =>
  part.type === 'tool-call' || (part.type === 'text-delta' && part.delta.trim() !== '');

const textIn = (part: StreamPart) =>
  'delta' in part ? part.delta : part.type === 'tool-call' ? part.input : '';

const isLate = (error: unknown) =>
  error instanceof SilentModelError || (error instanceof Error && error.name === 'TimeoutError');

export const charsPerToken = 4;
/** Read of a reply that has no limit. */
const maxUnlimitedTokens = 12_000;
/** Characters that are read of a reply, with its reasoning. @param maxTokens 0: no limit */
export const maxReplyCharsOf = (maxTokens: number): number =>
  2 * charsPerToken * (maxTokens || maxUnlimitedTokens);
/** Larger token counts are implausible and ignored. */
const maxCount = 10_000_000;

/** Some providers report 0 instead of nothing. */
const countOr = (reported = 0, estimate: number) =>
  Number.isInteger(reported) && reported > 0 && reported <= maxCount ? reported : estimate;

export const charsOf = ({ prompt }: Pick<LanguageModelV4CallOptions, 'prompt'>): number =>
  prompt
    .flatMap(({ content }) =>
      typeof content === 'string'
        ? content
        : content.map((part) => ('text' in part ? part.text : JSON.stringify(part))),
    )
    .join('').length;

/** The provider chooses the name, so unusual ones are not traced. */
const isModelName = (name: string | undefined): name is string =>
  name !== undefined && /^[\w.:/@-]{1,100}$/.test(name);

type CallOptions = Readonly<{
  model: LanguageModelV4;
  breaker: CircuitBreaker;
  options: LanguageModelV4CallOptions;
  use: ModelUse;
  /** Milliseconds until the first token, and between two parts. */
  patience: { readonly firstPartMs: number; readonly stallMs: number };
  onCall: (call: ModelCall) => void;
}>;

type PartReader = ReadableStreamDefaultReader<StreamPart>;

/**
 * Reads parts up to the first token. @throws the error if the reply fails before it
 */
async function readFirst(reader: PartReader) {
  const parts: StreamPart[] = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw incompleteReply();
    const failure = failureIn(value, parts.some(isContent));
    if (failure !== undefined) throw failure;
    parts.push(value);
    if (!isPrelude(value)) return parts;
  }
}

/** One call of one model: its time limits, its reply, and its report when the reply ends. */
export class OpenCall {
  readonly #call;
  /** Whether the call decides if a paused model is back. */
  readonly #isTrial;
  readonly #ending = new AbortController();
  readonly #signal;
  readonly #stage;
  readonly #startedAt = performance.now();
  #usage: LanguageModelV4Usage | undefined;
  #responseModel: string | undefined;
  #finishReason: string | undefined;
  #isReceived = false;
  #hasContent = false;
  #chars = 0;
  #isOver = false;

  /** @throws `model_unavailable` while the model is paused */
  constructor(call: CallOptions) {
    const { abortSignal: outer } = call.options;
    this.#call = call;
    this.#isTrial = call.breaker.begin();
    this.#signal = outer ? AbortSignal.any([outer, this.#ending.signal]) : this.#ending.signal;
    this.#stage = beginStage('model', `chat ${call.model.modelId}`, true);
  }

  /** Begins a reply and waits for its first token. @throws the error if it fails before that */
  async begin(): Promise<LanguageModelV4StreamResult> {
    const { model, options, patience } = this.#call;
    return this.#within(patience.firstPartMs, 'first_token', async () => {
      const reply = await this.#stage.within(async () =>
        model.doStream({ ...options, abortSignal: this.#signal, includeRawChunks: true }),
      );
      const reader = reply.stream.getReader();
      return { ...reply, stream: this.#relay(await readFirst(reader), reader) };
    });
  }

  /** Collects the text and tool calls of a reply. @throws the error if it fails */
  async readWhole(maxMs: number | undefined): Promise<LanguageModelV4GenerateResult> {
    return this.#within(maxMs, 'whole', async () => {
      const { stream, ...sent } = await this.begin();
      let text = '';
      const calls: LanguageModelV4ToolCall[] = [];
      for await (const part of stream) {
        const failure = failureIn(part, this.#hasContent);
        if (failure !== undefined) throw failure;
        if (part.type === 'text-delta') text += part.delta;
        if (part.type === 'tool-call') calls.push(part);
        if (part.type !== 'finish') continue;
        const { finishReason, usage } = part;
        const content = [{ type: 'text' as const, text }, ...calls];
        return { ...sent, content, finishReason, usage, warnings: [] };
      }
      throw incompleteReply();
    });
  }

  /** Ends a call that failed, and the request to the provider. */
  cancel(error: unknown): void {
    this.#end(error);
    this.#ending.abort(error);
  }

  /** @param ms undefined: only the question's time limit applies @throws SilentModelError */
  async #within<T>(
    ms: number | undefined,
    silence: SilentModelError['silence'],
    work: () => Promise<T>,
  ) {
    const late = () => ms !== undefined && this.#ending.abort(new SilentModelError(silence, ms));
    const timer = ms === undefined ? undefined : setTimeout(late, ms);
    const done = withAbort(this.#signal, () => this.#signal.reason, work);
    return done.finally(() => clearTimeout(timer));
  }

  /** Streams the first parts, then the rest. */
  #relay(first: StreamPart[], reader: PartReader) {
    const { options, patience } = this.#call;
    const read = () => this.#within(patience.stallMs, 'stall', () => reader.read());
    return new ReadableStream<StreamPart>({
      pull: async (controller) => {
        try {
          const part = first.shift() ?? (await read()).value;
          if (part) {
            this.#add(part);
            controller.enqueue(part);
          } else {
            this.#end(incompleteReply());
            controller.close();
          }
        } catch (error) {
          this.#end(error);
          controller.error(error);
        }
      },
      cancel: (reason) => {
        this.#end(options.abortSignal?.aborted ? options.abortSignal.reason : undefined);
        return reader.cancel(reason);
      },
    });
  }

  /** The last part ends the call. */
  #add(part: StreamPart) {
    if (part.type === 'response-metadata')
      this.#responseModel = part.modelId ?? this.#responseModel;
    if (!isPrelude(part)) {
      this.#isReceived = true;
      this.#chars += textIn(part).length;
    }
    this.#hasContent ||= isContent(part);
    if (part.type === 'finish') {
      this.#usage = part.usage;
      this.#finishReason = part.finishReason.unified;
    }
    const failure = failureIn(part, this.#hasContent);
    if (failure !== undefined || part.type === 'finish') this.#end(failure);
  }

  /**
   * Has no effect after the first time. @param error undefined: the reply is complete, or the
   * reader wants no more
   */
  #end(error: unknown) {
    if (this.#isOver) return;
    this.#isOver = true;
    const { breaker, options } = this.#call;
    const isAborted = options.abortSignal?.aborted === true;
    // A cancelled provider has read the prompt, so its tokens count.
    this.#isReceived ||= error !== undefined && (isAborted || isLate(error));
    if (error === undefined) {
      breaker.succeeded();
      this.#report('answered');
    } else if (isAborted && !isLate(options.abortSignal?.reason)) {
      // A timeout is a failure of the model; a disconnected caller is not.
      breaker.withdrawn(this.#isTrial);
      this.#report('answered', undefined, 'left');
    } else {
      breaker.failed(error);
      const isRefused = isAboutRequest(error) || isSetUpWrongly(error);
      this.#report(isRefused ? 'refused' : 'failed', failureReasonOf(error));
    }
  }

  #report(
    outcome: ModelCall['outcome'],
    reason?: FailureReason,
    failure: string | undefined = reason,
  ) {
    const { model, options, use, onCall } = this.#call;
    // The SDK's name is `openai.chat`.
    const provider = model.provider.split('.')[0] ?? model.provider;
    const estimate = (of: number) => (this.#isReceived ? Math.ceil(of / charsPerToken) : 0);
    const { inputTokens: reportedIn, outputTokens: reportedOut } = this.#usage ?? {};
    const inputTokens = countOr(reportedIn?.total, estimate(charsOf(options)));
    const outputTokens = countOr(reportedOut?.total, estimate(this.#chars));
    onCall({
      model: model.modelId,
      provider,
      outcome,
      reason,
      ms: performance.now() - this.#startedAt,
      inputTokens,
      outputTokens,
      isCounted: inputTokens === reportedIn?.total && outputTokens === reportedOut?.total,
    });
    this.#stage.end({
      // https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model.modelId,
        ...(use.conversationId && { 'gen_ai.conversation.id': use.conversationId }),
        ...(isModelName(this.#responseModel) && { 'gen_ai.response.model': this.#responseModel }),
        ...(this.#finishReason && { 'gen_ai.response.finish_reasons': [this.#finishReason] }),
        'gen_ai.usage.input_tokens': inputTokens,
        'gen_ai.usage.output_tokens': outputTokens,
      },
      failure,
      tokens: { input: inputTokens, output: outputTokens },
    });
  }
}
