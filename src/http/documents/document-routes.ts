/** Operations of namespaces, documents and jobs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { maxSuggestions } from '../../ask/suggestions.ts';
import type { Config } from '../../config.ts';
import { isRefreshable } from '../../documents/document-file.ts';
import type { IndexedDocument } from '../../documents/namespace-snapshot.ts';
import { jobReport } from '../../ingest/jobs/job.ts';
import { pageOf } from '../../records/cursor.ts';
import { note } from '../../trace.ts';
import {
  type App,
  type AppContext,
  mayUse,
  mayUseAndNote,
  namespaceToRead,
  namespaceToWrite,
  ownerOf,
} from '../auth/caller.ts';
import { reportFailure } from '../error-response.ts';
import type { KnowledgeApi } from '../knowledge-api.ts';
import {
  allowSilence,
  isoTime,
  nextCursor,
  paged,
  serve,
  signalOf,
  text,
  textResponse,
} from '../operation.ts';
import { openStream, sendEvents } from '../sse.ts';
import { ingest, ingestResponses, sendReport, synchronousIngest } from '../tools/tool-routes.ts';
import { readMultipart } from './multipart.ts';

export const maxUploadFiles = 100;
const maxStaleAnswers = 200;
/** A client that sends nothing for this long is disconnected. */
const maxIdleMs = 30_000;

const files = {
  type: 'array' as const,
  items: { type: 'string' as const, format: 'binary' },
  minItems: 1,
  maxItems: maxUploadFiles,
  description: 'the filename identifies the document; it may be a path such as policies/sla.pdf',
};
const requestBody = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: { type: 'object' as const, required: ['files'], properties: { files } },
    },
  },
};

const schedule = z.object({
  id: text,
  source: text,
  refreshEvery: text,
  nextAt: isoTime,
});
const namespace = z.object({
  name: text,
  documents: z.int(),
  chunks: z.int(),
  bytes: z.int(),
  isIndexed: z.boolean().describe('false: not read yet, so its counts are 0'),
  schedules: z.array(schedule).describe('sources that are refreshed automatically'),
});
const namespacesInput = z.object(paged('listNamespaces'));
const namespacesOutput = z.object({ namespaces: z.array(namespace), nextCursor });

const documentShape = {
  id: text,
  file: text.describe('path in the folder of the namespace'),
  title: text,
  source: text,
  kind: z.enum(['url', 'file', 'text']),
  bytes: z.int(),
  chunks: z.int(),
  revision: text,
  fetchedAt: isoTime.nullable(),
  language: text.nullable(),
  lastModified: text.nullable().describe('as the source states it'),
  canonicalUrl: text.nullable(),
  isRefreshable: z.boolean().describe('whether the server can read the source again'),
  author: text.nullable().describe('person responsible for the content'),
  reviewedAt: z.iso.date().nullable().describe('date of the last review'),
  reviewBy: z.iso.date().nullable().describe('date by which the document should be reviewed'),
};

const documentsInput = z.object({
  query: text
    .max(300)
    .optional()
    .describe('words in the title, file name or source; case and accents are ignored'),
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  perPage: z.coerce.number().int().min(1).max(500).default(50),
  state: z
    .enum(['all', 'no_text', 'outdated'])
    .default('all')
    .describe(
      'no_text: no passages; outdated: past its review date or, for the right `admin`, misquoted by an answer',
    ),
  ...paged('listDocuments'),
});

const documentsOutput = z.object({
  namespace: text,
  total: z.int(),
  page: z.int(),
  perPage: z.int(),
  documents: z.array(z.object(documentShape)).describe('sorted by file'),
  nextCursor,
});

const documentOutput = z.object({
  namespace: text,
  ...documentShape,
  markdown: text.describe('the stored file with its front matter; offsets refer to it'),
  bodyStart: z.int().describe('offset of the text after the front matter'),
});

const suggestionsInput = z.object({
  limit: z.coerce.number().int().min(1).max(maxSuggestions).default(maxSuggestions),
});
const suggestionsOutput = z.object({
  namespace: text,
  suggestions: z
    .array(z.object({ question: text, documentId: text, title: text }))
    .describe('made from headings; each was answered when it was made'),
});

const deletedOutput = (shape: z.ZodRawShape) =>
  z.object({ namespace: text, deleted: z.object(shape) });

const refreshInput = z.strictObject({
  documents: z
    .array(text.max(100))
    .min(1)
    .max(1000)
    .optional()
    .describe('ids; omitted: all documents that came from a URL or file'),
  prune: z.boolean().default(false).describe('delete documents whose sources no longer exist'),
  wait: z.boolean().default(true).describe('false: return 202 with a job immediately'),
});

