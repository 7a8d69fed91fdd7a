/**
 * One model call: reads its stream parts and reports it to the circuit breaker, the metrics and the
 * trace.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { CircuitTry } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { beginStage, type OpenStage, type TokenUse } from '../trace.ts';
import { incompleteReply, isCutOff } from './plain-reply.ts';
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

export interface ModelCall {
  readonly model: string;
  /** Name by OpenTelemetry's conventions. */
  readonly provider: string;
  /**
   * `answered`: also if the caller left. `refused`: the provider rejected the request or the key.
   */
  readonly outcome: 'answered' | 'failed' | 'refused';
  /** Undefined if the call did not fail. */
  readonly reason: FailureReason | undefined;
  readonly ms: number;
  /** Reported by the provider, or else estimated: a fourth of the characters. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether both numbers are from the provider. */
  readonly isCounted: boolean;
}

export interface ModelUse {
  readonly countedAs?: string | undefined;
  readonly namespace?: string | undefined;
  /** Distinguishes conversations in traces; contains no user text. */
  readonly conversationId?: string | undefined;
  readonly onAnswering?: ((model: string) => void) | undefined;
  /** Default: `answer`. */
  readonly purpose?: Purpose;
  readonly onCall?: ((call: ModelCall) => void) | undefined;
}

export interface CallRequest {
  readonly options: LanguageModelV4CallOptions;
  readonly use: ModelUse;
  readonly onCall: (call: ModelCall) => void;
}

const preludes: ReadonlySet<string> = new Set([
  'stream-start',
  'response-metadata',
  'text-start',
  'reasoning-start',
]);

/** Whether a raw chunk has reasoning, which the SDK drops. */
function isReasoning(chunk: unknown): boolean {
  const { choices } = Object(chunk) as {
    readonly choices?: readonly { readonly delta?: Readonly<Record<string, unknown>> }[];
  };
  const delta = Array.isArray(choices) ? Object(choices[0]).delta : undefined;
  return ['reasoning', 'reasoning_content'].some(
    (name) => typeof delta?.[name] === 'string' && delta[name] !== '',
  );
}

/**
 * Whether a part precedes the first token: servers send an empty text when they receive the
 * request.
 */
export function isPrelude(part: LanguageModelV4StreamPart): boolean {
  if (part.type === 'raw') return !isReasoning(part.rawValue);
  return preludes.has(part.type) || (part.type === 'text-delta' && part.delta === '');
}

/** @param hasContent whether the reply has text or calls a tool before this part */
export function failureIn(part: LanguageModelV4StreamPart, hasContent = true): unknown {
  if (part.type === 'error') return part.error ?? incompleteReply();
  if (part.type !== 'finish') return undefined;
  if (isCutOff(part.finishReason)) return incompleteReply();
  return hasContent ? undefined : new EmptyReplyError(part.finishReason.unified);
}

/** Whether a part has text for a reader, or calls a tool. */
export const isContent = (part: LanguageModelV4StreamPart): boolean =>
  part.type === 'tool-call' || (part.type === 'text-delta' && part.delta.trim() !== '');

const textIn = (part: LanguageModelV4StreamPart): string =>
  'delta' in part ? part.delta : part.type === 'tool-call' ? part.input : '';

const isLate = (error: unknown): boolean =>
  error instanceof SilentModelError || (error instanceof Error && error.name === 'TimeoutError');

export const charsPerToken = 4;
/** Larger token counts are implausible and ignored. */
const maxCount = 10_000_000;

/** Some providers report 0 instead of nothing. */
const countOr = (reported = 0, estimate: number): number =>
  Number.isInteger(reported) && reported > 0 && reported <= maxCount ? reported : estimate;

export const charsOf = ({ prompt }: Pick<LanguageModelV4CallOptions, 'prompt'>): number =>
  prompt.reduce((sum, { content }) => {
    const texts =
      typeof content === 'string'
        ? [content]
        : content.map((part) => ('text' in part ? part.text : JSON.stringify(part)));
    return sum + texts.reduce((chars, text) => chars + text.length, 0);
  }, 0);

