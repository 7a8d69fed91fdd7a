/** Dependencies that every compose function receives: settings, log, and replacements by tests. */
import { resolve } from 'node:path';
import type { CallSource } from '../../packages/calls/src/types.ts';
import type { UpstreamOptions } from '../../packages/calls/src/upstream.ts';
import type { ParseInProcess } from '../../packages/converters/src/parse.ts';
import { DiskCheck } from '../../packages/shared/src/disk/disk-check.ts';
import { storageError } from '../../packages/shared/src/errors.ts';
import type { MastraAdditions } from '../ask/agent.ts';
import type { HandOffLimits } from '../ask/hand-off.ts';
import type { UserCalls } from '../calls/summarize.ts';
import type { ChatLimits, DeliveryOptions } from '../chat/chat-webhooks.ts';
import type { Config } from '../config.ts';
import type { NamespaceMessages } from '../documents/messages-file.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import { createLogger, type Logger, StateLog, secretsOf } from '../log.ts';
import type { ModelCall } from '../models/model-call.ts';
import type { ModelRetryPolicy, RoleModel } from '../models/model-chain.ts';
import type { RerankerOptions } from '../models/reranker.ts';
import type { Embedder } from '../search/vectors/embedder.ts';
import type { SharedVectors } from '../search/vectors/shared-vectors.ts';
import { createWarnings, type Warning, type Warnings } from '../warnings.ts';

/** Replacements that tests and embedding programs may inject, and additions of Mastra projects. */
export interface Replacements {
  readonly model?: RoleModel['model'] | 'extractive';
  readonly logger?: Logger;
  readonly clock?: () => Date;
  /** Timeout of a source including retries and redirects; default 28 seconds. */
  readonly sourceTimeoutMs?: number;
  /**
   * Timeouts and retries of models. `answerMs`: timeout of a question. `giveUpMs`: time until a
   * fallback answers.
   */
  readonly patience?: Partial<
    ModelRetryPolicy & { readonly answerMs: number; readonly giveUpMs: number }
  >;
  readonly onModelCall?: (call: ModelCall) => void;
  readonly judgeTimeoutMs?: number;
  readonly rerank?: Pick<RerankerOptions, 'timeoutMs' | 'pauseMs'>;
  /** Maximum wait for a model slot; default 20 seconds. */
  readonly modelWaitMs?: number;
  readonly callLog?: CallSource & UserCalls;
  readonly callsUpstream?: Partial<UpstreamOptions>;
  readonly chatWebhooks?: Partial<ChatLimits> & Pick<DeliveryOptions, 'firstPauseMs'>;
  readonly handOff?: Partial<HandOffLimits>;
  /** Parser processes that outlive the parts. */
  readonly parseInProcess?: ParseInProcess;
  readonly mastra?: MastraAdditions;
  /** Replaces the embedding model of the settings. */
  readonly embedder?: Embedder | undefined;
  /** Keeps vectors outside of this process; the default is PostgreSQL, if it is set. */
  readonly vectors?: SharedVectors | undefined;
}

export interface SharedParts {
  readonly config: Config;
  readonly replacements: Replacements;
  readonly indexDir: string;
  readonly stateDir: string;
  readonly logger: Logger;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly warnings: Warnings & { list(): Warning[] };
  readonly diskCheck: DiskCheck;
  /** @param path deleted file or folder of STATE_DIR or INDEX_DIR */
  readonly onStateLost: (path: string) => void;
}

export function createSharedParts(config: Config, replacements: Replacements): SharedParts {
  const logger =
    replacements.logger ?? createLogger(config.logLevel, process.stdout, secretsOf(config));
  const warnings = createWarnings(logger);
  const folders = [config.knowledgeDir, config.stateDir, config.indexDir];
  return {
    config,
    replacements,
    indexDir: resolve(config.indexDir),
    stateDir: resolve(config.stateDir),
    logger,
    clock: replacements.clock ?? (() => new Date()),
    onWarning: (message, error) => logger.warn(error === undefined ? {} : { err: error }, message),
    warnings,
    diskCheck: new DiskCheck(
      folders.map((folder) => resolve(folder)),
      warnings,
    ),
    onStateLost: (path) => {
      logger.warn(
        { path },
        'this file or folder was deleted or replaced while the server was running; its data is lost',
      );
      warnings.begin('state_lost');
    },
  };
}

/** The operator's messages of a namespace, and whether questions can be handed off. */
export const composeMessages =
  (
    { handoffText: other, handoffWebhook, handoffOn }: Config,
    namespaces: Pick<Namespaces, 'messagesOf'>,
  ) =>
  async (namespace: string): Promise<NamespaceMessages> => {
    const own = await namespaces.messagesOf(namespace);
    return {
      own: other === undefined ? own : [...own, { handoff: { other } }],
      handOffOn: handoffWebhook ? handoffOn : [],
    };
  };

/** Logs unexpected failures. A full or failing disk is a state and gets one line without a stack. */
export const reportTo = (logger: Logger, message: string) => {
  const states = new StateLog(logger);
  return (error: unknown): void => {
    const refused = storageError(error);
    if (refused) states.warn(refused.code, {}, refused.message);
    else logger.error({ err: error }, message);
  };
};
