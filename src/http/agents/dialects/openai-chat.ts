/**
 * OpenAI's chat completions. Citations are annotations `url_citation`, and Markdown links for
 * clients that ignore annotations.
 */
import { z } from 'zod';
import type { AskResult } from '../../../ask/ask-result.ts';
import { isWebAddress } from '../../../ask/reply/sources.ts';
import { addressOf } from '../../../ask/source-address.ts';
import { addressedField, chatMessages, invalidField } from './conversation.ts';
import {
  askCard,
  type DialectOperation,
  type DialectRun,
  type DialectWriter,
  dataOf,
} from './dialect.ts';
import {
  markIn,
  modelName,
  noTokens,
  openAiQuestion,
  proofOf,
  proofOutput,
  secondsNow,
  toOpenAiError,
} from './openai.ts';

/** Other fields, such as `tools` and `temperature`, are accepted and have no effect. */
const completionInput = z.looseObject({
  model: modelName,
  messages: chatMessages.describe('oldest first; the last user message is the question'),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().nullish().describe('1'),
  max_tokens: z
    .number()
    .nullish()
    .describe('a longer answer ends after the last sentence that fits, with finish_reason length'),
  max_completion_tokens: z.number().nullish().describe('like max_tokens'),
  stop: z.unknown().optional().describe('rejected unless empty'),
  tool_choice: z.unknown().optional().describe('auto or none; other values are rejected'),
  logprobs: z.boolean().nullish().describe('rejected if true'),
  response_format: z
    .looseObject({ type: z.string() })
    .nullish()
    .describe('text; other types are rejected'),
  addressed: addressedField,
});
type CompletionInput = z.infer<typeof completionInput>;

const annotation = z.object({
  type: z.literal('url_citation'),
  url_citation: z.object({
    url: z.string(),
    title: z.string(),
    start_index: z.int().min(0).describe("start of the citation's first mark in the message"),
    end_index: z.int().min(0),
    quote: z.string(),
  }),
});

const annotationsOf = (
  { citations, text, namespace }: AskResult,
  { baseUrl }: DialectRun,
): z.infer<typeof annotation>[] =>
  citations.map((citation) => ({
    type: 'url_citation',
    url_citation: {
      url: addressOf(citation, namespace, baseUrl),
      title: citation.title,
      ...markIn(text, citation),
      quote: citation.quote,
    },
  }));

const sourcesMark = '\n\nSources:\n';
const sourceLine = /^((?:\[\d{1,3}\])+) (.*?)(?: \((https?:\/\/[^()\s]*)\))?$/gm;

/** Where the list of sources begins, even if only its start has arrived. */
function sourcesBegin(text: string) {
  const at = text.indexOf(sourcesMark);
  if (at >= 0) return at + sourcesMark.length;
  const begun = [...sourcesMark].findLastIndex((_, end) =>
    text.endsWith(sourcesMark.slice(0, end)),
  );
  return text.length - Math.max(0, begun);
}

/**
 * The answer with its sources as Markdown links, because many clients of this protocol show only
 * text.
 */
function linkedText({ text, citations, namespace }: AskResult, { baseUrl }: DialectRun) {
  const begin = sourcesBegin(text);
  const lines = text
    .slice(begin)
    .replace(sourceLine, (line, numbers: string, label: string, target: string | undefined) => {
      const citation = citations.find(({ index }) => numbers.startsWith(`[${index}]`));
      if (!citation || (baseUrl === '' && !isWebAddress(citation.source))) return line;
      const url = target ?? addressOf(citation, namespace, baseUrl);
      return `${numbers} [${label.replace(/[[\]\\]/g, '\\$&')}](${url.replace(/[()]/g, (mark) => (mark === '(' ? '%28' : '%29'))})`;
    });
  return text.slice(0, begin) + lines;
}

const usageOf = ({ usage: { inputTokens, outputTokens, totalTokens } }: AskResult) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: totalTokens,
});

