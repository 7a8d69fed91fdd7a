/** Addresses of cited places. */

import { isRecordId } from '../calls/user-calls.ts';
import type { ShownCitation } from './check.ts';
import { isWebAddress } from './reply/sources.ts';

/** URL of the cited web page or, for other documents, of this server's page with the quote. */
export function addressOf(
  { source, documentId, file, start, end, revision }: ShownCitation,
  namespace: string,
  baseUrl: string,
) {
  if (isWebAddress(source)) return source;
  const of = encodeURIComponent(namespace);
  if (isRecordId(documentId)) return `${baseUrl}/#/${file.replace(/^v3\/calls/, `calls/${of}`)}`;
  const span = new URLSearchParams({ start: String(start), end: String(end), revision });
  return `${baseUrl}/#/documents/${of}/${encodeURIComponent(documentId)}?${span}`;
}
