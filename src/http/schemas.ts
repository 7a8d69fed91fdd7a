/** The wire of the routes that are not tools: requests as they may come, responses as they are documented. */
import { z } from 'zod';
import { placeShape, searchResult } from '../mastra/tools/search-docs.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z
    .union([z.string(), z.array(part), z.null()])
    .describe('text, or parts of which the text counts; null in a turn that only called tools'),
});

/** Unknown fields are accepted and have no effect; see the contract on what a request cannot replace. */
export const generateInput = z.looseObject({
  messages: z
    .union([z.string().min(1), z.array(message).min(1).max(1000)], {
      error: 'must be a non-empty string or a non-empty list of {role, content}',
    })
    .describe('the conversation, oldest first; the last user message is the turn')
    .meta({ example: [{ role: 'user', content: '@agent how long do refunds take?' }] }),
  toolParams: z.looseObject({ namespace: z.string().nullish().describe('default: "default"') }).nullish(),
  memory: z.unknown().optional().describe('accepted; conversations are not kept yet'),
  threadId: z.unknown().optional(),
  resourceId: z.unknown().optional(),
  requestContext: z.unknown().optional().describe('accepted; widens nothing'),
});

export type GenerateInput = z.infer<typeof generateInput>;

const citation = z.object({
  index: z.int().min(1),
  ...placeShape,
  quote: z.string().describe('exactly slice(start, end) of the stored file'),
});

const call = { toolCallId: z.string(), toolName: z.string() };

export const generateOutput = z.object({
  text: z.string(),
  answered: z.boolean(),
  reason: z.enum(['answered', 'not_mentioned', 'no_context']),
  namespace: z.string(),
  runId: z.string(),
  finishReason: z.string(),
  model: z.string(),
  citations: z.array(citation),
  toolCalls: z.array(z.object({ ...call, args: z.object({ query: z.string(), namespace: z.string() }) })),
  toolResults: z.array(z.object({ ...call, result: z.object({ results: z.array(searchResult) }) })),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() }),
});

export const agentsOutput = z.record(
  z.string(),
  z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    tools: z.record(z.string(), z.object({ id: z.string(), description: z.string() })),
  }),
);

export const errorOutput = z.object({
  error: z.string().describe('one sentence for a person'),
  code: z.string().describe('for a program'),
  requestId: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

export const healthOutput = z.object({ status: z.string() });