const metadataOf = ({ document, chunks }: IndexedDocument) => ({
  ...Object.fromEntries(
    Object.keys(documentShape).map((name) => [name, Object(document)[name] ?? null]),
  ),
  chunks: chunks.length,
  isRefreshable: isRefreshable(document),
});

/**
 * Returns the test for a state of documents. Only callers with the right `admin` may know which
 * answers no longer match.
 */
async function filterOf(
  c: AppContext,
  { staleAnswers }: KnowledgeApi,
  namespace: string,
  state: z.infer<typeof documentsInput>['state'],
) {
  if (state === 'all') return undefined;
  if (state === 'no_text') return ({ chunks }: IndexedDocument) => chunks.length === 0;
  const wanted = {
    namespaces: [namespace],
    callerId: ownerOf(c),
    state: 'stale',
    limit: maxStaleAnswers,
    signal: signalOf(c),
  } as const;
  const { answers } = c.get('caller').rights.has('admin')
    ? await staleAnswers.list(wanted)
    : { answers: [] };
  const misquoted = new Set(
    answers.flatMap(({ changed }) => changed.map(({ documentId }) => documentId)),
  );
  const today = new Date().toISOString().slice(0, 10);
  return ({ document: { id, reviewBy } }: IndexedDocument) =>
    misquoted.has(id) || (reviewBy !== undefined && reviewBy < today);
}

const writtenNamespace = (c: AppContext, { parseNamespace }: KnowledgeApi) =>
  namespaceToWrite(c.get('caller'), c.req.param('namespace') ?? '', parseNamespace);

function addUploadRoute(app: App, api: KnowledgeApi, { maxUploadBytes: maxBytes }: Config) {
  const limits = { maxBytes, maxFiles: maxUploadFiles, maxIdleMs };
  serve(app, 'uploadDocuments', { ...synchronousIngest, requestBody }, async (c) => {
    // It throws before the body is read.
    const namespace = writtenNamespace(c, api);
    const signal = signalOf(c);
    allowSilence(c);
    const rows = await api.ingestUpload({
      namespace,
      caller: c.get('caller').id,
      signal,
      receive: (take) => readMultipart(c.req.raw, limits, signal, take),
    });
    return sendReport(c, api, namespace, rows);
  });
}

export function addDocumentRoutes(app: App, api: KnowledgeApi, config: Config): void {
  const { documents, parseNamespace } = api;

  const readFrom = (c: AppContext) =>
    namespaceToRead(c.get('caller'), c.req.param('namespace') ?? '', parseNamespace);
  const writtenTo = (c: AppContext) => writtenNamespace(c, api);

  serve(
    app,
    'listNamespaces',
    { output: namespacesOutput, query: namespacesInput },
    async (c, asked) => {
      const own = (await documents.names()).filter((name) => mayUse(c.get('caller'), name));
      const { page, ...next } = pageOf('listNamespaces', own, (name) => [name], asked);
      const schedules = await documents.schedules();
      const namespaces = (await documents.namespaces(page)).map((summary) => ({
        ...summary,
        schedules: schedules.get(summary.name) ?? [],
      }));
      return c.json({ namespaces, ...next });
    },
  );

  const removedNamespace = deletedOutput({ documents: z.int() });
  serve(app, 'deleteNamespace', { output: removedNamespace }, async (c) => {
    const namespace = writtenTo(c);
    const deleted = await documents.removeNamespace(namespace);
    note({ changed: { deleted } });
    return c.json({ namespace, deleted: { documents: deleted } });
  });

  serve(
    app,
    'refreshNamespace',
    { ...ingestResponses, body: refreshInput, isBodyOptional: true },
    async (c, { documents: ids, prune, wait }) => {
      const namespace = writtenTo(c);
      return ingest(c, api, wait, {
        namespace,
        requests: await documents.refreshRequests(namespace, ids),
        prune,
      });
    },
  );

  addUploadRoute(app, api, config);

  serve(
    app,
    'listDocuments',
    { output: documentsOutput, query: documentsInput },
    async (c, { query, state, page, perPage, ...paging }) => {
      const namespace = readFrom(c);
      const from = paging.cursor ? 0 : (page - 1) * perPage;
      const hasState = await filterOf(c, api, namespace, state);
      const { total, entries } = await documents.list(
        namespace,
        from,
        Number.POSITIVE_INFINITY,
        query,
        hasState,
      );
      const asked = { limit: paging.limit ?? perPage, cursor: paging.cursor };
      const { page: listed, ...next } = pageOf(
        'listDocuments',
        entries,
        ({ document }) => [document.file],
        asked,
      );
      return c.json({
        namespace,
        total,
        page,
        perPage: asked.limit,
        documents: listed.map(metadataOf),
        ...next,
      });
    },
  );

  serve(
    app,
    'suggestQuestions',
    { output: suggestionsOutput, query: suggestionsInput },
    async (c, { limit: most }) => {
      const namespace = readFrom(c);
      return c.json({ namespace, suggestions: await api.suggestions(namespace, most) });
    },
  );

  serve(app, 'readDocument', { output: documentOutput }, async (c) => {
    const { entry, text, bodyStart } = await documents.read(readFrom(c), c.req.param('id') ?? '');
    return c.json({ namespace: readFrom(c), ...metadataOf(entry), markdown: text, bodyStart });
  });

  const removedSchedule = deletedOutput({ id: text, source: text });
  serve(app, 'deleteSchedule', { output: removedSchedule }, async (c) => {
    const namespace = writtenTo(c);
    const scheduleId = c.req.param('scheduleId') ?? '';
    const { id, source } = await documents.removeSchedule(namespace, scheduleId);
    note({ changed: { schedule: id } });
    return c.json({ namespace, deleted: { id, source } });
  });

  const removedDocument = deletedOutput({ id: text, file: text, title: text });
  serve(app, 'deleteDocument', { output: removedDocument }, async (c) => {
    const namespace = writtenTo(c);
    const { document } = await documents.remove(namespace, c.req.param('id') ?? '');
    const { id, file, title } = document;
    note({ changed: { document: id } });
    return c.json({ namespace, deleted: { id, file, title } });
  });
}

