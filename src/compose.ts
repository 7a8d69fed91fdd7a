/** The composition root: the one file that knows every concrete part. */
import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { CallSource } from './calls/types.ts';
import type { UpstreamOptions } from './calls/upstream.ts';
import { composeCalls } from './compose-calls.ts';
import type { Config } from './config.ts';
import { createMentionGate } from './knowledge/answer/mention.ts';
import { createAnswerLog } from './knowledge/answers/answer-log.ts';
import { createChunker } from './knowledge/chunk/chunk.ts';
import { createDocuments } from './knowledge/documents.ts';
import { createLexicalIndex } from './knowledge/index/lexical-index.ts';
import { createIngestSource } from './knowledge/ingest.ts';
import { createIngestNow } from './knowledge/ingest-now.ts';
import { createRun, labelOfTask } from './knowledge/ingest-run.ts';
import { createJobJournal } from './knowledge/jobs/job-journal.ts';
import { createJobs } from './knowledge/jobs/jobs.ts';
import { createLibrary, type Library } from './knowledge/library.ts';
import { createAddressGuard, isLocalUrl } from './knowledge/load/address-guard.ts';
import { createFileRoots } from './knowledge/load/file-roots.ts';
import { createFolderLister } from './knowledge/load/list-folder.ts';
import { createLoader } from './knowledge/load/load.ts';
import { createFileLoader } from './knowledge/load/load-file.ts';
import { createUrlLoader, identifyUrl } from './knowledge/load/load-url.ts';
import { createOutbound, userAgent } from './knowledge/load/outbound.ts';
import { withRetries } from './knowledge/load/retry.ts';
import { unpackIfGzip } from './knowledge/load/unpack-gzip.ts';
import { createNamespaceParser } from './knowledge/namespaces.ts';
import { createSourceParser } from './knowledge/parse/parse.ts';
import { createParserProcess } from './knowledge/parse/parser-process.ts';
import { createPathLister } from './knowledge/path-run.ts';
import { formatInterval } from './knowledge/requests.ts';
import { createRetriever } from './knowledge/retriever.ts';
import { createScheduler, type Scheduler } from './knowledge/scheduler.ts';
import { createSchedules } from './knowledge/schedules.ts';
import { createDocumentStore } from './knowledge/store/document-store.ts';
import { createStoredPath } from './knowledge/stored-path.ts';
import { createSemanticIndexes } from './knowledge/vectors/semantic-index.ts';
import { waitForVectors } from './knowledge/vectors/wait-for-vectors.ts';
import { createVerifyAnswer } from './knowledge/verify-answer.ts';
import { createWriteLocks } from './knowledge/write-locks.ts';
import { createLogger, type Logger } from './log.ts';
import { createKnowledgeAgent, describeKnowledgeAgent, type KnowledgeAgentOptions, minCoverage } from './mastra/agents/knowledge-agent.ts';
import { toAnswerEntry } from './mastra/answer-entry.ts';
import { createAsk } from './mastra/ask.ts';
import { createConversations } from './mastra/conversations.ts';
import { createMastra } from './mastra/create-mastra.ts';
import type { KnowledgeApi } from './mastra/knowledge-api.ts';
import { createExtractiveModel } from './mastra/models/extractive-model.ts';
import { createProviderEmbedder } from './mastra/models/provider-embedder.ts';
import { createProviderModel } from './mastra/models/provider-model.ts';
import { splitProse } from './mastra/split-prose.ts';
import { createCallsTools } from './mastra/tools/calls.ts';
import { createIngestSources } from './mastra/tools/ingest-sources.ts';
import { createSearchDocs } from './mastra/tools/search-docs.ts';

/** A command waits so long for what has no vector yet. */
const maxVectorWaitMs = 600_000;

export interface Parts {
  readonly mastra: ReturnType<typeof createMastra>;
  readonly api: KnowledgeApi;
  readonly library: Library;
  readonly logger: Logger;
  readonly scheduler: Scheduler;
  /** Reads the documents and takes up what an earlier process left. */
  open(): Promise<void>;
  /** Makes the documents searchable and takes up nothing: for a command that asks, beside a server that may be running. */
  openToAsk(): Promise<void>;
  /** Ends work in progress, which a later `open` takes up, and puts the index away. */
  close(): Promise<void>;
}

/** What a test may bring instead of the real part. */
export interface Replacements {
  readonly model?: KnowledgeAgentOptions['model'];
  readonly logger?: Logger;
  readonly clock?: () => Date;
  /** Answers where no upstream is configured. */
  readonly callLog?: CallSource;
  /** Deadlines and limits of the way to the calling service. */
  readonly callsUpstream?: Partial<UpstreamOptions>;
}

