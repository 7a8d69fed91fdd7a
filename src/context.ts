/**
 * All parts of the server as fields of one class, made top to bottom, and how they open and close.
 * What slows the start of a command is loaded later: the agent and its models (`agent-parts.ts`).
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallSource } from '../packages/calls/src/types.ts';
import type { UpstreamOptions } from '../packages/calls/src/upstream.ts';
import {
  createParserProcess,
  createSourceParser,
  type ParseInProcess,
} from '../packages/converters/src/parse.ts';
import { createMentionGate } from '../packages/mastra/src/mention.ts';
import { yieldToEventLoop } from '../packages/shared/src/concurrency/event-loop.ts';
import { lazy } from '../packages/shared/src/concurrency/lazy.ts';
import { DiskCheck } from '../packages/shared/src/disk/disk-check.ts';
import { FolderInUseError, FolderLock } from '../packages/shared/src/disk/folder-lock.ts';
import type { MastraAdditions } from './ask/agent.ts';
import { describeAgents } from './ask/agent-cards.ts';
import { Ask, answerTimeoutMs } from './ask/ask.ts';
import { extractiveModel } from './ask/ask-result.ts';
import { loadTalk } from './ask/gate.ts';
import { type HandOffLimits, HandOffSender } from './ask/hand-off.ts';
import { loadMastra } from './ask/load-mastra.ts';
import { createReciteCheck } from './ask/prompt.ts';
import { warmUpReplies } from './ask/reply/answer-writer.ts';
import { foreignWords } from './ask/reply/question-language.ts';
import { createRetriever } from './ask/retriever.ts';
import { createSearchDocs } from './ask/search-docs.ts';
import { createSuggest } from './ask/suggestions.ts';
import { openCallLog, openCallService } from './calls/call-source.ts';
import type { UserCalls } from './calls/summarize.ts';
import { CallsTools } from './calls/user-calls.ts';
import {
  type ChatLimits,
  ChatWebhooks,
  createDelivery,
  type DeliveryOptions,
} from './chat/chat-webhooks.ts';
import { withReactions } from './chat/reactions.ts';
import { withReplies } from './chat/thread-replies.ts';
import {
  type Config,
  hasVisitors,
  keylessAccess,
  readWebhookSecret,
  takesChatWebhooks,
} from './config.ts';
import { DocumentStore } from './documents/document-store.ts';
import type { DocumentWrites } from './documents/document-writes.ts';
import type { NamespaceMessages } from './documents/messages-file.ts';
import { createNamespaceParser } from './documents/namespace-name.ts';
import { Namespaces } from './documents/namespaces.ts';
import { createBackgroundReader } from './documents/reading-threads.ts';
import { StorageQuota } from './documents/storage-quota.ts';
import { WriteLocks } from './documents/write-locks.ts';
import type { KnowledgeApi } from './http/knowledge-api.ts';
import { Documents, type Forget } from './ingest/documents.ts';
import { AddressGuard } from './ingest/fetch/address-guard.ts';
import { FileRoots, SourceLoader } from './ingest/fetch/load.ts';
import { Outbound, withRetries } from './ingest/fetch/outbound.ts';
import { webhookSender } from './ingest/fetch/retried-post.ts';
import { Folders } from './ingest/folder.ts';
import { createIngestSources } from './ingest/ingest-sources.ts';
import { Jobs } from './ingest/jobs/jobs.ts';
import { Ingestion } from './ingest/run.ts';
import { Schedules } from './ingest/schedules.ts';
import { Uploads } from './ingest/uploads.ts';
import { createLogger, type Logger, reportTo, secretsOf } from './log.ts';
import { Metrics } from './metrics.ts';
import { ProviderEmbedder } from './models/provider.ts';
import { Reranker } from './models/reranker.ts';
import { TokenBudget } from './models/token-budget.ts';
import type { ModelReplacements } from './open-models.ts';
import { isPackaged, orPackaged, packageVersion } from './package.ts';
import { requireFolders } from './process.ts';
import { AnswerLog } from './records/answer-log.ts';
import { AnswerRows } from './records/answer-tables.ts';
import { Approvals } from './records/approvals.ts';
import { ChatDeliveryRows } from './records/chat-delivery-table.ts';
import { Conversations } from './records/conversations.ts';
import { GapDesk } from './records/gap-desk.ts';
import { createHandOffs } from './records/hand-off-table.ts';
import { JobRows } from './records/job-tables.ts';
import { StateStore } from './records/open-store.ts';
import { Database } from './records/postgres/database.ts';
import { DocumentRecord, namespaceToken } from './records/postgres/document-tables.ts';
import { prepareDatabase } from './records/postgres/migrations.ts';
import { Mirror } from './records/postgres/mirror.ts';
import { PostgresVectors } from './records/postgres/vectors.ts';
import { ScheduleRows } from './records/schedule-table.ts';
import { StaleAnswers } from './records/stale-answers.ts';
import { TokenCountRows } from './records/token-counts.ts';
import { Bm25Engine } from './search/bm25/bm25-engine.ts';
import { SearchIndex } from './search/search-index.ts';
import type { Embedder } from './search/vectors/embedder.ts';
import { SemanticIndexes } from './search/vectors/semantic-index.ts';
import type { SharedVectors } from './search/vectors/shared-vectors.ts';
import { note, noteRow } from './trace.ts';
import { RequestWatch } from './tracing.ts';
import { Warnings } from './warnings.ts';

/** A hanging database must not prevent the index from being saved. */
const maxCloseMs = 500;
const maxVectorWaitMs = 600_000;
const maxPostMs = 10_000;
/** Share of a question's time for the models, before a fallback answers. */
const giveUpAfter = 0.75;

