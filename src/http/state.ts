/** `GET /api/state` and `GET /metrics`. Counts of the state cover the caller's namespaces. No secret, path or address is returned. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { maxSources } from '../app/ingest-sources.ts';
import { agentCard, type KnowledgeApi } from '../app/knowledge-api.ts';
import type { Config } from '../config.ts';
import { KnowledgeError } from '../errors.ts';
import { rights } from '../rights.ts';
import { type AppEnv, mayUse, rightsOf } from './auth/caller.ts';
import { maxUploadFiles } from './documents/routes.ts';
import { serve } from './operation.ts';
import { apiVersion } from './operations.ts';

export const mirrorHealth = z.object({
  ageMs: z.number().nullable().describe('milliseconds since this server last reached the database; null: never since startup'),
  isWritten: z.boolean().describe('false: this server cannot write to KNOWLEDGE_DIR, is out of date, and is not ready'),
});

const ownLimit = z.int().nullable();

const stateOutput = z.object({
  version: z.string(),
  model: z.string().describe('model that answers; `extractive`: the built-in one'),
  embeddingModel: z.string().nullable().describe('null: no semantic search'),
  searchEngine: z.enum(['memory', 'postgres']),
  documents: z.int().describe('documents in the namespaces that the caller may read; chunks and namespaces likewise'),
  chunks: z.int(),
  namespaces: z.int(),
  mention: z.string().nullable().describe('mention that POST /api/agents/knowledge/generate requires; null: no mention required'),
  agents: z.array(agentCard.pick({ id: true, requiresMention: true, mentions: true })).describe('agents, and which texts mention them'),
  mirror: mirrorHealth.nullable().describe('only with DATABASE_URL: state of the local copy of the documents'),
  calls: z.enum(['embedded', 'upstream']).describe('source of /v3/calls: the embedded call log or the calling service'),
  limits: z.object({
    maxBodyBytes: z.int().describe('bytes of a request body'),
    maxSourceBytes: z.int().describe('bytes of a source, after decompression'),
    maxUploadBytes: z.int(),
    maxUploadFiles: z.int(),
    maxSources: z.int().describe('sources of one ingestion'),
    rateLimitPerMinute: z.int().describe('requests per caller; 0: no limit'),
    askLimitPerMinute: ownLimit.describe('questions per caller, on all paths; null: no separate limit'),
    searchLimitPerMinute: ownLimit.describe('searches per caller; null: no separate limit'),
    ingestLimitPerMinute: ownLimit.describe('ingestions, uploads and refreshes per caller; null: no separate limit'),
  }),
  caller: z.object({
    namespaces: z.array(z.string()).nullable().describe('null: all namespaces'),
    rights: z.array(z.enum(rights)).describe('rights of the caller in these namespaces'),
    isAnonymous: z.boolean(),
  }),
});

export function addStateRoute(app: Hono<AppEnv>, api: KnowledgeApi, config: Config): void {
  const { maxBodyBytes, maxSourceBytes, maxUploadBytes, rateLimitPerMinute, searchEngine } = config;
  const limits = {
    ...{ maxBodyBytes, maxSourceBytes, maxUploadBytes, maxUploadFiles, maxSources, rateLimitPerMinute },
    askLimitPerMinute: config.askLimitPerMinute ?? null,
    searchLimitPerMinute: config.searchLimitPerMinute ?? null,
    ingestLimitPerMinute: config.ingestLimitPerMinute ?? null,
  };

  serve(app, 'readState', { output: stateOutput }, async (c) => {
    const caller = c.get('caller');
    const mayRead = (name: string) => caller.rights.has('read') && mayUse(caller, name);
    const own = (await api.documents.namespaces()).filter(({ name }) => mayRead(name));
    const sum = (of: 'documents' | 'chunks') => own.reduce((total, one) => total + one[of], 0);
    return c.json({
      version: apiVersion,
      model: api.modelName,
      embeddingModel: config.embedding?.model ?? null,
      searchEngine,
      documents: sum('documents'),
      chunks: sum('chunks'),
      namespaces: own.length,
      mention: config.requireMention ? (config.agentMentions[0] ?? null) : null,
      agents: Object.values(api.listAgents()).map(({ id, requiresMention, mentions }) => ({ id, requiresMention, mentions })),
      mirror: api.mirrorHealth() ?? null,
      calls: config.calls.upstream ? 'upstream' : 'embedded',
      limits,
      caller: {
        namespaces: caller.namespaces ? [...caller.namespaces].sort() : null,
        rights: rightsOf(caller),
        isAnonymous: caller.isAnonymous ?? false,
      },
    });
  });
}

export const metricsPath = '/metrics';

const output = {
  description: 'Prometheus text exposition format 0.0.4',
  content: { 'text/plain': { schema: { type: 'string' as const } } },
};

export function addMetricsRoute(app: Hono<AppEnv>, { metrics }: Pick<KnowledgeApi, 'metrics'>): void {
  serve(app, 'readMetrics', { output }, async (c) => {
    if (c.get('caller').namespaces)
      throw new KnowledgeError('right_missing', 'Metrics cover all namespaces, but this key or token is limited to some.');
    return c.body(await metrics.read(), 200, { 'content-type': metrics.contentType });
  });
}
