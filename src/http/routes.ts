/** The API on one screen: every operation, what it takes and gives, and which part of the product does it. */
import type { Context, Hono } from 'hono';
import { KnowledgeError } from '../errors.ts';
import type { KnowledgeApi } from '../mastra/knowledge-api.ts';
import { ingestSourcesInput, ingestSourcesOutput, requestsOf } from '../mastra/tools/ingest-sources.ts';
import { searchDocsInput, searchDocsOutput } from '../mastra/tools/search-docs.ts';
import { addAgentRoutes } from './agent-routes.ts';
import { addAnswerRoutes } from './answer-routes.ts';
import type { AppEnv } from './app-env.ts';
import { addCallRoutes } from './call-routes.ts';
import { requireNamespace } from './caller.ts';
import { addCallsToolRoutes } from './calls-tool-routes.ts';
import { jsonBody, requireJson } from './json-body.ts';
import { addLibraryRoutes, jobStarted, reportResponse } from './library-routes.ts';
import { failures, json, openToAll, operation } from './operation.ts';
import { healthOutput, jobOutput } from './schemas.ts';

export function addRoutes(app: Hono<AppEnv>, api: KnowledgeApi, stopping?: AbortSignal): void {
  const { ingestSources, searchDocs, parseNamespace, isReady } = api;
  /** Ends with the client's patience, or with the server. */
  const signalOf = (c: Context<AppEnv>) => (stopping ? AbortSignal.any([c.req.raw.signal, stopping]) : c.req.raw.signal);

  app.post(
    '/api/tools/ingestSources',
    operation('ingestSources', 'Read URLs, sites, files, folders and texts into a namespace', ingestSourcesOutput, {
      202: json('With "wait": false, the job that does it', jobOutput),
      422: json('Every source failed; the report says why', ingestSourcesOutput),
      ...failures(400, 401, 403, 413, 415, 429),
    }),
    requireJson,
    jsonBody(ingestSourcesInput),
    async (c) => {
      const input = c.req.valid('json');
      const namespace = parseNamespace(input.namespace);
      requireNamespace(c.get('caller'), namespace);
      if (!input.wait) return jobStarted(c, await api.jobs.start(namespace, requestsOf(input), input.prune));
      return reportResponse(c, await ingestSources(input, signalOf(c)));
    },
  );

  app.post(
    '/api/tools/searchDocs',
    operation('searchDocs', 'Find passages in a namespace', searchDocsOutput, failures(400, 401, 403, 404, 413, 415, 429)),
    requireJson,
    jsonBody(searchDocsInput),
    async (c) => {
      const input = c.req.valid('json');
      requireNamespace(c.get('caller'), parseNamespace(input.namespace));
      return c.json(await searchDocs(input));
    },
  );

  addAgentRoutes(app, api, signalOf);
  addLibraryRoutes(app, api, signalOf);
  addAnswerRoutes(app, api);
  addCallRoutes(app, api.calls, signalOf);
  addCallsToolRoutes(app, api.callsTools, signalOf);

  app.get('/health', operation('health', 'Whether the process is alive', healthOutput, {}, openToAll), (c) => c.json({ status: 'ok' }));

  app.get('/ready', operation('ready', 'Whether the documents are searchable', healthOutput, failures(503), openToAll), (c) => {
    if (!isReady()) throw new KnowledgeError('not_ready', 'The documents are still being read.', { retryAfterSeconds: 1 });
    return c.json({ status: 'ready' });
  });
}