/** What tests and programs around this one replace, and additions of Mastra projects. */
export type Replacements = ModelReplacements &
  Readonly<{
    mastra?: MastraAdditions;
    logger?: Logger;
    clock?: () => Date;
    /** Timeout of a source including retries and redirects; default 28 seconds. */
    sourceTimeoutMs?: number;
    rerank?: { readonly timeoutMs?: number; readonly pauseMs?: number };
    /** Milliseconds until a statement, or a connection, fails. */
    database?: { readonly timeoutMs: number };
    callLog?: CallSource & UserCalls;
    callsUpstream?: Partial<UpstreamOptions>;
    chatWebhooks?: Partial<ChatLimits> & Pick<DeliveryOptions, 'firstPauseMs'>;
    handOff?: Partial<HandOffLimits>;
    /** Parser processes that outlive the parts. */
    parseInProcess?: ParseInProcess;
    /** Replaces the embedding model of the settings. */
    embedder?: Embedder | undefined;
    /** Keeps vectors outside of this process; the default is PostgreSQL, if it is set. */
    vectors?: SharedVectors | undefined;
  }>;

/** Settings, clock and log: what all other parts receive. */
class Surroundings {
  readonly config: Config;
  readonly replacements: Replacements;
  readonly logger: Logger;
  readonly clock;
  /** Absolute paths. */
  readonly knowledgeDir;
  readonly indexDir;
  readonly stateDir;

  constructor(config: Config, replacements: Replacements) {
    this.config = config;
    this.replacements = replacements;
    this.logger =
      replacements.logger ?? createLogger(config.logLevel, process.stdout, secretsOf(config));
    this.clock = replacements.clock ?? (() => new Date());
    this.knowledgeDir = resolve(config.knowledgeDir);
    this.indexDir = resolve(config.indexDir);
    this.stateDir = resolve(config.stateDir);
  }

  readonly onWarning = (message: string, error?: unknown) =>
    this.logger.warn(error === undefined ? {} : { err: error }, message);
}

