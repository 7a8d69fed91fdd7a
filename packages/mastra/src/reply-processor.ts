/** Output processor that shows of the model's text only what a writer returns, in `generate` and in `stream`. */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessOutputResultArgs, ProcessOutputStreamArgs, Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';

type Part = ProcessOutputStreamArgs['part'];
export type MessagePart = MastraDBMessage['content']['parts'][number];

/** Checks the reply of one request. */
export interface ReplyWriter {
  /** @returns text to append to the shown answer */
  push(text: string): string;
  /** Ends the text of a step. @param isLast false: tool calls follow @returns text to append to the shown answer */
  end(isLast: boolean): string | Promise<string>;
  /** Returns the text of the last step, which ends if the stream broke off. @param written text of the final message */
  answer(written: string): string;
  /** Returns the parts of the final message before this text. */
  otherParts(parts: readonly MessagePart[]): readonly MessagePart[];
}

/** `messages`: this turn so far, with tool results; `state`: kept during the request. */
export interface WriterRequest {
  readonly requestContext: RequestContext | undefined;
  readonly messages: () => readonly MastraDBMessage[];
  readonly state: Record<string, unknown>;
}

/** Types of stream parts without model content. */
const forwardedTypes = /^(?:start|step-start|text-start|step-finish|finish|error|abort|tripwire)$/;

/** Ends the text of a step before `part`. `state.textId`: id of the text part that is open. */
async function endText({ part, state, writer: stream }: ProcessOutputStreamArgs, text: string): Promise<void> {
  const { textId: id = 'checked-text' } = state;
  const send = (type: string, more?: object) => stream?.custom({ type, runId: part.runId, from: part.from, payload: { id, ...more } });
  if (text !== '' && state.textId === undefined) await send('text-start');
  if (text !== '') await send('text-delta', { text });
  if (text !== '' || state.textId !== undefined) await send('text-end');
  state.textId = undefined;
}

function toShown(part: Extract<Part, { type: 'text-delta' }>, state: WriterRequest['state'], writer: ReplyWriter): Part | null {
  const { id, text: written } = part.payload;
  const isNextText = state.textId !== undefined && state.textId !== id;
  state.textId = id;
  const text = writer.push(isNextText ? `\n\n${written}` : written);
  return text === '' ? null : { ...part, payload: { ...part.payload, text } };
}

/** Whether calls of this step run. Some providers finish with `stop` although they do. */
function isCalling({ type }: Part, state: WriterRequest['state']): boolean {
  if (/^tool-(?:call|result|error)$/.test(type)) state.isCalling = type === 'tool-call';
  return state.isCalling === true;
}

/** For `outputProcessors` of an agent. */
export type ReplyProcessor = Processor<'grounding'> & Required<Pick<Processor, 'processOutputStream' | 'processOutputResult'>>;

/** @param open returns the writer of a request; undefined: nothing is shown @param otherTypes types of stream parts that are shown too */
export function createReplyProcessor(open: (request: WriterRequest) => ReplyWriter | undefined, otherTypes: RegExp): ReplyProcessor {
  async function show(args: ProcessOutputStreamArgs): Promise<Part | null> {
    const { part, state, requestContext, messageList } = args;
    const writer = open({ requestContext, state, messages: () => messageList?.get.response.db() ?? [] });
    if (!writer) return forwardedTypes.test(part.type) ? part : null;
    if (part.type === 'text-delta') return toShown(part, state, writer);
    const isLast = !isCalling(part, state) && part.type === 'finish';
    if (isLast || part.type === 'tool-call') await endText(args, await writer.end(isLast));
    return forwardedTypes.test(part.type) || otherTypes.test(part.type) ? part : null;
  }

  return {
    id: 'grounding',

    // Mastra would show a part whose processor throws.
    processOutputStream: (args: ProcessOutputStreamArgs) => show(args).catch(() => args.abort('check_failed')),

    processOutputResult({ messages, messageList, state, requestContext }: ProcessOutputResultArgs) {
      const writer = open({ requestContext, state, messages: () => messages });
      const last = messages.findLast(({ role }) => role === 'assistant');
      const written = last?.content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const text = writer?.answer(written ?? '') ?? '';
      if (last) {
        last.content.parts = [...(writer?.otherParts(last.content.parts) ?? []), { type: 'text', text }];
        last.content.content = text;
        return messages;
      }
      // If the model sent nothing, there is no message to rewrite.
      if (text !== '') messageList.add({ role: 'assistant', content: text }, 'response');
      return messageList;
    },
  };
}
