/**
 * OpenAI's chat completions, which its clients, LangChain, Open WebUI and LibreChat speak. Citations are `annotations`, `url_citation` each
 * (the only kind that this wire has), with their `quote`; in a stream they come in the last delta before the one that finishes. In the
 * text each source is a Markdown link, for clients that do not read annotations.
 */
import { z } from 'zod';
import type { AskResult } from '../../../app/ask/ask.ts';
import type { SseEvent } from '../../sse.ts';
import { chatMessages, conversationOf, invalidField } from './conversation.ts';
import { addressOf, askCard, type Dialect, type DialectQuestion, type DialectRun, type DialectWriter, isWebAddress } from './dialect.ts';
import {
  markIn,
  modelName,
  namespaceOfModel,
  openAiErrors,
  proofOf,
  proofOutput,
  refuseFields,
  refuseForcedTool,
  refuseFormat,
  secondsNow,
  tokenLimitOf,
  toOpenAiError,
} from './openai.ts';
import { taskReplyOf } from './task-prompts.ts';

/** Other fields are accepted and have no effect, `tools` and `temperature` among them. */
const completionInput = z.looseObject({
  model: modelName,
  messages: chatMessages.describe('oldest first; the last user message is the turn'),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().nullish().describe('1'),
  max_tokens: z.number().nullish().describe('a longer answer ends after its last sentence that fits, with finish_reason length'),
  max_completion_tokens: z.number().nullish().describe('as max_tokens'),
  stop: z.unknown().optional().describe('refused unless empty'),
  tool_choice: z.unknown().optional().describe('auto or none: anything else is refused'),
  logprobs: z.boolean().nullish().describe('refused if true'),
  response_format: z.looseObject({ type: z.string() }).nullish().describe('text: anything else is refused'),
  addressed: z.boolean().nullish().describe('from a key: false where the message needs a mention'),
});
type CompletionInput = z.infer<typeof completionInput>;

function completionQuestion(input: CompletionInput): DialectQuestion {
  const { model, n, response_format, addressed, max_tokens, max_completion_tokens } = input;
  const namespace = namespaceOfModel(model);
  if (n != null && n !== 1) throw invalidField('n', 'has to be 1: there is one answer to a question');
  refuseFormat('response_format', response_format?.type);
  refuseForcedTool('tool_choice', input.tool_choice);
  refuseForcedTool('function_call', input['function_call']);
  refuseFields(input, {
    stop: 'is not served: an answer ends after a whole sentence; leave it out, or limit the answer with max_tokens',
    logprobs: 'are not served: an answer is sentences that were checked, not tokens',
    top_logprobs: 'are not served: an answer is sentences that were checked, not tokens',
  });
  const maxTokens = tokenLimitOf({ max_tokens, max_completion_tokens });
  const messages = conversationOf(input.messages);
  return { messages, namespace, addressed: addressed ?? undefined, maxTokens, taskReply: taskReplyOf(messages) };
}

const annotation = z.object({
  type: z.literal('url_citation'),
  url_citation: z.object({
    url: z.string(),
    title: z.string(),
    start_index: z.int().min(0).describe("of the citation's first mark in the message"),
    end_index: z.int().min(0),
    quote: z.string(),
  }),
});

const annotationsOf = ({ citations, text, namespace }: AskResult, { baseUrl }: DialectRun): z.infer<typeof annotation>[] =>
  citations.map((citation) => ({
    type: 'url_citation',
    url_citation: {
      url: addressOf(citation, namespace, baseUrl),
      title: citation.title,
      ...markIn(text, citation),
      quote: citation.quote,
    },
  }));

/** The first line that names a source, or the part of it that a stream has sent so far. */
const sourcesBegin = /\n(?:\[(?:1(?:\](?: |$)|$)|$)|$)/;
const sourceLine = /^\[(\d{1,3})\] (.*?)(?: \(([^()]*)\))?$/gm;

