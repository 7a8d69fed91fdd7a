/**
 * `GET /api/state` and `GET /metrics`. Counts of the state cover the caller's namespaces. No
 * secret, path or address is returned.
 */
import { z } from 'zod';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import {
  type Config,
  isAuthenticated,
  isLoopback,
  shownSettings,
  takesChatWebhooks,
} from '../config.ts';
import { maxSources } from '../ingest/ingest-sources.ts';
import { packageVersion } from '../package.ts';
import { rights } from '../rights.ts';
import { type App, type Caller, mayUse, rightsOf } from './auth/caller.ts';
import { maxUploadFiles } from './documents/document-routes.ts';
import { agentCard, type KnowledgeApi } from './knowledge-api.ts';
import { serve, text, textResponse } from './operation.ts';

export const mirrorHealth = z.object({
  ageMs: z
    .number()
    .nullable()
    .describe('milliseconds since this server last reached the database; null: never'),
  isWritten: z
    .boolean()
    .describe('false: this server cannot write to KNOWLEDGE_DIR and is not ready'),
});

const ownLimit = z.int().nullable();
const checklistStep = z.object({
  id: text,
  label: text.describe('state of a finished step, order of an open one'),
  isDone: z.boolean(),
  isRequired: z.boolean(),
  hint: text,
});

const stateOutput = z.object({
  version: text,
  model: text.describe('model that answers; `extractive`: the built-in one'),
  embeddingModel: text.nullable().describe('null: no semantic search'),
  documents: z
    .int()
    .describe('in the namespaces that the caller may read, like chunks and namespaces'),
  chunks: z.int(),
  namespaces: z.int(),
  mention: text
    .nullable()
    .describe('mention that POST /api/agents/knowledge/generate requires, if any'),
  agents: z
    .array(agentCard.pick({ id: true, requiresMention: true, mentions: true }))
    .describe('agents, and which texts mention them'),
  mirror: mirrorHealth
    .nullable()
    .describe('only with DATABASE_URL: state of the local copy of the documents'),
  calls: z
    .enum(['embedded', 'upstream'])
    .describe('source of /v3/calls: the embedded call log or the calling service'),
  hasSampleCalls: z.boolean().describe('whether the calls are the packaged sample'),
  limits: z.object({
    maxBodyBytes: z.int().describe('bytes of a request body'),
    maxSourceBytes: z.int().describe('bytes of a source, after decompression'),
    maxUploadBytes: z.int(),
    maxUploadFiles: z.int(),
    maxSources: z.int().describe('sources of one ingestion'),
    rateLimitPerMinute: z.int().describe('requests per caller; 0: no limit'),
    askLimitPerMinute: ownLimit.describe('questions per caller; null: no separate limit'),
    searchLimitPerMinute: ownLimit.describe('searches per caller'),
    ingestLimitPerMinute: ownLimit.describe('ingestions, uploads and refreshes per caller'),
  }),
  caller: z.object({
    namespaces: z.array(text).nullable().describe('null: all namespaces'),
    rights: z.array(z.enum(rights)).describe('rights of the caller in these namespaces'),
    isAnonymous: z.boolean(),
  }),
  settings: z
    .array(z.object({ name: text, value: text.nullable(), isDefault: z.boolean() }))
    .nullable()
    .describe(
      'null: only the right admin in all namespaces shows them. Secrets, paths, addresses and free texts have no value',
    ),
  checklist: z
    .array(checklistStep)
    .nullable()
    .describe('steps to attach the server to a chat platform; null as for settings'),
});

