/** Documents as MCP resources: `knowledge://<namespace>/<documentId>`. What a caller may not read is as unknown to them as what is not there. */
import type { ListResourcesResult, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { type ListPlace, readCursor, toCursor } from '../app/cursor.ts';
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import { KnowledgeError } from '../errors.ts';

export type ToldFailure = Readonly<{ error: string; code: string }>;

export type McpAct = 'askKnowledge' | 'searchDocs' | 'listCalls' | 'summarizeCalls' | 'ingestSources' | 'resources';

export interface McpHost {
  readonly owner: string;
  /** Who it is counted for, where what can be done at a time is shared. */
  readonly countedAs: string;
  /** Whether `owner` stands for one caller alone: otherwise nothing is remembered. */
  readonly isOneCaller: boolean;
  readonly actingUser: string | undefined;
  readonly addressed: boolean | undefined;
  readonly takesSources: boolean;
  /** Whether this caller has the right to it: they are not shown other tools. */
  readonly may: (act: McpAct) => boolean;
  readonly requireRightTo: (act: McpAct) => void;
  readonly namespace: string;
  readonly mayUse: (namespace: string) => boolean;
  /** The namespace of a name. @throws KnowledgeError `invalid_namespace`, `namespace_not_found` where it is not this caller's */
  readonly namespaceToRead: (name: string) => string;
  readonly namespaceToWrite: (name: string) => string;
  readonly stopping?: AbortSignal | undefined;
  readonly whenOpen: Promise<unknown>;
  /** Of the protocol that the client speaks, where that is known: a day, such as `2025-06-18`. */
  readonly protocolVersion: () => string | undefined;
  readonly tellFailure: (thrown: unknown) => ToldFailure;
}

export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: { readonly code: string; readonly uri?: string } | undefined;

  constructor(code: number, message: string, data?: { readonly code: string; readonly uri?: string }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** JSON-RPC 2.0, section 5.1, and those of the protocol itself. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internal: -32_603,
  server: -32_000,
} as const;

type Named = Readonly<{ documentId: string; file: string; title: string }>;

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

function isOwn({ parseNamespace }: Reader, { mayUse }: McpHost, name: string): boolean {
  try {
    return mayUse(parseNamespace(name));
  } catch {
    return false;
  }
}

function placeOf(cursor: unknown): ListPlace {
  const place = cursor === undefined ? [] : readCursor('resources', String(cursor));
  if (place) return place;
  throw new RpcError(rpcCodes.invalidParams, 'This cursor is not one that resources/list gave.', { code: 'invalid_request' });
}

type Reader = Pick<KnowledgeApi, 'documents' | 'parseNamespace'>;

export async function listResources(reader: Reader, host: McpHost, cursor: unknown): Promise<ListResourcesResult> {
  const [fromNamespace = '', afterFile = ''] = placeOf(cursor);
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
  return {
    resources: page.map(({ resource }) => resource),
    ...(hasMore ? { nextCursor: toCursor('resources', [last.namespace, last.file]) } : {}),
  };
}

/** The address says to clients which kind of parameter was wrong. */
const unknown = (uri: string) => new RpcError(rpcCodes.invalidParams, 'There is no such document.', { code: 'document_not_found', uri });

const notThere = new Set(['invalid_namespace', 'namespace_not_found', 'document_not_found']);

/** @throws RpcError the same for what is not there, and for what this caller may not read */
export async function readResource(reader: Reader, host: McpHost, uri: string): Promise<ReadResourceResult> {
  const [, name = '', documentId = ''] = /^knowledge:\/\/([^/?#]+)\/([^/?#]+)$/.exec(uri) ?? [];
  try {
    const { text } = await reader.documents.read(host.namespaceToRead(name), documentId);
    return { contents: [{ uri, mimeType, text }] };
  } catch (error) {
    throw error instanceof KnowledgeError && notThere.has(error.code) ? unknown(uri) : error;
  }
}
