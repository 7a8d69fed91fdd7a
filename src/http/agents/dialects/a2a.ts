/**
 * A2A (Agent2Agent, JSON-RPC binding), versions 1.0 and 0.3 at one path. A whole answer is a
 * message; a stream is a task with updates of its artifact and status. Tasks are not stored. A2A
 * has no sources, so citations are in the text and in the metadata under `knowledge`.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { KnowledgeError } from '../../../../packages/shared/src/errors.ts';
import type { AskResult } from '../../../app/ask/ask.ts';
import type { ErrorBody, ErrorForm } from '../../error-body.ts';
import { apiVersion } from '../../operations.ts';
import type { SseEvent } from '../../sse.ts';
import { chosenName } from './conversation.ts';
import {
  askCard,
  type Dialect,
  type DialectRun,
  type DialectServer,
  type DialectWriter,
} from './dialect.ts';

const path = '/a2a';

const metadata = z
  .looseObject({ namespace: z.string().nullish(), addressed: z.boolean().nullish() })
  .nullish();
const part = z.looseObject({ text: z.string().nullish() });
const givenMessage = z.looseObject({
  messageId: z.string().nullish(),
  contextId: chosenName.nullish().describe('thread that remembers earlier turns'),
  parts: z.array(part).min(1).describe('only text parts are read'),
  metadata: metadata.describe(
    'namespace: namespace to ask; addressed: false if the message needs a mention; only with a key',
  ),
});

const requestId = z.union([z.string(), z.number(), z.null()]);
const rpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: requestId.optional(),
  method: z
    .string()
    .describe('SendMessage or SendStreamingMessage; message/send or message/stream'),
  params: z
    .looseObject({})
    .optional()
    .describe('message: {messageId, role, parts, contextId?, metadata?}'),
});
const messageParams = z.looseObject({ message: givenMessage, metadata });
type RpcRequest = z.infer<typeof rpcRequest>;

/** Differences between the versions. */
interface Spelling {
  readonly isStream: boolean;
  /**
   * Whether a field `kind` names the type of an object (0.3). Otherwise the name of its wrapper
   * field does (1.0).
   */
  readonly hasKinds: boolean;
}
const methods: ReadonlyMap<string, Spelling> = new Map([
  ['SendMessage', { isStream: false, hasKinds: false }],
  ['SendStreamingMessage', { isStream: true, hasKinds: false }],
  ['message/send', { isStream: false, hasKinds: true }],
  ['message/stream', { isStream: true, hasKinds: true }],
]);
const spellingOf = ({ method }: RpcRequest): Spelling =>
  methods.get(method) ?? { isStream: false, hasKinds: false };

/**
 * JSON-RPC 2.0, section 5.1, and A2A, section 5.4. Requests about tasks fail, because tasks are not
 * stored.
 */
const rpcCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  noTask: -32001,
  notCancelable: -32002,
};
const ofTasks: ReadonlyMap<string, number> = new Map([
  ...['GetTask', 'tasks/get', 'SubscribeToTask', 'tasks/resubscribe'].map(
    (method) => [method, rpcCodes.noTask] as const,
  ),
  ...['CancelTask', 'tasks/cancel'].map((method) => [method, rpcCodes.notCancelable] as const),
]);

function rpcCodeOf({ code }: ErrorBody, asked: RpcRequest | undefined): number {
  if (code === 'invalid_json') return rpcCodes.parse;
  if (code !== 'invalid_request') return rpcCodes.internal;
  if (!asked) return rpcCodes.request;
  return methods.has(asked.method)
    ? rpcCodes.params
    : (ofTasks.get(asked.method) ?? rpcCodes.method);
}

const toRpcError = (error: ErrorBody, asked?: RpcRequest) => ({
  jsonrpc: '2.0',
  id: asked?.id ?? null,
  error: {
    code: rpcCodeOf(error, asked),
    message: error.error,
    data: [{ code: error.code, requestId: error.requestId }],
  },
});

const errorForm =
  (asked?: RpcRequest): ErrorForm =>
  (error, status) => ({ status, body: toRpcError(error, asked) });

const rpcError = z.object({
  jsonrpc: z.literal('2.0'),
  id: requestId,
  error: z.object({
    code: z.int(),
    message: z.string(),
    data: z.array(z.object({ code: z.string(), requestId: z.string() })),
  }),
});

const proofOf = ({ text: _, toolCalls: _calls, toolResults: _results, ...result }: AskResult) => ({
  knowledge: result,
});

function named({ hasKinds }: Spelling, name: string, kind: string, content: object): object {
  return hasKinds ? { kind, ...content } : { [name]: content };
}

const textPart = ({ hasKinds }: Spelling, text: string) =>
  hasKinds ? { kind: 'text', text } : { text };
const stateOf = ({ hasKinds }: Spelling, state: string) =>
  hasKinds ? state : `TASK_STATE_${state.toUpperCase()}`;
const agentRole = ({ hasKinds }: Spelling) => (hasKinds ? 'agent' : 'ROLE_AGENT');

const toResponse = ({ id }: RpcRequest, result: object) => ({
  jsonrpc: '2.0',
  id: id ?? null,
  result,
});

