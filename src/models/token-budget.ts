/**
 * Limits model tokens per day (UTC), for all callers and for each. Counts of earlier days are kept
 * for a while, so a clock that is set back grants no day twice. A call is counted when it ends, so
 * running calls may exceed the limit.
 */
import { hash } from 'node:crypto';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';

/**
 * Tokens per day; 0: no limit. `visitors`: sum of the callers whose id begins with `visitorPrefix`.
 */
type TokenLimits = Readonly<Record<'all' | 'perCaller' | 'visitors', number>>;

export const visitorPrefix = 'visitor:';

/** Stores token counts by day (`2026-01-31`) and key. No method fails. */
export interface TokenCounts {
  read(day: string, keys: readonly string[]): Promise<readonly number[]>;
  add(day: string, keys: readonly string[], tokens: number): void;
  close(): Promise<void>;
}

/** Hashed, so that stored counts reveal no address or name. */
const keyOf = (callerId: string) => hash('sha256', callerId, 'base64url');

const dayMs = 24 * 60 * 60 * 1_000;

export class TokenBudget {
  readonly #limits;
  readonly #counts;
  readonly #clock;

  constructor(limits: TokenLimits, counts: TokenCounts, clock: () => Date) {
    this.#limits = limits;
    this.#counts = counts;
    this.#clock = clock;
  }

  /** @returns an error for the caller if no tokens are left */
  async spent(callerId: string): Promise<KnowledgeError | undefined> {
    const own = this.#limitsOf(callerId);
    if (own.length === 0) return undefined;
    const keys = own.map(({ key }) => key);
    const counted = await this.#counts.read(this.#today(), keys);
    if (own.every(({ max }, at) => (counted[at] ?? 0) < max)) return undefined;
    const leftMs = dayMs - (this.#clock().getTime() % dayMs);
    return new KnowledgeError(
      'budget_spent',
      'The daily model budget is used up. It resets at midnight UTC.',
      { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)) },
    );
  }

  spend(callerId: string, tokens: number): void {
    const keys = this.#limitsOf(callerId).map(({ key }) => key);
    if (tokens > 0 && keys.length > 0) this.#counts.add(this.#today(), keys, tokens);
  }

  close(): Promise<void> {
    return this.#counts.close();
  }

  #limitsOf(callerId: string) {
    const { all, perCaller, visitors } = this.#limits;
    return [
      { key: '', max: all },
      { key: keyOf(callerId), max: perCaller },
      { key: 'visitors', max: callerId.startsWith(visitorPrefix) ? visitors : 0 },
    ].filter(({ max }) => max > 0);
  }

  #today() {
    return this.#clock().toISOString().slice(0, 'yyyy-mm-dd'.length);
  }
}
