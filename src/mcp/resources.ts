/** Documents as MCP resources: `knowledge://<namespace>/<documentId>`. What a caller may not read is as unknown to them as what is not there. */
import type { ListResourcesResult, ReadResourceResult, Resource } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import { KnowledgeError } from '../errors.ts';
import { type McpHost, RpcError, rpcCodes } from './host.ts';

interface Named {
  readonly documentId: string;
  readonly file: string;
  readonly title: string;
}

const mimeType = 'text/markdown';

export const toResource = (namespace: string, { documentId, file, title }: Named): Resource => ({
  uri: `knowledge://${namespace}/${documentId}`,
  name: file,
  title,
  mimeType,
});

export const documentTemplate = {
  uriTemplate: 'knowledge://{namespace}/{documentId}',
  name: 'document',
  title: 'A document',
  description: 'The stored Markdown of a document; documentId as searches and citations give it',
  mimeType,
};

const perPage = 100;

/** The last document that was listed: what is deleted or added meanwhile moves no other. */
const position = z.tuple([z.string(), z.string()]);

const toCursor = (namespace: string, file: string) => Buffer.from(JSON.stringify([namespace, file])).toString('base64url');

function parseCursor(cursor: unknown): z.infer<typeof position> {
  if (cursor === undefined) return ['', ''];
  try {
    return position.parse(JSON.parse(Buffer.from(String(cursor), 'base64url').toString()));
  } catch {
    throw new RpcError(rpcCodes.invalidParams, 'This cursor is not one that resources/list gave.', { code: 'invalid_request' });
  }
}

function isOwn({ parseNamespace }: Reader, { mayUse }: McpHost, name: string): boolean {
  try {
    return mayUse(parseNamespace(name));
  } catch {
    return false;
  }
}

type Reader = Pick<KnowledgeApi, 'documents' | 'parseNamespace'>;

export async function listResources(reader: Reader, host: McpHost, cursor: unknown): Promise<ListResourcesResult> {
  const [fromNamespace, afterFile] = parseCursor(cursor);
  const { documents } = reader;
  const names = (await documents.names()).filter((name) => name >= fromNamespace && isOwn(reader, host, name));
  const found: { readonly file: string; readonly namespace: string; readonly resource: Resource }[] = [];
  for (const namespace of names.sort()) {
    const { entries } = await documents.list(namespace, 0, Number.POSITIVE_INFINITY);
    for (const { document } of entries) {
      const { id: documentId, file, title, bytes } = document;
      if (found.length > perPage) break;
      if (namespace === fromNamespace && file <= afterFile) continue;
      found.push({ namespace, file, resource: { ...toResource(namespace, { documentId, file, title }), size: bytes } });
    }
    if (found.length > perPage) break;
  }
  const page = found.slice(0, perPage);
  const last = page.at(-1);
  const hasMore = last && found.length > perPage;
  return { resources: page.map(({ resource }) => resource), ...(hasMore ? { nextCursor: toCursor(last.namespace, last.file) } : {}) };
}

const unknown = () => new RpcError(rpcCodes.resourceNotFound, 'There is no such document.', { code: 'document_not_found' });

const notThere = new Set(['invalid_namespace', 'namespace_not_found', 'document_not_found']);

/** @throws RpcError the same for what is not there, and for what this caller may not read */
export async function readResource(reader: Reader, host: McpHost, uri: string): Promise<ReadResourceResult> {
  const [, name = '', documentId = ''] = /^knowledge:\/\/([^/?#]+)\/([^/?#]+)$/.exec(uri) ?? [];
  try {
    const { text } = await reader.documents.read(host.namespaceToRead(name), documentId);
    return { contents: [{ uri, mimeType, text }] };
  } catch (error) {
    throw error instanceof KnowledgeError && notThere.has(error.code) ? unknown() : error;
  }
}
