/**
 * Requests counted over all servers of a database, so that a caller has one limit however many there are. What is counted is nobody's
 * record: its table is not logged, and a crash of the database forgets it. A database that is away, or slow, keeps no request waiting:
 * then each server counts for itself.
 */
import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { RequestLimiter } from '../app/knowledge-api.ts';
import { createCircuitBreaker } from '../concurrency/circuit-breaker.ts';
import { untilEnded } from '../concurrency/deadline.ts';
import type { Database } from './database.ts';

/** Columns in the order in which the package fills them; `expire` in milliseconds of Unix time. */
export const rateLimitTable = `
  CREATE UNLOGGED TABLE rate_limits (key text COLLATE "C" PRIMARY KEY, points integer NOT NULL, expire bigint);`;

export interface SharedLimiterOptions {
  readonly database: Pick<Database, 'query'>;
  /** Requests of a caller. */
  readonly perMinute: number;
  readonly onWarning: (message: string, error: unknown) => void;
  /** A request waits no longer for the database; milliseconds. */
  readonly timeoutMs?: number;
  /** Between a failure and the next try; milliseconds. */
  readonly pauseMs?: number;
}

const usualTimeoutMs = 300;
const usualPauseMs = 5_000;
/** Requests between two times that callers who came no more are forgotten. */
const forgetEvery = 1_000;

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export function createSharedLimiter(options: SharedLimiterOptions): RequestLimiter {
  const { database, perMinute, onWarning, timeoutMs = usualTimeoutMs, pauseMs = usualPauseMs } = options;
  // Whatever it is, the requests go on.
  const attempt = createCircuitBreaker(pauseMs, () => true);
  const tooLate = () => new Error(`the database did not answer within ${timeoutMs} ms`);

  let isTold = false;
  async function asked({ text, values }: Statement) {
    try {
      const rows = await untilEnded(AbortSignal.timeout(timeoutMs), tooLate, () => database.query(text, values));
      isTold = false;
      return { rows };
    } catch (error) {
      if (!isTold) onWarning('requests are not counted over all servers for now', error);
      isTold = true;
      throw error;
    }
  }
  const storeClient = { query: (statement: Statement) => attempt(() => asked(statement)) };

  const limits = { points: perMinute, duration: 60, keyPrefix: '' };
  const limiter = new RateLimiterPostgres({
    ...limits,
    storeClient,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    // Its timer would outlive the database.
    clearExpiredByTimeout: false,
    // Who is over the limit costs the database nothing until the minute is over.
    inMemoryBlockOnConsumed: perMinute + 1,
    insuranceLimiter: new RateLimiterMemory(limits),
  });

  let requests = 0;
  function forgetOld(): void {
    if (requests++ % forgetEvery !== 0) return;
    const forget = { text: 'DELETE FROM rate_limits WHERE expire < $1', values: [Date.now()] };
    storeClient.query(forget).catch(() => undefined);
  }

  return {
    consume(callerId) {
      forgetOld();
      // Of whom it is, with an address or a name, the table says nothing.
      return limiter.consume(createHash('sha256').update(callerId).digest('base64url'));
    },
  };
}
