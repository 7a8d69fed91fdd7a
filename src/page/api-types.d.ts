/** Fields of API responses that the page reads. `/api/openapi.json` describes all fields. */

export type Right = 'ask' | 'search' | 'read' | 'write' | 'calls' | 'admin';

export interface ServerState
  extends Readonly<Record<'version' | 'model' | 'searchEngine', string>>,
    Readonly<Record<'documents' | 'chunks' | 'namespaces', number>> {
  readonly embeddingModel: string | null;
  /** Name that a question must mention; null if a question needs no mention. */
  readonly mention: string | null;
  readonly agents: readonly {
    readonly id: string;
    readonly requiresMention: boolean;
    readonly mentions: readonly string[];
  }[];
  readonly mirror: { readonly ageMs: number | null; readonly isWritten: boolean } | null;
  readonly calls: 'embedded' | 'upstream';
  readonly hasSampleCalls: boolean;
  /** Null: no separate limit. */
  readonly limits: Readonly<Record<string, number | null>>;
  readonly caller: {
    readonly namespaces: readonly string[] | null;
    readonly rights: readonly Right[];
    readonly isAnonymous: boolean;
  };
  /** Null: only for callers with the right admin in all namespaces. */
  readonly settings:
    | readonly {
        readonly name: string;
        readonly value: string | null;
        readonly isDefault: boolean;
      }[]
    | null;
  readonly checklist:
    | readonly Readonly<{
        id: string;
        label: string;
        isDone: boolean;
        isRequired: boolean;
        hint: string;
      }>[]
    | null;
}

export type Schedule = Readonly<Record<'id' | 'source' | 'refreshEvery' | 'nextAt', string>>;

export interface NamespaceSummary
  extends Readonly<Record<'documents' | 'chunks' | 'bytes', number>> {
  readonly name: string;
  readonly isIndexed: boolean;
  readonly schedules: readonly Schedule[];
}

export interface DocumentMetadata
  extends Readonly<Record<'id' | 'file' | 'title' | 'source' | 'revision', string>>,
    Readonly<
      Record<'fetchedAt' | 'lastModified' | 'author' | 'reviewedAt' | 'reviewBy', string | null>
    > {
  readonly kind: 'url' | 'file' | 'text';
  readonly bytes: number;
  readonly chunks: number;
  readonly isRefreshable: boolean;
}

export type DocumentList = Readonly<Record<'total' | 'page' | 'perPage', number>> & {
  readonly documents: readonly DocumentMetadata[];
};

export interface StoredDocument extends DocumentMetadata {
  readonly namespace: string;
  readonly markdown: string;
  readonly bodyStart: number;
}

export interface PassagePlace
  extends Readonly<Record<'documentId' | 'title' | 'source' | 'revision', string>>,
    Readonly<Record<'start' | 'end', number>> {
  readonly headingPath: readonly string[];
  readonly anchor: string | null;
  readonly page: number | null;
}

export interface CitedPlace extends PassagePlace {
  readonly index: number;
  readonly quote: string;
}

export interface FoundPassage extends PassagePlace {
  readonly text: string;
  readonly score: number;
  readonly matched?: readonly string[];
}

export type Suggestions = Readonly<{
  suggestions: readonly Readonly<Record<'question' | 'documentId' | 'title', string>>[];
}>;

export type FoundPassages = Readonly<{
  coverage: number;
  mode: 'lexical' | 'hybrid';
  results: readonly FoundPassage[];
}>;

export type Reason = 'answered' | 'not_mentioned' | 'closest' | 'no_context' | 'small_talk';

type Failure = Readonly<Record<'code' | 'message', string>>;

export interface ReportRow {
  readonly source: string;
  readonly kind: 'url' | 'file' | 'text';
  readonly status: 'added' | 'updated' | 'unchanged' | 'removed' | 'skipped' | 'failed';
  readonly document?: { readonly id: string };
  readonly error?: Failure;
}

export type IngestReport = Readonly<{ namespace: string; results: readonly ReportRow[] }>;

export interface JobReport extends IngestReport {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly current: string | null;
  readonly error?: Failure;
  readonly stages: Readonly<
    Record<'waiting' | 'loading' | 'parsing' | 'storing' | 'indexing' | 'done', number>
  >;
}

export type JobList = Readonly<{ namespace: string; jobs: readonly JobReport[] }>;

/** The end of an answer. */
export interface Finished {
  readonly reason: Reason;
  readonly degraded?: true;
  readonly citations: readonly CitedPlace[];
  readonly dropped: number;
  readonly repaired: number;
  readonly rewritten?: number;
  readonly model: string;
}

export interface ToolResult {
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
    readonly kept: readonly Readonly<{
      text: string;
      rewritten?: true;
      reason?: string;
      instead?: string | null;
    }>[];
    readonly droppedSentences?: readonly {
      readonly text: string | null;
      readonly reason: string;
    }[];
  };
}

export interface Gap
  extends Readonly<Record<'namespace' | 'question' | 'firstAskedAt' | 'lastAskedAt', string>>,
    Readonly<Record<'count' | 'coverage', number>> {
  readonly id: string;
  readonly state: 'open' | 'drafted' | 'answered' | 'dismissed';
  readonly ways: readonly Readonly<{ entryPoint: string; count: number }>[];
  readonly drafts: readonly GapDraft[];
  readonly variants: readonly string[];
  /** Answer that a user rated as not helpful. */
  readonly answer?: string | null;
  readonly runId?: string | null;
  readonly closest: readonly Readonly<Record<'documentId' | 'title', string>>[];
}

export interface GapDraft extends Readonly<Record<'id' | 'text' | 'author' | 'createdAt', string>> {
  /** Id of the approved document. */
  readonly document: string | null;
  readonly personal: readonly string[];
}

/** Figures of a week; null if nothing was counted. */
export interface WeekFigures
  extends Readonly<Record<'namespace' | 'week', string>>,
    Readonly<Record<'questions' | 'answered' | 'closest' | 'refused' | 'handedOff', number>>,
    Readonly<Record<'rated' | 'gapsOpened' | 'gapsClosed', number>>,
    Readonly<Record<'medianRequests' | 'medianTokens' | 'resolved', number | null>> {}

/** Quote of an answer that its document no longer contains, and the most similar text there. */
export interface ChangedQuote extends Readonly<Record<'documentId' | 'title' | 'quote', string>> {
  readonly now: Readonly<{ text: string; start: number; end: number }> | null;
}

export interface ListedAnswer
  extends Readonly<Record<'runId' | 'namespace' | 'askedAt' | 'question' | 'text', string>> {
  readonly state: 'holds' | 'moved' | 'stale';
  readonly changed: readonly ChangedQuote[];
}

export type CallRecord = Readonly<{ sessionId: string; [field: string]: unknown }>;

export interface CallList {
  readonly data: readonly CallRecord[];
  readonly meta: {
    readonly pagination: Readonly<Record<'total' | 'current_page' | 'total_pages', number>>;
  };
}

export type CallFigures = Readonly<
  Record<'calls' | 'voiceMinutes' | 'videoMinutes' | 'durationMinutes', number>
>;

export type CallGroup = CallFigures & { readonly key: string };

export interface CallsTotals {
  readonly total: CallFigures;
  readonly by: Readonly<
    Record<'day' | 'type', { readonly groups: readonly CallGroup[]; readonly leftOut: number }>
  >;
}
