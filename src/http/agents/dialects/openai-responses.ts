/**
 * OpenAI's responses API. Citations are annotations: `url_citation` for documents from the web,
 * `file_citation` for others. Searches are not sent: clients would treat them as calls of an unknown
 * tool. Responses are not stored; the id of a response contains the name of the caller's thread.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AskResult } from '../../../ask/ask-result.ts';
import { isWebAddress } from '../../../ask/reply/sources.ts';
import type { ErrorBody } from '../../error-body.ts';
import {
  addressedField,
  chatMessage,
  chosenName,
  conversationOf,
  invalidField,
  withRecent,
} from './conversation.ts';
import {
  askCard,
  type DialectOperation,
  type DialectQuestion,
  type DialectRun,
  type DialectWriter,
} from './dialect.ts';
import {
  markIn,
  modelName,
  namespaceOfModel,
  proofOf,
  proofOutput,
  requireText,
  secondsNow,
  toOpenAiError,
} from './openai.ts';
import { taskReplyOf } from './task-prompts.ts';

const threadName = chosenName.min(1);

/** Tool calls, reasoning and other items without a message. */
const nonMessageItem = z.looseObject({ type: z.string(), role: z.never().optional() });

/** Other fields, such as `instructions`, are accepted and have no effect. */
const responseInput = z.looseObject({
  model: modelName,
  input: withRecent(
    z.union([z.string().min(1), z.array(z.union([chatMessage, nonMessageItem])).min(1)]),
  ).describe('a text, or items, oldest first; the last user message is the question'),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish().describe('false: nothing is remembered'),
  previous_response_id: z
    .string()
    .nullish()
    .describe('continues the conversation of that response'),
  conversation: z
    .union([threadName, z.looseObject({ id: threadName })])
    .nullish()
    .describe("one of the caller's own conversations"),
  text: z
    .looseObject({ format: z.looseObject({ type: z.string() }).nullish() })
    .nullish()
    .describe('format text; other types are rejected'),
  tool_choice: z.unknown().optional().describe('auto or none; other values are rejected'),
  addressed: addressedField,
});
type ResponseInput = z.infer<typeof responseInput>;

const conversationName = ({ conversation }: ResponseInput) =>
  typeof conversation === 'string' ? conversation : conversation?.id;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const rememberedId = new RegExp(`^resp_(${uuid})_${uuid}$`);

function threadOfResponse(id: string) {
  const thread = rememberedId.exec(id)?.[1];
  if (thread !== undefined) return thread;
  throw invalidField(
    'previous_response_id',
    'must be the id of a stored response of no named conversation',
  );
}

function threadOfInput(input: ResponseInput): DialectQuestion['thread'] {
  const conversation = conversationName(input);
  const { previous_response_id: previous, store } = input;
  if (previous != null && conversation !== undefined)
    throw invalidField('previous_response_id', 'cannot be combined with conversation');
  const earlier = previous == null ? conversation : threadOfResponse(previous);
  if (store !== false) return { thread: earlier ?? randomUUID(), resource: 'responses' };
  if (earlier === undefined) return undefined;
  throw invalidField(
    'store',
    'cannot be false with previous_response_id or conversation, which remember the question',
  );
}

function responseQuestion(input: ResponseInput): DialectQuestion {
  const namespace = namespaceOfModel(input.model);
  requireText('text.format', input.text?.format?.type, input.tool_choice);
  const items =
    typeof input.input === 'string'
      ? [{ role: 'user' as const, content: input.input }]
      : input.input;
  const messages = items.filter(
    (item): item is z.infer<typeof chatMessage> => item.role !== undefined,
  );
  const conversation = conversationOf(messages, 'input');
  return {
    messages: conversation,
    namespace,
    thread: threadOfInput(input),
    addressed: input.addressed,
    taskReply: taskReplyOf(conversation),
  };
}

const webCitation = z.object({
  type: z.literal('url_citation'),
  url: z.string(),
  title: z.string(),
  start_index: z.int().min(0).describe("start of the citation's first mark in the text"),
  end_index: z.int().min(0),
  quote: z.string(),
});
const fileCitation = z.object({
  type: z.literal('file_citation'),
  file_id: z.string().describe('documentId'),
  filename: z.string(),
  index: z.int().min(0).describe("start of the citation's first mark in the text"),
  quote: z.string(),
});
type ResponseAnnotation = z.infer<typeof webCitation> | z.infer<typeof fileCitation>;

function toResponseAnnotation(
  citation: AskResult['citations'][number],
  { text }: AskResult,
): ResponseAnnotation {
  const { source, title, documentId, file, quote } = citation;
  const place = markIn(text, citation);
  return isWebAddress(source)
    ? { type: 'url_citation', url: source, title, ...place, quote }
    : {
        type: 'file_citation',
        file_id: documentId,
        filename: file,
        index: place.start_index,
        quote,
      };
}

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string().describe('empty if the agent stays silent'),
  annotations: z.array(z.union([webCitation, fileCitation])),
  logprobs: z.array(z.never()),
});
const outputMessage = z.object({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  status: z.enum(['in_progress', 'completed', 'incomplete']),
  content: z.array(outputText),
});
type OutputMessage = z.infer<typeof outputMessage>;

const textPart = (
  text: string,
  annotations: ResponseAnnotation[] = [],
): z.infer<typeof outputText> => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
});

