/**
 * Mastra's legacy operations in the form of the AI SDK 4 and its data stream protocol (ai 4,
 * `@ai-sdk/ui-utils`). Requests are those of `mastra.ts`. Citations are sent as sources (`h`), the
 * other fields of an answer and the code of a failure as annotations (`8`).
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AskResult } from '../../../ask/ask-result.ts';
import { sourceIdOf } from '../../../ask/reply/sources.ts';
import { addressOf } from '../../../ask/source-address.ts';
import type { Framing } from '../../sse.ts';
import {
  type Dialect,
  type DialectRun,
  type DialectWriter,
  placesOf,
  verdictOf,
} from './dialect.ts';
import {
  agentOperation,
  type GenerateInput,
  generateInput,
  generateOutput,
  mastraQuestion,
} from './mastra.ts';

const source = z.object({
  sourceType: z.literal('url'),
  id: z.string(),
  url: z.string().describe("web page of the document, or this server's page with the quote"),
  title: z.string(),
  providerMetadata: z.object({ knowledge: z.unknown() }).describe('the citation'),
});

const { toolCalls, toolResults } = generateOutput.shape;

const legacyOutput = generateOutput.extend({
  usage: z.object({ promptTokens: z.int(), completionTokens: z.int(), totalTokens: z.int() }),
  toolResults: z.array(toolResults.element.extend({ args: toolCalls.element.shape.args })),
  sources: z.array(source),
  steps: z.array(z.unknown()).describe('always empty; see toolCalls and toolResults'),
  response: z.object({
    id: z.string(),
    modelId: z.string(),
    messages: z.array(z.object({ role: z.literal('assistant'), content: z.string() })),
  }),
});

const toSources = (
  { citations, namespace }: AskResult,
  baseUrl: string,
): z.infer<typeof source>[] =>
  citations.map((citation, at) => ({
    sourceType: 'url',
    id: sourceIdOf(citation, at, citations),
    url: addressOf(citation, namespace, baseUrl),
    title: citation.title,
    providerMetadata: { knowledge: citation },
  }));

const legacyUsage = ({ usage: { inputTokens, outputTokens, totalTokens } }: AskResult) => ({
  promptTokens: inputTokens,
  completionTokens: outputTokens,
  totalTokens,
});

function toLegacyResult(result: AskResult, { baseUrl }: DialectRun) {
  const { runId: id, model: modelId, text: content } = result;
  return {
    ...result,
    usage: legacyUsage(result),
    toolResults: result.toolResults.map((one, at) => ({
      ...one,
      args: result.toolCalls[at]?.args,
    })),
    sources: toSources(result, baseUrl),
    steps: [],
    response: {
      id,
      modelId,
      messages: content === '' ? [] : [{ role: 'assistant' as const, content }],
    },
  };
}

/** One part per line; JSON contains no line break. */
export const dataStreamLines: Framing = {
  contentType: 'text/plain; charset=utf-8',
  frame: ({ event, data }) => `${event}:${data}\n`,
  heartbeat: '2:[]\n',
};

const codes = {
  text: '0',
  error: '3',
  annotation: '8',
  toolCall: '9',
  toolResult: 'a',
  finish: 'd',
  stepEnd: 'e',
  step: 'f',
  source: 'h',
};

const part = (name: keyof typeof codes, content: unknown) => ({
  event: codes[name],
  data: JSON.stringify(content),
});

export function openDataStream({ runId, baseUrl }: DialectRun): DialectWriter {
  function finish(result: AskResult) {
    const { citations, ...verdict } = verdictOf(result);
    const { totalTokens, ...usage } = legacyUsage(result);
    const end = { finishReason: 'stop', usage };
    return [
      ...toSources(result, baseUrl).map((one) => part('source', one)),
      part('annotation', [{ ...verdict, runId }]),
      part('stepEnd', { ...end, isContinued: false }),
      part('finish', end),
    ];
  }

  return {
    start: () => [part('step', { messageId: randomUUID() })],
    text: (text) => [part('text', text)],
    searched: ({ toolCallId, toolName, args }, result) => [
      part('toolCall', { toolCallId, toolName, args }),
      part('toolResult', { toolCallId, result: placesOf(result) }),
    ],
    finish,
    fail: ({ error, code, requestId }) => [
      part('annotation', [{ error: { code, requestId } }]),
      part('error', error),
      part('finish', { finishReason: 'error' }),
    ],
  };
}

const legacyInput = generateInput.extend({
  output: z.unknown().optional().describe('rejected, see structuredOutput'),
  experimental_output: z.unknown().optional().describe('rejected, see structuredOutput'),
});
const structured = ['structuredOutput', 'output', 'experimental_output'];

const asked = {
  body: legacyInput,
  question: (input: GenerateInput) => mastraQuestion(input, structured),
};

export const mastraLegacyDialect: Dialect = {
  operations: [
    {
      ...agentOperation(
        { whole: { output: legacyOutput, write: toLegacyResult } },
        'generateLegacy',
        'generate-legacy',
        'Ask the agent; the answer has the form of the AI SDK 4',
      ),
      ...asked,
    },
    {
      ...agentOperation(
        {
          stream: {
            description: 'Data stream protocol of the AI SDK 4, one part per line; d is the last',
            framing: dataStreamLines,
            headers: { 'x-vercel-ai-data-stream': 'v1' },
            open: openDataStream,
          },
        },
        'streamLegacy',
        'stream-legacy',
        'Ask the agent and stream the answer by the data stream protocol of the AI SDK 4',
      ),
      ...asked,
    },
  ],
};