/** The answer with its sources as Markdown links: many clients of this wire show text and nothing else. */
function linkedText({ text, citations, namespace }: AskResult, { baseUrl }: DialectRun): string {
  const begin = text.search(sourcesBegin);
  if (begin < 0) return text;
  const lines = text.slice(begin).replace(sourceLine, (line, index: string, label: string, target: string | undefined) => {
    const citation = citations.find((one) => one.index === Number(index));
    if (!citation || (baseUrl === '' && !isWebAddress(citation.source))) return line;
    const url = target !== undefined && isWebAddress(target) ? target : addressOf(citation, namespace, baseUrl);
    return `[${index}] [${label.replace(/[[\]\\]/g, '\\$&')}](${url.replace(/[()]/g, (mark) => (mark === '(' ? '%28' : '%29'))})`;
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
  model: z.string().describe('as it was asked for'),
  choices: z.array(
    z.object({
      index: z.literal(0),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().describe('empty where the agent stays silent'),
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

const finishReasonOf = ({ finishReason }: AskResult) => (finishReason === 'length' ? 'length' : 'stop');

const completionId = (runId: string) => `chatcmpl-${runId}`;

function toCompletion(result: AskResult, run: DialectRun, { model }: CompletionInput): z.infer<typeof completionOutput> {
  const message = { role: 'assistant', content: linkedText(result, run), refusal: null, annotations: annotationsOf(result, run) } as const;
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

type ChunkedInput = Pick<CompletionInput, 'model' | 'stream_options'>;

export function openCompletionStream(run: DialectRun, { model, stream_options }: ChunkedInput): DialectWriter {
  const wantsUsage = stream_options?.include_usage === true;
  const common = { id: completionId(run.runId), object: 'chat.completion.chunk', created: secondsNow(), model };
  const chunk = (choices: readonly object[], more: object = {}): SseEvent => ({
    data: JSON.stringify({ ...common, choices, ...(wantsUsage ? { usage: null } : {}), ...more }),
  });
  const delta = (content: object): SseEvent => chunk([{ index: 0, delta: content, logprobs: null, finish_reason: null }]);

  let said = '';
  let shownChars = 0;

  function show(text: string): SseEvent[] {
    said += text;
    const end = said.search(sourcesBegin);
    const content = said.slice(shownChars, end < 0 ? undefined : end);
    shownChars += content.length;
    return content === '' ? [] : [delta({ content })];
  }

  function finish(result: AskResult): SseEvent[] {
    const annotations = annotationsOf(result, run);
    const content = linkedText(result, run).slice(shownChars);
    return [
      ...(content === '' ? [] : [delta({ content })]),
      ...(annotations.length > 0 ? [delta({ content: '', annotations })] : []),
      chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: finishReasonOf(result) }], { knowledge: proofOf(result) }),
      ...(wantsUsage ? [chunk([], { usage: usageOf(result) })] : []),
    ];
  }

  return {
    start: () => [delta({ role: 'assistant', content: '', refusal: null })],
    write(event) {
      if (event.type === 'finished') return finish(event.result);
      // A search is no tool of the client's: as a tool call it would be asked to run it.
      return event.type === 'text' ? show(event.text) : [];
    },
    fail: (error) => [
      ...(said.length > shownChars ? [delta({ content: said.slice(shownChars) })] : []),
      { data: JSON.stringify({ error: toOpenAiError(error) }) },
    ],
    end: () => [{ data: '[DONE]' }],
  };
}

export const chatCompletionsDialect: Dialect = {
  operations: [
    {
      card: askCard(
        'createChatCompletion',
        'POST /v1/chat/completions',
        "Ask the agent as a model of OpenAI's chat completions; no mention is needed",
      ),
      body: completionInput,
      example: { model: 'knowledge', messages: [{ role: 'user', content: 'how long do refunds take?' }] },
      isAddressed: true,
      question: completionQuestion,
      whole: { output: completionOutput, write: toCompletion },
      stream: {
        description: 'With stream, server-sent events: chat completion chunks, then [DONE]',
        open: openCompletionStream,
      },
      wantsStream: ({ stream }: CompletionInput) => stream === true,
    },
  ],
  errors: openAiErrors,
};
