/** For whom an MCP server is made, and what failures are called there. Who that is, its host decides; nothing that is sent has a say in it. */
/** As its host tells it: a sentence for a person, a code for a program. */
export interface ToldFailure {
  readonly error: string;
  readonly code: string;
}

export type McpAct = 'askKnowledge' | 'searchDocs' | 'listCalls' | 'summarizeCalls' | 'ingestSources' | 'resources';

export interface McpHost {
  /** Whose threads are chosen from; free of secrets. */
  readonly owner: string;
  /** Who it is counted for, where what can be done at a time is shared. */
  readonly countedAs: string;
  /** Whether `owner` stands for one caller alone: otherwise nothing is remembered. */
  readonly isOneCaller: boolean;
  readonly actingUser: string | undefined;
  /** Whether what is asked speaks to the agent; undefined: as the server is set up. */
  readonly addressed: boolean | undefined;
  /** Whether documents may be written in this way at all. */
  readonly takesSources: boolean;
  /** Whether this caller has the right to it: they are not shown other tools. */
  readonly may: (act: McpAct) => boolean;
  readonly requireRightTo: (act: McpAct) => void;
  readonly namespace: string;
  readonly mayUse: (namespace: string) => boolean;
  /** The namespace of a name. @throws KnowledgeError `invalid_namespace`, `namespace_not_found` where it is not this caller's */
  readonly namespaceToRead: (name: string) => string;
  /** The same, with `namespace_not_allowed`. */
  readonly namespaceToWrite: (name: string) => string;
  readonly stopping?: AbortSignal | undefined;
  readonly whenOpen: Promise<unknown>;
  /** Of the protocol that the client speaks, where that is known: a day, such as `2025-06-18`. */
  readonly protocolVersion: () => string | undefined;
  readonly tellFailure: (thrown: unknown) => ToldFailure;
}

/** What a JSON-RPC request comes to instead of a result. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: { readonly code: string } | undefined;

  constructor(code: number, message: string, options: { readonly code?: string | undefined } = {}) {
    super(message);
    this.code = code;
    this.data = options.code === undefined ? undefined : { code: options.code };
  }
}

/** JSON-RPC 2.0, section 5.1, and those of the protocol itself. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internal: -32_603,
  server: -32_000,
  resourceNotFound: -32_002,
} as const;
