/**
 * Limits model tokens per day (UTC), for all callers and for each. Counts of earlier days are kept
 * for a while, so a clock that is set back grants no day twice. A call is counted when it ends, so
 * running calls may exceed the limit.
 */
import { createHash } from 'node:crypto';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';

/**
 * Tokens per day; 0: no limit. `visitors`: sum of the callers whose id begins with `visitorPrefix`.
 */
export type TokenLimits = Readonly<{ all: number; perCaller: number; visitors: number }>;

export const visitorPrefix = 'visitor:';

export interface TokenBudget {
  spent(callerId: string): Promise<KnowledgeError | undefined>;
  spend(callerId: string, tokens: number): void;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** Stores token counts by day (`2026-01-31`) and key. No method fails. */
export interface TokenCounts {
  open(): Promise<void>;
  read(day: string, keys: readonly string[]): Promise<readonly number[]>;
  add(day: string, keys: readonly string[], tokens: number): void;
  close(): Promise<void>;
}

const keyOfAll = '';
const keyOfVisitors = 'visitors';
/** Hashed, so that stored counts reveal no address or name. */
const keyOf = (callerId: string) => createHash('sha256').update(callerId).digest('base64url');

const dayMs = 24 * 60 * 60 * 1_000;

const budgetSpent = (nowMs: number) =>
  new KnowledgeError(
    'budget_spent',
    'The daily model budget is used up. It resets at midnight UTC.',
    {
      retryAfterSeconds: Math.max(1, Math.ceil((dayMs - (nowMs % dayMs)) / 1_000)),
    },
  );

export function createTokenBudget(
  limits: TokenLimits,
  counts: TokenCounts,
  clock: () => Date,
): TokenBudget | undefined {
  const isLimited = limits.all > 0 || limits.perCaller > 0 || limits.visitors > 0;
  if (!isLimited) return undefined;
  const limitsOf = (callerId: string) =>
    [
      { key: keyOfAll, max: limits.all },
      { key: keyOf(callerId), max: limits.perCaller },
      { key: keyOfVisitors, max: callerId.startsWith(visitorPrefix) ? limits.visitors : 0 },
    ].filter(({ max }) => max > 0);
  const today = () => clock().toISOString().slice(0, 'yyyy-mm-dd'.length);
  return {
    async spent(callerId) {
      const own = limitsOf(callerId);
      if (own.length === 0) return undefined;
      const counted = await counts.read(
        today(),
        own.map(({ key }) => key),
      );
      const isSpent = own.some(({ max }, at) => (counted[at] ?? 0) >= max);
      return isSpent ? budgetSpent(clock().getTime()) : undefined;
    },
    spend(callerId, tokens) {
      const keys = limitsOf(callerId).map(({ key }) => key);
      if (tokens > 0 && keys.length > 0) counts.add(today(), keys, tokens);
    },
    open: () => counts.open(),
    close: () => counts.close(),
  };
}
