/** The composition root: the one file that knows every concrete part. */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import manifest from '../package.json' with { type: 'json' };
import { AnswerLog } from './answers/answer-log.ts';
import { type Ask, answerTimeoutMs, createAsk, extractiveModel } from './app/ask/ask.ts';
import { createMentionGate } from './app/ask/mention.ts';
import { createReciteCheck, maxAnswerSentences } from './app/ask/prompt.ts';
import { createTokenBudget, type TokenBudget } from './app/ask/token-budget.ts';
import { type ChatLimits, createChatWebhooks, createDelivery, type DeliveryOptions } from './app/chat/chat-webhooks.ts';
import { Documents, type Quoting } from './app/documents.ts';
import { createDriftWebhook, type DriftLimits } from './app/drift-webhook.ts';
import { createIngestSources } from './app/ingest-sources.ts';
import type { KnowledgeApi } from './app/knowledge-api.ts';
import { createRetriever } from './app/search/retriever.ts';
import { createSearchDocs } from './app/search/search-docs.ts';
import { createStaleAnswers } from './app/stale-answers.ts';
import { createCallsTools } from './app/user-calls.ts';
import { createCallLog } from './calls/call-log.ts';
import { createCallsClient } from './calls/client.ts';
import { answersFrom, createCallProxy } from './calls/proxy.ts';
import { toUserCalls, type UserCalls } from './calls/summarize.ts';
import type { CallSource } from './calls/types.ts';
import { createUpstream, type UpstreamOptions } from './calls/upstream.ts';
import { FairQueue } from './concurrency/fair-queue.ts';
import { type Config, keylessRights } from './config.ts';
import { createParserProcess, createSourceParser, type ParseInProcess } from './convert/parse.ts';
import { createChunker } from './documents/chunk.ts';
import { DocumentStore } from './documents/document-store.ts';
import { createNamespaceParser } from './documents/namespace-name.ts';
import { createListTopics, Namespaces } from './documents/namespaces.ts';
import { createReserve } from './documents/reserve.ts';
import { createStorageRoom } from './documents/storage-room.ts';
import { WriteLocks } from './documents/write-locks.ts';
import { KnowledgeError, storageError } from './errors.ts';
import { createAddressGuard } from './ingest/fetch/address-guard.ts';
import { createFileRoots, createLoader } from './ingest/fetch/load.ts';
import { createOutbound, createOutboundPost, withRetries } from './ingest/fetch/outbound.ts';
import { createPathLister, createStoredPath } from './ingest/folder.ts';
import { Jobs } from './ingest/jobs/jobs.ts';
import { createIngestAndWait, createRun } from './ingest/run.ts';
import { Schedules } from './ingest/schedules.ts';
import { Uploads } from './ingest/uploads.ts';
import { createLogger, type Logger, secretsOf } from './log.ts';
import { createKnowledgeAgent, createMastra, describeKnowledgeAgent, minCoverage } from './mastra/agent.ts';
import { createAgentRunner } from './mastra/agent-runner.ts';
import { createJudgeModel } from './mastra/judge-model.ts';
import type { ModelCall, ModelUse } from './mastra/model-call.ts';
import { type CircuitChange, createModelChain, type ModelPatience, type RoleModel } from './mastra/model-chain.ts';
import { createProviderEmbedder, createProviderModel } from './mastra/provider.ts';
import { createStandIn } from './mastra/retrieval-processor.ts';
import { createProseSplitter } from './mastra/split-prose.ts';
import { createMetrics, type Metrics, type Stock } from './metrics.ts';
import { createDatabase } from './postgres/database.ts';
import { DocumentRecord } from './postgres/documents.ts';
import { type Migrated, migrate } from './postgres/migrations.ts';
import { Mirror } from './postgres/mirror.ts';
import { createPostgresEngine, migrateSearch } from './postgres/search-engine.ts';
import { createPostgresStore } from './postgres/store.ts';
import { createPostgresVectors } from './postgres/vectors.ts';
import { warmUpReplies } from './reply/answer-writer.ts';
import { createBm25Engine } from './search/bm25/bm25-engine.ts';
import { createSearchIndex } from './search/search-index.ts';
import { waitForVectors } from './search/vectors/embedding-queue.ts';
import { createSemanticIndexes } from './search/vectors/semantic-index.ts';
import { createAnswerRows } from './state/answers.ts';
import { createEventJournal } from './state/call-events.ts';
import { createChatDeliveries } from './state/chat-deliveries.ts';
import { ConversationStore } from './state/conversations.ts';
import { importEarlierState, moveEarlierFiles } from './state/earlier.ts';
import { JobRows } from './state/jobs.ts';
import { createScheduleStore } from './state/schedules.ts';
import { SqliteStore } from './state/sqlite-store.ts';
import { createTokenCounts } from './state/token-counts.ts';
import { note, noteRow, type Watch } from './trace.ts';
import { createTracing, type Tracing } from './tracing.ts';
import { createWarnings } from './warnings.ts';

