/**
 * `@knowledge-agent/client`: asks, searches, ingests, uploads, verifies and rates at a Knowledge
 * Agent server. Needs only `fetch`.
 */
import {
  Connection,
  type ConnectionOptions,
  KnowledgeClientError,
  toClientError,
} from './connection.ts';
import type * as wire from './openapi.ts';

export { KnowledgeClientError } from './connection.ts';
export type {
  FeedbackResponse,
  IngestJob,
  IngestReport,
  SearchResponse,
  VerifyResponse,
} from './openapi.ts';

export type KnowledgeClientOptions = ConnectionOptions &
  Readonly<{
    /** Namespace of requests that name none; default: that of the server. */
    namespace?: string | undefined;
    /** Agent that answers; default `knowledge`. */
    agent?: string | undefined;
    /**
     * Added to each question, because most callers must mention the agent. Default:
     * `<@uid:knowledge>`. A secret key needs none: `''`.
     */
    mention?: string | undefined;
  }>;
export type RequestOptions = Pick<KnowledgeClientOptions, 'namespace'> & {
  readonly signal?: AbortSignal | undefined;
};
/** `addressed: false`: the agent stays silent unless the question itself mentions it. */
export type QuestionOptions = RequestOptions &
  Pick<wire.AskRequest, 'memory' | 'requestContext' | 'addressed'>;
export type SearchOptions = RequestOptions & Pick<wire.SearchRequest, 'maxResults' | 'explain'>;
/** `onResult` receives each finished source, `onProgress` the job when its counts change. */
export interface IngestOptions extends RequestOptions, Pick<wire.SourcesRequest, 'prune'> {
  readonly onResult?: (row: IngestRow) => void;
  readonly onProgress?: (job: Omit<wire.IngestJob, 'results'>) => void;
}
/** A question, or a conversation that ends with one. */
export type AskMessages =
  | string
  | readonly Readonly<{ role: 'user' | 'assistant'; content: string }>[];
/** `quote` is `slice(start, end)` of the stored file, in UTF-16 units. */
export type AnswerCitation = wire.AnswerBody['citations'][number];
/** `sources`: the first citation of each cited document. */
export type ClientAnswer = wire.AnswerBody & { readonly sources: readonly AnswerCitation[] };
export type StreamPart =
  | Readonly<{ type: 'text'; text: string }>
  | Readonly<{ type: 'answer'; answer: ClientAnswer }>;
/** A URL, a path that the server may read, or a text. */
export type ClientSource = NonNullable<wire.SourcesRequest['sources']>[number];
/** Result of one source. */
export type IngestRow = wire.IngestReport['results'][number];
/** `name` may be a relative path; it identifies the document. */
export type UploadFile = File | Readonly<{ name: string; file: Blob }>;

const isLost = (error: unknown) =>
  error instanceof KnowledgeClientError && error.code === 'unreachable';

const answerFields: ReadonlySet<string> = new Set<keyof wire.AnswerBody>([
  'text',
  'answered',
  'reason',
  'namespace',
  'runId',
  'model',
  'degraded',
  'citations',
  'dropped',
  'repaired',
  'rewritten',
  'checkedBy',
  'usage',
]);

function toAnswer(body: wire.AnswerBody): ClientAnswer {
  const { citations } = body;
  const sources = citations.filter(
    ({ documentId }, at) => citations.findIndex((one) => one.documentId === documentId) === at,
  );
  const own = Object.entries(body).filter(([name]) => answerFields.has(name));
  return { ...(Object.fromEntries(own) as wire.AnswerBody), sources };
}

/** A server that restarts is away for some seconds. */
const maxReconnects = 8;

async function followJob(
  connection: Connection,
  id: string,
  { onResult, onProgress, signal }: IngestOptions,
): Promise<wire.IngestJob> {
  const results: IngestRow[] = [];
  async function follow(): Promise<wire.IngestJob> {
    let seen = 0; // Each connection repeats all rows.
    for await (const { event, data } of connection.events({
      path: `/api/jobs/${id}/events`,
      method: 'GET',
      signal,
    })) {
      const content = JSON.parse(data);
      if (event === 'end') return { ...content, results };
      if (event === 'progress') onProgress?.(content);
      if (event !== 'result' || seen++ < results.length) continue;
      results.push(content);
      onResult?.(content);
    }
    throw new KnowledgeClientError('unreachable', 'The connection ended before the job.');
  }
  /** Each new row proves that the job continues, however often a proxy ends the connection. */
  const followed = (known: number): Promise<wire.IngestJob> =>
    connection.retry(follow, isLost, signal, maxReconnects).catch((cause: unknown) => {
      if (!isLost(cause)) throw cause;
      if (results.length > known) return followed(results.length);
      const message = `The connection to job ${id} was lost. The server continues the job: GET /api/jobs/${id} shows it.`;
      throw new KnowledgeClientError('unreachable', message, { cause });
    });
  return followed(0);
}

