/**
 * Statements that nobody waits long for: what they are for goes on without the database, which is told once of each time that it is away,
 * and left alone between two tries.
 */
import { createCircuitBreaker } from '../concurrency/circuit-breaker.ts';
import { untilEnded } from '../concurrency/deadline.ts';
import type { Store, Value } from './store.ts';

export interface ImpatientQueryOptions {
  readonly store: Pick<Store, 'query' | 'dialect'>;
  readonly onWarning: (message: string, error: unknown) => void;
  /** Of one statement; milliseconds. */
  readonly timeoutMs?: number;
  /** Between a failure and the next try; milliseconds. */
  readonly pauseMs?: number;
}

const usualTimeoutMs = 300;
const usualPauseMs = 5_000;

/** @param warning what does not work for now @returns what throws at once while the database is left alone */
export function createImpatientQuery(
  { store, onWarning, timeoutMs = usualTimeoutMs, pauseMs = usualPauseMs }: ImpatientQueryOptions,
  warning: string,
) {
  // Whatever it is, the rest goes on.
  const attempt = createCircuitBreaker(pauseMs, () => true, { onOpen: (error) => onWarning(warning, error) });
  const tooLate = () => new Error(`the database did not answer within ${timeoutMs} ms`);
  return <Row extends object>(sql: string, values: readonly Value[] = []): Promise<Row[]> =>
    attempt(() => untilEnded(AbortSignal.timeout(timeoutMs), tooLate, () => store.query<Row>(sql, values)));
}
