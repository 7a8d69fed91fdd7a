/** The models of the settings: one that answers, with its fallback, and one that checks. */
import type { Models } from './ask/agent.ts';
import { ModelRequests } from './ask/model-requests.ts';
import { type Config, noJudge } from './config.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type ModelCall, type ModelUse, maxReplyCharsOf } from './models/model-call.ts';
import { type defaultPatience, ModelChain } from './models/model-chain.ts';
import { createProviderModel } from './models/provider.ts';
import type { TokenBudget } from './models/token-budget.ts';

/** What tests and programs around this one put in place of the models. */
export interface ModelReplacements {
  readonly model?: ReturnType<ModelChain['for']> | 'extractive';
  /**
   * Timeouts and retries of models. `answerMs`: timeout of a question. `giveUpMs`: time until a
   * fallback answers.
   */
  readonly patience?: Partial<
    typeof defaultPatience & { readonly answerMs: number; readonly giveUpMs: number }
  >;
  readonly onModelCall?: (call: ModelCall) => void;
  /** Maximum wait for a model slot; default 20 seconds. */
  readonly modelWaitMs?: number;
}

/** Opens the models with the first question, and counts their tokens. @returns undefined without one */
export async function openModels({
  config,
  replacements,
  logger,
  onWarning,
  budget,
  metrics,
}: Readonly<{
  config: Config;
  replacements: ModelReplacements;
  logger: Logger;
  onWarning: (message: string, error?: unknown) => void;
  budget: TokenBudget;
  metrics: Metrics;
}>): Promise<Models | undefined> {
  const { llm, llmFallback, judge, quotesAtLast: hasFallbackAnswerer } = config;
  const firstPartMs = config.llmFirstTokenSeconds * 1_000;
  const stallMs = config.llmStallSeconds * 1_000;
  const createModel = (of: NonNullable<typeof llm>) => createProviderModel(of, config.llmMaxTokens);
  const given = replacements.model ?? (llm ? await createModel(llm) : 'extractive');
  if (given === 'extractive') return undefined;
  const common = {
    tellsPurpose: config.llmPurposeHeader,
    patience: { firstPartMs, stallMs, ...replacements.patience },
    onCall(call: ModelCall, use: ModelUse) {
      budget.spend(use.countedAs ?? '', call.inputTokens + call.outputTokens);
      metrics.modelCalled(call, use);
      use.onCall?.(call);
      replacements.onModelCall?.(call);
    },
    onCircuit(role: string, isOpen: boolean, message: string) {
      metrics.circuitChanged({ role, isOpen });
      if (role === 'judge') return; // the judge reports its own failures
      if (isOpen) logger.warn(message);
      else logger.info(message);
    },
  };
  const others = llmFallback
    ? [{ role: 'fallback' as const, model: await createModel(llmFallback) }]
    : [];
  const model = new ModelChain({
    ...common,
    models: [{ role: 'main', model: given }, ...others],
    hasFallbackAnswerer,
  });
  // Without a model of its own, the answering one checks, with its fallback.
  const other = judge && judge !== llm && (await createModel(judge));
  const answering = config.judgeModel === noJudge ? undefined : model;
  const requests = new ModelRequests({
    model,
    judge: other
      ? new ModelChain({
          ...common,
          models: [{ role: 'judge', model: other }],
          hasFallbackAnswerer: false,
        })
      : answering,
    isThorough: config.answerEffort === 'thorough',
    isProbed: config.judgeProbe,
    contextTokens: config.llmContextTokens,
    maxReplyChars: maxReplyCharsOf(config.llmMaxTokens),
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
