/** One call of a model: what its parts say, and its report to the circuit, the metrics and the trace. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { CircuitTry } from '../concurrency/circuit-breaker.ts';
import { beginStage, type TokenUse } from '../trace.ts';
import { isCutOff } from './plain-reply.ts';
import { type FailureReason, failureReasonOf, isAboutRequest, isSetUpWrongly, SilentModelError } from './provider-failure.ts';

/** One call of a provider. */
export interface ModelCall {
  readonly model: string;
  /** As OpenTelemetry's conventions name it. */
  readonly provider: string;
  /** `answered` also where whoever asked went away; `refused` where the provider would not have this request, or this key. */
  readonly outcome: 'answered' | 'failed' | 'refused';
  /** Undefined if the call did not fail. */
  readonly reason: FailureReason | undefined;
  readonly ms: number;
  /** As the provider says it; where it does not, a fourth of the characters. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether the provider said both. */
  readonly isCounted: boolean;
}

/** Who a model works for. */
export interface ModelUse {
  readonly countedAs?: string | undefined;
  readonly namespace?: string | undefined;
  /** Distinguishes conversations in traces; holds no text of a user. */
  readonly conversationId?: string | undefined;
  /** Told which model it is that answers. */
  readonly onAnswering?: ((model: string) => void) | undefined;
}

/** What is asked, and who hears about the call. */
export interface Asking {
  readonly options: LanguageModelV4CallOptions;
  readonly use: ModelUse;
  readonly onCall: (call: ModelCall) => void;
}

export const notWhole = () => new Error('the reply of the model ended before it was whole');

const preludes: ReadonlySet<string> = new Set(['stream-start', 'response-metadata', 'text-start', 'reasoning-start']);

/** Whether a chunk, as the provider sent it, holds thoughts of the model, which the SDK leaves out. */
function isThought(chunk: unknown): boolean {
  const { choices } = Object(chunk) as { readonly choices?: readonly { readonly delta?: Readonly<Record<string, unknown>> }[] };
  const delta = Array.isArray(choices) ? Object(choices[0]).delta : undefined;
  return ['reasoning', 'reasoning_content'].some((name) => typeof delta?.[name] === 'string' && delta[name] !== '');
}

/** Whether a part comes before the first token: servers send an empty text as soon as they have the request. */
export function isPrelude(part: LanguageModelV4StreamPart): boolean {
  if (part.type === 'raw') return !isThought(part.rawValue);
  return preludes.has(part.type) || (part.type === 'text-delta' && part.delta === '');
}

/** What a part says has failed; undefined: nothing. */
export function failureIn(part: LanguageModelV4StreamPart): unknown {
  if (part.type === 'error') return part.error ?? notWhole();
  return part.type === 'finish' && isCutOff(part.finishReason) ? notWhole() : undefined;
}

const saidIn = (part: LanguageModelV4StreamPart): string => ('delta' in part ? part.delta : part.type === 'tool-call' ? part.input : '');

const isLate = (error: unknown): boolean => error instanceof SilentModelError || (error instanceof Error && error.name === 'TimeoutError');

const charsPerToken = 4;
/** No model reads or says so much at a time: who tells such a number is not believed. */
const maxTold = 10_000_000;

/** Some tell 0 where they have not counted. */
const toldOr = (told = 0, estimate: number): number => (Number.isInteger(told) && told > 0 && told <= maxTold ? told : estimate);

const charsOf = ({ prompt }: LanguageModelV4CallOptions): number =>
  prompt.reduce((sum, { content }) => {
    const texts = typeof content === 'string' ? [content] : content.map((part) => ('text' in part ? part.text : JSON.stringify(part)));
    return sum + texts.reduce((chars, text) => chars + text.length, 0);
  }, 0);

export type CallInProgress = ReturnType<typeof beginCall>;

/** A name that a provider may choose: of anything longer or stranger nothing is traced. */
const isModelName = (name: string | undefined): name is string => name !== undefined && /^[\w.:/@-]{1,100}$/.test(name);

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

/** Reports one call once: to the circuit, the metrics and the trace. */
export function beginCall(
  { modelId: model, provider: providerId }: LanguageModelV4,
  attempt: CircuitTry,
  { options, use, onCall }: Asking,
) {
  // The SDK says `openai.chat`.
  const provider = providerId.split('.')[0] ?? providerId;
  const stage = beginStage('model', `chat ${model}`, true);
  const startedAt = performance.now();
  let usage: LanguageModelV4Usage | undefined;
  let responseModel: string | undefined;
  let finishReason: string | undefined;
  let isHeard = false;
  let chars = 0;
  let isOver = false;

  function tell(outcome: ModelCall['outcome'], reason?: FailureReason, failure: string | undefined = reason): void {
    const estimate = (of: number) => (isHeard ? Math.ceil(of / charsPerToken) : 0);
    const inputTokens = toldOr(usage?.inputTokens.total, estimate(charsOf(options)));
    const outputTokens = toldOr(usage?.outputTokens.total, estimate(chars));
    const isCounted = inputTokens === usage?.inputTokens.total && outputTokens === usage.outputTokens.total;
    onCall({ model, provider, outcome, reason, ms: performance.now() - startedAt, inputTokens, outputTokens, isCounted });
    const tokens = { input: inputTokens, output: outputTokens };
    stage.end({ attributes: chatAttributes({ provider, model, use, responseModel, finishReason, tokens }), failure, tokens });
  }

  /** Whether whoever asked went away: a question whose time is up was not answered by this model. */
  const isLeft = () => options.abortSignal?.aborted === true && !isLate(options.abortSignal.reason);

  function decide(error: unknown): void {
    // Whoever is hung up on has read the prompt by then.
    isHeard ||= options.abortSignal?.aborted === true || isLate(error);
    if (isLeft()) {
      attempt.withdrawn();
      tell('answered', undefined, 'left');
    } else {
      attempt.failed(error);
      tell(isAboutRequest(error) || isSetUpWrongly(error) ? 'refused' : 'failed', failureReasonOf(error));
    }
  }

  function hear(text: string, told?: LanguageModelV4Usage): void {
    isHeard = true;
    chars += text.length;
    usage = told ?? usage;
  }

  /** @param error undefined: the reply is whole, or as much of it as anybody wants */
  function end(error?: unknown): void {
    if (isOver) return;
    isOver = true;
    if (error === undefined) {
      attempt.succeeded();
      tell('answered');
    } else decide(error);
  }

  /** A part of a stream, of which the last ends the call. */
  function hearPart(part: LanguageModelV4StreamPart): void {
    if (part.type === 'response-metadata') responseModel = part.modelId ?? responseModel;
    if (part.type === 'finish') finishReason = part.finishReason.unified;
    if (!isPrelude(part)) hear(saidIn(part), part.type === 'finish' ? part.usage : undefined);
    const failure = failureIn(part);
    if (failure !== undefined || part.type === 'finish') end(failure);
  }

  return { within: stage.within, hearPart, end };
}
