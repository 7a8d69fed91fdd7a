/**
 * Documents as MCP resources: `knowledge://<namespace>/<documentId>`. Documents that the caller may
 * not read fail like missing ones.
 */
import type {
  ListResourcesResult,
  ReadResourceResult,
  Resource,
} from '@modelcontextprotocol/server';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { type ListPlace, readCursor, toCursor } from '../app/cursor.ts';
import type { KnowledgeApi } from '../app/knowledge-api.ts';

export type FailureReport = Readonly<{ error: string; code: string }>;

export type McpCapability =
  | 'askKnowledge'
  | 'searchDocs'
  | 'listCalls'
  | 'summarizeCalls'
  | 'ingestSources'
  | 'resources';

/** The identity and rights of an MCP caller, with functions that the transport provides. */
export interface McpHost {
  readonly owner: string;
  /** Key of the limit counters. */
  readonly countedAs: string;
  /** Whether `owner` is one caller; otherwise no threads are remembered. */
  readonly identifiesCaller: boolean;
  readonly actingUser: string | undefined;
  readonly addressed: boolean | undefined;
  readonly offersIngest: boolean;
  /**
   * Whether the caller has the right for a capability. The server lists only tools that the caller
   * may use.
   */
  readonly may: (capability: McpCapability) => boolean;
  readonly requireRightTo: (capability: McpCapability) => void;
  /** Namespace of requests without a namespace. */
  readonly namespace: string;
  readonly mayUse: (namespace: string) => boolean;
  /**
   * @throws KnowledgeError `invalid_namespace`, or `namespace_not_found` if the caller may not use
   * it
   */
  readonly namespaceToRead: (name: string) => string;
  readonly namespaceToWrite: (name: string) => string;
  readonly stopping?: AbortSignal | undefined;
  readonly whenOpen: Promise<unknown>;
  /** Protocol version of the client, such as `2025-06-18`, if known. */
  readonly protocolVersion: () => string | undefined;
  readonly describeFailure: (thrown: unknown) => FailureReport;
}

export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: { readonly code: string; readonly uri?: string } | undefined;

  constructor(
    code: number,
    message: string,
    data?: { readonly code: string; readonly uri?: string },
  ) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Codes of JSON-RPC 2.0, section 5.1, and of MCP. */
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
  description: 'The stored Markdown of a document. Searches and citations contain its documentId.',
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

/** Empty for callers without the right `read`. */
export async function namespacesOfHost(reader: Reader, host: McpHost): Promise<string[]> {
  if (!host.may('resources')) return [];
  return (await reader.documents.names()).filter((name) => isOwn(reader, host, name)).sort();
}

function placeOf(cursor: unknown): ListPlace {
  const place = cursor === undefined ? [] : readCursor('resources', String(cursor));
  if (place) return place;
  throw new RpcError(
    rpcCodes.invalidParams,
    'The cursor must be a nextCursor that resources/list returned.',
    { code: 'invalid_request' },
  );
}

type Reader = Pick<KnowledgeApi, 'documents' | 'parseNamespace'>;

export async function listResources(
  reader: Reader,
  host: McpHost,
  cursor: unknown,
): Promise<ListResourcesResult> {
  const [fromNamespace = '', afterFile = ''] = placeOf(cursor);
  const { documents } = reader;
  const names = (await documents.names()).filter(
    (name) => name >= fromNamespace && isOwn(reader, host, name),
  );
  const found: {
    readonly file: string;
    readonly namespace: string;
    readonly resource: Resource;
  }[] = [];
  for (const namespace of names.sort()) {
    const { entries } = await documents.list(namespace, 0, Number.POSITIVE_INFINITY);
    for (const { document } of entries) {
      const { id: documentId, file, title, bytes } = document;
      if (found.length > perPage) break;
      if (namespace === fromNamespace && file <= afterFile) continue;
      found.push({
        namespace,
        file,
        resource: { ...toResource(namespace, { documentId, file, title }), size: bytes },
      });
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

/**
 * Other invalid parameters have the same code; clients recognize a missing resource by `data.uri`.
 */
const documentNotFound = (uri: string) =>
  new RpcError(rpcCodes.invalidParams, 'Document not found. resources/list lists the documents.', {
    code: 'document_not_found',
    uri,
  });

const missingCodes = new Set(['invalid_namespace', 'namespace_not_found', 'document_not_found']);

/** @throws RpcError the same for missing documents and for those that the caller may not read */
export async function readResource(
  reader: Reader,
  host: McpHost,
  uri: string,
): Promise<ReadResourceResult> {
  const [, name = '', documentId = ''] = /^knowledge:\/\/([^/?#]+)\/([^/?#]+)$/.exec(uri) ?? [];
  try {
    const { text } = await reader.documents.read(host.namespaceToRead(name), documentId);
    return { contents: [{ uri, mimeType, text }] };
  } catch (error) {
    throw error instanceof KnowledgeError && missingCodes.has(error.code)
      ? documentNotFound(uri)
      : error;
  }
}