/** Methods throw KnowledgeClientError, or the reason of their signal. */
export class KnowledgeClient {
  readonly #connection;
  readonly #namespace;
  readonly #options;

  constructor(options: KnowledgeClientOptions) {
    this.#connection = new Connection(options);
    this.#namespace = options.namespace;
    this.#options = options;
  }

  #question(
    kind: string,
    asked: AskMessages,
    { namespace = this.#namespace, signal, addressed = true, ...more }: QuestionOptions,
  ) {
    const { agent = 'knowledge', mention = '<@uid:knowledge>' } = this.#options;
    const turns = typeof asked === 'string' ? [{ role: 'user', content: asked }] : asked;
    const before = addressed && mention ? `${mention} ` : '';
    const messages = turns.map((turn, at) =>
      turns[at + 1] ? turn : { ...turn, content: before + turn.content },
    );
    const body = { ...more, addressed, messages, toolParams: { namespace } };
    return { path: `/api/agents/${encodeURIComponent(agent)}/${kind}`, body, signal };
  }

  async ask(messages: AskMessages, options: QuestionOptions = {}): Promise<ClientAnswer> {
    return toAnswer(
      await this.#connection.json<wire.AnswerBody>(
        'reason',
        this.#question('generate', messages, options),
      ),
    );
  }

  /** Yields checked text, which the server does not retract, then the answer. */
  async *stream(
    messages: AskMessages,
    options: QuestionOptions = {},
  ): AsyncGenerator<StreamPart, void> {
    for await (const { data } of this.#connection.events(
      this.#question('stream', messages, options),
    )) {
      if (data === '[DONE]') return;
      const { type, runId, payload } = JSON.parse(data);
      if (type === 'error') throw toClientError(payload, 'The server failed.');
      if (type === 'text-delta') yield { type: 'text', text: payload.text };
      if (type === 'finish')
        yield { type: 'answer', answer: toAnswer({ ...payload, ...payload.output, runId }) };
    }
    throw new KnowledgeClientError(
      'unreachable',
      'The connection ended before the answer. Ask again.',
    );
  }

  search(
    query: string,
    { namespace = this.#namespace, signal, ...asked }: SearchOptions = {},
  ): Promise<wire.SearchResponse> {
    return this.#connection.json('results', {
      path: '/api/tools/searchDocs',
      body: { ...asked, namespace, query },
      signal,
    });
  }

  /**
   * Follows the job to its report, which has a row for each source. An aborted signal cancels the
   * job.
   */
  async ingest(
    sources: readonly ClientSource[],
    options: IngestOptions = {},
  ): Promise<wire.IngestJob> {
    const { namespace = this.#namespace, prune, signal } = options;
    const body = { namespace, sources, prune, wait: false };
    const { id } = await this.#connection.json<wire.IngestJob>('id', {
      path: '/api/tools/ingestSources',
      body,
      signal,
    });
    try {
      return await followJob(this.#connection, id, options);
    } catch (error) {
      const cancelling = {
        path: `/api/jobs/${id}`,
        method: 'DELETE',
        signal: AbortSignal.timeout(2_000),
      } as const;
      if (signal?.aborted) await this.#connection.send(cancelling).catch(() => undefined);
      throw error;
    }
  }

  /**
   * One request of up to 100 files; the report has a row for each. @throws KnowledgeClientError
   * with status 413 if they are too large
   */
  upload(
    files: Iterable<UploadFile>,
    { namespace = this.#namespace, signal }: RequestOptions = {},
  ): Promise<wire.IngestReport> {
    const body = new FormData();
    for (const one of files) body.append('files', 'file' in one ? one.file : one, one.name);
    const path = `/api/namespaces/${encodeURIComponent(namespace ?? 'default')}/documents`;
    return this.#connection.json('results', { path, body, signal });
  }

  /** Whether the quotes of an answer still match their documents. */
  verify(
    { namespace = this.#namespace, citations }: wire.VerifyRequest,
    { signal }: RequestOptions = {},
  ): Promise<wire.VerifyResponse> {
    return this.#connection.json('citations', {
      path: '/api/answers/verify',
      body: { namespace, citations },
      signal,
    });
  }

  /** Your latest rating of an answer counts. */
  feedback(
    runId: string,
    rating: 'up' | 'down',
    comment?: string,
    { signal }: RequestOptions = {},
  ): Promise<wire.FeedbackResponse> {
    const path = `/api/answers/${encodeURIComponent(runId)}/feedback`;
    return this.#connection.json('feedback', { path, body: { rating, comment }, signal });
  }
}

/** @throws KnowledgeClientError `invalid_option` */
export const createKnowledgeClient = (options: KnowledgeClientOptions): KnowledgeClient =>
  new KnowledgeClient(options);
