/**
 * The agent and its models: the parts of the context that are loaded with the first question,
 * because their imports are slow.
 */

import type { MentionGate } from '../packages/mastra/src/mention.ts';
import { FairQueue } from '../packages/shared/src/concurrency/fair-queue.ts';
import { KnowledgeError } from '../packages/shared/src/errors.ts';
import type { MastraAdditions } from './ask/agent.ts';
import {
  type AgentCard,
  createKnowledgeAgent,
  createMastra,
  createMastraTools,
  type MastraInstance,
  minCoverage,
} from './ask/agent.ts';
import { createAgentRunner } from './ask/agent-runner.ts';
import type { AgentRunner } from './ask/ask.ts';
import { ModelRequests } from './ask/model-requests.ts';
import { maxAnswerSentences } from './ask/prompt.ts';
import { createFallbackAnswerer } from './ask/retrieval-processor.ts';
import type { Retriever } from './ask/retriever.ts';
import { createListTopics, languagesIn, type SearchDocs } from './ask/search-docs.ts';
import type { CallsTools } from './calls/user-calls.ts';
import { type Config, noJudge } from './config.ts';
import type { NamespaceMessages } from './documents/messages-file.ts';
import type { ParseNamespace } from './documents/namespace-name.ts';
import type { Namespaces } from './documents/namespaces.ts';
import type { IngestSources } from './ingest/ingest-sources.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { ModelCall, ModelUse } from './models/model-call.ts';
import type { ModelRetryPolicy } from './models/model-chain.ts';
import {
  type CircuitChange,
  createModelChain,
  type ModelChain,
  type RoleModel,
} from './models/model-chain.ts';
import { createProviderModel } from './models/provider.ts';
import type { TokenBudget } from './models/token-budget.ts';

/** Maximum wait for a model slot. */
const maxModelWaitMs = 20_000;

const modelIsBusy = () =>
  new KnowledgeError('busy', 'Too many questions are in progress. Retry in a few seconds.', {
    retryAfterSeconds: 5,
  });

type Models = Readonly<{ model: ModelChain | undefined; requests: ModelRequests | undefined }>;

/** Counts the tokens of all models. */
async function createModels(parts: Omit<AgentNeeds, 'card' | 'giveUpMs'>): Promise<Models> {
  const { config, replacements, logger, onWarning, budget, metrics } = parts;
  const { llm, llmFallback, judge, degradedAnswers: hasFallbackAnswerer } = config;
  const tellsPurpose = config.llmPurposeHeader;
  const onCall = (call: ModelCall, use: ModelUse) => {
    budget?.spend(use.countedAs ?? '', call.inputTokens + call.outputTokens);
    metrics.modelCalled(call, use);
    use.onCall?.(call);
    replacements.onModelCall?.(call);
  };
  const onCircuit = (change: CircuitChange) => {
    const { role, isOpen, message } = change;
    metrics.circuitChanged(change);
    if (role === 'judge') return; // the judge reports its own failures
    if (isOpen) logger.warn(message);
    else logger.info(message);
  };
  const createModel = (of: NonNullable<typeof llm>) => createProviderModel(of, config.llmMaxTokens);
  const given = replacements.model ?? (llm ? await createModel(llm) : 'extractive');
  const others: RoleModel[] = llmFallback
    ? [{ role: 'fallback', model: await createModel(llmFallback) }]
    : [];
  const { firstTokenMs: firstPartMs, stallMs } = config.modelTimeouts;
  if (given === 'extractive') return { model: undefined, requests: undefined };
  const common = { onCall, onCircuit, tellsPurpose };
  const patience = { firstPartMs, stallMs, ...replacements.patience };
  const model = createModelChain({
    ...common,
    models: [{ role: 'main', model: given }, ...others],
    hasFallbackAnswerer,
    patience,
  });
  // Without a model of its own, the answering one checks, with its fallback.
  const other = judge &&
    judge !== llm && { role: 'judge' as const, model: await createModel(judge) };
  const requests = new ModelRequests({
    model,
    judge: other
      ? createModelChain({ ...common, models: [other], hasFallbackAnswerer: false, patience })
      : config.judgeModel !== noJudge
        ? model
        : undefined,
    isThorough: config.answerEffort === 'thorough',
    isProbed: config.judgeProbe,
    budget,
    onWarning,
    onProbed(name, right, canCheck) {
      metrics.judgeProbed({ model: name, canCheck });
      const found = `The model ${name} judged ${right} of 16 sample sentences right.`;
      if (canCheck) logger.info(`${found} It checks answers.`);
      else onWarning(`${found} Rules alone check answers; JUDGE_MODEL can name a better model.`);
    },
  });
  return { model, requests };
}

