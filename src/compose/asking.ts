/** Composes questions: mention gate, search, call tools and the agent, which is loaded with the first question. */
import type { AgentCard, MastraInstance } from '../agent/agent.ts';
import { AnswerThreads } from '../agent/answer-threads.ts';
import { loadMastra } from '../agent/load-mastra.ts';
import { modelError } from '../agent/provider-failure.ts';
import {
  type AgentRequest,
  type AgentRunner,
  type Ask,
  type AskParts,
  answerTimeoutMs,
  createAsk,
  extractiveModel,
} from '../app/ask/ask.ts';
import { createMentionGate, type MentionGate } from '../app/ask/mention.ts';
import { createReciteCheck } from '../app/ask/prompt.ts';
import { createTokenBudget, type TokenBudget } from '../app/ask/token-budget.ts';
import type { Documents } from '../app/documents.ts';
import { createIngestSources } from '../app/ingest-sources.ts';
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import { createListTopics, createSearchDocs, docsRetrieverCard, type SearchDocs } from '../app/search/search-docs.ts';
import { type CallsTools, callsToolCards, createCallsTools } from '../app/user-calls.ts';
import { mentionsCalls } from '../calls/calls-question.ts';
import type { UserCalls } from '../calls/summarize.ts';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { lazy } from '../concurrency/lazy.ts';
import type { Config } from '../config.ts';
import { createNamespaceParser, type ParseNamespace } from '../documents/namespace-name.ts';
import type { IngestAndWait } from '../ingest/run.ts';
import type { Metrics } from '../metrics.ts';
import { note } from '../trace.ts';
import type { SearchParts } from './search.ts';
import { composeMessages, type SharedParts } from './shared-parts.ts';
import type { State } from './state.ts';

const mentionsOf = ({ agentMentions, chatWebhooks }: Config): readonly string[] =>
  chatWebhooks ? [...agentMentions, `<@uid:${chatWebhooks.agentUid}>`] : agentMentions;

const describeAgent = (mentions: readonly string[], hasCalls: boolean) => ({
  id: 'knowledge',
  name: 'Knowledge Agent',
  description: `Answers questions about the ingested documents when it is mentioned (${mentions.join(', ')}), with citations.`,
  tools: { docsRetriever: docsRetrieverCard, ...(hasCalls ? callsToolCards : {}) },
});

/** Share of a question's time for the models, before a fallback answers. */
const giveUpAfter = 0.75;

interface AskingDependencies {
  readonly documents: Documents;
  readonly ingestNow: IngestAndWait;
  readonly callsOfUser: UserCalls | undefined;
  readonly metrics: Metrics;
  readonly keepHandOff: AskParts['onHandOff'];
  /** Returns false before the parts are open, as in commands. Such questions are not stored or counted. */
  readonly isReady: () => boolean;
}

const mayAskForCalls = ({ callsTools }: Config, { actingUser, messages }: AgentRequest): boolean =>
  callsTools && actingUser !== undefined && messages.some(({ content }) => mentionsCalls(content));

function composeThreads(config: Config, search: SearchParts, card: AgentCard, mentions: readonly string[]) {
  const { workers, requireMention, allowedNamespaces } = config;
  if (workers === 1) return undefined;
  const { id, name, description } = card;
  return new AnswerThreads({
    threads: workers,
    lookups: {
      search: search.retriever.search,
      listTopics: createListTopics(search.namespaces),
      messagesOf: composeMessages(config, search.namespaces),
    },
    card: { id, name, description },
    mentions,
    requireMention,
    allowedNamespaces,
  });
}

export interface AskingParts extends Ask {
  readonly listAgents: KnowledgeApi['listAgents'];
  readonly searchDocs: SearchDocs;
  readonly callsTools: CallsTools;
  readonly modelName: string;
  readonly gate: MentionGate;
  readonly parseNamespace: ParseNamespace;
  readonly budget: TokenBudget | undefined;
  readonly loadMastra: () => Promise<MastraInstance>;
  readonly threads: AnswerThreads | undefined;
}

export function composeAsking(setting: SharedParts, search: SearchParts, state: State, dependencies: AskingDependencies): AskingParts {
  const { config, replacements, clock } = setting;
  const { documents, ingestNow, callsOfUser, metrics, isReady, keepHandOff } = dependencies;
  const budget = createTokenBudget(config.modelTokens, state.tokens, clock);
  const parseNamespace = createNamespaceParser(config.allowedNamespaces);
  const mentions = mentionsOf(config);
  const gate = createMentionGate(mentions, config.requireMention);
  const callsTools = createCallsTools(callsOfUser, clock);
  const searchDocs = createSearchDocs(search.retriever, parseNamespace);
  const card = describeAgent(mentions, config.callsTools);
  const ingestSources = createIngestSources(ingestNow, parseNamespace);
  const { answerMs: timeoutMs = answerTimeoutMs, giveUpMs = timeoutMs * giveUpAfter } = replacements.patience ?? {};

  /** Loads the agent with the first question, because it takes half of a server's memory. */
  const loadAgent = lazy(async () => {
    await loadMastra();
    const { composeAgent } = await import('./agent.ts');
    await yieldToEventLoop();
    return composeAgent(setting, search, { budget, metrics, parseNamespace, gate, callsTools, card, giveUpMs, searchDocs, ingestSources });
  });
  /** Requests that waited for the agent continue one per event-loop turn. */
  const nextRunner = async () => {
    const { runner } = await loadAgent();
    await yieldToEventLoop();
    return runner;
  };
  const { model = config.llm?.model ?? extractiveModel } = replacements;
  const modelName = typeof model === 'object' ? model.modelId : model;
  const threads = model === extractiveModel ? composeThreads(config, search, card, mentions) : undefined;
  const runnerFor = (request: AgentRequest) => (threads?.isOpen && !mayAskForCalls(config, request) ? threads : nextRunner());
  const agent: AgentRunner = {
    id: card.id,
    toError: modelError,
    generate: async (request) => (await runnerFor(request)).generate(request),
    async *stream(request) {
      yield* (await runnerFor(request)).stream(request);
    },
  };
  const withModels = { main: modelName !== extractiveModel, fallback: config.llmFallback, judge: config.judge };
  for (const [role, isSetUp] of Object.entries(withModels)) if (isSetUp) metrics.circuitChanged({ role, isOpen: false });
  const asking = createAsk({
    agent,
    timeoutMs,
    model: modelName,
    recitesPrompt: createReciteCheck(config.answerStyle),
    conversations: state.conversations,
    areStored: (namespace, documentIds) => documents.areStored(namespace, documentIds),
    gate,
    onAnswered: (entry) => {
      if (isReady()) state.answers.keep(entry);
    },
    onHandOff: keepHandOff,
    onFinished: (made) => {
      if (isReady()) metrics.answered(made);
      note({ reason: made.reason });
    },
  });
  return {
    ...asking,
    listAgents: () => ({ [card.id]: card }),
    searchDocs,
    callsTools,
    modelName,
    gate,
    parseNamespace,
    budget,
    loadMastra: async () => (await loadAgent()).mastra,
    threads,
  };
}
