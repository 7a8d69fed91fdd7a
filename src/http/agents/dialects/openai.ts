/**
 * Shared by OpenAI's chat completions and responses. A model name selects a namespace, never a
 * model of the provider.
 */
import { z } from 'zod';
import {
  type ErrorCode,
  errorKinds,
  KnowledgeError,
} from '../../../../packages/shared/src/errors.ts';
import type { AskResult } from '../../../ask/ask-result.ts';
import { serverKinds } from '../../../failure.ts';
import type { ErrorBody } from '../../error-body.ts';
import { invalidField } from './conversation.ts';
import { type Dialect, verdictOf } from './dialect.ts';
import { generateOutput } from './mastra.ts';

const modelOfDefault = 'knowledge';
const modelPrefix = `${modelOfDefault}/`;

export const modelName = z.string().describe('knowledge, or knowledge/<namespace>');

/** Undefined: the caller's usual one. */
export function namespaceOfModel(model: string): string | undefined {
  if (model === modelOfDefault) return undefined;
  if (model.startsWith(modelPrefix)) return model.slice(modelPrefix.length);
  throw new KnowledgeError(
    'model_not_found',
    'Model not found. GET /v1/models lists your models.',
    { details: [{ path: 'model', message: 'must be one of GET /v1/models' }] },
  );
}

/**
 * Rejects formats other than text, and a forced tool call. @param field of the format @throws
 * KnowledgeError `invalid_request`
 */
export function requireText(field: string, format: string | undefined, toolChoice: unknown): void {
  if (format === 'json_schema' || format === 'json_object')
    throw invalidField(
      field,
      `${format} is not supported: an answer is checked sentences with citations`,
    );
  if (toolChoice != null && toolChoice !== 'auto' && toolChoice !== 'none')
    throw invalidField(
      'tool_choice',
      'must be "auto" or "none": tools of a request are never called',
    );
}

function errorTypeOf(code: string) {
  const kind = errorKinds[code as ErrorCode];
  if (kind === 'too_many') return 'rate_limit_error';
  return serverKinds.has(kind) ? 'server_error' : 'invalid_request_error';
}

const openAiError = z.object({
  message: z.string().describe('message for people'),
  type: z.string(),
  param: z.string().nullable().describe('wrong field of the request'),
  code: z.string().describe('stable code for programs'),
});

export const toOpenAiError = ({
  error: message,
  code,
  details = [],
}: ErrorBody): z.infer<typeof openAiError> => ({
  message,
  type: errorTypeOf(code),
  param: details[0]?.path || null,
  code,
});

export const openAiErrors: NonNullable<Dialect['errors']> = {
  path: '/v1/*',
  form: (error) => ({ error: toOpenAiError(error) }),
  output: z.object({ error: openAiError }),
};

export const proofOutput = generateOutput
  .omit({
    text: true,
    finishReason: true,
    model: true,
    toolCalls: true,
    toolResults: true,
    usage: true,
  })
  .describe('fields that OpenAI lacks, such as citations with positions in the stored files');
export function proofOf(result: AskResult): z.infer<typeof proofOutput> {
  const { model, ...verdict } = verdictOf(result);
  return { ...verdict, runId: result.runId };
}

/** Position of the citation's first mark: `text.slice(start_index, end_index)` is `[1]`. */
export function markIn(
  text: string,
  { index }: AskResult['citations'][number],
): { start_index: number; end_index: number } {
  const mark = `[${index}]`;
  const start = text.indexOf(mark);
  return start < 0
    ? { start_index: text.length, end_index: text.length }
    : { start_index: start, end_index: start + mark.length };
}

export const secondsNow = (): number => Math.floor(Date.now() / 1_000);

export const modelsOutput = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      id: z.string(),
      object: z.literal('model'),
      created: z.int(),
      owned_by: z.string(),
    }),
  ),
});

/** `created` is 0, because the creation time of a namespace is not stored. */
export function toModels(namespaces: readonly string[]): z.infer<typeof modelsOutput> {
  const short = namespaces.includes('default') ? [modelOfDefault] : [];
  const data = [...short, ...namespaces.map((name) => modelPrefix + name)].map((id) => ({
    id,
    object: 'model' as const,
    created: 0,
    owned_by: 'knowledge-agent',
  }));
  return { object: 'list', data };
}
