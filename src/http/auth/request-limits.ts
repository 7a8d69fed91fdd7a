/**
 * Rate limits per minute for each address (before authentication), each caller, and each caller's
 * questions, searches and ingestions. Responses contain the remaining requests. After 300
 * rejections in a minute, further ones are delayed, so that a flood costs little.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fillMs, MemoryLimiter } from '../../../packages/shared/src/concurrency/token-bucket.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { Config } from '../../config.ts';

const counted = {
  default: 'requests',
  visitor: 'requests',
  address: 'requests from one address',
  ask: 'questions',
  search: 'searches',
  ingest: 'ingests',
};
export type LimitPolicy = keyof typeof counted;
export type PolicyTaken = ReturnType<MemoryLimiter['take']> & { readonly policy: LimitPolicy };

/** Rejections per caller and minute that are sent without delay. */
const immediateRefusals = 300;
/** Equals the shortest `Retry-After`. */
const refusalDelayMs = 1_000;

export class RequestLimits {
  readonly #callers = new MemoryLimiter();
  readonly #addresses = new MemoryLimiter();
  readonly #refusals = new MemoryLimiter();
  readonly #perMinute;
  readonly #waitLate;

  constructor(
    { rateLimitPerMinute: { caller, ...rates } }: Pick<Config, 'rateLimitPerMinute'>,
    waitLate = (): Promise<unknown> => sleep(refusalDelayMs, undefined, { ref: false }),
  ) {
    this.#perMinute = { default: caller, ...rates };
    this.#waitLate = waitLate;
  }

  /** Counts a request; undefined if the policy has no limit. */
  async take(policy: LimitPolicy, who: string): Promise<PolicyTaken | undefined> {
    const limit = this.#perMinute[policy];
    if (limit === 0) return undefined;
    const limiter = policy === 'address' ? this.#addresses : this.#callers;
    const key = JSON.stringify([policy, who]);
    const taken = limiter.take(key, limit);
    if (!taken.isAllowed && !this.#refusals.take(key, immediateRefusals).isAllowed)
      await this.#waitLate();
    return { ...taken, policy };
  }
}

export function tooManyRequests({ policy, limit, retryAfterSeconds }: PolicyTaken): KnowledgeError {
  const wait = `${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}`;
  const tooMany = `More than ${limit} ${counted[policy]} in a minute. Retry in ${wait}.`;
  return new KnowledgeError('rate_limited', tooMany, { retryAfterSeconds });
}

/**
 * Headers of draft-ietf-httpapi-ratelimit-headers, and the three older ones for the bucket with the
 * least left. @param taken at least one
 */
export function limitHeadersOf(taken: readonly PolicyTaken[]): Readonly<Record<string, string>> {
  const tightest = taken.reduce((least, one) => (one.remaining < least.remaining ? one : least));
  return {
    'ratelimit-policy': taken
      .map(({ policy, limit }) => `"${policy}";q=${limit};w=${fillMs / 1_000}`)
      .join(', '),
    ratelimit: taken
      .map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
    'ratelimit-limit': String(tightest.limit),
    'ratelimit-remaining': String(tightest.remaining),
    'ratelimit-reset': String(tightest.resetSeconds),
  };
}

export const limitHeaders = [
  'ratelimit',
  'ratelimit-policy',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
];
