/**
 * The agent. Its processors give the guarantees for every caller: silence without a mention,
 * retrieval before the model, one model call, every sentence supported by a passage of this
 * request, `Sources:` at the end.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import type { MentionGate } from '../../packages/mastra/src/mention.ts';
import type { CallsTools } from '../calls/user-calls.ts';
import type { IngestSources } from '../ingest/ingest-sources.ts';
import type { ModelCall } from '../models/model-call.ts';
import type { ModelChain } from '../models/model-chain.ts';
import { withPlainReplies } from '../models/plain-reply.ts';
import { modelUseOf, readTurn } from './agent-runner.ts';
import { createAnswerProcessor } from './answer-processor.ts';
import { extractiveModel } from './ask.ts';
import { createTurnProcessor } from './gate-processor.ts';
import { renderInstructions } from './prompt.ts';
import { createRetrievalProcessor, type RetrievalOptions } from './retrieval-processor.ts';
import type { SearchDocs } from './search-docs.ts';
import {
  createCallsAgentTools,
  createDocsRetriever,
  createIngestSourcesTool,
  createLocalSearchTool,
} from './tools.ts';

type AgentSettings = ConstructorParameters<typeof Agent>[0];
type MastraSettings = NonNullable<ConstructorParameters<typeof Mastra>[0]>;

/** Additions of a Mastra project or of Mastra Studio. A server has none of it. */
export interface MastraAdditions {
  readonly agent?: Pick<AgentSettings, 'memory' | 'scorers'>;
  readonly mastra?: Pick<MastraSettings, 'storage' | 'scorers' | 'logger' | 'observability'>;
}

export interface KnowledgeAgentOptions extends Omit<RetrievalOptions, 'isExtractive'> {
  /** Undefined: answers quote sentences of the passages. */
  readonly model: ModelChain | undefined;
  readonly card: AgentCard;
  readonly gate: MentionGate;
  readonly additions?: MastraAdditions | undefined;
}

/** Coverage below which no model is called (bench/README.md: results per threshold). */
export const minCoverage = { lexical: 0.2, hybrid: 0 };

export interface AgentCard {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

const noModel = async (): Promise<never> => {
  throw new Error('the agent has no model, so none may be called');
};
/** Mastra requires a model; the retrieval processor replies before this one would be called. */
const extractive: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'knowledge',
  modelId: extractiveModel,
  supportedUrls: {},
  doGenerate: noModel,
  doStream: noModel,
};

function modelOf(chain: ModelChain, context: RequestContext): LanguageModelV4 {
  // Read later, because Mastra asks for the model before the turn begins.
  const onAnswering = (name: string) => {
    const turn = readTurn(context);
    if (turn) turn.answeredBy = name;
  };
  const onCall = ({ model, outcome, ms, inputTokens, outputTokens }: ModelCall) =>
    readTurn(context)?.requests.push({
      purpose: 'answer',
      model,
      outcome,
      ms: Math.round(ms),
      inputTokens,
      outputTokens,
    });
  return chain.for({ ...modelUseOf(context), onAnswering, onCall });
}

export function createKnowledgeAgent(options: KnowledgeAgentOptions): Agent {
  const { model, retriever, parseNamespace, card, gate, maxSentences, calls, requests } = options;
  return new Agent({
    id: card.id,
    name: card.name,
    description: card.description,
    instructions: renderInstructions({ maxSentences }),
    // The cast is needed because Mastra bundles an earlier release of the model interface.
    model: ({ requestContext }) =>
      withPlainReplies(model ? modelOf(model, requestContext) : extractive) as MastraModelConfig,
    tools: {
      docsRetriever: createDocsRetriever(retriever, parseNamespace),
      ...(calls ? createCallsAgentTools(calls) : {}),
    },
    inputProcessors: [
      createTurnProcessor(gate),
      createRetrievalProcessor({ ...options, isExtractive: model === undefined }),
    ],
    outputProcessors: [createAnswerProcessor(maxSentences, requests)],
    // The model chain retries.
    maxRetries: 0,
    ...options.additions?.agent,
    defaultOptions: { maxSteps: calls ? 2 : 1 },
  });
}

// Mastra's types do not support exactOptionalPropertyTypes, hence the two assertions.
type RegisteredTool = NonNullable<MastraSettings['tools']>[string];

type MastraTools = Readonly<
  Record<'ingestSources' | 'searchDocs' | keyof CallsTools, RegisteredTool>
>;

export const createMastraTools = (
  ingestSources: IngestSources,
  searchDocs: SearchDocs,
  calls: CallsTools,
): MastraTools =>
  ({
    ingestSources: createIngestSourcesTool(ingestSources),
    searchDocs: createLocalSearchTool(searchDocs),
    ...createCallsAgentTools(calls),
  }) as MastraTools;

export type MastraInstance = Mastra;

/**
 * Registers the tools, and the agent as `knowledge`. Without Studio, Mastra's logger and telemetry
 * stay off.
 */
export const createMastra = (
  knowledge: Agent,
  tools: Partial<MastraTools> = {},
  additions?: MastraAdditions,
): Mastra => new Mastra({ agents: { knowledge }, tools, logger: false, ...additions?.mastra });