/** For the tables, with those who make them first. */
const maxMigrationMs = 60_000;
/** For each of what ends with the process and needs the database. */
const maxCloseMs = 500;
/** A command waits so long for what has no vector yet. */
const maxVectorWaitMs = 600_000;

export type Parts = ReturnType<typeof compose>;

/** What a test may bring instead of the real part. */
export interface Replacements {
  readonly model?: RoleModel['model'] | 'extractive';
  readonly logger?: Logger;
  readonly clock?: () => Date;
  /** For a source with its retries, redirects, robots.txt and lists, instead of 28 seconds. */
  readonly sourceTimeoutMs?: number;
  /** With models that fail; `answerMs` is what a question has, `giveUpMs` what a model has of it where somebody stands in. */
  readonly patience?: Partial<ModelPatience & { readonly answerMs: number; readonly giveUpMs: number }>;
  /** Told of every call of a model. */
  readonly onModelCall?: (call: ModelCall) => void;
  /** For the verdicts of JUDGE_MODEL. */
  readonly judgeTimeoutMs?: number;
  /** For a place among those that are with the model, instead of 20 seconds. */
  readonly modelWaitMs?: number;
  /** Answers where no upstream is configured. */
  readonly callLog?: CallSource & UserCalls;
  /** Deadlines and limits of the way to the calling service. */
  readonly callsUpstream?: Partial<UpstreamOptions>;
  /** How much is answered at a time and waits, and how answers are sent again. */
  readonly chatWebhooks?: Partial<ChatLimits> & Pick<DeliveryOptions, 'firstPauseMs'>;
  /** When drift is looked for, and how it is sent again. */
  readonly driftWebhook?: Partial<DriftLimits> & Pick<DeliveryOptions, 'firstPauseMs'>;
  /** Processes that outlive the parts. */
  readonly parseInProcess?: ParseInProcess;
}

/** What every part is given. */
function settingOf(config: Config, replacements: Replacements) {
  const logger = replacements.logger ?? createLogger(config.logLevel, process.stdout, secretsOf(config));
  const warnings = createWarnings(logger);
  return {
    config,
    replacements,
    indexDir: resolve(config.indexDir),
    stateDir: resolve(config.stateDir),
    logger,
    clock: replacements.clock ?? (() => new Date()),
    onWarning: (message: string, error?: unknown) => logger.warn(error === undefined ? {} : { err: error }, message),
    warnings,
    /** @param path file or folder of STATE_DIR or INDEX_DIR */
    onStateLost: (path: string) => {
      logger.warn({ path }, 'this was deleted or replaced while the server was running; what it held is lost');
      warnings.begin('state_lost');
    },
  };
}

type Setting = ReturnType<typeof settingOf>;

/** Makes or updates the tables: of several servers one, while the others wait. */
export async function prepareDatabase({ databaseUrl: url = '', searchEngine }: Config): Promise<Migrated> {
  const database = createDatabase({ url, statementTimeoutMs: maxMigrationMs, maxConnections: 2 });
  try {
    const migrated = await migrate(database);
    if (searchEngine === 'postgres') await migrateSearch(database);
    return migrated;
  } finally {
    await database.close();
  }
}

/** What several servers share in a database; undefined: this one keeps everything in its own folders. */
function composeShared({ config, warnings }: Setting) {
  const { databaseUrl: url } = config;
  if (url === undefined) return undefined;
  const database = createDatabase({ url });
  return { database, record: new DocumentRecord(database, warnings), prepare: () => prepareDatabase(config) };
}