export interface CallInProgress {
  /** Runs work as part of the call's trace span. */
  readonly within: OpenStage['within'];
  /** Adds a stream part; the last one ends the call. */
  addPart(part: LanguageModelV4StreamPart): void;
  /**
   * Has no effect after the first time. @param error undefined: the reply is complete, or the
   * reader wants no more
   */
  end(error?: unknown): void;
}

/** The provider chooses the name, so unusual ones are not traced. */
const isModelName = (name: string | undefined): name is string =>
  name !== undefined && /^[\w.:/@-]{1,100}$/.test(name);

interface Chat {
  readonly provider: string;
  readonly model: string;
  readonly use: ModelUse;
  readonly responseModel: string | undefined;
  readonly finishReason: string | undefined;
  readonly tokens: TokenUse;
}

/** @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ */
const chatAttributes = ({ provider, model, use, responseModel, finishReason, tokens }: Chat) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': provider,
  'gen_ai.request.model': model,
  ...(use.conversationId === undefined ? {} : { 'gen_ai.conversation.id': use.conversationId }),
  ...(isModelName(responseModel) ? { 'gen_ai.response.model': responseModel } : {}),
  ...(finishReason === undefined ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
  'gen_ai.usage.input_tokens': tokens.input,
  'gen_ai.usage.output_tokens': tokens.output,
});

export function beginCall(
  { modelId: model, provider: providerId }: LanguageModelV4,
  attempt: CircuitTry,
  { options, use, onCall }: CallRequest,
) {
  // The SDK's name is `openai.chat`.
  const provider = providerId.split('.')[0] ?? providerId;
  const stage = beginStage('model', `chat ${model}`, true);
  const startedAt = performance.now();
  let usage: LanguageModelV4Usage | undefined;
  let responseModel: string | undefined;
  let finishReason: string | undefined;
  let isReceived = false;
  let hasText = false;
  let chars = 0;
  let isOver = false;

  function report(
    outcome: ModelCall['outcome'],
    reason?: FailureReason,
    failure: string | undefined = reason,
  ): void {
    const estimate = (of: number) => (isReceived ? Math.ceil(of / charsPerToken) : 0);
    const inputTokens = countOr(usage?.inputTokens.total, estimate(charsOf(options)));
    const outputTokens = countOr(usage?.outputTokens.total, estimate(chars));
    const isCounted =
      inputTokens === usage?.inputTokens.total && outputTokens === usage.outputTokens.total;
    onCall({
      model,
      provider,
      outcome,
      reason,
      ms: performance.now() - startedAt,
      inputTokens,
      outputTokens,
      isCounted,
    });
    const tokens = { input: inputTokens, output: outputTokens };
    stage.end({
      attributes: chatAttributes({ provider, model, use, responseModel, finishReason, tokens }),
      failure,
      tokens,
    });
  }

  // A timeout is a failure of the model; a disconnected caller is not.
  const isCancelled = () =>
    options.abortSignal?.aborted === true && !isLate(options.abortSignal.reason);

  function endFailed(error: unknown): void {
    // A cancelled provider has read the prompt, so its tokens count.
    isReceived ||= options.abortSignal?.aborted === true || isLate(error);
    if (isCancelled()) {
      attempt.withdrawn();
      report('answered', undefined, 'left');
    } else {
      attempt.failed(error);
      report(
        isAboutRequest(error) || isSetUpWrongly(error) ? 'refused' : 'failed',
        failureReasonOf(error),
      );
    }
  }

  function addText(text: string, reported?: LanguageModelV4Usage): void {
    isReceived = true;
    chars += text.length;
    usage = reported ?? usage;
  }

  function end(error?: unknown): void {
    if (isOver) return;
    isOver = true;
    if (error === undefined) {
      attempt.succeeded();
      report('answered');
    } else endFailed(error);
  }

  function addPart(part: LanguageModelV4StreamPart): void {
    if (part.type === 'response-metadata') responseModel = part.modelId ?? responseModel;
    if (part.type === 'finish') finishReason = part.finishReason.unified;
    if (!isPrelude(part)) addText(textIn(part), part.type === 'finish' ? part.usage : undefined);
    hasText ||= isContent(part);
    const failure = failureIn(part, hasText);
    if (failure !== undefined || part.type === 'finish') end(failure);
  }

  return { within: stage.within, addPart, end };
}
