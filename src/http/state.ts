/** `GET /api/state`: what a page or an operator shows of this server. Counts are of the caller's namespaces; no secret, path or address of others. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { maxSources } from '../app/ingest-sources.ts';
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import type { Config } from '../config.ts';
import { KnowledgeError } from '../errors.ts';
import { rights } from '../rights.ts';
import { type AppEnv, mayUse, rightsOf } from './auth/caller.ts';
import { maxUploadFiles } from './documents/routes.ts';
import { serve } from './operation.ts';
import { apiVersion } from './operations.ts';

export const mirrorHealth = z.object({
  ageMs: z.number().nullable().describe('milliseconds since this server last heard of the database; null: not since its start'),
  isWritten: z.boolean().describe('false: this server cannot write its folder, is behind, and is not ready'),
});

const ownLimit = z.int().nullable();

const stateOutput = z.object({
  version: z.string(),
  model: z.string().describe('as the answers name it; `extractive`: the built-in one'),
  embeddingModel: z.string().nullable().describe('null: nothing is searched by meaning'),
  searchEngine: z.enum(['memory', 'postgres']),
  documents: z.int().describe('in the namespaces that the caller may read, as chunks and namespaces'),
  chunks: z.int(),
  namespaces: z.int(),
  mention: z
    .string()
    .nullable()
    .describe('what the agent is called by in POST /api/agents/knowledge/generate; null: a question needs no mention'),
  mirror: mirrorHealth.nullable().describe('with DATABASE_URL: what this server answers from'),
  calls: z.enum(['embedded', 'upstream']).describe('who answers /v3/calls: the embedded call log, or the calling service'),
  limits: z.object({
    maxBodyBytes: z.int().describe('of a request'),
    maxSourceBytes: z.int().describe('of a source, after decompression'),
    maxUploadBytes: z.int(),
    maxUploadFiles: z.int(),
    maxSources: z.int().describe('of one ingest'),
    rateLimitPerMinute: z.int().describe('requests of a caller; 0: no limit'),
    askLimitPerMinute: ownLimit.describe('questions of a caller, in every way in; null: no limit of their own'),
    searchLimitPerMinute: ownLimit.describe('searches of a caller; the same'),
    ingestLimitPerMinute: ownLimit.describe('ingests, uploads and refreshes of a caller; the same'),
  }),
  caller: z.object({
    namespaces: z.array(z.string()).nullable().describe('null: every namespace'),
    rights: z.array(z.enum(rights)).describe('what the caller may do, in these namespaces'),
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
      throw new KnowledgeError('right_missing', 'Metrics are of all namespaces, and this key or token is limited to some.');
    return c.body(await metrics.read(), 200, { 'content-type': metrics.contentType });
  });
}