type Shared = ReturnType<typeof composeShared>;

/** Documents, their index, and the search over both. */
function composeSearch({ config, indexDir, logger, onWarning, warnings }: Setting, shared: Shared) {
  const knowledgeDir = resolve(config.knowledgeDir);
  const vectorsDir = join(indexDir, 'vectors');
  const store = new DocumentStore(knowledgeDir, (name) =>
    logger.warn({ folder: name }, 'this folder is not read: the name of a namespace is in lower case, without spaces'),
  );
  const mirror = shared && new Mirror({ ...shared, store, knowledgeDir, namespaces: () => namespaces, onWarning });
  const writes = mirror ? shared.record.writesThrough(mirror) : new WriteLocks(store);
  const embedder = config.embedding && createProviderEmbedder(config.embedding);
  const vectors = embedder && shared && createPostgresVectors(shared.database, embedder.model, onWarning);
  const semantic = embedder && createSemanticIndexes({ embedder, folder: vectorsDir, shared: vectors, onWarning });
  const namespaces: Namespaces = new Namespaces({
    store,
    writes,
    accepts: mirror && ((...file) => mirror.accepts(...file)),
    knowledgeDir,
    snapshotDir: join(indexDir, 'index'),
    chunkDocument: createChunker(createProseSplitter()),
    engine:
      shared && config.searchEngine === 'postgres'
        ? createPostgresEngine(shared.database)
        : createBm25Engine(join(indexDir, 'words'), onWarning),
    semantic,
    onWarning,
    warnings,
  });
  const retriever = createRetriever(namespaces, store, semantic);
  return { store, writes, mirror, namespaces, semantic, retriever, vectorsDir };
}

type SearchParts = ReturnType<typeof composeSearch>;

/** Reports what fails unexpectedly. A disk that refuses is expected: one line without a stack. */
const reportTo = (logger: Logger, message: string) => (error: unknown) => {
  const refused = storageError(error);
  if (refused) logger.warn({ code: refused.code }, refused.message);
  else logger.error({ err: error }, message);
};

/** Where what is no document is kept: in STATE_DIR, or in the database that several servers share. */
function composeState(
  { config, indexDir, stateDir, logger, onWarning, onStateLost }: Setting,
  { store: documents }: SearchParts,
  shared: Shared,
) {
  const onUnexpected = reportTo(logger, 'a job could not be saved');
  if (!shared) {
    const store = new SqliteStore({ path: join(stateDir, 'state.db'), onWarning, onLost: onStateLost });
    return {
      async open() {
        await moveEarlierFiles(stateDir, indexDir);
        await store.open();
        const knowledgeDir = resolve(config.knowledgeDir);
        await importEarlierState({ store, folders: [stateDir, indexDir], knowledgeDir, onWarning });
      },
      close: () => store.close(),
      store,
      answers: createAnswerRows(store),
      jobs: new JobRows({ store, onUnexpected, onWarning }),
      schedules: createScheduleStore(store, () => documents.listNamespaces()),
      callEvents: createEventJournal(store, onWarning),
      deliveries: createChatDeliveries({ store }),
      tokens: createTokenCounts({ store, onWarning }),
      reserve: createReserve([stateDir, resolve(config.knowledgeDir)]),
    };
  }
  const { database } = shared;
  const store = createPostgresStore(database);
  return {
    open: async () => undefined,
    close: () => store.close(),
    store,
    answers: createAnswerRows(store),
    jobs: new JobRows({ store, onUnexpected, onWarning }),
    schedules: createScheduleStore(store),
    callEvents: createEventJournal(store, onWarning),
    deliveries: createChatDeliveries({ store }),
    tokens: createTokenCounts({ store, onWarning }),
    // Deletes write to the database.
    reserve: createReserve([]),
  };
}

type State = ReturnType<typeof composeState>;

/**
 * Sources → documents: once, as a job, and by themselves.
 * @param kept what quotes documents
 */
