/** Documents, namespaces and jobs: what is stored, how it is kept up to date, and what long work is doing. */
import type { Context, Hono } from 'hono';
import { validator } from 'hono-openapi';
import type { JobReport } from '../knowledge/jobs/job.ts';
import type { ShelfEntry } from '../knowledge/shelf.ts';
import type { KnowledgeApi } from '../mastra/knowledge-api.ts';
import { type IngestSourcesOutput, ingestSourcesOutput, toReport } from '../mastra/tools/ingest-sources.ts';
import type { AppEnv } from './app-env.ts';
import { mayUse, requireNamespace } from './caller.ts';
import { streamJob } from './job-events.ts';
import { jsonBody, optionalJson, rejectInvalid } from './json-body.ts';
import { failures, json, operation, pathParameter } from './operation.ts';
import {
  deletedDocumentOutput,
  deletedNamespaceOutput,
  documentOutput,
  documentsInput,
  documentsOutput,
  jobOutput,
  namespacesOutput,
  refreshInput,
} from './schemas.ts';

const inNamespace = { parameters: [pathParameter('namespace', 'name of the namespace', 'default')] };
const ofDocument = { parameters: [...inNamespace.parameters, pathParameter('id', 'id of the document')] };
const ofJob = { parameters: [pathParameter('id', 'id of the job')] };

/** 422 where every source failed. */
export const reportResponse = (c: Context<AppEnv>, report: IngestSourcesOutput) =>
  c.json(report, report.results.length > 0 && report.failed === report.results.length ? 422 : 200);

export function jobStarted(c: Context<AppEnv>, job: JobReport) {
  c.header('location', `/api/jobs/${job.id}`);
  return c.json(job, 202);
}

const metadataOf = ({ document, chunks }: ShelfEntry) => ({
  id: document.id,
  file: document.file,
  title: document.title,
  source: document.source,
  kind: document.kind,
  bytes: document.bytes,
  chunks: chunks.length,
  revision: document.revision,
  fetchedAt: document.fetchedAt ?? null,
  language: document.language ?? null,
  lastModified: document.lastModified ?? null,
  canonicalUrl: document.canonicalUrl ?? null,
});

export function addLibraryRoutes(app: Hono<AppEnv>, api: KnowledgeApi, signalOf: (c: Context<AppEnv>) => AbortSignal): void {
  const { documents, jobs, ingestNow, listSchedules, parseNamespace } = api;

  /** The namespace of the path, if it is this caller's. */
  function namespaceOf(c: Context<AppEnv>): string {
    const namespace = parseNamespace(c.req.param('namespace') ?? '');
    requireNamespace(c.get('caller'), namespace);
    return namespace;
  }

  /** A job of this caller's; that of another is as unknown as one that never was. */
  async function jobOf(c: Context<AppEnv>): Promise<JobReport> {
    const job = await jobs.get(c.req.param('id') ?? '');
    if (!mayUse(c.get('caller'), job.namespace)) return jobs.get('');
    return job;
  }

  app.get(
    '/api/namespaces',
    operation('listNamespaces', 'The namespaces and what they hold', namespacesOutput, failures(401, 429)),
    async (c) => {
      const own = (await documents.namespaces()).filter(({ name }) => mayUse(c.get('caller'), name));
      return c.json({
        namespaces: await Promise.all(own.map(async (summary) => ({ ...summary, schedules: await listSchedules(summary.name) }))),
      });
    },
  );

  app.delete(
    '/api/namespaces/:namespace',
    operation(
      'deleteNamespace',
      'Delete a namespace: its documents, its folder, its jobs',
      deletedNamespaceOutput,
      failures(400, 401, 403, 404, 429),
      inNamespace,
    ),
    async (c) => {
      const namespace = namespaceOf(c);
      return c.json({ namespace, deleted: { documents: await documents.removeNamespace(namespace) } });
    },
  );

  app.get(
    '/api/namespaces/:namespace/documents',
    operation(
      'listDocuments',
      'The documents of a namespace, page by page',
      documentsOutput,
      failures(400, 401, 403, 404, 429),
      inNamespace,
    ),
    validator('query', documentsInput, rejectInvalid),
    async (c) => {
      const namespace = namespaceOf(c);
      const { page, perPage } = c.req.valid('query');
      const { total, entries } = await documents.list(namespace, (page - 1) * perPage, perPage);
      return c.json({ namespace, total, page, perPage, documents: entries.map(metadataOf) });
    },
  );

  app.get(
    '/api/namespaces/:namespace/documents/:id',
    operation(
      'readDocument',
      'A document: where it came from, and its Markdown',
      documentOutput,
      failures(400, 401, 403, 404, 429),
      ofDocument,
    ),
    async (c) => {
      const namespace = namespaceOf(c);
      const { entry, text, bodyStart } = await documents.read(namespace, c.req.param('id'));
      return c.json({ namespace, ...metadataOf(entry), markdown: text, bodyStart });
    },
  );

  app.delete(
    '/api/namespaces/:namespace/documents/:id',
    operation(
      'deleteDocument',
      'Delete a document and every trace of it',
      deletedDocumentOutput,
      failures(400, 401, 403, 404, 429),
      ofDocument,
    ),
    async (c) => {
      const namespace = namespaceOf(c);
      const { id, file, title } = (await documents.remove(namespace, c.req.param('id'))).document;
      return c.json({ namespace, deleted: { id, file, title } });
    },
  );

  app.post(
    '/api/namespaces/:namespace/refresh',
    operation(
      'refreshNamespace',
      'Read the sources of the documents again',
      ingestSourcesOutput,
      {
        202: json('With "wait": false, the job that does it', jobOutput),
        422: json('Every source failed; the report says why', ingestSourcesOutput),
        ...failures(400, 401, 403, 404, 413, 415, 429),
      },
      inNamespace,
    ),
    optionalJson,
    jsonBody(refreshInput),
    async (c) => {
      const namespace = namespaceOf(c);
      const { documents: ids, prune, wait } = c.req.valid('json');
      const requests = await documents.refreshRequests(namespace, ids);
      if (!wait) return jobStarted(c, await jobs.start(namespace, requests, prune));
      return reportResponse(c, toReport(namespace, await ingestNow({ namespace, requests, prune, signal: signalOf(c) })));
    },
  );

  app.get('/api/jobs/:id', operation('readJob', 'What a job has done and is doing', jobOutput, failures(401, 404, 429), ofJob), async (c) =>
    c.json(await jobOf(c)),
  );

  app.delete(
    '/api/jobs/:id',
    operation('cancelJob', 'End a job; what is stored stays', jobOutput, failures(401, 404, 429), ofJob),
    async (c) => c.json(await jobs.cancel((await jobOf(c)).id)),
  );

  app.get(
    '/api/jobs/:id/events',
    operation('followJob', 'The progress of a job, as server-sent events', jobOutput, failures(401, 404, 429), ofJob),
    async (c) => streamJob(c, jobs, await jobOf(c), signalOf(c)),
  );
}
