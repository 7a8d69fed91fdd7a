/**
 * The agent: hosts the steps of a question (`ask.ts`) as processors and tools of Mastra, so that
 * every caller gets the guarantees: silence without a mention, retrieval before the model, every
 * sentence supported by a passage of this question, `Sources:` at the end.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { Mastra } from '@mastra/core/mastra';
import type { ProcessLLMRequestArgs, Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import { ReplyProcessor } from '../../packages/mastra/src/reply-processor.ts';
import { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { CallsTools } from '../calls/user-calls.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import type { IngestSources } from '../ingest/ingest-sources.ts';
import { type ModelCall, maxReplyCharsOf } from '../models/model-call.ts';
import type { ModelChain } from '../models/model-chain.ts';
import { withPlainReplies } from '../models/plain-reply.ts';
import type { TokenBudget } from '../models/token-budget.ts';
import { offeredTools } from './answer.ts';
import { type OpenAgent, type StepParts, Steps } from './ask.ts';
import { extractiveModel } from './ask-result.ts';
import type { ModelRequests } from './model-requests.ts';
import { renderInstructions } from './prompt.ts';
import { askerOf, contextFor, questionOf, setQuestion } from './request-context.ts';
import { createListTopics, languagesIn, type SearchDocs } from './search-docs.ts';
import {
  createCallsAgentTools,
  createDocsRetriever,
  createIngestSourcesTool,
  createLocalSearchTool,
} from './tools.ts';

const shown = (...texts: readonly string[]) => ({
  chunks: [
    { type: 'text-start', payload: { id: '0' } },
    ...texts.map((text) => ({ type: 'text-delta', payload: { id: '0', text } })),
    { type: 'text-end', payload: { id: '0' } },
    {
      type: 'finish',
      payload: {
        stepResult: { reason: 'stop' },
        output: { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } },
        metadata: {},
        messages: { all: [], user: [], nonUser: [] },
      },
    },
  ],
});

/** Ends a turn without a mention. An `abort` would log an error with a stack. */
const silence = {
  chunks: [{ type: 'tripwire', payload: { reason: 'not_mentioned', processorId: 'mention-gate' } }],
};

const gateProcessor = (steps: Steps) =>
  ({
    id: 'mention-gate' as const,
    processInput({ messages, messageList, requestContext }) {
      const question = steps.gate(messages, askerOf(requestContext));
      setQuestion(requestContext, question);
      return messageList;
    },
  }) satisfies Processor;

const answerProcessor = (steps: Steps) =>
  ({
    id: 'retrieval' as const,

    async processInput({ messageList, requestContext, abortSignal }) {
      const question = questionOf(requestContext);
      if (question) await steps.search(question, abortSignal);
      return messageList;
    },

    processInputStep({ stepNumber, requestContext, abort }) {
      const question = questionOf(requestContext);
      const offered = question && stepNumber === 0 ? offeredTools(question, steps.parts) : [];
      if (offered.length > 0) return { activeTools: offered, toolChoice: 'auto' as const };
      // A second call answers with the results of the tools, or with the documents if the tools
      // failed.
      if (stepNumber > 1) return abort('one_model_call');
      return { tools: {}, activeTools: [], toolChoice: 'none' as const };
    },

    async processLLMRequest({ requestContext, abort }) {
      const question = questionOf(requestContext);
      if (!question) return { response: silence };
      const reply = await steps.answer(question);
      if ('texts' in reply) return { response: shown(...reply.texts) };
      if ('error' in reply) return { response: { chunks: [{ type: 'error', payload: reply }] } };
      if ('abort' in reply) return abort(reply.abort);
      // Mastra names the prompt after an earlier version of the interface.
      return { prompt: reply.prompt as ProcessLLMRequestArgs['prompt'] };
    },
  }) satisfies Processor;

const checkProcessor = (steps: Steps) =>
  new ReplyProcessor(({ requestContext }) => {
    const question = questionOf(requestContext);
    return question && !question.error ? steps.check(question) : undefined;
  }, /^tool-(?:call|result)$/);

type AgentSettings = ConstructorParameters<typeof Agent>[0];
type MastraSettings = NonNullable<ConstructorParameters<typeof Mastra>[0]>;

/** Additions of a Mastra project or of Mastra Studio. A server has none of it. */
export interface MastraAdditions {
  readonly agent?: Pick<AgentSettings, 'memory' | 'scorers'>;
  readonly mastra?: Pick<MastraSettings, 'storage' | 'scorers' | 'logger' | 'observability'>;
}

/** The model that answers, and the requests beside its reply. */
export interface Models {
  readonly model: ModelChain;
  readonly requests: ModelRequests;
}