function composeIngest(
  setting: Setting,
  { store, writes, mirror, namespaces }: SearchParts,
  state: State,
  kept: readonly Quoting[],
  onRow: Metrics['rowDone'],
) {
  const { config, indexDir, logger, clock, onWarning, replacements } = setting;
  const onUnexpected = reportTo(logger, 'a source failed unexpectedly');
  const { withReserve } = state.reserve;
  const maxBytes = config.maxSourceBytes;
  const guard = createAddressGuard(config.allowedUrlHosts);
  const outbound = withRetries(createOutbound({ guard, maxBytes }));
  const roots = createFileRoots({ roots: config.allowedFileRoots, workingDirectory: resolve('.') });
  const storedPath = createStoredPath(roots);
  const run = createRun({
    namespaces,
    store,
    writes,
    loader: createLoader(roots, outbound, maxBytes),
    parse: createSourceParser(replacements.parseInProcess ?? createParserProcess(), maxBytes),
    clock,
    onRemoved: (documentId) =>
      withReserve(async () => {
        for (const quoting of kept) await quoting.forgetDocument(documentId);
      }),
    holdRoom: createStorageRoom(namespaces, config.storage),
    sourceTimeoutMs: replacements.sourceTimeoutMs,
    listPath: createPathLister(namespaces, roots, storedPath),
    get: outbound,
    schedule: (...set) => schedules.set(...set),
    onRow: (row) => {
      onRow(row);
      noteRow(row.status);
    },
    onUnexpected,
  });
  const ingestNow = createIngestAndWait(run);
  const { maxRunningJobs: maxRunning, maxWaitingJobs: maxWaiting } = config;
  const jobs = new Jobs({ run, store: state.jobs, clock, onUnexpected, onWarning, maxRunning, maxWaiting });
  const schedules = new Schedules({ store: state.schedules, jobs, clock, onWarning });
  const catchUp = async () => mirror?.catchUp();
  const documents = new Documents({
    namespaces,
    writes,
    catchUp,
    jobs,
    schedules,
    kept,
    storedPath,
    withReserve,
    pathCandidates: roots.candidates,
  });
  const uploads = new Uploads({ folder: join(indexDir, 'uploads'), maxFileBytes: maxBytes, ingestNow });
  return { ingestNow, ingestUpload: uploads.ingest, jobs, schedules, documents, uploads };
}

/** What is remembered of what was asked, and quotes documents. */
function composeKept({ config, clock, onWarning, warnings }: Setting, { store, answers, reserve: { withReserve } }: State) {
  return {
    answers: new AnswerLog({ rows: answers, maxAnswers: config.keepAnswers, clock, onWarning, warnings }),
    conversations: new ConversationStore({ store, maxThreads: config.maxThreads, clock, onWarning, withReserve }),
  };
}

/** A caller waits meanwhile: asked again once, and a longer `Retry-After` is the caller's. */
const patience = { attemptTimeoutMs: 10_000, totalTimeoutMs: 20_000, maxAttempts: 2, maxRetryAfterMs: 1_000 };
/** Where calls come from: the calling service through its client and the proxy, or the embedded call log. */
function composeCalls({ config, replacements, onWarning }: Setting, { callEvents }: State) {
  const { upstream, file } = config.calls;
  if (!upstream) {
    const log = createCallLog({ file, journal: callEvents, onWarning });
    const { apply, open, close } = log;
    return { answers: answersFrom(replacements.callLog ?? log), ofUser: log, apply, open, close };
  }
  const { baseUrl, apiKey } = upstream;
  // Without a key of this server, each caller uses their own and may read the calling service's refusal of it.
  const options = { baseUrl, ...patience, quotesRefusals: apiKey === undefined, ...replacements.callsUpstream };
  if (apiKey !== undefined && keylessRights(config)?.includes('calls'))
    onWarning('callers without a key read calls with CALLS_API_KEY: set API_KEYS or a JWT setting');
  const callsWith = (key: string) => toUserCalls(createCallsClient({ ...options, apiKey: key }));
  return {
    answers: createCallProxy({ upstream: createUpstream(options), apiKey, summarizeWith: callsWith }),
    // Without a key there is nothing to ask with.
    ofUser: apiKey === undefined ? undefined : callsWith(apiKey),
    // An upstream has its calls itself.
    apply: undefined,
    open: async () => undefined,
    close: async () => undefined,
  };
}

/** What wakes the agent: on a platform that pushes messages its own form of a mention too. */
const mentionsOf = ({ agentMentions, chatWebhooks }: Config): readonly string[] =>
  chatWebhooks ? [...agentMentions, `<@uid:${chatWebhooks.agentUid}>`] : agentMentions;

