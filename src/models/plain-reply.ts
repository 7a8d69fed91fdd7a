/**
 * Reduces a model's reply to one text or calls of offered tools, so that no reply can start a loop
 * or bypass the check. An interrupted reply fails. A reply that reached a limit loses its
 * unfinished sentence. An endless reply is cut here.
 */
import type {
  LanguageModelV4CallOptions as CallOptions,
  LanguageModelV4FinishReason as FinishReason,
  LanguageModelV4,
  LanguageModelV4StreamPart as StreamPart,
  LanguageModelV4ToolCall as ToolCall,
} from '@ai-sdk/provider';
import { failureIn } from './model-call.ts';
import { EmptyReplyError } from './provider-failure.ts';

const textId = '0';

/** Removes reasoning. Returns an empty text if the reasoning does not end. */
export function withoutThinking(reply: string): string {
  const [thought, ...rest] = reply.split(/<\/think(?:ing)?>/i);
  const decided = rest.at(-1) ?? thought ?? '';
  return /<think(?:ing)?>/i.test(decided) ? '' : decided;
}

/** Whether a reply says nothing, perhaps after reasoning at its beginning. */
const isEmpty = (reply: string) =>
  (/^\s*<think/i.test(reply) ? withoutThinking(reply) : reply).trim() === '';

const isOffered = ({ tools }: CallOptions, { toolName }: ToolCall) =>
  tools?.some((tool) => tool.type === 'function' && tool.name === toolName) === true;

/** Appended to a reply that reached a limit, so that the check drops its unfinished sentence. */
const brokenEnd = ' \uFFFD';
const endOf = ({ unified }: FinishReason) =>
  unified === 'length' || unified === 'content-filter' ? brokenEnd : '';

type FinishPart = Extract<StreamPart, { type: 'finish' }>;

const tooLong: FinishPart = {
  type: 'finish',
  finishReason: { unified: 'length', raw: 'too long' },
  usage: {
    inputTokens: {
      total: undefined,
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  },
};

const maxToolCalls = 3;

const finishedBy = (reason: FinishReason, calls: readonly ToolCall[]): FinishReason =>
  calls.length === 0 && reason.unified === 'tool-calls'
    ? { unified: 'stop', raw: undefined }
    : reason;

type Controller = TransformStreamDefaultController<StreamPart>;

/**
 * Ends of sentences and citations, and beginnings of blocks, at which the check may find a
 * sentence.
 */
const checkPoint = /[.!?…。！？\n\]】］)>|:：`¹²³⁴-⁹]/g;
/** Maximum characters after a check point that the check needs. */
const maxCharsAfter = 24;
/** Maximum characters that are held back without a check point. */
const maxGatheredChars = 200;

/** Holds text back while a tool call may follow: text before a search is no answer. */
function toPlainStream(options: CallOptions, maxChars: number) {
  const mayCall = (options.tools?.length ?? 0) > 0;
  const calls: ToolCall[] = [];
  let written = '';
  let held = '';
  /** Characters since the last check point. */
  let charsAfter = 0;
  let isOpen = false;

  function writeHeld(end: string, controller: Controller) {
    const delta = held + end;
    held = '';
    if (!isOpen) controller.enqueue({ type: 'text-start', id: textId });
    isOpen = true;
    if (delta !== '') controller.enqueue({ type: 'text-delta', id: textId, delta });
  }

  function finish(part: FinishPart, controller: Controller) {
    const { finishReason } = part;
    const failure = failureIn(part, calls.length > 0 || !isEmpty(written));
    if (failure !== undefined) {
      controller.enqueue({ type: 'error', error: failure });
      return;
    }
    for (const call of calls) controller.enqueue(call);
    if (calls.length === 0) {
      writeHeld(endOf(finishReason), controller);
      controller.enqueue({ type: 'text-end', id: textId });
    }
    controller.enqueue({ ...part, finishReason: finishedBy(finishReason, calls) });
  }

  /** Joins small deltas inside a sentence, because each delta passes every stage of the agent. */
  function writeText(delta: string, controller: Controller) {
    written += delta;
    if (written.length > maxChars) {
      finish(tooLong, controller);
      // Cancels the model call too.
      controller.terminate();
      return;
    }
    const last = [...delta.matchAll(checkPoint)].at(-1)?.index;
    charsAfter = last === undefined ? charsAfter + delta.length : delta.length - last;
    held += delta;
    const isDue =
      last !== undefined || charsAfter <= maxCharsAfter || held.length > maxGatheredChars;
    if (isDue && !mayCall) writeHeld('', controller);
  }

  return new TransformStream<StreamPart, StreamPart>({
    transform(part, controller) {
      if (part.type === 'text-delta') writeText(part.delta, controller);
      else if (part.type === 'finish') finish(part, controller);
      else if (part.type === 'tool-call') {
        if (calls.length < maxToolCalls && isOffered(options, part)) calls.push(part);
      } else if (['stream-start', 'response-metadata', 'error'].includes(part.type))
        controller.enqueue(part);
    },
  });
}

/** @param maxChars of a reply, with its reasoning; the rest is not read */
export const withPlainReplies = (model: LanguageModelV4, maxChars: number): LanguageModelV4 => ({
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,

  async doGenerate(options) {
    const result = await model.doGenerate(options);
    const calls = result.content
      .flatMap((part) => (part.type === 'tool-call' && isOffered(options, part) ? [part] : []))
      .slice(0, maxToolCalls);
    const written = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    if (isEmpty(written) && calls.length === 0)
      throw new EmptyReplyError(result.finishReason.unified);
    const text =
      written.length > maxChars
        ? `${written.slice(0, maxChars)}${brokenEnd}`
        : `${written}${endOf(result.finishReason)}`;
    const content = calls.length > 0 ? calls : [{ type: 'text' as const, text }];
    return { ...result, content, finishReason: finishedBy(result.finishReason, calls) };
  },

  async doStream(options) {
    const result = await model.doStream(options);
    return { ...result, stream: result.stream.pipeThrough(toPlainStream(options, maxChars)) };
  },
});
