/** Requests per caller and minute, counted in memory. Callers without credentials are counted by the address of their socket. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { KnowledgeError } from '../errors.ts';

/** Counts one request. @throws KnowledgeError `rate_limited` with the seconds to wait */
export type CountRequest = (callerId: string) => Promise<void>;

/** @param perMinute 0: no limit */
export function createRateLimit(perMinute: number): CountRequest {
  if (perMinute === 0) return async () => undefined;
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async (callerId) => {
    try {
      await limiter.consume(callerId);
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      const retryAfterSeconds = Math.max(1, Math.ceil(rejected.msBeforeNext / 1000));
      throw new KnowledgeError('rate_limited', `More than ${perMinute} requests in a minute; try again in ${retryAfterSeconds} seconds.`, {
        retryAfterSeconds,
      });
    }
  };
}