/** Who waits for a model waits so long. */
const maxModelWaitMs = 20_000;

const modelIsBusy = () =>
  new KnowledgeError('busy', 'Too many questions are being answered; ask again in a moment.', { retryAfterSeconds: 5 });

/** A judge is asked once: a reader waits meanwhile, and where it does not answer the score decides. */
const patienceWithJudge = { maxAttempts: 1 };
/** Where somebody answers instead of a model, they need some of the time that a question has. */
const giveUpAfter = 0.75;

/** The models that answer, and the one that judges unsure sentences; all their tokens are counted. */
function composeModels(setting: Setting, budget: TokenBudget | undefined, metrics: Metrics) {
  const { config, replacements, logger, onWarning } = setting;
  const { llm, llmFallback, judge, degradedAnswers: hasStandIn } = config;
  const onCall = (call: ModelCall, use: ModelUse) => {
    budget?.spend(use.countedAs ?? '', call.inputTokens + call.outputTokens);
    metrics.modelCalled(call, use);
    replacements.onModelCall?.(call);
  };
  const onCircuit = (change: CircuitChange) => {
    const { role, isOpen, message } = change;
    metrics.circuitChanged(change);
    // The judge reports what it could not decide.
    if (role === 'judge') return;
    if (isOpen) logger.warn(message);
    else logger.info(message);
  };
  const createModel = (of: NonNullable<typeof llm>) => createProviderModel(of, config.llmMaxTokens);
  const given = replacements.model ?? (llm ? createModel(llm) : 'extractive');
  const others: RoleModel[] = llmFallback ? [{ role: 'fallback', model: createModel(llmFallback) }] : [];
  const { firstTokenMs: firstPartMs, stallMs } = config.modelPatience;
  for (const [role, isSetUp] of Object.entries({ main: given !== 'extractive', fallback: llmFallback, judge }))
    if (isSetUp) metrics.circuitChanged({ role, isOpen: false });
  const common = { onCall, onCircuit };
  const patience = { firstPartMs, stallMs, ...replacements.patience };
  return {
    model:
      given === 'extractive'
        ? undefined
        : createModelChain({ ...common, models: [{ role: 'main', model: given }, ...others], hasStandIn, patience }),
    judge:
      judge &&
      createJudgeModel({
        model: createModelChain({
          ...common,
          // The answering model is one object, so that it learns once which parameters it takes.
          models: [{ role: 'judge', model: judge === llm && given !== 'extractive' ? given : createModel(judge) }],
          hasStandIn: false,
          patience: { ...patience, ...patienceWithJudge },
        }),
        timeoutMs: replacements.judgeTimeoutMs,
        onWarning,
      }),
  };
}

/** The agent, without which nothing is asked, and the calls that it may look up. */
function composeAgent(
  setting: Setting,
  { namespaces, retriever }: SearchParts,
  callsOfUser: UserCalls | undefined,
  budget: TokenBudget | undefined,
  metrics: Metrics,
) {
  const { config, clock } = setting;
  const parseNamespace = createNamespaceParser(config.allowedNamespaces);
  const callsTools = createCallsTools(callsOfUser, clock);
  const { model, judge } = composeModels(setting, budget, metrics);
  const mentions = mentionsOf(config);
  const gate = createMentionGate(mentions, config.requireMention);
  const limits = {
    minCoverage,
    maxSentences: maxAnswerSentences,
    answerStyle: config.answerStyle,
    calls: config.callsTools ? callsTools : undefined,
  };
  const standIn = model && config.degradedAnswers ? createStandIn(limits) : undefined;
  const agent = createKnowledgeAgent({
    model,
    retriever,
    listTopics: createListTopics(namespaces),
    messagesOf: (namespace) => namespaces.messagesOf(namespace),
    parseNamespace,
    mentions,
    gate,
    ...limits,
    // Without a model there is nobody who could think of other words.
    secondSearch: config.secondSearch && config.llm !== undefined,
    modelPlaces: new FairQueue({
      slots: config.maxModelCalls,
      queue: {
        maxWaiting: config.maxModelCalls,
        maxWaitMs: setting.replacements.modelWaitMs ?? maxModelWaitMs,
        tooMany: modelIsBusy,
      },
    }),
    judge,
    budget,
    standIn,
  });
  const agents = { knowledge: describeKnowledgeAgent(mentions, config.callsTools) };
  return { agent, listAgents: () => agents, standIn, gate, parseNamespace, callsTools, modelName: model?.modelId ?? extractiveModel };
}

