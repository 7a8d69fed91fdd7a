/** Files that callers send: `multipart/form-data`, streamed to disk and read into a namespace while the caller waits. */
import type { Context, Hono } from 'hono';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import type { Config } from '../../config.ts';
import type { AppEnv } from '../auth/caller.ts';
import { serve, signalOf } from '../operation.ts';
import { sendReport, waitedFor } from '../tools/ingest.ts';
import { readMultipart } from './multipart.ts';

export type UploadLimits = Pick<Config, 'maxUploadBytes'>;

export const maxUploadFiles = 100;
/** A client that sends nothing for so long has gone. */
const maxPauseMs = 30_000;

const files = {
  type: 'array' as const,
  items: { type: 'string' as const, format: 'binary' },
  minItems: 1,
  maxItems: maxUploadFiles,
  description: 'the filename of a part, which may be a relative path such as policies/sla.pdf, is what the document is known by',
};
const requestBody = {
  required: true,
  content: { 'multipart/form-data': { schema: { type: 'object' as const, required: ['files'], properties: { files } } } },
};

/** @param namespaceOf the namespace of the path, where the caller may use it: known before anything of the body is read */
export function addUploadRoute(
  app: Hono<AppEnv>,
  api: Pick<KnowledgeApi, 'ingestUpload' | 'mirrorHealth'>,
  namespaceOf: (c: Context<AppEnv>) => string,
  { maxUploadBytes: maxBytes }: UploadLimits,
): void {
  const limits = { maxBytes, maxFiles: maxUploadFiles, maxPauseMs };
  serve(app, 'uploadDocuments', { ...waitedFor, requestBody }, async (c) => {
    const [namespace, signal] = [namespaceOf(c), signalOf(c)];
    const rows = await api.ingestUpload({
      namespace,
      caller: c.get('caller').id,
      signal,
      receive: (take) => readMultipart(c.req.raw, limits, signal, take),
    });
    return sendReport(c, api, namespace, rows);
  });
}