function wholeAnswer(result: AskResult, { runId, thread }: DialectRun, asked: RpcRequest) {
  const spelling = spellingOf(asked);
  const message = {
    messageId: runId,
    contextId: thread ?? runId,
    role: agentRole(spelling),
    parts: [textPart(spelling, result.text)],
    metadata: proofOf(result),
  };
  return toResponse(asked, named(spelling, 'message', 'message', message));
}

function openTask({ runId: taskId, thread }: DialectRun, asked: RpcRequest): DialectWriter {
  const spelling = spellingOf(asked);
  const ids = { taskId, contextId: thread ?? taskId };
  const artifactId = randomUUID();
  let hasText = false;
  const event = (name: string, kind: string, content: object): SseEvent => ({
    data: JSON.stringify(toResponse(asked, named(spelling, name, kind, content))),
  });
  /** Version 0.3 marks the last update. */
  const last = spelling.hasKinds ? { final: true } : {};
  const ended = (state: string, more: { readonly status?: object; readonly metadata?: object }) =>
    event('statusUpdate', 'status-update', {
      ...ids,
      status: {
        state: stateOf(spelling, state),
        timestamp: new Date().toISOString(),
        ...more.status,
      },
      ...(more.metadata ? { metadata: more.metadata } : {}),
      ...last,
    });

  function text(delta: string): SseEvent {
    const artifact = { artifactId, name: 'answer', parts: [textPart(spelling, delta)] };
    const update = { ...ids, artifact, append: hasText, lastChunk: false };
    hasText = true;
    return event('artifactUpdate', 'artifact-update', update);
  }

  return {
    start: () => [
      event('task', 'task', {
        id: taskId,
        contextId: ids.contextId,
        status: { state: stateOf(spelling, 'working') },
      }),
    ],
    write(happened) {
      if (happened.type === 'text') return [text(happened.text)];
      return happened.type === 'finished'
        ? [ended('completed', { metadata: proofOf(happened.result) })]
        : [];
    },
    fail({ error, code }) {
      const message = {
        messageId: randomUUID(),
        ...ids,
        role: agentRole(spelling),
        parts: [textPart(spelling, error)],
      };
      const typed = spelling.hasKinds ? { kind: 'message', ...message } : message;
      return [ended('failed', { status: { message: typed }, metadata: { code } })];
    },
    end: () => [],
  };
}

const invalid = (message: string, at: string) =>
  new KnowledgeError('invalid_request', message, {
    details: [{ path: at, message: 'is missing or not supported' }],
  });

function cardOf({ baseUrl, agent, needsCredentials }: DialectServer) {
  const url = `${baseUrl}${path}`;
  const scheme = { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } };
  return {
    name: agent.name,
    description: agent.description,
    version: apiVersion,
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'askKnowledge',
        name: 'Answer from the documents',
        description:
          'Answers a question from the documents in a few sentences, each with its source. Says so if the documents have no answer.',
        tags: ['documents', 'questions', 'citations'],
        examples: ['How long do refunds take?'],
      },
    ],
    ...(needsCredentials
      ? {
          securitySchemes: { key: scheme },
          security: [{ key: [] }],
          securityRequirements: [{ schemes: { key: { list: [] } } }],
        }
      : {}),
  };
}

export const a2aDialect: Dialect = {
  operations: [
    {
      card: askCard('a2a', `POST ${path}`, 'Ask the agent by the A2A protocol; no mention needed'),
      body: rpcRequest,
      example: {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: {
          message: {
            messageId: '1',
            role: 'ROLE_USER',
            parts: [{ text: 'how long do refunds take?' }],
          },
        },
      },
      isAddressed: true,
      question({ method, params }: RpcRequest) {
        if (!methods.has(method))
          throw invalid(
            'This method is not supported: tasks are not stored. Use SendMessage or SendStreamingMessage.',
            'method',
          );
        // Validated here, so that the error contains the id of the request.
        const { data, error } = messageParams.safeParse(params ?? {});
        const at = ['params', ...(error?.issues[0]?.path ?? [])].join('.');
        if (!data)
          throw invalid(`The request is not valid: ${at}: ${error.issues[0]?.message}.`, at);
        const { parts, contextId, metadata: own } = data.message;
        const content = parts.flatMap(({ text }) => (text ? [text] : [])).join('\n');
        return {
          messages: [{ role: 'user', content }],
          namespace: own?.namespace ?? data.metadata?.namespace,
          thread: { thread: contextId || randomUUID(), resource: 'a2a' },
          addressed: own?.addressed ?? data.metadata?.addressed ?? undefined,
        };
      },
      whole: {
        output: z.looseObject({
          jsonrpc: z.literal('2.0'),
          id: requestId,
          result: z.looseObject({}),
        }),
        write: wholeAnswer,
      },
      stream: {
        description: 'Server-sent events: a task, updates of its artifact, and its final status',
        open: openTask,
      },
      wantsStream: (asked: RpcRequest) => spellingOf(asked).isStream,
      errorForm,
    },
  ],
  pages: [
    {
      card: {
        id: 'agentCard',
        group: 'Server',
        right: 'nothing',
        at: 'GET /.well-known/agent-card.json',
        summary: 'Read the A2A agent card',
        fails: [],
      },
      output: z.looseObject({ name: z.string(), url: z.string(), version: z.string() }),
      isOpen: true,
      read: cardOf,
    },
  ],
  errors: { paths: [path], form: errorForm(), output: rpcError },
};