/** Hosts get it as a `KnowledgeApi`. */
export class Context extends Surroundings implements KnowledgeApi {
  #isOpen = false;
  readonly #locks: FolderLock[] = [];
  readonly #opened = Promise.withResolvers<void>();
  readonly whenReady = this.#opened.promise;
  readonly isReady = () => this.#isOpen;
  readonly warnings = new Warnings(this.logger);
  readonly diskCheck = new DiskCheck(
    [this.knowledgeDir, this.stateDir, this.indexDir],
    this.warnings,
  );
  /** @param path deleted file or folder of STATE_DIR or INDEX_DIR */
  readonly onStateLost = (path: string) => {
    this.logger.warn(
      { path },
      'this file or folder was deleted or replaced while the server was running; its data is lost',
    );
    this.warnings.begin('state_lost');
  };
  readonly metrics = new Metrics(
    async () => ({
      ...(this.#isOpen ? await this.#stock() : {}),
      warnings: this.warnings.list(),
      droppedLogLines: this.logger.droppedLines ?? new Map(),
    }),
    packageVersion,
  );
  readonly watch = new RequestWatch({
    metrics: this.metrics,
    endpoint: this.config.otelExporterOtlpEndpoint,
    onWarning: this.onWarning,
    onFailure: (code) => this.diskCheck.failed(code),
  });

  // Documents, their index and the search.
  readonly database =
    this.config.databaseUrl === undefined
      ? undefined
      : new Database({ url: this.config.databaseUrl, ...this.replacements.database });
  readonly #record = this.database && new DocumentRecord(this.database, this.warnings);
  readonly documentStore = new DocumentStore(this.knowledgeDir, (name) =>
    this.logger.warn(
      { folder: name },
      'this folder is skipped, because its name is not a namespace name; use lower-case letters and no spaces',
    ),
  );
  readonly mirror = this.#record && this.#createMirror(this.#record);
  readonly mirrorHealth = () => this.mirror?.health();
  readonly writes: DocumentWrites =
    this.#record && this.mirror
      ? this.#record.writesThrough(this.mirror.files)
      : new WriteLocks(this.documentStore);
  readonly vectorsDir = join(this.indexDir, 'vectors');
  readonly semantic = this.#createVectors();
  readonly namespaces: Namespaces = this.#createNamespaces();
  /** The operator's messages of a namespace, and which questions are handed off. */
  readonly messagesOf = async (namespace: string): Promise<NamespaceMessages> => {
    const { handoffText: other, handoffWebhookUrl, handoffOn } = this.config;
    const own = await this.namespaces.messagesOf(namespace);
    return {
      own: other === undefined ? own : [...own, { handoff: { other } }],
      handOffOn: handoffWebhookUrl === undefined ? [] : handoffOn,
    };
  };
  readonly parseNamespace = createNamespaceParser(this.config.allowedNamespaces);
  readonly retriever = createRetriever(
    this.namespaces,
    this.documentStore,
    this.semantic,
    this.config.rerank &&
      new Reranker({
        ...this.config.rerank,
        ...this.replacements.rerank,
        onWarning: this.onWarning,
      }),
  );
  readonly searchDocs = createSearchDocs(this.retriever, this.parseNamespace);
  // Suggestions are tried by words only, because a search by meaning or a reranker may cost money.
  readonly suggestions = createSuggest(
    this.namespaces,
    createRetriever(this.namespaces, this.documentStore, undefined),
    this.onWarning,
  );

  // Records, which nothing can rebuild.
  readonly #opener = new StateStore({
    stateDir: this.stateDir,
    indexDir: this.indexDir,
    knowledgeDir: this.knowledgeDir,
    database: this.database,
    onWarning: this.onWarning,
    onLost: this.onStateLost,
  });
  readonly #store = this.#opener.store;
  readonly answers = new AnswerLog({
    rows: new AnswerRows(this.#store),
    maxAnswers: this.config.limits.answers,
    clock: this.clock,
    onWarning: this.onWarning,
    warnings: this.warnings,
  });
  readonly gapDesk = new GapDesk(this.#store, this.clock);
  readonly conversations = new Conversations({
    store: this.#store,
    maxThreads: this.config.limits.threads,
    clock: this.clock,
    onWarning: this.onWarning,
    withReserve: this.#opener.reserve.run,
  });
  readonly #handOffRows = createHandOffs(this.#store);
  readonly #deliveries = new ChatDeliveryRows(this.#store);
  readonly #forget: Forget = (...gone) =>
    this.#opener.forget([this.answers, this.conversations, this.#handOffRows], ...gone);

  // Ingestion: single requests, jobs and schedules.
  readonly #roots = new FileRoots(this.config.allowedFileRoots, resolve('.'));
  readonly #folders = new Folders(this.namespaces, this.#roots);
  readonly #guard = new AddressGuard(this.config.allowedUrlHosts);
  readonly #ingestion = this.#createIngestion();
  readonly ingestNow = this.#ingestion.runAndWait;
  readonly ingestSources = createIngestSources(this.ingestNow, this.parseNamespace);
  readonly jobs: Jobs = this.#createJobs();
  readonly schedules: Schedules = new Schedules({
    store: new ScheduleRows(
      this.#store,
      this.database ? undefined : () => this.documentStore.listNamespaces(),
    ),
    jobs: this.jobs,
    clock: this.clock,
    onWarning: this.onWarning,
  });
  readonly #uploads = new Uploads({
    folder: join(this.indexDir, 'uploads'),
    maxFileBytes: this.config.maxSourceBytes,
    ingestNow: this.ingestNow,
  });
  readonly ingestUpload = this.#uploads.ingest;
  readonly documents = new Documents({
    namespaces: this.namespaces,
    isAllowed: (name) => this.config.allowedNamespaces?.includes(name) ?? true,
    writes: this.writes,
    syncNow: async () => this.mirror?.syncNow(),
    jobs: this.jobs,
    schedules: this.schedules,
    forget: this.#forget,
    folders: this.#folders,
    roots: this.#roots,
    withReserve: this.#opener.reserve.run,
  });
  readonly staleAnswers = new StaleAnswers(this.answers, this.documents);
  readonly approvals = new Approvals({
    desk: this.gapDesk,
    documents: this.documents,
    ingestNow: this.ingestNow,
    onWarning: this.onWarning,
  });

  readonly #callSource = this.#openCalls();
  readonly calls = this.#callSource.answers;
  readonly callsTools = new CallsTools(this.#callSource.ofUser, this.clock);

  // Questions.
  readonly budget = new TokenBudget(
    {
      all: this.config.limits.tokens,
      perCaller: this.config.limits.callerTokens,
      visitors: hasVisitors(this.config) ? this.config.anonymousTokensPerDay : 0,
    },
    new TokenCountRows(this.#store, this.onWarning),
    this.clock,
  );
  readonly #agents = describeAgents(this.config);
  readonly card = this.#agents.card;
  readonly listAgents = () => this.#agents.cards;
  readonly gate = createMentionGate({
    mentions: this.card.mentions,
    isNeeded: this.config.requireMention,
  });
  readonly #answerMs = this.replacements.patience?.answerMs ?? answerTimeoutMs;
  readonly modelName = this.#nameModel();
  /** Only with a model and `extractive` in LLM_FALLBACK_MODEL do sections answer instead. */
  readonly #giveUpMs =
    this.config.quotesAtLast && this.modelName !== extractiveModel
      ? (this.replacements.patience?.giveUpMs ?? this.#answerMs * giveUpAfter)
      : undefined;
  readonly handOff = this.#createHandOff();
  /** Loads the agent with the first question, because it takes half of a server's memory. */
  readonly #loadAgent = lazy(async () => {
    await loadMastra();
    const [{ openModels }, { openAgent }] = await Promise.all([
      import('./open-models.ts'),
      import('./ask/agent.ts'),
    ]);
    await loadTalk();
    await yieldToEventLoop();
    foreignWords();
    await yieldToEventLoop();
    return openAgent(this, await openModels(this));
  });
  readonly loadMastra = async () => (await this.#loadAgent()).mastra;
  readonly prepare = async () => void (await this.#loadAgent());
  readonly #ask = new Ask({
    openAgent: this.#loadAgent,
    agentId: this.card.id,
    timeoutMs: this.#answerMs,
    giveUpMs: this.#giveUpMs,
    calls: this.config.callsTools ? this.callsTools : undefined,
    model: this.modelName,
    recitesPrompt: createReciteCheck(this.config.answerStyle),
    conversations: this.conversations,
    areStored: (namespace, documentIds) => this.documents.areStored(namespace, documentIds),
    gate: this.gate,
    // Questions of commands are neither stored nor counted.
    onAnswered: (entry) => {
      if (this.#isOpen) this.answers.keep(entry);
    },
    handOffs: this.handOff,
    onFinished: (made) => {
      if (this.#isOpen) this.metrics.answered(made);
      note({ reason: made.reason });
    },
  });
  readonly ask = this.#ask.ask;
  readonly stream = this.#ask.stream;
  readonly #chat = this.#createChat();
  readonly takeChatMessage = this.#chat?.take;
  readonly api: KnowledgeApi = this;

  constructor(config: Config, replacements: Replacements = {}) {
    super(config, replacements);
    this.#countModels();
  }

  /**
   * Runs a search and an answer, so that shared code is compiled. Stores nothing. Called before the
   * server listens, because it blocks the event loop.
   */
  readonly warmUp = async () => {
    const index = await new Bm25Engine().open('default');
    for (const language of ['en', 'ja'] as const)
      await index.upsert({
        id: language,
        version: '',
        title: '',
        language,
        chunks: [{ text: 'Warm up.', headingPath: [] }],
      });
    for (const query of ['how do I warm itt up?', '温め方は?'])
      await new SearchIndex(index).search(query, 1);
    this.gate.question('hello', true);
    warmUpReplies();
  };

  /** Opens documents, answers, conversations and calls, and resumes unfinished work. */
  readonly open = async () => {
    await this.watch.open();
    await this.#opener.open();
    // Deletes unused vectors, which would remain after their documents are deleted.
    if (!this.semantic) await rm(this.vectorsDir, { recursive: true, force: true });
    await this.mirror?.open(true);
    await this.semantic?.store.open();
    await this.namespaces.open();
    await this.#opener.reserve.fill();
    this.mirror?.follow(this.#forget);
    // Deletes unused vectors for all servers, so only if this server has all documents.
    if (this.mirror?.isCurrent() ?? true) this.semantic?.queue.settle();
    for (const part of [this.answers, this.conversations, this.#callSource]) await part.open();
    await this.#uploads.removeLeftovers();
    await this.jobs.open();
    await this.approvals.open();
    if (this.#chat) await this.#deliveries.open();
    this.#isOpen = true;
    this.#opened.resolve();
    this.schedules.start();
    this.diskCheck.start();
    this.handOff?.start();
  };

  /** For a command that reads or stores documents: without vectors. */
  readonly openToIngest = async () => {
    await this.#opener.open();
    await this.mirror?.open();
    await this.namespaces.open();
  };

  /**
   * For commands that ask while a server may be running: makes documents searchable and resumes
   * nothing.
   */
  readonly openToAsk = async () => {
    await this.mirror?.open();
    await this.semantic?.store.open();
    await this.namespaces.open();
    await this.semantic?.queue.waitForAll(maxVectorWaitMs);
  };

  /** Like `openToAsk`, with calls. */
  readonly openForStudio = async () => {
    await this.#opener.open();
    await this.openToAsk();
    await this.#callSource.open();
  };

  /** Refuses further chat messages and answers accepted ones. @param graceMs time limit */
  readonly endChat = async (graceMs?: number): Promise<void> => this.#chat?.close(graceMs);

  /** Ends running work, which a later `open` resumes, and saves the index. */
  readonly close = async () => {
    this.#isOpen = false;
    this.diskCheck.stop();
    // Closes chat first, because its answers need all other parts.
    await this.endChat();
    this.schedules.stop();
    await this.#inTime(this.handOff?.close());
    await this.#inTime(this.jobs.close());
    await this.mirror?.close();
    await this.namespaces.close();
    await this.semantic?.close();
    for (const part of [this.answers, this.conversations]) await this.#inTime(part.settled());
    for (const part of [this.#callSource, this.budget]) await this.#inTime(part.close());
    // With a database, this closes it.
    await this.#inTime(this.#store.close());
    await this.watch.close();
    this.#releaseFolders();
  };

  /**
   * Two servers with one STATE_DIR would run jobs twice; with one KNOWLEDGE_DIR, deletes would
   * leave quotes in the state of the other. `close` releases the folders. @throws FolderInUseError
   */
  readonly lockFolders = () => {
    try {
      this.#lock('STATE_DIR', this.stateDir, false, () => this.onStateLost(this.stateDir));
      this.#lock('KNOWLEDGE_DIR', this.knowledgeDir, true, () => undefined);
    } catch (error) {
      this.#releaseFolders();
      throw error;
    }
  };

  #lock(setting: string, path: string, isHidden: boolean, onReplaced: () => void) {
    const { onWarning } = this;
    try {
      this.#locks.push(new FolderLock(path, { isHidden, onWarning, onReplaced }));
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
      throw new FolderInUseError(
        `${setting}: another server uses ${path} (${error.message}). Stop it, or set KNOWLEDGE_DIR and STATE_DIR to other folders.`,
      );
    }
  }

  #releaseFolders() {
    for (const lock of this.#locks.toReversed()) lock.release();
  }

  async #inTime(closing: Promise<unknown> | undefined) {
    await (this.database ? Promise.race([closing, sleep(maxCloseMs)]) : closing);
  }

  #createMirror(record: DocumentRecord) {
    const { databaseUrl = '' } = this.config;
    return new Mirror({
      record,
      prepare: () => prepareDatabase(databaseUrl),
      store: this.documentStore,
      knowledgeDir: this.knowledgeDir,
      namespaces: () => this.namespaces,
      onWarning: this.onWarning,
    });
  }

  #createVectors() {
    const { onWarning } = this;
    const { embedding } = this.config;
    const embedder = this.replacements.embedder ?? (embedding && new ProviderEmbedder(embedding));
    if (!embedder) return undefined;
    const shared =
      this.replacements.vectors ??
      (this.database && new PostgresVectors(this.database, embedder.model, onWarning));
    return new SemanticIndexes({ embedder, folder: this.vectorsDir, shared, onWarning });
  }

  #createNamespaces() {
    const { documentStore: store, knowledgeDir: folder, mirror, semantic, onWarning } = this;
    return new Namespaces({
      store,
      writes: this.writes,
      accepts: mirror && ((...file) => mirror.accepts(...file)),
      knowledgeDir: folder,
      // No limit with vectors, because vectors of closed namespaces would be deleted.
      maxOpen: semantic ? Number.POSITIVE_INFINITY : this.config.limits.open,
      snapshotDir: join(this.indexDir, 'index'),
      readDocument: createBackgroundReader(store, { folder, needsTexts: semantic !== undefined }),
      engine: new Bm25Engine(join(this.indexDir, 'words'), onWarning),
      semantic,
      onWarning,
      warnings: this.warnings,
    });
  }

  #createIngestion() {
    const { namespaces, documentStore: store, replacements } = this;
    const { maxSourceBytes: maxBytes, limits } = this.config;
    const get = withRetries(new Outbound({ guard: this.#guard, maxBytes }).get);
    const parser = replacements.parseInProcess ?? createParserProcess();
    return new Ingestion({
      namespaces,
      store,
      writes: this.writes,
      loader: new SourceLoader(this.#roots, get, maxBytes),
      parse: createSourceParser(parser, maxBytes),
      clock: this.clock,
      onRemoved: (documentId) => this.#forget({ documentIds: [documentId] }),
      quota: new StorageQuota(namespaces, {
        maxNamespaces: limits.namespaces,
        maxDocuments: limits.documents,
        maxBytes: limits.bytes,
      }),
      sourceTimeoutMs: replacements.sourceTimeoutMs,
      folders: this.#folders,
      get,
      schedule: (...set) => this.schedules.set(...set),
      onRow: (row) => {
        this.metrics.rowDone(row);
        this.diskCheck.failed(row.error?.code);
        noteRow(row.status);
      },
      onUnexpected: reportTo(this.logger, 'a source failed unexpectedly'),
    });
  }

  #createJobs() {
    const { jobs: maxRunning, waiting: maxWaiting } = this.config.limits;
    const { logger, clock, onWarning } = this;
    return new Jobs({
      run: this.#ingestion.run,
      store: new JobRows({
        store: this.#store,
        onUnexpected: reportTo(logger, 'a job could not be saved'),
        onWarning,
        tokenOf: this.database && ((namespace) => [namespaceToken(namespace)]),
      }),
      clock,
      onUnexpected: reportTo(logger, 'a source failed unexpectedly'),
      onWarning,
      onEnded: (status) => this.metrics.jobEnded(status),
      maxRunning,
      maxWaiting,
    });
  }

  #openCalls() {
    const { callLog, callsUpstream } = this.replacements;
    const { callsBaseUrl: baseUrl, callsApiKey: apiKey, callsFile: file } = this.config;
    const isPacked = isPackaged(file, 'samples/calls.jsonl');
    const shown =
      baseUrl === undefined ? !isPacked && 'of CALLS_FILE' : apiKey && 'with CALLS_API_KEY';
    if (shown && keylessAccess(this.config)?.rights.includes('calls'))
      this.onWarning(
        `callers without a key can read all calls ${shown}; set API_KEYS or a JWT setting`,
      );
    if (baseUrl === undefined)
      return openCallLog(orPackaged(file), !callLog && isPacked, this.onWarning, callLog);
    return openCallService(baseUrl, apiKey, callsUpstream);
  }

  #nameModel() {
    const { model = this.config.llm?.model ?? extractiveModel } = this.replacements;
    return typeof model === 'object' ? model.modelId : model;
  }

  /** Metrics show the models from the start, not from their first failure. */
  #countModels() {
    const { llm, llmFallback: fallback, judge } = this.config;
    const main = this.modelName !== extractiveModel;
    const isSetUp = { main, fallback, judge: judge !== llm && judge };
    for (const [role, isUsed] of Object.entries(isSetUp))
      if (isUsed) this.metrics.circuitChanged({ role, isOpen: false });
  }

  /** Posts to the URL of a setting. Warns now if the URL is refused. */
  #createPost(url: string, name: string, warning: string) {
    try {
      this.#guard.checkUrl(new URL(url));
    } catch (error) {
      this.onWarning(`${warning}; add its host to ALLOWED_URL_HOSTS`, error);
    }
    return new Outbound({ guard: this.#guard, name, timeoutMs: maxPostMs }).post;
  }

  /** Undefined without HANDOFF_WEBHOOK_URL, so that nothing is kept. */
  #createHandOff() {
    const { handoffWebhookUrl: url, publicUrl, pathPrefix, limits } = this.config;
    if (url === undefined) return undefined;
    const key = readWebhookSecret(this.config.handoffWebhookSecret);
    const { clock, onWarning } = this;
    const name = 'The hand-off webhook';
    const refused = 'HANDOFF_WEBHOOK_URL is refused, so no questions will be sent';
    const post = this.#createPost(url, name, refused);
    // The path prefix is a secret of those who may ask.
    const hasPage = limits.answers > 0 && pathPrefix === undefined;
    const sender = new HandOffSender({
      rows: this.#handOffRows,
      // One attempt, because later ones read the row again: deleted documents are no longer in it.
      send: webhookSender({ url, key, post, name, maxAttempts: 1, clock }),
      messagesOf: this.messagesOf,
      page: hasPage ? publicUrl : undefined,
      clock,
      onWarning,
      limits: this.replacements.handOff,
    });
    this.answers.onUnhelpful = (rated, caller) => sender.keepUnhelpful(rated, caller);
    return sender;
  }

  /** Undefined without credentials, so that messages are refused. */
  #createChat() {
    const { chatAgentUid: agentUid, chatNamespace: namespace, draftHours } = this.config;
    const { chatCallbackUrl: url, chatCallbackKey: key } = this.config;
    if (!takesChatWebhooks(this.config) || url === undefined) return undefined;
    const { firstPauseMs, ...limits } = this.replacements.chatWebhooks ?? {};
    const { gate, parseNamespace, onWarning, answers } = this;
    const deliveries = this.#deliveries;
    const refused = 'CHAT_CALLBACK_URL is refused, so no answers will be sent';
    const post = this.#createPost(url, "The chat platform's callback", refused);
    const failed = (error: unknown) =>
      onWarning('saving a chat answer for reactions failed', error);
    const chat = new ChatWebhooks({
      ask: this.ask,
      gate,
      mentions: this.config.agentMentions,
      parseNamespace,
      deliveries,
      deliver: createDelivery({ url, key, agentUid, post, firstPauseMs }),
      onSending: (runId, { conversation, replyTo }) =>
        answers.sentToChat(runId, conversation, JSON.stringify(replyTo)).catch(failed),
      agentUid,
      namespace,
      onWarning,
      limits,
    });
    const { gapDesk: desk } = this;
    const rated = withReactions({ answers, deliveries, chat, agentUid });
    const take = withReplies({ desk, deliveries, take: rated, agentUid, draftHours });
    return { take, close: (graceMs?: number) => chat.close(graceMs) };
  }

  /** Current counts for the metrics; all parts must be open. */
  async #stock() {
    const jobs = await this.jobs.count().catch(() => undefined);
    const { documents, chunks } = this.namespaces.total();
    const { wanted, done } = this.semantic?.queue.progress() ?? {};
    const ageMs = this.mirrorHealth()?.ageMs;
    const { lastScanMs } = this.namespaces;
    return {
      namespaces: this.namespaces.countWith([]),
      documents,
      chunks,
      jobs,
      chunksWithoutVector: wanted === undefined || done === undefined ? undefined : wanted - done,
      folderScanSeconds: lastScanMs === 0 ? undefined : lastScanMs / 1_000,
      mirrorAgeSeconds: typeof ageMs === 'number' ? ageMs / 1_000 : undefined,
    };
  }
}

/**
 * Creates the parts; the caller opens them. `close` also releases the folders.
 * @throws ConfigError if a folder cannot be used; FolderInUseError if another server uses STATE_DIR
 * or KNOWLEDGE_DIR
 */
export async function startContext(
  config: Config,
  replacements: Replacements = {},
): Promise<Context> {
  await requireFolders(config);
  const parts = new Context(config, replacements);
  parts.lockFolders();
  parts.metrics.watchProcess();
  for (const problem of [...config.misspeltSettings, ...config.weakSettings])
    parts.logger.warn(problem);
  return parts;
}
