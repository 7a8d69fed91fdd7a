/** Fields of API responses that the page reads. `/api/openapi.json` describes all fields. */

export type Right = 'ask' | 'search' | 'read' | 'write' | 'calls' | 'admin';

export interface ServerState {
  readonly version: string;
  readonly model: string;
  readonly embeddingModel: string | null;
  readonly searchEngine: string;
  readonly documents: number;
  readonly chunks: number;
  readonly namespaces: number;
  /** Name that a question must mention; null if a question needs no mention. */
  readonly mention: string | null;
  readonly agents: readonly { readonly id: string; readonly requiresMention: boolean; readonly mentions: readonly string[] }[];
  readonly mirror: { readonly ageMs: number | null; readonly isWritten: boolean } | null;
  readonly calls: 'embedded' | 'upstream';
  /** Null: no separate limit. */
  readonly limits: Readonly<Record<string, number | null>>;
  readonly caller: { readonly namespaces: readonly string[] | null; readonly rights: readonly Right[]; readonly isAnonymous: boolean };
  /** Null: only for callers with the right admin in all namespaces. */
  readonly settings: readonly { readonly name: string; readonly value: string | null; readonly isDefault: boolean }[] | null;
  readonly checklist: readonly Readonly<{ id: string; label: string; isDone: boolean; hint: string }>[] | null;
}

export type Schedule = Readonly<Record<'id' | 'source' | 'refreshEvery' | 'nextAt', string>>;

export interface NamespaceSummary {
  readonly name: string;
  readonly documents: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly schedules: readonly Schedule[];
}

export interface DocumentMetadata
  extends Readonly<Record<'id' | 'file' | 'title' | 'source' | 'revision', string>>,
    Readonly<Record<'fetchedAt' | 'lastModified' | 'author' | 'reviewedAt' | 'reviewBy', string | null>> {
  readonly kind: 'url' | 'file' | 'text';
  readonly bytes: number;
  readonly chunks: number;
  readonly isRefreshable: boolean;
}

export type DocumentList = Readonly<Record<'total' | 'page' | 'perPage', number>> & { readonly documents: readonly DocumentMetadata[] };

export interface StoredDocument extends DocumentMetadata {
  readonly namespace: string;
  readonly markdown: string;
  readonly bodyStart: number;
}

export interface PassagePlace {
  readonly documentId: string;
  readonly file: string;
  readonly title: string;
  readonly source: string;
  readonly headingPath: readonly string[];
  readonly anchor: string | null;
  readonly page: number | null;
  readonly revision: string;
  readonly start: number;
  readonly end: number;
}

export interface CitedPlace extends PassagePlace {
  readonly index: number;
  readonly quote: string;
}

export interface FoundPassage extends PassagePlace {
  readonly text: string;
  readonly score: number;
  readonly chunkId: string;
  readonly matched?: readonly string[];
}

export type Suggestions = Readonly<{ suggestions: readonly Readonly<Record<'question' | 'documentId' | 'title', string>>[] }>;

export type FoundPassages = Readonly<{ coverage: number; mode: 'lexical' | 'hybrid'; results: readonly FoundPassage[] }>;

export type Reason = 'answered' | 'not_mentioned' | 'closest' | 'no_context' | 'small_talk';

export interface ReportRow {
  readonly source: string;
  readonly kind: 'url' | 'file' | 'text';
  readonly status: 'added' | 'updated' | 'unchanged' | 'removed' | 'skipped' | 'failed';
  readonly document?: Readonly<{ id: string; file: string; title: string; bytes: number; chunks: number }>;
  readonly error?: { readonly code: string; readonly message: string };
}

export type IngestReport = Readonly<{ namespace: string; results: readonly ReportRow[] }>;

export interface JobReport extends IngestReport {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly current: string | null;
  readonly error?: { readonly code: string; readonly message: string };
  readonly stages: Readonly<Record<'waiting' | 'loading' | 'parsing' | 'storing' | 'indexing' | 'done', number>>;
}

export type JobList = Readonly<{ namespace: string; jobs: readonly JobReport[] }>;

/** The end of an answer. */
export interface Finished {
  readonly reason: Reason;
  readonly degraded?: true;
  readonly citations: readonly CitedPlace[];
  readonly dropped: number;
  readonly repaired: number;
  readonly model: string;
}

export interface ToolResult {
  readonly toolName: string;
  readonly args?: { readonly query?: string };
  readonly result: { readonly results?: readonly FoundPassage[] };
}

export interface KeptAnswer {
  readonly runId: string;
  readonly question: string;
  readonly answer: Finished & {
    readonly text: string;
    readonly namespace: string;
    readonly toolCalls: readonly { readonly args: { readonly query?: string } }[];
    readonly toolResults: readonly ToolResult[];
  };
  /** Only for the owner of the conversation. */
  readonly thread?: { readonly id: string; readonly resourceId: string };
  readonly check: {
    readonly kept: readonly Readonly<{ text: string; repaired?: true; reason?: string; instead?: string | null }>[];
    readonly dropped: number;
    readonly repaired: number;
    readonly droppedSentences?: readonly { readonly text: string | null; readonly reason: string }[];
  };
}

export interface Gap {
  readonly namespace: string;
  readonly question: string;
  readonly variants: readonly string[];
  readonly count: number;
  readonly firstAskedAt: string;
  readonly lastAskedAt: string;
  readonly coverage: number;
  /** Answer that a user rated as not helpful. */
  readonly answer?: string | null;
  readonly runId?: string | null;
  readonly closest: readonly { readonly documentId: string; readonly file: string; readonly title: string; readonly source: string }[];
}

export interface ListedAnswer {
  readonly runId: string;
  readonly namespace: string;
  readonly askedAt: string;
  readonly question: string;
  readonly text: string;
  readonly state: 'holds' | 'moved' | 'stale';
  readonly changed: readonly {
    readonly index: number;
    readonly documentId: string;
    readonly file: string;
    readonly title: string;
    readonly quote: string;
    readonly now: { readonly text: string; readonly start: number; readonly end: number } | null;
  }[];
}

export type CallRecord = Readonly<{ sessionId: string; [field: string]: unknown }>;

export interface CallList {
  readonly data: readonly CallRecord[];
  readonly meta: { readonly pagination: { readonly total: number; readonly current_page: number; readonly total_pages: number } };
}

export type CallFigures = Readonly<Record<'calls' | 'voiceMinutes' | 'videoMinutes' | 'durationMinutes', number>>;

export type CallGroup = CallFigures & { readonly key: string };

export interface CallsTotals {
  readonly total: CallFigures;
  readonly by: Readonly<Record<'day' | 'type', { readonly groups: readonly CallGroup[]; readonly leftOut: number }>>;
}
