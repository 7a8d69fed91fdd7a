/**
 * The agent. Its guarantees are its processors, so they hold wherever it is called from: silent unless mentioned, retrieval before the
 * model, one model call, every sentence supported by a passage of this request, `Sources:` at the end.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import { extractiveModel } from '../app/ask/ask.ts';
import type { MentionGate } from '../app/ask/mention.ts';
import { renderInstructions } from '../app/ask/prompt.ts';
import type { IngestSources } from '../app/ingest-sources.ts';
import type { SearchDocs } from '../app/search/search-docs.ts';
import { readTurn, useOf } from './agent-runner.ts';
import { createGroundingProcessor } from './grounding-processor.ts';
import type { JudgeModel } from './judge-model.ts';
import { createMentionGateProcessor } from './mention-gate-processor.ts';
import type { ModelChain } from './model-chain.ts';
import { withPlainReplies } from './plain-reply.ts';
import { createRetrievalProcessor, type RetrievalOptions } from './retrieval-processor.ts';
import { createCallsAgentTools, createDocsRetriever, createIngestSourcesTool, createSearchDocsTool } from './tools.ts';

export interface KnowledgeAgentOptions extends Omit<RetrievalOptions, 'isExtractive'> {
  /** Undefined: sentences are picked from the passages, and nothing is called. */
  readonly model: ModelChain | undefined;
  readonly card: AgentCard;
  readonly gate: MentionGate;
  /** Decides about sentences of the model's reply that the check leaves open. */
  readonly judge?: JudgeModel | undefined;
}

/** Coverage below which no model is asked (bench/README.md: what each threshold keeps and turns away). */
export const minCoverage = { lexical: 0.2, hybrid: 0 };

/** What the agent says of itself, without its instructions. */
export interface AgentCard {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

const noModel = async (): Promise<never> => {
  throw new Error('no model is set up, and none should have been called');
};
/** Mastra's agents have a model; without one set up, the reply is written before it would be called. */
const extractive: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'knowledge',
  modelId: extractiveModel,
  supportedUrls: {},
  doGenerate: noModel,
  doStream: noModel,
};

/** The model as it works for one request. */
function modelOf(chain: ModelChain, context: RequestContext): LanguageModelV4 {
  const onAnswering = (name: string) => {
    const turn = readTurn(context);
    if (turn) turn.answeredBy = name;
  };
  return chain.for({ ...useOf(context), onAnswering });
}

export function createKnowledgeAgent(options: KnowledgeAgentOptions): Agent {
  const { model, retriever, parseNamespace, card, gate, maxSentences, secondSearch, calls, judge } = options;
  return new Agent({
    id: card.id,
    name: card.name,
    description: card.description,
    instructions: renderInstructions({ maxSentences }),
    // Mastra carries its own copy of the model interface, an earlier release of the same version.
    model: ({ requestContext }) => withPlainReplies(model ? modelOf(model, requestContext) : extractive) as MastraModelConfig,
    tools: {
      docsRetriever: createDocsRetriever(retriever, parseNamespace),
      ...(calls ? createCallsAgentTools(calls) : {}),
    },
    inputProcessors: [createMentionGateProcessor(gate), createRetrievalProcessor({ ...options, isExtractive: model === undefined })],
    outputProcessors: [createGroundingProcessor(maxSentences, judge)],
    // The chain asks again by itself.
    maxRetries: 0,
    defaultOptions: { maxSteps: secondSearch || calls ? 2 : 1 },
  });
}

// Mastra's own types are not written for exactOptionalPropertyTypes, hence the two assertions.
type RegisteredTool = NonNullable<NonNullable<ConstructorParameters<typeof Mastra>[0]>['tools']>[string];

export const createMastraTools = (ingestSources: IngestSources, searchDocs: SearchDocs) => ({
  ingestSources: createIngestSourcesTool(ingestSources) as RegisteredTool,
  searchDocs: createSearchDocsTool(searchDocs) as RegisteredTool,
});

export type MastraInstance = Mastra;

/** The Mastra registry: the agent under `knowledge` and the tools, nothing else. Its own logger and telemetry stay off. */
export const createMastra = (knowledge: Agent, tools: Partial<ReturnType<typeof createMastraTools>> = {}) =>
  new Mastra({ agents: { knowledge }, tools, logger: false });
