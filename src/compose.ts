/** The composition root: the one file that knows every concrete part. */
import { join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { createChunker } from './knowledge/chunk/chunk.ts';
import { createBm25Index } from './knowledge/index/bm25-index.ts';
import { createIngest } from './knowledge/ingest.ts';
import { createLibrary, type Library } from './knowledge/library.ts';
import { createAddressGuard } from './knowledge/load/address-guard.ts';
import { createLoader } from './knowledge/load/load.ts';
import { createFileLoader } from './knowledge/load/load-file.ts';
import { createUrlLoader } from './knowledge/load/load-url.ts';
import { createNamespaceParser } from './knowledge/namespaces.ts';
import { createSourceParser } from './knowledge/parse/parse.ts';
import { createParserProcess } from './knowledge/parse/parser-process.ts';
import { createRetriever } from './knowledge/retriever.ts';
import { createDocumentStore } from './knowledge/store/document-store.ts';
import { createLogger, type Logger } from './log.ts';
import { createKnowledgeAgent, describeKnowledgeAgent, type KnowledgeAgentOptions } from './mastra/agents/knowledge-agent.ts';
import { ask } from './mastra/ask.ts';
import { createMastra } from './mastra/create-mastra.ts';
import type { KnowledgeApi } from './mastra/knowledge-api.ts';
import { createExtractiveModel } from './mastra/models/extractive-model.ts';
import { createProviderModel } from './mastra/models/provider-model.ts';
import { splitProse } from './mastra/split-prose.ts';
import { createIngestSources } from './mastra/tools/ingest-sources.ts';
import { createSearchDocs } from './mastra/tools/search-docs.ts';

export interface Parts {
  readonly mastra: ReturnType<typeof createMastra>;
  readonly api: KnowledgeApi;
  readonly library: Library;
  readonly logger: Logger;
}

/** What a test may bring instead of the real part. */
export interface Replacements {
  readonly model?: KnowledgeAgentOptions['model'];
  readonly logger?: Logger;
}

export function compose(config: Config, replacements: Replacements = {}): Parts {
  const logger = replacements.logger ?? createLogger(config.logLevel);
  const knowledgeDir = resolve(config.knowledgeDir);
  const parseNamespace = createNamespaceParser(config.allowedNamespaces);

  const store = createDocumentStore(knowledgeDir, (name) =>
    logger.warn({ folder: name }, 'this folder is not read: the name of a namespace is in lower case, without spaces'),
  );
  const library = createLibrary({
    store,
    knowledgeDir,
    snapshotDir: join(resolve(config.indexDir), 'index'),
    chunkDocument: createChunker(splitProse),
    createIndex: createBm25Index,
    onWarning: (message, error) => logger.warn({ err: error }, message),
  });
  const retriever = createRetriever(library, store);

  const maxBytes = config.maxSourceBytes;
  const loadUrl = createUrlLoader({ guard: createAddressGuard(config.allowedUrlHosts), maxBytes });
  const loadFile = createFileLoader({ roots: config.allowedFileRoots, maxBytes, workingDirectory: resolve('.') });
  const ingest = createIngest({
    library,
    store,
    load: createLoader(loadUrl, loadFile, maxBytes),
    parse: createSourceParser(createParserProcess(), maxBytes),
    clock: () => new Date(),
    onUnexpected: (error) => logger.error({ err: error }, 'a source failed unexpectedly'),
  });

  const model = replacements.model ?? (config.llm ? createProviderModel(config.llm) : createExtractiveModel());
  const agent = createKnowledgeAgent({ model, retriever, parseNamespace, mentions: config.agentMentions });
  const ingestSources = createIngestSources(ingest, parseNamespace);
  const searchDocs = createSearchDocs(retriever, parseNamespace);
  const mastra = createMastra(agent, ingestSources, searchDocs);
  const agents = { knowledge: describeKnowledgeAgent(config.agentMentions) };
  return {
    mastra,
    library,
    logger,
    api: {
      ingestSources,
      searchDocs,
      ask: (options) => ask(agent, { ...options, model: model.modelId }),
      listAgents: () => agents,
      parseNamespace,
      modelName: model.modelId,
      isReady: library.isOpen,
    },
  };
}
