/** The agent with its models. Loaded with the first question: what it imports takes longest to load. */

import { type AgentCard, createKnowledgeAgent, createMastra, createMastraTools, minCoverage } from '../agent/agent.ts';
import { createAgentRunner } from '../agent/agent-runner.ts';
import { createJudgeModel } from '../agent/judge-model.ts';
import type { ModelCall, ModelUse } from '../agent/model-call.ts';
import { type CircuitChange, createModelChain, type RoleModel } from '../agent/model-chain.ts';
import { createProviderModel } from '../agent/provider.ts';
import { createFallbackAnswerer } from '../agent/retrieval-processor.ts';
import type { MentionGate } from '../app/ask/mention.ts';
import { maxAnswerSentences } from '../app/ask/prompt.ts';
import type { TokenBudget } from '../app/ask/token-budget.ts';
import type { IngestSources } from '../app/ingest-sources.ts';
import { createListTopics, type SearchDocs } from '../app/search/search-docs.ts';
import type { CallsTools } from '../app/user-calls.ts';
import { FairQueue } from '../concurrency/fair-queue.ts';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import { KnowledgeError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { SearchParts } from './search.ts';
import type { SharedParts } from './shared-parts.ts';

/** Who waits for a model waits so long. */
const maxModelWaitMs = 20_000;

const modelIsBusy = () =>
  new KnowledgeError('busy', 'Too many questions are being answered; ask again in a moment.', { retryAfterSeconds: 5 });

/** A judge is asked once: a reader waits meanwhile, and where it does not answer the score decides. */
const patienceWithJudge = { maxAttempts: 1 };

/** The models that answer, and the one that judges unsure sentences; all their tokens are counted. */
async function composeModels(setting: SharedParts, { budget, metrics }: Pick<AgentParts, 'budget' | 'metrics'>) {
  const { config, replacements, logger, onWarning } = setting;
  const { llm, llmFallback, judge, degradedAnswers: hasFallbackAnswerer } = config;
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
  const given = replacements.model ?? (llm ? await createModel(llm) : 'extractive');
  const others: RoleModel[] = llmFallback ? [{ role: 'fallback', model: await createModel(llmFallback) }] : [];
  const { firstTokenMs: firstPartMs, stallMs } = config.modelTimeouts;
  const common = { onCall, onCircuit };
  const patience = { firstPartMs, stallMs, ...replacements.patience };
  return {
    model:
      given === 'extractive'
        ? undefined
        : createModelChain({ ...common, models: [{ role: 'main', model: given }, ...others], hasFallbackAnswerer, patience }),
    judge:
      judge &&
      createJudgeModel({
        model: createModelChain({
          ...common,
          // The answering model is one object, so that it learns once which parameters it takes.
          models: [{ role: 'judge', model: judge === llm && given !== 'extractive' ? given : await createModel(judge) }],
          hasFallbackAnswerer: false,
          patience: { ...patience, ...patienceWithJudge },
        }),
        timeoutMs: replacements.judgeTimeoutMs,
        onWarning,
      }),
  };
}

export interface AgentParts {
  readonly budget: TokenBudget | undefined;
  readonly metrics: Metrics;
  readonly parseNamespace: ParseNamespace;
  readonly gate: MentionGate;
  readonly callsTools: CallsTools;
  readonly card: AgentCard;
  /** Until somebody answers instead of a silent model. */
  readonly giveUpMs: number;
  readonly searchDocs: SearchDocs;
  readonly ingestSources: IngestSources;
}

export async function composeAgent(setting: SharedParts, { namespaces, retriever }: SearchParts, parts: AgentParts) {
  const { config, replacements } = setting;
  const { budget, parseNamespace, gate, callsTools, card, giveUpMs, searchDocs, ingestSources } = parts;
  const { model, judge } = await composeModels(setting, parts);
  const limits = {
    minCoverage,
    maxSentences: maxAnswerSentences,
    answerStyle: config.answerStyle,
    calls: config.callsTools ? callsTools : undefined,
  };
  const fallbackAnswerer = model && config.degradedAnswers ? createFallbackAnswerer(limits) : undefined;
  const agent = createKnowledgeAgent({
    model,
    card,
    retriever,
    listTopics: createListTopics(namespaces),
    messagesOf: (namespace) => namespaces.messagesOf(namespace),
    parseNamespace,
    gate,
    ...limits,
    // Without a model there is nobody who could think of other words.
    secondSearch: config.secondSearch && config.llm !== undefined,
    modelPlaces: new FairQueue({
      slots: config.maxModelCalls,
      queue: {
        maxWaiting: config.maxModelCalls,
        maxWaitMs: replacements.modelWaitMs ?? maxModelWaitMs,
        tooMany: modelIsBusy,
      },
    }),
    judge,
    budget,
    fallbackAnswerer: fallbackAnswerer,
  });
  return {
    runner: createAgentRunner(agent, { fallbackAnswerer: fallbackAnswerer, giveUpMs }),
    mastra: createMastra(agent, createMastraTools(ingestSources, searchDocs)),
  };
}
