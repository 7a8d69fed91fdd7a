/**
 * Requests counted over all servers of a database, so that a caller has one limit however many there are. What is counted is nobody's
 * record: its table is not logged, and a crash of the database forgets it. A database that is away, or slow, keeps no request waiting:
 * then each server counts for itself. The clock is the database's, which all servers share.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createMemoryLimiter, fillMs, type RequestLimiter, type Taken, takenOf } from '../concurrency/token-bucket.ts';
import { createImpatientQuery, type ImpatientQueryOptions } from './impatient-query.ts';

/** Counts of versions before buckets. */
export const rateLimitTable = `
  CREATE UNLOGGED TABLE rate_limits (key text COLLATE "C" PRIMARY KEY, points integer NOT NULL, expire bigint);`;
export const dropRateLimitTable = 'DROP TABLE rate_limits;';

/** `full_at`: when the bucket is full again, in milliseconds of Unix time. `is_taken`: what came of the last request. */
export const requestBucketTable = `
  CREATE UNLOGGED TABLE request_buckets (
    key text COLLATE "C" PRIMARY KEY, full_at double precision NOT NULL, is_taken boolean NOT NULL);`;

/**
 * One more of the bucket `$1`, which fills by one every `$2` milliseconds and is full after `$3`: `takeFrom` of `token-bucket.ts` in one
 * statement, so that requests that come at once to several servers are counted one after another. A bucket that would be full later than it
 * can be is of a clock that went back, and begins anew.
 */
const takeOne = `
  INSERT INTO request_buckets AS kept (key, full_at, is_taken)
  SELECT $1, asked.at + $2::double precision, true FROM (SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS at) AS asked
  ON CONFLICT (key) DO UPDATE SET (full_at, is_taken) = (
    SELECT CASE WHEN is_free THEN wanted ELSE kept.full_at END, is_free
    FROM (SELECT excluded.full_at - $2::double precision AS at) AS asked,
      LATERAL (SELECT CASE WHEN kept.full_at > asked.at + 2 * $3::double precision THEN asked.at
        ELSE greatest(kept.full_at, asked.at) END + $2::double precision AS wanted) AS one_more,
      LATERAL (SELECT wanted - asked.at <= $3::double precision + $2::double precision / 1000 AS is_free) AS decided)
  RETURNING is_taken AS "isTaken", full_at - extract(epoch FROM clock_timestamp())::double precision * 1000 AS "emptyMs"`;

const forgetFull = 'DELETE FROM request_buckets WHERE full_at < extract(epoch FROM clock_timestamp())::double precision * 1000';

/** Requests between two times that full buckets are forgotten. */
const forgetEvery = 1_000;
/** Of more that are over their limit, the database is asked again. */
const maxRefused = 100_000;

/** @param options a request waits no longer for the database */
export function createSharedLimiter(options: ImpatientQueryOptions): RequestLimiter {
  const query = createImpatientQuery(options, 'requests are not counted over all servers for now');
  const insurance = createMemoryLimiter();
  /** Who is over the limit costs the database nothing until there is one more. Key → when that is. */
  const refused = new LRUCache<string, number>({ max: maxRefused });

  let requests = 0;
  function forgetOld(): void {
    if (requests++ % forgetEvery === 0) query(forgetFull).catch(() => undefined);
  }

  async function takeShared(key: string, perMinute: number): Promise<Taken> {
    const eachMs = fillMs / perMinute;
    const [row] = await query<{ isTaken: boolean; emptyMs: number }>(takeOne, [key, eachMs, fillMs]);
    if (!row) throw new Error('a bucket gave no answer');
    const { isTaken, emptyMs } = row;
    if (!isTaken) refused.set(key, performance.now() + emptyMs + eachMs - fillMs);
    return takenOf(Math.max(0, emptyMs), perMinute, isTaken);
  }

  return {
    async take(caller, perMinute) {
      forgetOld();
      // Of whom it is, with an address or a name, the table says nothing.
      const key = createHash('sha256').update(caller).digest('base64url');
      const waitMs = (refused.get(key) ?? 0) - performance.now();
      if (waitMs > 0) return takenOf(waitMs + fillMs - fillMs / perMinute, perMinute, false);
      refused.delete(key);
      return takeShared(key, perMinute).catch(() => insurance.take(key, perMinute));
    },
  };
}