const toMessageItem = (
  { runId }: DialectRun,
  status: OutputMessage['status'],
  content: OutputMessage['content'],
): OutputMessage => ({ id: `msg_${runId}`, type: 'message', role: 'assistant', status, content });

export const responseOutput = z.object({
  id: z.string().describe('contains the thread of the conversation'),
  object: z.literal('response'),
  created_at: z.int().describe('seconds since 1970'),
  completed_at: z.int().nullable(),
  status: z.enum(['in_progress', 'completed', 'failed']),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.null(),
  instructions: z.null(),
  metadata: z.null(),
  model: z.string().describe('model of the request'),
  output: z.array(outputMessage),
  parallel_tool_calls: z.boolean(),
  temperature: z.null(),
  tool_choice: z.literal('auto'),
  tools: z.array(z.never()),
  top_p: z.null(),
  access_programs: z.null(),
  background: z.literal(false),
  conversation: z.object({ id: z.string() }).nullable(),
  previous_response_id: z.string().nullable(),
  store: z.boolean(),
  text: z.object({ format: z.object({ type: z.literal('text') }) }),
  truncation: z.literal('disabled'),
  usage: z
    .object({
      input_tokens: z.int(),
      input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
      output_tokens: z.int(),
      output_tokens_details: z.object({ reasoning_tokens: z.int() }),
      total_tokens: z.int(),
    })
    .optional(),
  knowledge: proofOutput.optional(),
});
type ResponseObject = z.infer<typeof responseOutput>;

function begunResponse(run: DialectRun, input: ResponseInput): ResponseObject {
  const conversation = conversationName(input);
  const thread = conversation === undefined && run.thread !== undefined ? [run.thread] : [];
  return {
    id: ['resp', ...thread, run.runId].join('_'),
    object: 'response',
    created_at: secondsNow(),
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: null,
    model: input.model,
    output: [],
    parallel_tool_calls: false,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    access_programs: null,
    background: false,
    conversation: conversation === undefined ? null : { id: conversation },
    previous_response_id: input.previous_response_id ?? null,
    store: run.thread !== undefined,
    text: { format: { type: 'text' } },
    truncation: 'disabled',
  };
}

function complete(begun: ResponseObject, run: DialectRun, result: AskResult) {
  const annotations = result.citations.map((citation) => toResponseAnnotation(citation, result));
  const part = textPart(result.text, annotations);
  const item = toMessageItem(run, 'completed', [part]);
  const { inputTokens, outputTokens, totalTokens } = result.usage;
  const response: ResponseObject = {
    ...begun,
    status: 'completed',
    completed_at: secondsNow(),
    output: [item],
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: totalTokens,
    },
    knowledge: proofOf(result),
  };
  return { annotations, part, item, response };
}

function openResponseStream(run: DialectRun, input: ResponseInput): DialectWriter {
  const response = begunResponse(run, input);
  let sequence = 0;
  const event = (type: string, content: object) => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...content }),
  });
  let sentText = '';
  let hasMessage = false;
  const place = { item_id: `msg_${run.runId}`, output_index: 0, content_index: 0 };
  const messageEvent = (type: string, content: object) =>
    event(`response.${type}`, { ...place, ...content });

  function beginMessage() {
    if (hasMessage) return [];
    hasMessage = true;
    const item = toMessageItem(run, 'in_progress', []);
    return [
      event('response.output_item.added', { output_index: 0, item }),
      messageEvent('content_part.added', { part: textPart('') }),
    ];
  }

  function text(delta: string) {
    const begun = beginMessage();
    sentText += delta;
    return [...begun, messageEvent('output_text.delta', { delta, logprobs: [] })];
  }

  function finish(result: AskResult) {
    const begun = beginMessage();
    const completed = complete(response, run, result);
    const { part, item } = completed;
    return [
      ...begun,
      ...completed.annotations.map((annotation, annotation_index) =>
        messageEvent('output_text.annotation.added', { annotation_index, annotation }),
      ),
      messageEvent('output_text.done', { text: result.text, logprobs: [] }),
      messageEvent('content_part.done', { part }),
      event('response.output_item.done', { output_index: 0, item }),
      event('response.completed', { response: completed.response }),
    ];
  }

  /** Some clients read the status of the response, others react only to an `error` event. */
  function fail(error: ErrorBody) {
    const output = hasMessage ? [toMessageItem(run, 'incomplete', [textPart(sentText)])] : [];
    const { code, message, param } = toOpenAiError(error);
    const failed = { ...response, status: 'failed', output, error: { code, message } };
    return [
      event('response.failed', { response: failed }),
      event('error', { code, message, param }),
    ];
  }

  return {
    start: () => [
      event('response.created', { response }),
      event('response.in_progress', { response }),
    ],
    text,
    finish,
    fail,
  };
}

export const responseOperation: DialectOperation<ResponseInput> = {
  card: askCard(
    'createResponse',
    'POST /v1/responses',
    "Ask the agent by OpenAI's responses API; no mention needed",
  ),
  body: responseInput,
  example: { model: 'knowledge', input: 'how long do refunds take?' },
  isAddressed: true,
  question: responseQuestion,
  whole: {
    output: responseOutput,
    write: (result, run, input) => complete(begunResponse(run, input), run, result).response,
  },
  stream: {
    description: 'With stream: server-sent events from response.created to response.completed',
    open: openResponseStream,
  },
};
