/**
 * OpenAI's responses API. Citations are annotations: `url_citation` for documents from the web,
 * `file_citation` for others. The output includes the search as `file_search_call` only if the
 * request has that tool. Other clients would treat it as a call of an unknown tool. Responses are
 * not stored; the id of a response contains the name of the caller's thread.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AskResult, ToolCall } from '../../../ask/ask-result.ts';
import { isWebAddress } from '../../../ask/reply/sources.ts';
import type { ErrorBody } from '../../error-body.ts';
import {
  addressedField,
  chatMessage,
  chosenName,
  invalidField,
  withRecent,
} from './conversation.ts';
import { askCard, type DialectOperation, type DialectRun, type DialectWriter } from './dialect.ts';
import {
  markIn,
  modelName,
  openAiQuestion,
  proofOf,
  proofOutput,
  secondsNow,
  toOpenAiError,
} from './openai.ts';

const text = z.string();
const threadName = chosenName.min(1);

/** Tool calls, reasoning and other items without a message. */
const nonMessageItem = z.looseObject({ type: text, role: z.never().optional() });

/** Other fields, such as `instructions`, are accepted and have no effect. */
const responseInput = z.looseObject({
  model: modelName,
  input: withRecent(
    z.union([text.min(1), z.array(z.union([chatMessage, nonMessageItem])).min(1)]),
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
    .looseObject({ format: z.looseObject({ type: text }).nullish() })
    .nullish()
    .describe('format text; other types are rejected'),
  tools: z
    .array(z.looseObject({ type: text }))
    .nullish()
    .describe('file_search: the output includes the search; others have no effect'),
  max_output_tokens: z
    .number()
    .nullish()
    .describe('a longer answer ends after the last sentence that fits, with status incomplete'),
  tool_choice: z.unknown().optional().describe('auto or none; other values are rejected'),
  background: z.boolean().nullish().describe('rejected if true'),
  addressed: addressedField,
});
type ResponseInput = z.infer<typeof responseInput>;
type RespondingInput = Pick<
  ResponseInput,
  'model' | 'conversation' | 'previous_response_id' | 'tools'
>;

const conversationName = ({ conversation }: RespondingInput) =>
  typeof conversation === 'string' ? conversation : conversation?.id;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const rememberedId = new RegExp(`^resp_(${uuid})_${uuid}$`);
const forgottenId = new RegExp(`^resp_${uuid}$`);

function threadOfResponse(id: string) {
  const thread = rememberedId.exec(id)?.[1];
  if (thread !== undefined) return thread;
  throw invalidField(
    'previous_response_id',
    forgottenId.test(id)
      ? 'belongs to a response that was not stored or is part of a conversation; use conversation instead'
      : 'must be the id of a response of this server',
  );
}

function threadOfInput(input: ResponseInput) {
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

const quoted = { quote: text };
const webCitation = z.object({
  type: z.literal('url_citation'),
  url: text,
  title: text,
  start_index: z.int().min(0).describe("start of the citation's first mark in the text"),
  end_index: z.int().min(0),
  ...quoted,
});
const fileCitation = z.object({
  type: z.literal('file_citation'),
  file_id: text.describe('documentId'),
  filename: text,
  index: z.int().min(0).describe("start of the citation's first mark in the text"),
  ...quoted,
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
  text: text.describe('empty if the agent stays silent'),
  annotations: z.array(z.union([webCitation, fileCitation])),
  logprobs: z.array(z.never()),
});
const outputMessage = z.object({
  id: text,
  type: z.literal('message'),
  role: z.literal('assistant'),
  status: z.enum(['in_progress', 'completed', 'incomplete']),
  content: z.array(outputText),
});
const searchCall = z.object({
  id: text,
  type: z.literal('file_search_call'),
  status: z.enum(['in_progress', 'completed']),
  queries: z.array(text),
  results: z.null().describe('always null, see the annotations'),
});
type OutputItem = z.infer<typeof outputMessage> | z.infer<typeof searchCall>;

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
  status: z.infer<typeof outputMessage>['status'],
  content: z.infer<typeof outputText>[],
): OutputItem => ({ id: `msg_${runId}`, type: 'message', role: 'assistant', status, content });

/** Searches as items of the output; none unless the request has that tool. */
const searchItems = ({ tools }: RespondingInput, calls: readonly ToolCall[]) =>
  tools?.some(({ type }) => type === 'file_search')
    ? calls.flatMap((call): z.infer<typeof searchCall>[] =>
        call.toolName === 'docsRetriever'
          ? [
              {
                id: `fs_${call.toolCallId}`,
                type: 'file_search_call',
                status: 'completed',
                queries: [call.args.query],
                results: null,
              },
            ]
          : [],
      )
    : [];

export const responseOutput = z.object({
  id: text.describe('contains the thread of the conversation'),
  object: z.literal('response'),
  created_at: z.int().describe('seconds since 1970'),
  completed_at: z.int().nullable(),
  status: z.enum(['in_progress', 'completed', 'failed', 'incomplete']),
  error: z.object({ code: text, message: text }).nullable(),
  incomplete_details: z.object({ reason: z.literal('max_output_tokens') }).nullable(),
  instructions: z.null(),
  metadata: z.null(),
  model: text.describe('model of the request'),
  output: z.array(z.union([outputMessage, searchCall])),
  parallel_tool_calls: z.boolean(),
  temperature: z.null(),
  tool_choice: z.literal('auto'),
  tools: z.array(z.never()),
  top_p: z.null(),
  access_programs: z.null(),
  background: z.literal(false),
  conversation: z.object({ id: text }).nullable(),
  previous_response_id: text.nullable(),
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

function begunResponse(run: DialectRun, input: RespondingInput): ResponseObject {
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

const endOf = ({ finishReason }: AskResult) =>
  finishReason === 'length' ? 'incomplete' : 'completed';

function completedResponse(
  begun: ResponseObject,
  result: AskResult,
  output: OutputItem[],
): ResponseObject {
  const { inputTokens, outputTokens, totalTokens } = result.usage;
  return {
    ...begun,
    status: endOf(result),
    incomplete_details: endOf(result) === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    completed_at: secondsNow(),
    output,
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: totalTokens,
    },
    knowledge: proofOf(result),
  };
}

function messageOf(run: DialectRun, result: AskResult) {
  const annotations = result.citations.map((citation) => toResponseAnnotation(citation, result));
  const part = textPart(result.text, annotations);
  return { annotations, part, item: toMessageItem(run, endOf(result), [part]) };
}

const toResponse = (result: AskResult, run: DialectRun, input: ResponseInput) =>
  completedResponse(begunResponse(run, input), result, [
    ...searchItems(input, result.toolCalls),
    messageOf(run, result).item,
  ]);

export function openResponseStream(run: DialectRun, input: RespondingInput): DialectWriter {
  const response = begunResponse(run, input);
  const output: OutputItem[] = [];
  let sequence = 0;
  const event = (type: string, content: object) => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...content }),
  });
  let sentText = '';
  /** Index of the message in the output; undefined: not begun. */
  let messageIndex: number | undefined;
  const messageEvent = (type: string, content: object) => {
    const place = { output_index: messageIndex, content_index: 0 };
    return event(`response.${type}`, { item_id: `msg_${run.runId}`, ...place, ...content });
  };

  function beginMessage() {
    if (messageIndex !== undefined) return [];
    const item = toMessageItem(run, 'in_progress', []);
    messageIndex = output.push(item) - 1;
    return [
      event('response.output_item.added', { output_index: messageIndex, item }),
      messageEvent('content_part.added', { part: textPart('') }),
    ];
  }

  function text(delta: string) {
    const begun = beginMessage();
    sentText += delta;
    return [...begun, messageEvent('output_text.delta', { delta, logprobs: [] })];
  }

  const searched = (call: ToolCall) =>
    searchItems(input, [call]).flatMap((item) => {
      const output_index = output.push(item) - 1;
      return [
        event('response.output_item.added', {
          output_index,
          item: { ...item, status: 'in_progress' },
        }),
        event('response.file_search_call.completed', { output_index, item_id: item.id }),
        event('response.output_item.done', { output_index, item }),
      ];
    });

  function finish(result: AskResult) {
    const begun = beginMessage();
    const { annotations, part, item } = messageOf(run, result);
    if (messageIndex !== undefined) output[messageIndex] = item;
    return [
      ...begun,
      ...annotations.map((annotation, annotation_index) =>
        messageEvent('output_text.annotation.added', { annotation_index, annotation }),
      ),
      messageEvent('output_text.done', { text: result.text, logprobs: [] }),
      messageEvent('content_part.done', { part }),
      event('response.output_item.done', { output_index: messageIndex, item }),
      event(`response.${endOf(result)}`, { response: completedResponse(response, result, output) }),
    ];
  }

  /** Some clients read the status of the response, others react only to an `error` event. */
  function fail(error: ErrorBody) {
    if (messageIndex !== undefined)
      output[messageIndex] = toMessageItem(run, 'incomplete', [textPart(sentText)]);
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
    searched,
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
  question(input) {
    const items =
      typeof input.input === 'string'
        ? [{ role: 'user' as const, content: input.input }]
        : input.input;
    const messages = items.filter(
      (item): item is z.infer<typeof chatMessage> => item.role !== undefined,
    );
    const question = openAiQuestion(input, messages, {
      format: ['text.format', input.text?.format?.type],
      choices: ['tool_choice'],
      limits: ['max_output_tokens'],
      problems: { background: 'is not supported: an answer ends with its request' },
      field: 'input',
    });
    return { ...question, thread: threadOfInput(input) };
  },
  whole: { output: responseOutput, write: toResponse },
  stream: {
    description: 'With stream: server-sent events from response.created to response.completed',
    open: openResponseStream,
  },
};