/** A guard for an address that a setting names; what it will not let through is told now. */
function guardOf({ config, onWarning }: Setting, url: string, warning: string) {
  const guard = createAddressGuard(config.allowedUrlHosts);
  try {
    guard.checkUrl(new URL(url));
  } catch (error) {
    onWarning(warning, error);
  }
  return guard;
}

/** Which answers the documents do not hold any more, and who is told; nobody where no address is set. */
function composeDrift(setting: Setting, answers: AnswerLog, documents: Documents, { namespaces, mirror }: SearchParts) {
  const { config, replacements, clock, onWarning } = setting;
  const staleAnswers = createStaleAnswers(answers, documents);
  if (!config.driftWebhook) return { staleAnswers, start: () => undefined, close: async () => undefined };
  const guard = guardOf(setting, config.driftWebhook.url, 'no answer that drifts will be told to DRIFT_WEBHOOK_URL');
  const { firstPauseMs, ...limits } = replacements.driftWebhook ?? {};
  const post = createOutboundPost({ guard, name: 'The drift webhook' });
  const { lookLater, ...webhook } = createDriftWebhook({
    ...config.driftWebhook,
    answers,
    staleAnswers,
    catchUp: async () => mirror?.catchUp(),
    post,
    firstPauseMs,
    clock,
    onWarning,
    limits,
  });
  const start = () => {
    namespaces.follow(lookLater);
    webhook.start();
  };
  return { staleAnswers, start, close: webhook.close };
}

/** What a chat platform pushes, and the way of the answers; nothing is taken where no credentials are set. */
function composeChat(setting: Setting, { deliveries }: State, asked: ReturnType<typeof composeAgent>, ask: Ask['ask']) {
  const { config, onWarning, replacements } = setting;
  const { chatWebhooks } = config;
  if (!chatWebhooks) return { open: async () => undefined, take: undefined, close: async () => undefined };
  const { agentUid, namespace, callback } = chatWebhooks;
  const guard = guardOf(setting, callback.url, 'no answer will reach CHAT_CALLBACK_URL');
  const { firstPauseMs, ...limits } = replacements.chatWebhooks ?? {};
  const post = createOutboundPost({ guard, name: "The chat platform's callback" });
  const deliver = createDelivery({ ...callback, agentUid, post, firstPauseMs });
  const { gate, parseNamespace } = asked;
  const { take, close } = createChatWebhooks({ ask, gate, parseNamespace, deliveries, deliver, agentUid, namespace, onWarning, limits });
  return { open: () => deliveries.open(), take, close: (graceMs?: number) => close(graceMs) };
}

/**
 * The first search and the first answer of a process load and compile what all the others use: while nobody waits. Nothing of it is kept,
 * and neither a model nor a provider of vectors is asked.
 */
async function warmUp({ config, onWarning }: Setting, namespaces: Namespaces, ask: Ask['ask']): Promise<void> {
  const index = await createBm25Engine().open('default');
  for (const language of ['en', 'ja'] as const)
    await index.upsert({ id: language, version: '', title: '', language, chunks: [{ text: 'Warm up.', headingPath: [] }] });
  for (const query of ['how do I warm itt up?', '温め方は?']) await createSearchIndex(index).search(query, 1);
  const names = await namespaces.names();
  for (const namespace of names) await (await namespaces.find(namespace))?.index.search('how do I warm itt up?', 1);
  warmUpReplies();
  const [name = 'default'] = names;
  const [first] = (await namespaces.find(name))?.documents() ?? [];
  // A model would have to be paid for the answer.
  const content = config.llm || config.embedding ? 'hello' : `how long does it take, and what is ${first?.document.title}?`;
  await ask({ messages: [{ role: 'user', content }], namespace: name, addressed: true }).catch((error: unknown) =>
    onWarning('The agent could not be tried out.', error),
  );
}

