/**
 * How often somebody may ask: each address before anybody knows who it is, each caller, and each caller's questions, searches and ingests
 * apart. Who has asked too often is told when to come back, and everybody what is left of their own; who goes on all the same is told late,
 * so that a flood over the connections that it has costs little.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryLimiter, fillMs, type TokenResult } from '../../concurrency/token-bucket.ts';
import type { Config } from '../../config.ts';
import { KnowledgeError } from '../../errors.ts';

const counted = { default: 'requests', address: 'requests from one address', ask: 'questions', search: 'searches', ingest: 'ingests' };
export type LimitPolicy = keyof typeof counted;

export interface PolicyTaken extends TokenResult {
  readonly policy: LimitPolicy;
}

/** Counts one more; undefined where the policy has no limit. */
export type TakeRequest = (policy: LimitPolicy, who: string) => Promise<PolicyTaken | undefined>;

type Limits = Pick<
  Config,
  'rateLimitPerMinute' | 'addressLimitPerMinute' | 'askLimitPerMinute' | 'searchLimitPerMinute' | 'ingestLimitPerMinute'
>;

/** Refusals of somebody in a minute that are answered at once; more than that is somebody who does not stop. */
const promptRefusals = 300;
/** Whoever is refused is to come back after a second at the earliest: who does not, spends it waiting. Milliseconds. */
const lateMs = 1_000;
const delayRefusal = (): Promise<unknown> => sleep(lateMs, undefined, { ref: false });

export function createRequestLimits(limits: Limits, waitLate = delayRefusal): TakeRequest {
  const ofCallers = createMemoryLimiter();
  const ofAddresses = createMemoryLimiter();
  const ofRefusals = createMemoryLimiter();
  const perMinute: Readonly<Record<LimitPolicy, number>> = {
    default: limits.rateLimitPerMinute,
    address: limits.addressLimitPerMinute,
    ask: limits.askLimitPerMinute ?? 0,
    search: limits.searchLimitPerMinute ?? 0,
    ingest: limits.ingestLimitPerMinute ?? 0,
  };
  return async (policy, who) => {
    const limit = perMinute[policy];
    if (limit === 0) return undefined;
    const limiter = policy === 'address' ? ofAddresses : ofCallers;
    const key = JSON.stringify([policy, who]);
    const taken = await limiter.take(key, limit);
    if (!taken.isAllowed && !(await ofRefusals.take(key, promptRefusals)).isAllowed) await waitLate();
    return { ...taken, policy };
  };
}

export function tooManyRequests({ policy, limit, retryAfterSeconds }: PolicyTaken): KnowledgeError {
  const tooMany = `More than ${limit} ${counted[policy]} in a minute; try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.`;
  return new KnowledgeError('rate_limited', tooMany, { retryAfterSeconds });
}

/** What is left (draft-ietf-httpapi-ratelimit-headers), and of the bucket that has least the three earlier headers. @param taken at least one */
export function limitHeadersOf(taken: readonly PolicyTaken[]): Readonly<Record<string, string>> {
  const tightest = taken.reduce((least, one) => (one.remaining < least.remaining ? one : least));
  return {
    'ratelimit-policy': taken.map(({ policy, limit }) => `"${policy}";q=${limit};w=${fillMs / 1_000}`).join(', '),
    ratelimit: taken.map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`).join(', '),
    'ratelimit-limit': String(tightest.limit),
    'ratelimit-remaining': String(tightest.remaining),
    'ratelimit-reset': String(tightest.resetSeconds),
  };
}

export const limitHeaders = ['ratelimit', 'ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