export const completionOutput = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int().describe('seconds since 1970'),
  model: z.string().describe('model of the request'),
  choices: z.array(
    z.object({
      index: z.literal(0),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().describe('empty if the agent stays silent'),
        refusal: z.null(),
        annotations: z.array(annotation),
      }),
      logprobs: z.null(),
      finish_reason: z.enum(['stop', 'length']),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
  knowledge: proofOutput,
});

const finishReasonOf = ({ finishReason }: AskResult) =>
  finishReason === 'length' ? 'length' : 'stop';

const completionId = (runId: string) => `chatcmpl-${runId}`;

function toCompletion(
  result: AskResult,
  run: DialectRun,
  { model }: CompletionInput,
): z.infer<typeof completionOutput> {
  const message = {
    role: 'assistant',
    content: linkedText(result, run),
    refusal: null,
    annotations: annotationsOf(result, run),
  } as const;
  return {
    id: completionId(run.runId),
    object: 'chat.completion',
    created: secondsNow(),
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(result) }],
    usage: usageOf(result),
    knowledge: proofOf(result),
  };
}

export function openCompletionStream(
  run: DialectRun,
  { model, stream_options }: Pick<CompletionInput, 'model' | 'stream_options'>,
): DialectWriter {
  const wantsUsage = stream_options?.include_usage === true;
  const common = {
    id: completionId(run.runId),
    object: 'chat.completion.chunk',
    created: secondsNow(),
    model,
  };
  const chunk = (choices: readonly object[], more: object = {}) =>
    dataOf({ ...common, choices, ...(wantsUsage ? { usage: null } : {}), ...more });
  const delta = (content: object, finish_reason: string | null = null, more: object = {}) =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason }], more);

  let received = '';
  let sentChars = 0;

  function text(text: string) {
    received += text;
    const content = received.slice(sentChars, sourcesBegin(received));
    sentChars += content.length;
    return content === '' ? [] : [delta({ content })];
  }

  function finish(result: AskResult) {
    const annotations = annotationsOf(result, run);
    const content = linkedText(result, run).slice(sentChars);
    return [
      ...(content === '' ? [] : [delta({ content })]),
      ...(annotations.length > 0 ? [delta({ content: '', annotations })] : []),
      delta({}, finishReasonOf(result), { knowledge: proofOf(result) }),
      ...(wantsUsage ? [chunk([], { usage: usageOf(result) })] : []),
    ];
  }

  return {
    start: () => [delta({ role: 'assistant', content: '', refusal: null })],
    // Searches are not sent: the client would try to run a tool call.
    text,
    finish,
    fail: (error) => [
      ...(received.length > sentChars ? [delta({ content: received.slice(sentChars) })] : []),
      dataOf({ error: toOpenAiError(error) }),
    ],
    end: () => [{ data: '[DONE]' }],
  };
}

export const completionOperation: DialectOperation<CompletionInput> = {
  card: askCard(
    'createChatCompletion',
    'POST /v1/chat/completions',
    "Ask the agent by OpenAI's chat completions; no mention needed",
  ),
  body: completionInput,
  example: {
    model: 'knowledge',
    messages: [{ role: 'user', content: 'how long do refunds take?' }],
  },
  isAddressed: true,
  question(input) {
    const question = openAiQuestion(input, input.messages, {
      format: ['response_format', input.response_format?.type],
      choices: ['tool_choice', 'function_call'],
      limits: ['max_tokens', 'max_completion_tokens'],
      problems: {
        stop: 'is not supported: an answer ends after a whole sentence; use max_tokens instead',
        logprobs: noTokens,
      },
    });
    if (input.n != null && input.n !== 1)
      throw invalidField('n', 'must be 1: each question has one answer');
    return question;
  },
  whole: { output: completionOutput, write: toCompletion },
  stream: {
    description: 'With stream: server-sent events with chat completion chunks, then [DONE]',
    open: openCompletionStream,
  },
};
