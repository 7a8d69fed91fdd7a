/** What every room is given: the settings, the log, and what a test brings instead of a real part. */
import { resolve } from 'node:path';
import type { ModelCall } from '../agent/model-call.ts';
import type { ModelRetryPolicy, RoleModel } from '../agent/model-chain.ts';
import type { ChatLimits, DeliveryOptions } from '../app/chat/chat-webhooks.ts';
import type { DriftLimits } from '../app/drift-webhook.ts';
import type { UserCalls } from '../calls/summarize.ts';
import type { CallSource } from '../calls/types.ts';
import type { UpstreamOptions } from '../calls/upstream.ts';
import type { Config } from '../config.ts';
import type { ParseInProcess } from '../convert/parse.ts';
import { storageError } from '../errors.ts';
import { createLogger, type Logger, secretsOf } from '../log.ts';
import { createWarnings } from '../warnings.ts';

/** What a test may bring instead of the real part. */
export interface Replacements {
  readonly model?: RoleModel['model'] | 'extractive';
  readonly logger?: Logger;
  readonly clock?: () => Date;
  /** For a source with its retries, redirects, robots.txt and lists, instead of 28 seconds. */
  readonly sourceTimeoutMs?: number;
  /** With models that fail; `answerMs` is what a question has, `giveUpMs` what a model has of it where somebody stands in. */
  readonly patience?: Partial<ModelRetryPolicy & { readonly answerMs: number; readonly giveUpMs: number }>;
  /** Told of every call of a model. */
  readonly onModelCall?: (call: ModelCall) => void;
  /** For the verdicts of JUDGE_MODEL. */
  readonly judgeTimeoutMs?: number;
  /** For a place among those that are with the model, instead of 20 seconds. */
  readonly modelWaitMs?: number;
  /** Answers where no upstream is configured. */
  readonly callLog?: CallSource & UserCalls;
  /** Deadlines and limits of the way to the calling service. */
  readonly callsUpstream?: Partial<UpstreamOptions>;
  /** How much is answered at a time and waits, and how answers are sent again. */
  readonly chatWebhooks?: Partial<ChatLimits> & Pick<DeliveryOptions, 'firstPauseMs'>;
  /** When drift is looked for, and how it is sent again. */
  readonly driftWebhook?: Partial<DriftLimits> & Pick<DeliveryOptions, 'firstPauseMs'>;
  /** Processes that outlive the parts. */
  readonly parseInProcess?: ParseInProcess;
}

export function createSharedParts(config: Config, replacements: Replacements) {
  const logger = replacements.logger ?? createLogger(config.logLevel, process.stdout, secretsOf(config));
  const warnings = createWarnings(logger);
  return {
    config,
    replacements,
    indexDir: resolve(config.indexDir),
    stateDir: resolve(config.stateDir),
    logger,
    clock: replacements.clock ?? (() => new Date()),
    onWarning: (message: string, error?: unknown) => logger.warn(error === undefined ? {} : { err: error }, message),
    warnings,
    /** @param path file or folder of STATE_DIR or INDEX_DIR */
    onStateLost: (path: string) => {
      logger.warn({ path }, 'this was deleted or replaced while the server was running; what it held is lost');
      warnings.begin('state_lost');
    },
  };
}

export type SharedParts = ReturnType<typeof createSharedParts>;

/** Reports what fails unexpectedly. A disk that refuses is expected: one line without a stack. */
export const reportTo = (logger: Logger, message: string) => (error: unknown) => {
  const refused = storageError(error);
  if (refused) logger.warn({ code: refused.code }, refused.message);
  else logger.error({ err: error }, message);
};