/** What is kept is opened after the documents, and closed after them. */
function createLifecycle(
  { mirror, namespaces, semantic, vectorsDir }: SearchParts,
  { jobs, schedules, uploads }: ReturnType<typeof composeIngest>,
  chat: Pick<ReturnType<typeof composeChat>, 'open' | 'close'>,
  { answers, conversations }: ReturnType<typeof composeKept>,
  calls: Pick<ReturnType<typeof composeCalls>, 'open' | 'close'>,
  drift: Pick<ReturnType<typeof composeDrift>, 'close'>,
  budget: TokenBudget | undefined,
  shared: Shared,
  tracing: Tracing,
  { reserve, ...state }: State,
) {
  const quoting = [answers, conversations];
  const kept = [...quoting, calls, ...(budget ? [budget] : [])];
  /** A database that does not answer keeps nobody from putting the index away. */
  const soon = (closing: Promise<unknown> | undefined) => (shared ? Promise.race([closing, sleep(maxCloseMs)]) : closing);
  return {
    async open(): Promise<void> {
      await tracing.open();
      await state.open();
      // What is not used any more would stay there after its documents are deleted.
      if (!semantic) await rm(vectorsDir, { recursive: true, force: true });
      await mirror?.open(true);
      await semantic?.open();
      await namespaces.open();
      await reserve.fill();
      mirror?.follow(quoting);
      // What nobody holds is forgotten, by all servers: so not where some of the documents may be missing here.
      if (mirror?.isCurrent() ?? true) semantic?.settle();
      for (const part of kept) await part.open();
      await uploads.removeLeftovers();
      await jobs.open();
      await chat.open();
    },
    async openToIngest(): Promise<void> {
      await state.open();
      await mirror?.open();
      await namespaces.open();
    },
    async openToAsk(): Promise<void> {
      await mirror?.open();
      await semantic?.open();
      await namespaces.open();
      if (semantic) await waitForVectors(semantic.progress, maxVectorWaitMs);
    },
    async close(): Promise<void> {
      // What it answers needs everything else.
      await chat.close();
      schedules.stop();
      await soon(drift.close());
      await soon(jobs.close());
      await mirror?.close();
      await namespaces.close();
      await semantic?.close();
      for (const part of kept) await soon(part.close());
      await soon(state.close());
      await soon(shared?.database.close());
      await tracing.close();
    },
  };
}

/** @param isReady what a command asks, without opening everything, is no user's question */
function composeAsk(
  { config, replacements }: Setting,
  { agent, gate, modelName, standIn }: ReturnType<typeof composeAgent>,
  { answers, conversations }: ReturnType<typeof composeKept>,
  { documents }: ReturnType<typeof composeIngest>,
  isReady: () => boolean,
  onMade: Metrics['answered'],
) {
  const { answerMs: timeoutMs = answerTimeoutMs, giveUpMs = timeoutMs * giveUpAfter } = replacements.patience ?? {};
  return createAsk({
    agent: createAgentRunner(agent, { standIn, giveUpMs }),
    timeoutMs,
    model: modelName,
    recitesPrompt: createReciteCheck(config.answerStyle),
    conversations,
    areStored: (namespace, documentIds) => documents.areStored(namespace, documentIds),
    gate,
    onAnswered: (entry) => {
      if (isReady()) answers.keep(entry);
    },
    onFinished: (made) => {
      if (isReady()) onMade(made);
      note({ reason: made.reason });
    },
  });
}

/** What can be told of a part, where it is there and can be reached. */
const whereKnown = <T>(asked: Promise<T> | undefined): Promise<T | undefined> => Promise.resolve(asked).catch(() => undefined);

/** How much there is, once everything is open. */
async function stockOf({ namespaces, semantic, mirror }: SearchParts, { documents, jobs }: ReturnType<typeof composeIngest>) {
  const [all, counted] = await Promise.all([documents.namespaces(), whereKnown(jobs.count())]);
  const sum = (of: 'documents' | 'chunks') => all.reduce((total, one) => total + one[of], 0);
  const { wanted, done } = semantic?.progress() ?? {};
  const ageMs = mirror?.health().ageMs;
  return {
    namespaces: all.length,
    documents: sum('documents'),
    chunks: sum('chunks'),
    jobsWaiting: counted?.waiting,
    jobsRunning: counted?.running,
    chunksWithoutVector: wanted === undefined || done === undefined ? undefined : wanted - done,
    folderScanSeconds: namespaces.lastScanMs === 0 ? undefined : namespaces.lastScanMs / 1_000,
    mirrorAgeSeconds: typeof ageMs === 'number' ? ageMs / 1_000 : undefined,
  };
}