/** Fields of the context. */
type AgentParts = Pick<StepParts, 'retriever' | 'parseNamespace' | 'gate' | 'messagesOf'> &
  Readonly<{
    config: Readonly<{
      callsTools: boolean;
      llmContextTokens: number;
      llmMaxTokens: number;
      answerStyle?: string | undefined;
      quotesAtLast: boolean;
      limits: { readonly models: number };
    }>;
    replacements: Readonly<{ modelWaitMs?: number; mastra?: MastraAdditions }>;
    budget: TokenBudget;
    namespaces: Namespaces;
    callsTools: CallsTools;
    card: Readonly<Record<'id' | 'name' | 'description', string>>;
    searchDocs: SearchDocs;
    ingestSources: IngestSources;
  }>;

const noModel = async () => {
  throw new Error('the agent has no model, so none may be called');
};
/** Mastra requires a model; the answer processor replies before this one would be called. */
const extractive: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'knowledge',
  modelId: extractiveModel,
  supportedUrls: {},
  doGenerate: noModel,
  doStream: noModel,
};

function modelFor({ model: chain, requests }: Models, context: RequestContext) {
  // Read later, because Mastra asks for the model before the question begins.
  const onAnswering = (name: string) => {
    const question = questionOf(context);
    if (question) question.answeredBy = name;
  };
  const onCall = (call: ModelCall) => {
    const question = questionOf(context);
    if (question?.prompt) requests.noteCut(question.prompt, call);
    const { model, outcome, ms, inputTokens, outputTokens } = call;
    const made = { model, outcome, ms: Math.round(ms), inputTokens, outputTokens };
    question?.requests.push({ purpose: 'answer', ...made });
  };
  const { countedAs, conversationId, namespace } = askerOf(context);
  return chain.for({ countedAs, conversationId, namespace, onAnswering, onCall });
}

/** Maximum wait for a model slot. */
const maxModelWaitMs = 20_000;

/**
 * Makes the agent, registered as `knowledge` with the tools. Without Studio, Mastra's logger and
 * telemetry stay off. @param models undefined: answers are sections of the documents
 */
export function openAgent(parts: AgentParts, models: Models | undefined): OpenAgent {
  const { config, replacements, namespaces, callsTools, retriever, parseNamespace, card } = parts;
  const { modelWaitMs = maxModelWaitMs, mastra: additions } = replacements;
  const calls = config.callsTools ? callsTools : undefined;
  const steps = new Steps({
    retriever,
    parseNamespace,
    gate: parts.gate,
    messagesOf: parts.messagesOf,
    listTopics: createListTopics(namespaces),
    languagesOf: languagesIn(namespaces),
    contextTokens: config.llmContextTokens,
    answerStyle: config.answerStyle,
    calls,
    requests: models?.requests,
    budget: parts.budget,
    isExtractive: models === undefined,
    hasFallback: models !== undefined && config.quotesAtLast,
    modelPlaces: new FairQueue({
      slots: config.limits.models,
      queue: {
        maxWaiting: config.limits.models,
        maxWaitMs: modelWaitMs,
        tooMany: () =>
          new KnowledgeError(
            'busy',
            'Too many questions are in progress. Retry in a few seconds.',
            { retryAfterSeconds: 5 },
          ),
      },
    }),
  });
  const agent = new Agent({
    id: card.id,
    name: card.name,
    description: card.description,
    instructions: renderInstructions(),
    // The cast is needed because Mastra bundles an earlier release of the model interface.
    model: ({ requestContext }) =>
      withPlainReplies(
        models ? modelFor(models, requestContext) : extractive,
        maxReplyCharsOf(config.llmMaxTokens),
      ) as MastraModelConfig,
    tools: {
      docsRetriever: createDocsRetriever(retriever, parseNamespace),
      ...(calls ? createCallsAgentTools(calls) : {}),
    },
    inputProcessors: [gateProcessor(steps), answerProcessor(steps)],
    outputProcessors: [checkProcessor(steps)],
    // The model chain retries.
    maxRetries: 0,
    ...additions?.agent,
    defaultOptions: { maxSteps: calls ? 2 : 1 },
  });
  const tools = {
    ingestSources: createIngestSourcesTool(parts.ingestSources),
    searchDocs: createLocalSearchTool(parts.searchDocs),
    ...createCallsAgentTools(callsTools),
    // Mastra's types do not support exactOptionalPropertyTypes, hence the assertion.
  } as unknown as NonNullable<MastraSettings['tools']>;
  const mastra = new Mastra({
    agents: { knowledge: agent },
    tools,
    logger: false,
    ...additions?.mastra,
  });
  return { agent, mastra, contextFor, questionOf };
}
