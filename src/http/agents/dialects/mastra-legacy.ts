/**
 * The wire that Mastra's clients call legacy: `generate-legacy` answers in the form of the AI SDK, version 4, and `stream-legacy` in its data
 * stream protocol (ai 4, `@ai-sdk/ui-utils`: one part a line, a code and JSON). What is asked, and that a message needs a mention, is as
 * in `mastra.ts`. Citations travel as sources (`h`), each with the whole citation in its `providerMetadata.knowledge`; what else an answer
 * says of itself is an annotation (`8`), and so is the code of a failure, before its sentence (`3`).
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AskResult } from '../../../app/ask/ask.ts';
import type { Framing, SseEvent } from '../../sse.ts';
import { addressOf, askCard, type Dialect, type DialectOperation, type DialectRun, type DialectWriter, placesOf } from './dialect.ts';
import { type GenerateInput, generateInput, generateOutput, mastraExample, mastraQuestion } from './mastra.ts';

const source = z.object({
  sourceType: z.literal('url'),
  id: z.string(),
  url: z.string().describe('the web page that the document came from, or the page of this server with the quote open'),
  title: z.string(),
  providerMetadata: z.object({ knowledge: z.unknown() }).describe('the citation'),
});

const { toolCalls, toolResults } = generateOutput.shape;

const legacyOutput = generateOutput.omit({ usage: true }).extend({
  usage: z.object({ promptTokens: z.int(), completionTokens: z.int(), totalTokens: z.int() }),
  toolResults: z.array(toolResults.element.extend({ args: toolCalls.element.shape.args })),
  sources: z.array(source),
  steps: z.array(z.unknown()).describe('always empty: the tool calls and their results stand beside it'),
  response: z.object({
    id: z.string(),
    modelId: z.string(),
    messages: z.array(z.object({ role: z.literal('assistant'), content: z.string() })),
  }),
});

const toSource = (citation: AskResult['citations'][number], { namespace }: AskResult, baseUrl: string): z.infer<typeof source> => ({
  sourceType: 'url',
  id: String(citation.index),
  url: addressOf(citation, namespace, baseUrl),
  title: citation.title,
  providerMetadata: { knowledge: citation },
});

function legacyUsage({ usage: { inputTokens, outputTokens, totalTokens } }: AskResult): z.infer<typeof legacyOutput>['usage'] {
  return { promptTokens: inputTokens, completionTokens: outputTokens, totalTokens };
}

function toLegacyResult(result: AskResult, { baseUrl }: DialectRun) {
  const { runId: id, model: modelId, text: content } = result;
  return {
    ...result,
    usage: legacyUsage(result),
    toolResults: result.toolResults.map((one, at) => ({ ...one, args: result.toolCalls[at]?.args })),
    sources: result.citations.map((citation) => toSource(citation, result, baseUrl)),
    steps: [],
    response: { id, modelId, messages: content === '' ? [] : [{ role: 'assistant' as const, content }] },
  };
}

/** A line is told apart from the next by its end alone, and JSON has none within. */
export const dataStreamLines: Framing = {
  contentType: 'text/plain; charset=utf-8',
  frame: ({ event, data }) => `${event}:${data}\n`,
  heartbeat: '2:[]\n',
};

const codes = { text: '0', error: '3', annotation: '8', toolCall: '9', toolResult: 'a', finish: 'd', stepEnd: 'e', step: 'f', source: 'h' };

const part = (name: keyof typeof codes, content: unknown): SseEvent => ({ event: codes[name], data: JSON.stringify(content) });

export function openDataStream({ runId, baseUrl }: DialectRun): DialectWriter {
  function finish(result: AskResult): SseEvent[] {
    const { answered, reason, namespace, model, degraded, dropped, repaired } = result;
    const { totalTokens: _, ...usage } = legacyUsage(result);
    const end = { finishReason: 'stop', usage };
    return [
      ...result.citations.map((citation) => part('source', toSource(citation, result, baseUrl))),
      part('annotation', [{ answered, reason, namespace, runId, model, ...(degraded ? { degraded } : {}), dropped, repaired }]),
      part('stepEnd', { ...end, isContinued: false }),
      part('finish', end),
    ];
  }

  return {
    start: () => [part('step', { messageId: randomUUID() })],
    write(event) {
      if (event.type === 'text') return [part('text', event.text)];
      if (event.type === 'finished') return finish(event.result);
      const { toolCallId, toolName, args } = event.call;
      return [part('toolCall', { toolCallId, toolName, args }), part('toolResult', { toolCallId, result: placesOf(event.result) })];
    },
    fail: ({ error, code, requestId }) => [
      part('annotation', [{ error: { code, requestId } }]),
      part('error', error),
      part('finish', { finishReason: 'error' }),
    ],
    end: () => [],
  };
}

const legacyInput = generateInput.extend({
  output: z.unknown().optional().describe('refused, as structuredOutput'),
  experimental_output: z.unknown().optional().describe('refused, as structuredOutput'),
});
const structured = ['structuredOutput', 'output', 'experimental_output'];

const asked = {
  body: legacyInput,
  example: mastraExample,
  isAddressed: false,
  question: (input: GenerateInput) => mastraQuestion(input, structured),
};

const legacyOperations: readonly DialectOperation<GenerateInput>[] = [
  {
    card: askCard('generateLegacy', 'POST /api/agents/:agentId/generate-legacy', 'generate, with the answer in the form of the AI SDK 4'),
    ...asked,
    whole: { output: legacyOutput, write: toLegacyResult },
  },
  {
    card: askCard('streamLegacy', 'POST /api/agents/:agentId/stream-legacy', 'stream, in the data stream protocol of the AI SDK 4'),
    ...asked,
    stream: {
      description: 'The data stream protocol of the AI SDK 4, one part a line; d is the last',
      framing: dataStreamLines,
      headers: { 'x-vercel-ai-data-stream': 'v1' },
      open: openDataStream,
    },
  },
];

export const mastraLegacyDialect: Dialect = { operations: legacyOperations };
