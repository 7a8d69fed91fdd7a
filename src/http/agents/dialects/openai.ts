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
import { conversationOf, invalidField } from './conversation.ts';
import { type Dialect, pageCard, verdictOf } from './dialect.ts';
import { generateOutput } from './mastra.ts';
import { taskReplyOf } from './task-prompts.ts';

const modelOfDefault = 'knowledge';
const modelPrefix = `${modelOfDefault}/`;

export const modelName = z.string().describe('knowledge, or knowledge/<namespace>');

const noSuchModel = () =>
  new KnowledgeError('model_not_found', 'Model not found. GET /v1/models lists your models.', {
    details: [{ path: 'model', message: 'must be one of GET /v1/models' }],
  });

/** Undefined: the caller's usual one. */
export function namespaceOfModel(model: string): string | undefined {
  if (model === modelOfDefault) return undefined;
  if (!model.startsWith(modelPrefix)) throw noSuchModel();
  return model.slice(modelPrefix.length);
}

export const noTokens = 'is not supported: an answer is checked sentences, not tokens';

const isUnset = (value: unknown) =>
  value == null ||
  value === false ||
  value === '' ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0);

const isFree = (choice: unknown) => choice == null || choice === 'auto' || choice === 'none';

type OpenAiInput = Readonly<Record<string, unknown>> & {
  readonly model: string;
  readonly addressed?: boolean | null | undefined;
};

/** The smallest of the given limits. @throws KnowledgeError `invalid_request` */
function tokenLimitOf(input: OpenAiInput, names: readonly string[]) {
  const given = names.flatMap((name) =>
    input[name] == null ? [] : [{ name, value: Number(input[name]) }],
  );
  const wrong = given.find(({ value }) => !Number.isInteger(value) || value < 1);
  if (wrong) throw invalidField(wrong.name, 'must be a whole number from 1');
  return given.length === 0 ? undefined : Math.min(...given.map(({ value }) => value));
}

type FieldRules = Readonly<{
  /** Path and type of the output format. */
  format: readonly [string, string | undefined];
  /** Fields that could force a tool call: the server never calls tools of a request. */
  choices: readonly string[];
  limits: readonly string[];
  /** Problems of unsupported fields that would change the answer. */
  problems: Readonly<Record<string, string>>;
  /** Default: `messages`. */
  field?: string;
}>;

/** @throws KnowledgeError `model_not_found`, `invalid_request` */
export function openAiQuestion(
  input: OpenAiInput,
  given: Parameters<typeof conversationOf>[0],
  { format: [path, type], choices, limits, problems, field }: FieldRules,
) {
  const namespace = namespaceOfModel(input.model);
  if (type === 'json_schema' || type === 'json_object')
    throw invalidField(
      path,
      `${type} is not supported: an answer is checked sentences with citations`,
    );
  const forced = choices.find((name) => !isFree(input[name]));
  if (forced)
    throw invalidField(forced, 'must be "auto" or "none": tools of a request are never called');
  for (const [name, problem] of Object.entries({ ...problems, top_logprobs: noTokens }))
    if (!isUnset(input[name])) throw invalidField(name, problem);
  const maxTokens = tokenLimitOf(input, limits);
  const messages = conversationOf(given, field);
  const addressed = input.addressed ?? undefined;
  return { messages, namespace, addressed, maxTokens, taskReply: taskReplyOf(messages) };
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

const model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
});

/** `created` is 0, because the creation time of a namespace is not stored. */
const toModel = (id: string): z.infer<typeof model> => ({
  id,
  object: 'model',
  created: 0,
  owned_by: 'knowledge-agent',
});

const modelsOf = (namespaces: readonly string[]) => [
  ...(namespaces.includes('default') ? [modelOfDefault] : []),
  ...namespaces.map((name) => `${modelPrefix}${name}`),
];

/** Parts of the dialect besides its two operations. */
export const openAi: Omit<Dialect, 'operations'> = {
  pages: [
    {
      card: pageCard(
        'listModels',
        'GET /v1/models',
        'List the namespaces that you may ask, as models',
      ),
      output: z.object({ object: z.literal('list'), data: z.array(model) }),
      read: (namespaces) => ({ object: 'list', data: modelsOf(namespaces).map(toModel) }),
    },
    {
      // A model name contains a slash, which only some clients encode.
      card: pageCard('readModel', 'GET /v1/models/:model{.+}', 'Read a model', 404),
      output: model,
      read(namespaces, param) {
        const id = param('model');
        if (!modelsOf(namespaces).includes(id)) throw noSuchModel();
        return toModel(id);
      },
    },
  ],
  errors: {
    path: '/v1/*',
    form: (error) => ({ error: toOpenAiError(error) }),
    output: z.object({ error: openAiError }),
  },
};
