/**
 * Composes questions: mention gate, search, call tools and the agent, which is loaded with the
 * first question.
 */

import { createMentionGate, type MentionGate } from '../../packages/mastra/src/mention.ts';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { lazy } from '../../packages/shared/src/concurrency/lazy.ts';
import type { MastraInstance } from '../ask/agent.ts';
import {
  type AgentRunner,
  type Ask,
  answerTimeoutMs,
  createAsk,
  extractiveModel,
} from '../ask/ask.ts';
import type { HandOffSender } from '../ask/hand-off.ts';
import { loadMastra } from '../ask/load-mastra.ts';
import { createReciteCheck } from '../ask/prompt.ts';
import { createSearchDocs, docsRetrieverCard, type SearchDocs } from '../ask/search-docs.ts';
import type { UserCalls } from '../calls/summarize.ts';
import { type CallsTools, callsToolCards, createCallsTools } from '../calls/user-calls.ts';
import { type Config, hasVisitors } from '../config.ts';
import { createNamespaceParser, type ParseNamespace } from '../documents/namespace-name.ts';
import type { KnowledgeApi } from '../http/knowledge-api.ts';
import type { Documents } from '../ingest/documents.ts';
import { createIngestSources } from '../ingest/ingest-sources.ts';
import type { IngestAndWait } from '../ingest/run.ts';
import type { Metrics } from '../metrics.ts';
import { modelError } from '../models/provider-failure.ts';
import { createTokenBudget, type TokenBudget } from '../models/token-budget.ts';
import { note } from '../trace.ts';
import type { SearchParts } from './search.ts';
import type { SharedParts } from './shared-parts.ts';
import type { State } from './state.ts';

/** The platform's own markup of the agent always counts. */
const mentionsOf = ({ agentMentions, chatAgentUid }: Config): readonly string[] => [
  ...new Set([...agentMentions, `<@uid:${chatAgentUid}>`]),
];

function describeAgents(config: Config, mentions: readonly string[]) {
  const { agentMentions, requireMention, callsTools, directAgentId } = config;
  const when = requireMention ? ` when it is mentioned (${agentMentions.join(', ')})` : '';
  const card = {
    id: 'knowledge',
    name: 'Knowledge Agent',
    description: `Answers questions about the ingested documents${when}, with citations.`,
    tools: { docsRetriever: docsRetrieverCard, ...(callsTools ? callsToolCards : {}) },
    requiresMention: requireMention,
    mentions,
  };
  if (directAgentId === undefined) return [card, { [card.id]: card }] as const;
  // The same agent below a second id, for one-to-one chats.
  const direct = {
    ...card,
    id: directAgentId,
    name: 'Knowledge Agent (one-to-one chats)',
    description:
      'Answers questions about the ingested documents, with citations. It needs no mention.',
    requiresMention: false,
  };
  return [card, { [card.id]: card, [directAgentId]: direct }] as const;
}

/** Metrics show the models from the start, not from their first failure. */
function countModels(
  { llm, llmFallback: fallback, judge }: Config,
  modelName: string,
  metrics: Metrics,
): void {
  const isSetUp = { main: modelName !== extractiveModel, fallback, judge: judge !== llm && judge };
  for (const [role, isUsed] of Object.entries(isSetUp))
    if (isUsed) metrics.circuitChanged({ role, isOpen: false });
}

function composeBudget({ config, clock }: SharedParts, { tokens }: State): TokenBudget | undefined {
  const visitors = hasVisitors(config) ? config.anonymousTokensPerDay : 0;
  return createTokenBudget({ ...config.modelTokens, visitors }, tokens, clock);
}

/** Share of a question's time for the models, before a fallback answers. */
const giveUpAfter = 0.75;

interface AskingDependencies {
  readonly documents: Documents;
  readonly ingestNow: IngestAndWait;
  readonly callsOfUser: UserCalls | undefined;
  readonly metrics: Metrics;
  readonly handOff: Pick<HandOffSender, 'keep' | 'release'>;
  /**
   * Returns false before the parts are open, as in commands. Such questions are not stored or
   * counted.
   */
  readonly isReady: () => boolean;
}

export interface AskingParts extends Ask {
  readonly listAgents: KnowledgeApi['listAgents'];
  readonly prepare: () => Promise<void>;
  readonly searchDocs: SearchDocs;
  readonly callsTools: CallsTools;
  readonly modelName: string;
  readonly gate: MentionGate;
  readonly parseNamespace: ParseNamespace;
  readonly budget: TokenBudget | undefined;
  readonly loadMastra: () => Promise<MastraInstance>;
}

export function composeAsking(
  setting: SharedParts,
  search: SearchParts,
  state: State,
  dependencies: AskingDependencies,
): AskingParts {
  const { config, replacements, clock } = setting;
  const { documents, ingestNow, callsOfUser, metrics, isReady, handOff } = dependencies;
  const budget = composeBudget(setting, state);
  const parseNamespace = createNamespaceParser(config.allowedNamespaces);
  const mentions = mentionsOf(config);
  const gate = createMentionGate({ mentions, isNeeded: config.requireMention });
  const callsTools = createCallsTools(callsOfUser, clock);
  const searchDocs = createSearchDocs(search.retriever, parseNamespace);
  const [card, agents] = describeAgents(config, mentions);
  const ingestSources = createIngestSources(ingestNow, parseNamespace);
  const { answerMs: timeoutMs = answerTimeoutMs, giveUpMs = timeoutMs * giveUpAfter } =
    replacements.patience ?? {};

  /** Loads the agent with the first question, because it takes half of a server's memory. */
  const loadAgent = lazy(async () => {
    await loadMastra();
    const { composeAgent } = await import('./agent.ts');
    await yieldToEventLoop();
    return composeAgent(setting, search, {
      budget,
      metrics,
      parseNamespace,
      gate,
      callsTools,
      card,
      giveUpMs,
      searchDocs,
      ingestSources,
    });
  });
  /** Requests that waited for the agent continue one per event-loop turn. */
  const nextRunner = async () => {
    const { runner } = await loadAgent();
    await yieldToEventLoop();
    return runner;
  };
  const { model = config.llm?.model ?? extractiveModel } = replacements;
  const modelName = typeof model === 'object' ? model.modelId : model;
  const agent: AgentRunner = {
    id: card.id,
    toError: modelError,
    generate: async (request) => (await nextRunner()).generate(request),
    async *stream(request) {
      yield* (await nextRunner()).stream(request);
    },
  };
  countModels(config, modelName, metrics);
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
    handOffs: handOff,
    onFinished: (made) => {
      if (isReady()) metrics.answered(made);
      note({ reason: made.reason });
    },
  });
  return {
    ...asking,
    listAgents: () => agents,
    prepare: async () => void (await loadAgent()),
    searchDocs,
    callsTools,
    modelName,
    gate,
    parseNamespace,
    budget,
    loadMastra: async () => (await loadAgent()).mastra,
  };
}