/** Requests as they are counted and traced. */
const watchWith = (metrics: Metrics, tracing: Tracing): Watch => ({
  begin: (requestId, traceparent, isTraced) => ({
    requestId,
    span: isTraced ? tracing.start(traceparent) : undefined,
    stages: new Map(),
    tokens: { input: 0, output: 0 },
    onStage: metrics.stageEnded,
    facts: {},
    isOver: false,
  }),
  end(record, outcome) {
    const { code, lateStatus: status = outcome.status } = record.facts;
    metrics.requestEnded({ ...outcome, status }, code);
    record.span?.endRequest(record, outcome);
  },
});

function composeWatch({ config, logger, onWarning, warnings }: Setting, stock: () => Promise<Omit<Stock, 'warnings' | 'droppedLogLines'>>) {
  const droppedLogLines = logger.droppedLines ?? new Map();
  const metrics = createMetrics(async () => ({ ...(await stock()), warnings: warnings.list(), droppedLogLines }), manifest.version);
  const tracing = createTracing(config.tracing && { ...config.tracing, version: manifest.version, onWarning });
  return { metrics, tracing, watch: watchWith(metrics, tracing), warnings: warnings.list };
}

export function compose(config: Config, replacements: Replacements = {}) {
  const setting = settingOf(config, replacements);
  let isReady = false;
  const shared = composeShared(setting);
  const search = composeSearch(setting, shared);
  const { namespaces, retriever } = search;
  const state = composeState(setting, search, shared);
  const kept = composeKept(setting, state);
  const { tracing, ...watched } = composeWatch(setting, async () => (isReady ? stockOf(search, ingest) : {}));
  const { metrics } = watched;
  const ingest = composeIngest(setting, search, state, Object.values(kept), metrics.rowDone);
  const calls = composeCalls(setting, state);
  const budget = createTokenBudget(config.modelTokens, state.tokens, setting.clock);
  const asked = composeAgent(setting, search, calls.ofUser, budget, metrics);
  const { agent, parseNamespace } = asked;
  const opened = Promise.withResolvers<void>();
  const asking = composeAsk(setting, asked, kept, ingest, () => isReady, metrics.answered);
  const searchDocs = createSearchDocs(retriever, parseNamespace);
  const chat = composeChat(setting, state, asked, asking.ask);
  const drift = composeDrift(setting, kept.answers, ingest.documents, search);
  const lifecycle = createLifecycle(search, ingest, chat, kept, calls, drift, budget, shared, tracing, state);
  const api: KnowledgeApi = {
    ...ingest,
    ...asked,
    ...kept,
    ...asking,
    searchDocs,
    staleAnswers: drift.staleAnswers,
    calls: calls.answers,
    applyCallEvent: calls.apply,
    takeChatMessage: chat.take,
    isReady: () => isReady,
    mirrorHealth: () => search.mirror?.health(),
    ...watched,
    whenReady: opened.promise,
  };
  return {
    mastra: createMastra(agent, createIngestSources(ingest.ingestNow, parseNamespace), searchDocs),
    namespaces,
    logger: setting.logger,
    onStateLost: setting.onStateLost,
    scheduler: ingest.schedules,
    api,
    /** Reads documents, answers, conversations and calls, and takes up what an earlier process left. */
    async open() {
      await lifecycle.open();
      await warmUp(setting, namespaces, asking.ask);
      isReady = true;
      opened.resolve();
      ingest.schedules.start();
      drift.start();
    },
    /** Makes the documents searchable and takes up nothing: for a command that asks, beside a server that may be running. */
    openToAsk: lifecycle.openToAsk,
    /** The same for a command that stores documents, or looks into them: nothing is searched by meaning. */
    openToIngest: lifecycle.openToIngest,
    /** Takes no more messages of a chat platform, and answers those that it has. @param graceMs as much time as there is for it */
    endChat: chat.close,
    /** Ends work in progress, which a later `open` takes up, and puts the index away. */
    async close() {
      isReady = false;
      await lifecycle.close();
    },
  };
}
