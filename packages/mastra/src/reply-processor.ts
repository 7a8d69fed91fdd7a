/**
 * Output processor that shows only what a writer returns for the model's text, in `generate` and in `stream`. Drops reasoning and all other
 * model output. If the check fails, the answer ends with the tripwire `check_failed`: Mastra would show text that a processor could not read.
 */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessOutputResultArgs, ProcessOutputStreamArgs, Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';

export type MessagePart = MastraDBMessage['content']['parts'][number];

/** Checks the reply of one request. */
export interface ReplyWriter {
  /** @returns text to append to the shown answer */
  push(text: string): string | Promise<string>;
  /** Ends the text of a step. @param isLast false: tool calls follow @returns text to append to the shown answer */
  end(isLast: boolean): string | Promise<string>;
  /** Returns the text of the last step. Ends the answer if the model's text did not end. @param written text of the final message */
  answer(written: string): string | Promise<string>;
  /** Returns the parts of the final message before its last text. */
  otherParts(parts: readonly MessagePart[]): readonly MessagePart[];
}

export interface WriterRequest {
  readonly requestContext: RequestContext | undefined;
  /** Messages of this turn so far, with tool results. */
  readonly messages: () => readonly MastraDBMessage[];
  /** Kept during the request. */
  readonly state: Record<string, unknown>;
}

/** Types of stream parts without model content. */
const forwardedTypes = new Set(['start', 'step-start', 'step-finish', 'finish', 'error', 'abort', 'tripwire']);
const isToolUse: (type: string) => boolean = (type) => type === 'tool-call' || type === 'tool-result';

const textOf = ({ content }: MastraDBMessage) => content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** Memory moves saved messages to the persisted ones. */
const responsesIn = (list: ProcessOutputStreamArgs['messageList']) =>
  list ? [...list.getPersisted.response.db(), ...list.get.response.db()] : [];

/** Text of a step is one text part, whose id is known from its first part on. `isCalling`: the results of tool calls are not known yet. */
type StepState = { textId?: string | undefined; isCalling?: boolean };

/** Shows the rest of a step's text before its next part. */
async function endText(step: StepState, text: string, { part, writer }: ProcessOutputStreamArgs): Promise<void> {
  const { textId: id = 'grounding' } = step;
  const send = (type: string, payload: object) => writer?.custom({ type, runId: part.runId, from: part.from, payload: { id, ...payload } });
  if (step.textId === undefined && text !== '') await send('text-start', {});
  if (text !== '') await send('text-delta', { text });
  if (step.textId !== undefined || text !== '') await send('text-end', {});
  step.textId = undefined;
}

type TextPart = Extract<ProcessOutputStreamArgs['part'], { type: 'text-start' | 'text-delta' }>;

async function showText(part: TextPart, step: StepState, writer: ReplyWriter | undefined) {
  const isFirst = step.textId === undefined;
  step.textId ??= part.payload.id;
  if (part.type === 'text-start') return isFirst ? part : null;
  const text = (await writer?.push(part.payload.text)) ?? '';
  return text === '' ? null : { ...part, payload: { ...part.payload, id: step.textId, text } };
}

/** @returns whether the step's text ends here, and whether tool calls follow */
function endAt(type: string, step: StepState): 'calls' | 'last' | undefined {
  if (type === 'tool-call') step.isCalling = true;
  if (type === 'tool-result' || type === 'tool-error') step.isCalling = false;
  if (type === 'finish' && !step.isCalling) return 'last';
  return type === 'tool-call' ? 'calls' : undefined;
}

/** For `outputProcessors` of an agent. */
export type ReplyProcessor = Processor<'grounding'> & Required<Pick<Processor, 'processOutputStream' | 'processOutputResult'>>;

/** @param open returns the writer of a request, or undefined to show nothing @param isForwarded whether parts of other types are shown */
export function createReplyProcessor(open: (request: WriterRequest) => ReplyWriter | undefined, isForwarded = isToolUse): ReplyProcessor {
  async function process(args: ProcessOutputStreamArgs) {
    const { part, state, requestContext, messageList } = args;
    const writer = open({ requestContext, state, messages: () => responsesIn(messageList) });
    const step = state as StepState;
    if (part.type === 'text-start' || part.type === 'text-delta') return showText(part, step, writer);
    const end = endAt(part.type, step);
    if (writer && end) await endText(step, await writer.end(end === 'last'), args);
    return forwardedTypes.has(part.type) || (writer && isForwarded(part.type)) ? part : null;
  }

  return {
    id: 'grounding',

    async processOutputStream(args: ProcessOutputStreamArgs) {
      try {
        return await process(args);
      } catch {
        return args.abort('check_failed');
      }
    },

    async processOutputResult({ messages, messageList, state, requestContext }: ProcessOutputResultArgs) {
      const writer = open({ requestContext, state, messages: () => messages });
      const last = messages.findLast(({ role }) => role === 'assistant');
      const text = (await writer?.answer(last ? textOf(last) : '')) ?? '';
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