/** What tests and programs around this one put in place of parts of the agent. */
export interface AgentReplacements {
  readonly model?: RoleModel['model'] | 'extractive';
  /**
   * Timeouts and retries of models. `answerMs`: timeout of a question. `giveUpMs`: time until a
   * fallback answers.
   */
  readonly patience?: Partial<
    ModelRetryPolicy & { readonly answerMs: number; readonly giveUpMs: number }
  >;
  readonly onModelCall?: (call: ModelCall) => void;
  readonly judgeTimeoutMs?: number;
  /** Maximum wait for a model slot; default 20 seconds. */
  readonly modelWaitMs?: number;
  readonly mastra?: MastraAdditions;
}

/** Fields of the context. */
export interface AgentNeeds {
  readonly config: Config;
  readonly replacements: AgentReplacements;
  readonly logger: Logger;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly namespaces: Namespaces;
  readonly messagesOf: (namespace: string) => Promise<NamespaceMessages>;
  readonly retriever: Retriever;
  readonly budget: TokenBudget | undefined;
  readonly metrics: Metrics;
  readonly parseNamespace: ParseNamespace;
  readonly gate: MentionGate;
  readonly callsTools: CallsTools;
  readonly card: AgentCard;
  /** Milliseconds until the fallback answers instead of a silent model. */
  readonly giveUpMs: number;
  readonly searchDocs: SearchDocs;
  readonly ingestSources: IngestSources;
}

export async function createAgentParts(
  parts: AgentNeeds,
): Promise<Readonly<{ runner: AgentRunner; mastra: MastraInstance }>> {
  const { config, replacements, namespaces, callsTools, giveUpMs, searchDocs } = parts;
  const { model, requests } = await createModels(parts);
  const limits = {
    minCoverage,
    maxSentences: maxAnswerSentences,
    answerStyle: config.answerStyle,
    calls: config.callsTools ? callsTools : undefined,
  };
  const fallbackAnswerer =
    model && config.degradedAnswers ? createFallbackAnswerer(limits) : undefined;
  const agent = createKnowledgeAgent({
    model,
    card: parts.card,
    retriever: parts.retriever,
    listTopics: createListTopics(namespaces),
    messagesOf: parts.messagesOf,
    parseNamespace: parts.parseNamespace,
    gate: parts.gate,
    ...limits,
    languagesOf: languagesIn(namespaces),
    contextTokens: config.llmContextTokens,
    requests,
    modelPlaces: new FairQueue({
      slots: config.maxModelCalls,
      queue: {
        maxWaiting: config.maxModelCalls,
        maxWaitMs: replacements.modelWaitMs ?? maxModelWaitMs,
        tooMany: modelIsBusy,
      },
    }),
    additions: replacements.mastra,
    budget: parts.budget,
    fallbackAnswerer,
  });
  return {
    runner: createAgentRunner(agent, { fallbackAnswerer, giveUpMs }),
    mastra: createMastra(
      agent,
      createMastraTools(parts.ingestSources, searchDocs, callsTools),
      replacements.mastra,
    ),
  };
}