export function compose(config: Config, replacements: Replacements = {}): Parts {
  const logger = replacements.logger ?? createLogger(config.logLevel);
  const knowledgeDir = resolve(config.knowledgeDir);
  const indexDir = resolve(config.indexDir);
  const vectorsDir = join(indexDir, 'vectors');
  const parseNamespace = createNamespaceParser(config.allowedNamespaces);

  const onWarning = (message: string, error: unknown) => logger.warn({ err: error }, message);
  const store = createDocumentStore(knowledgeDir, (name) =>
    logger.warn({ folder: name }, 'this folder is not read: the name of a namespace is in lower case, without spaces'),
  );
  const locks = createWriteLocks();
  const semantic =
    config.embedding && createSemanticIndexes({ embedder: createProviderEmbedder(config.embedding), folder: vectorsDir, onWarning });
  const library = createLibrary({
    store,
    locks,
    knowledgeDir,
    snapshotDir: join(indexDir, 'index'),
    chunkDocument: createChunker(splitProse),
    createIndex: createLexicalIndex,
    semantic,
    onWarning,
  });
  const retriever = createRetriever(library, store, semantic);

  const clock = replacements.clock ?? (() => new Date());
  const onUnexpected = (error: unknown) => logger.error({ err: error }, 'a source failed unexpectedly');
  const maxBytes = config.maxSourceBytes;
  const guard = createAddressGuard(config.allowedUrlHosts);
  const outbound = withRetries(createOutbound({ guard, maxBytes }));
  const roots = createFileRoots({ roots: config.allowedFileRoots, workingDirectory: resolve('.') });
  const storedPath = createStoredPath(roots);
  const schedules = createSchedules({ store, clock, onWarning });
  const run = createRun({
    library,
    ingestSource: createIngestSource({
      library,
      store,
      locks,
      loader: createLoader({ roots, loadUrl: createUrlLoader(outbound, maxBytes), loadFile: createFileLoader(roots, maxBytes), maxBytes }),
      parse: createSourceParser(createParserProcess(), maxBytes),
      clock,
      onUnexpected,
    }),
    locks,
    listPath: createPathLister({ library, listFolder: createFolderLister(roots), storedPath, pathCandidates: roots.candidates }),
    crawl: { get: outbound, unpack: unpackIfGzip, identify: identifyUrl, isLocal: isLocalUrl, userAgent },
    schedule: schedules.set,
    onUnexpected,
  });
  const ingestNow = createIngestNow(run);
  const jobs = createJobs({ run, journal: createJobJournal(join(indexDir, 'jobs')), clock, onUnexpected });
  const scheduler = createScheduler({ schedules, jobs, listNamespaces: store.listNamespaces, onWarning });
  const answers = createAnswerLog({ folder: join(indexDir, 'answers'), maxAnswers: config.keepAnswers, clock, onWarning });
  const documents = createDocuments({ library, store, locks, jobs, schedules, answers, storedPath, pathCandidates: roots.candidates });

  const calls = composeCalls(config, {
    journal: join(indexDir, 'calls-events.jsonl'),
    onWarning: (message, error) => logger.warn(error === undefined ? {} : { err: error }, message),
    source: replacements.callLog,
    upstreamOptions: replacements.callsUpstream,
  });
  const callsTools = createCallsTools(calls.ofUser, clock);

  const model = replacements.model ?? (config.llm ? createProviderModel(config.llm) : createExtractiveModel());
  const agent = createKnowledgeAgent({
    model,
    retriever,
    parseNamespace,
    mentions: config.agentMentions,
    minCoverage: config.llm ? minCoverage.model : minCoverage.extractive,
    maxSentences: config.maxAnswerSentences,
    // Without a model there is nobody who could think of other words.
    secondSearch: config.secondSearch && config.llm !== undefined,
    calls: config.callsTools ? callsTools : undefined,
  });
  const conversations = createConversations({ folder: join(indexDir, 'conversations'), clock, onWarning });
  const mentionGate = createMentionGate(config.agentMentions);
  /** What a command asks is no user's question. */
  let isServing = false;
  const { ask, stream } = createAsk({
    agent,
    model: model.modelId,
    conversations,
    isMention: (message) => mentionGate.question(message) !== undefined,
    onAnswered: (asked) => {
      if (isServing) answers.keep(toAnswerEntry(asked));
    },
  });
  const ingestSources = createIngestSources(ingestNow, parseNamespace);
  const searchDocs = createSearchDocs(retriever, parseNamespace);
  const mastra = createMastra(agent, ingestSources, searchDocs);
  const agents = { knowledge: describeKnowledgeAgent(config.agentMentions, config.callsTools) };
  return {
    mastra,
    library,
    logger,
    scheduler,
    async open() {
      // What is not used any more would stay there after its documents are deleted.
      if (!semantic) await rm(vectorsDir, { recursive: true, force: true });
      await semantic?.open();
      await library.open();
      semantic?.settle();
      await jobs.open();
      await answers.open();
      await calls.open();
      isServing = true;
      scheduler.start();
    },
    async openToAsk() {
      await semantic?.open();
      await library.open();
      if (semantic) await waitForVectors(semantic.progress, maxVectorWaitMs);
    },
    async close() {
      scheduler.stop();
      await jobs.close();
      await answers.close();
      await library.close();
      await semantic?.close();
      await conversations.close();
      await calls.close();
    },
    api: {
      ingestSources,
      searchDocs,
      ingestNow,
      jobs,
      documents,
      answers,
      verifyAnswer: createVerifyAnswer(documents),
      listSchedules: async (namespace) =>
        (await schedules.list(namespace)).map(({ request, everyMs, nextAt }) => ({
          // Where a path stands on the server is nobody's business.
          source: request.type === 'path' ? basename(request.path) : labelOfTask(request),
          refreshEvery: formatInterval(everyMs),
          nextAt,
        })),
      ask,
      stream,
      listAgents: () => agents,
      calls: calls.answers,
      callsTools,
      applyCallEvent: calls.apply,
      parseNamespace,
      modelName: model.modelId,
      isReady: library.isOpen,
    },
  };
}