/** Frequent enough for readers, and cheap compared with the job. */
const progressEveryMs = 250;

const toSse = (event: string, content: unknown) => ({
  event,
  data: JSON.stringify(content),
});

/**
 * Yields `result` for each finished source, `progress` when the counts change, and `end` with the
 * final report.
 */
async function* jobEvents(jobs: KnowledgeApi['jobs'], id: string, ended: AbortSignal) {
  let sent = 0;
  let last = '';
  while (!ended.aborted) {
    const { rows, report, isLive } = await jobs.progress(id, sent);
    for (const row of rows) yield [toSse('result', row)];
    sent += rows.length;
    const { results: _, ...job } = report;
    const event = toSse(isLive ? 'progress' : 'end', job);
    if (!isLive || event.data !== last) yield [event];
    if (!isLive) return;
    last = event.data;
    await sleep(progressEveryMs, undefined, { signal: ended }).catch(() => undefined);
  }
}

const jobProgress = textResponse(
  '`result` for each row, `progress` when counts change, and `end` with the report without its results',
);

const jobsInput = z.object({
  document: text
    .max(100)
    .optional()
    .describe('id of a document: results are the reads of this document'),
});
const jobsOutput = z.object({
  namespace: text,
  jobs: z
    .array(jobReport)
    .describe('without `document`: only failed sources that no newer job has read'),
});

export function addJobRoutes(app: App, api: KnowledgeApi): void {
  const { jobs, documents } = api;

  async function jobOf(c: AppContext) {
    const job = await jobs.get(c.req.param('id') ?? '');
    return mayUseAndNote(c.get('caller'), job.namespace) ? job : jobs.get('');
  }

  serve(app, 'listJobs', { output: jobsOutput, query: jobsInput }, async (c, { document: id }) => {
    const namespace = writtenNamespace(c, api);
    const found = id === undefined ? undefined : await documents.find(namespace, id);
    const read = id === undefined ? undefined : { id, source: found?.document.source ?? '' };
    return c.json({ namespace, jobs: await jobs.list(namespace, read) });
  });

  serve(app, 'readJob', { output: jobReport }, async (c) => c.json(await jobOf(c)));

  serve(app, 'cancelJob', { output: jobReport }, async (c) => {
    const { id } = await jobOf(c);
    note({ changed: { job: id } });
    return c.json(await jobs.cancel(id));
  });

  serve(app, 'followJob', { output: jobProgress }, async (c) => {
    const { id } = await jobOf(c);
    return sendEvents(c, openStream(c), {
      open: (ended) => jobEvents(jobs, id, AbortSignal.any([ended, signalOf(c)])),
      onFailure: (error) => {
        reportFailure(c, error);
        return [];
      },
    });
  });
}