/** Steps from a running server to one that answers in a chat. */
function checklistOf(
  config: Config,
  settings: ReturnType<typeof shownSettings>,
  documents: number,
  hasAnswered: boolean,
  judge: KnowledgeApi['metrics']['judge'],
) {
  const { publicUrl, llm, requireMention, directAgentId, agentMentions } = config;
  const isProtected =
    isAuthenticated(config) || config.allowAnonymous === 'read' || config.pathPrefix !== undefined;
  const isMentionSettled =
    !requireMention ||
    directAgentId !== undefined ||
    settings.some(({ name, isDefault }) => name === 'AGENT_MENTIONS' && !isDefault);
  const isReachable = publicUrl !== undefined || !isLoopback(config.host);
  const step = (
    id: string,
    isDone: boolean,
    done: string,
    order: string,
    hint: string,
    isRequired = false,
  ) => ({ id, label: isDone ? done : order, isDone, isRequired, hint });
  const mentioned = `The agent answers if a message mentions ${agentMentions.join(' or ')}`;
  const steps = [
    step(
      'documents',
      documents > 0,
      'The server has documents',
      'Add documents',
      'Upload files on the Documents page.',
      true,
    ),
    step(
      'access',
      isProtected,
      'Callers are checked',
      'Require a key',
      'Set API_KEYS, or ALLOW_ANONYMOUS=read with ANONYMOUS_NAMESPACES.',
      isReachable,
    ),
    step(
      'model',
      true,
      llm
        ? `The model ${llm.model} writes the answers`
        : 'Answers quote the documents; no model is set',
      '',
      llm ? 'The setting is LLM_MODEL.' : 'To add a model, set LLM_API_KEY or LLM_BASE_URL.',
    ),
    judge &&
      step(
        'check',
        judge.canCheck,
        `The model ${judge.model} checks the answers`,
        'Choose a model that can check the answers',
        judge.canCheck
          ? 'The setting is JUDGE_MODEL.'
          : `The model ${judge.model} cannot; rules alone do. Set JUDGE_MODEL to a better model, or to off.`,
      ),
    step(
      'public_url',
      publicUrl !== undefined,
      'The server has a public address',
      'Set the public address',
      'Set PUBLIC_URL to the https address of this server.',
    ),
    step(
      'mention',
      isMentionSettled,
      requireMention ? mentioned : 'The agent answers without a mention',
      'Name the mentions of your chat',
      `${mentioned}. One-to-one chats carry no mention: set DIRECT_AGENT_ID, or AGENT_MENTIONS to the mentions of your chat.`,
    ),
    takesChatWebhooks(config) &&
      step(
        'webhook',
        config.chatWebhookSecret !== undefined,
        'Chat webhooks are signed',
        'Sign chat webhooks',
        'Set CHAT_WEBHOOK_SECRET instead of Basic auth.',
      ),
    config.limits.answers > 0 &&
      step(
        'question',
        hasAnswered,
        'A question was answered',
        'Ask a question',
        'Ask it in the chat, or on the Ask page.',
      ),
  ];
  return steps.flatMap((one) => one || []);
}

async function hasAnswered({ answers }: KnowledgeApi) {
  for await (const { answer } of answers.newest({ namespaces: undefined, callerId: undefined }))
    if (answer.reason === 'answered' || answer.reason === 'closest') return true;
  return false;
}

export function addStateRoute(app: App, api: KnowledgeApi, config: Config): void {
  const { maxBodyBytes, maxSourceBytes, maxUploadBytes } = config;
  const { caller: rateLimitPerMinute, visitor, ask, search, ingest } = config.rateLimitPerMinute;
  const limits = {
    maxBodyBytes,
    maxSourceBytes,
    maxUploadBytes,
    maxUploadFiles,
    maxSources,
    rateLimitPerMinute,
    askLimitPerMinute: ask || null,
    searchLimitPerMinute: search || null,
    ingestLimitPerMinute: ingest || null,
  };

  const settings = shownSettings(config);
  let isProven = false;
  async function forOperator({ rights: own, namespaces }: Caller, documents: number) {
    if (!own.has('admin') || namespaces) return { settings: null, checklist: null };
    isProven ||= await hasAnswered(api);
    const { judge } = api.metrics;
    return { settings, checklist: checklistOf(config, settings, documents, isProven, judge) };
  }

  serve(app, 'readState', { output: stateOutput }, async (c) => {
    const caller = c.get('caller');
    const mayRead = (name: string) => caller.rights.has('read') && mayUse(caller, name);
    const own = (await api.documents.namespaces()).filter(({ name }) => mayRead(name));
    const sum = (of: 'documents' | 'chunks') => own.reduce((total, one) => total + one[of], 0);
    return c.json({
      version: packageVersion,
      model: api.modelName,
      embeddingModel: config.embedding?.model ?? null,
      documents: sum('documents'),
      chunks: sum('chunks'),
      namespaces: own.length,
      mention: config.requireMention ? (config.agentMentions[0] ?? null) : null,
      agents: stateOutput.shape.agents.parse(Object.values(api.listAgents())),
      mirror: api.mirrorHealth() ?? null,
      calls: config.callsBaseUrl === undefined ? 'embedded' : 'upstream',
      hasSampleCalls: api.calls.isSample ?? false,
      limits: caller.isVisitor ? { ...limits, rateLimitPerMinute: visitor } : limits,
      caller: {
        namespaces: caller.namespaces ? [...caller.namespaces].sort() : null,
        rights: rightsOf(caller),
        isAnonymous: caller.isAnonymous ?? false,
      },
      ...(await forOperator(caller, sum('documents'))),
    });
  });
}

export const metricsPath = '/metrics';

const output = textResponse('Prometheus text exposition format 0.0.4', 'text/plain');

export function addMetricsRoute(app: App, { metrics }: KnowledgeApi): void {
  serve(app, 'readMetrics', { output }, async (c) => {
    if (c.get('caller').namespaces)
      throw new KnowledgeError(
        'right_missing',
        'Metrics cover all namespaces, but this key or token is limited to some.',
      );
    return c.body(await metrics.read(), 200, { 'content-type': metrics.contentType });
  });
}
