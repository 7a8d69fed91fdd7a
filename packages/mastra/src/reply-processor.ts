/**
 * Output processor that shows of the model's text only what a writer returns, in `generate` and in
 * `stream`.
 */
import type { MastraDBMessage } from '@mastra/core/memory';
import type {
  ProcessOutputResultArgs,
  ProcessOutputStreamArgs,
  Processor,
} from '@mastra/core/processors';

type Part = ProcessOutputStreamArgs['part'];
export type MessagePart = MastraDBMessage['content']['parts'][number];

type ShownReply = Readonly<{ text: string; others: readonly MessagePart[] }>;

/** A cited source, in `result.sources` of Mastra. Without a URL it is a document. */
export type CitedSource = Readonly<{
  id: string;
  title: string;
  url?: string | undefined;
  filename?: string | undefined;
  providerMetadata: Readonly<Record<string, object>>;
}>;

/** Checks the reply of one request. `push` and `end` return text to append to the shown answer. */
export interface ReplyWriter {
  push(text: string): string | Promise<string>;
  /** Ends the text of a step. @param isLast false: tool calls follow */
  end(isLast: boolean): string | Promise<string>;
  /** What the reply cites; none before it ends. */
  sources(): readonly CitedSource[];
  /**
   * Ends a reply that broke off. @param parts of the final message @returns its text, which is that
   * of the last step, and other parts
   */
  answer(parts: readonly MessagePart[]): ShownReply | Promise<ShownReply>;
}

/** `messages`: this turn so far, with tool results; `state`: kept during the request. */
export interface WriterRequest extends Pick<ProcessOutputResultArgs, 'requestContext' | 'state'> {
  readonly messages: () => readonly MastraDBMessage[];
}

/** Types of stream parts without model content. */
const forwardedTypes = /^(?:start|step-start|text-start|step-finish|finish|error|abort|tripwire)$/;

/** Ends the text of a step before `part`. `state.textId`: id of the text part that is open. */
async function endText({ part, state, writer: stream }: ProcessOutputStreamArgs, text: string) {
  const { textId, textId: id = 'checked-text' } = state;
  state.textId = undefined;
  const types = text === '' ? [] : [...(textId === undefined ? ['text-start'] : []), 'text-delta'];
  for (const type of textId === undefined && text === '' ? [] : [...types, 'text-end'])
    await stream?.custom({
      type,
      runId: part.runId,
      from: part.from,
      payload: type === 'text-delta' ? { id, text } : { id },
    });
}

/** Sends them once: a reply without a model call ends only with `step-finish`. */
async function sendSources(
  { part: { type, runId, from }, state, writer: stream }: ProcessOutputStreamArgs,
  writer: ReplyWriter,
) {
  if (!/^(?:step-)?finish$/.test(type) || state.hasSources) return;
  const sources = writer.sources();
  state.hasSources = sources.length > 0;
  for (const { url, ...source } of sources) {
    const kind = url
      ? { sourceType: 'url', url }
      : { sourceType: 'document', mimeType: 'text/markdown' };
    await stream?.custom({ type: 'source', runId, from, payload: { ...source, ...kind } });
  }
}

/** Ends the text and the reply where the model ends them. */
async function follow(args: ProcessOutputStreamArgs, writer: ReplyWriter) {
  const { part, state } = args;
  // Some providers finish with `stop` although their tool calls run.
  if (/^tool-(?:call|result|error)$/.test(part.type)) state.isCalling = part.type === 'tool-call';
  const isLast = part.type === 'finish' && state.isCalling !== true;
  if (isLast || part.type === 'tool-call') await endText(args, await writer.end(isLast));
  await sendSources(args, writer);
}

async function toShown(
  part: Extract<Part, { type: 'text-delta' }>,
  state: WriterRequest['state'],
  writer: ReplyWriter,
): Promise<Part | null> {
  const { id, text: written } = part.payload;
  const isSame = (state.textId ?? id) === id;
  state.textId = id;
  const text = await writer.push(isSame ? written : `\n\n${written}`);
  return text === '' ? null : { ...part, payload: { ...part.payload, text } };
}

/** For `outputProcessors` of an agent. */
export class ReplyProcessor implements Processor<'grounding'> {
  readonly id = 'grounding';
  readonly #open;
  readonly #otherTypes;

  /**
   * @param open returns the writer of a request; undefined: nothing is shown
   * @param otherTypes types of stream parts that are shown too
   */
  constructor(open: (request: WriterRequest) => ReplyWriter | undefined, otherTypes: RegExp) {
    this.#open = open;
    this.#otherTypes = otherTypes;
  }

  processOutputStream(args: ProcessOutputStreamArgs): Promise<Part | null> {
    // Mastra would show a part whose processor throws.
    return this.#show(args).catch(() => args.abort('check_failed'));
  }

  async processOutputResult({ messages, messageList, ...request }: ProcessOutputResultArgs) {
    const last = messages.findLast(({ role }) => role === 'assistant');
    const writer = this.#open({ ...request, messages: () => messages });
    const shown = await writer?.answer(last?.content.parts ?? []);
    const { text, others } = shown ?? { text: '', others: [] };
    if (last)
      Object.assign(last.content, { parts: [...others, { type: 'text', text }], content: text });
    // If the model sent nothing, there is no message to rewrite.
    else if (text !== '') messageList.add({ role: 'assistant', content: text }, 'response');
    return last ? messages : messageList;
  }

  async #show(args: ProcessOutputStreamArgs) {
    const { part, state, messageList } = args;
    const writer = this.#open({ ...args, messages: () => messageList?.get.response.db() ?? [] });
    if (!writer) return forwardedTypes.test(part.type) ? part : null;
    if (part.type === 'text-delta') return toShown(part, state, writer);
    await follow(args, writer);
    return forwardedTypes.test(part.type) || this.#otherTypes.test(part.type) ? part : null;
  }
}
