/**
 * Messages between `answer-threads.ts` and its threads. Numbers identify a question and, within it,
 * a lookup.
 */

import { type ErrorDetail, KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { AgentRequest, AgentRunner } from '../app/ask/ask.ts';
import type { Turn } from '../app/ask/turn.ts';
import type { Stage } from '../trace.ts';
import type { AgentCard } from './agent.ts';
import type { RetrievalOptions } from './retrieval-processor.ts';

export interface ThreadSettings {
  readonly card: AgentCard;
  readonly mentions: readonly string[];
  readonly requireMention: boolean;
  readonly allowedNamespaces: readonly string[] | undefined;
}

/** Lookups that the server does for a thread. */
export interface Lookups extends Pick<RetrievalOptions, 'listTopics' | 'messagesOf'> {
  readonly search: RetrievalOptions['retriever']['search'];
}

export type ToThread =
  | {
      readonly question: number;
      readonly request: Omit<AgentRequest, 'signal'>;
      readonly isStream: boolean;
    }
  | { readonly question: number; readonly lookup: number; readonly found: unknown }
  | { readonly question: number; readonly lookup: number; readonly failure: SentError }
  | { readonly question: number; readonly isCancelled: true };

export type FromThread = { readonly question: number } & (
  | { readonly lookup: number; readonly name: keyof Lookups; readonly args: readonly never[] }
  | { readonly step: SentStep }
  | {
      readonly stages: readonly (readonly [Stage, number])[];
      readonly failure: SentError | undefined;
    }
);

export type Step = ReturnType<AgentRunner['stream']> extends AsyncIterable<infer One> ? One : never;

/** A structured clone of an error would lose its class and can fail on causes. */
interface SentError {
  readonly known:
    | {
        readonly code: KnowledgeError['code'];
        readonly details?: readonly ErrorDetail[];
        readonly retryAfterSeconds?: number;
      }
    | undefined;
  readonly message: string;
  readonly stack: string | undefined;
}

export function toSentError(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof KnowledgeError)) return { known: undefined, message, stack };
  const { code, details, retryAfterSeconds } = error;
  return {
    known: {
      code,
      ...(details && { details }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
    message,
    stack,
  };
}

export function fromSentError({ known, message, stack = message }: SentError): Error {
  const cause = Object.assign(new Error(message), { stack });
  return known ? new KnowledgeError(known.code, message, { ...known, cause }) : cause;
}

type SentTurn = Omit<Turn, 'writer' | 'error' | 'lookupError'> & {
  readonly failures: readonly (SentError | undefined)[];
};
type SentStep = Omit<Step, 'turn'> & { readonly turn: SentTurn | undefined };

export function toSentStep({ turn, ...step }: Step): SentStep {
  if (!turn) return { ...step, turn };
  const { writer: _, error, lookupError, ...sent } = turn;
  return {
    ...step,
    turn: {
      ...sent,
      failures: [error && toSentError(error), lookupError && toSentError(lookupError)],
    },
  };
}

export function fromSentStep({ turn, ...step }: SentStep): Step {
  if (!turn) return { ...step, turn };
  const { failures, ...sent } = turn;
  const [error, lookupError] = failures.map(
    (failure) => failure && (fromSentError(failure) as KnowledgeError),
  );
  return {
    ...step,
    turn: { ...sent, ...(error && { error }), ...(lookupError && { lookupError }) },
  };
}
