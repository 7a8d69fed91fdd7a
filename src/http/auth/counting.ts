/** Counts requests against the limits of their caller. */
import { visitorPrefix } from '../../models/token-budget.ts';
import type { CountedWork } from '../operations.ts';
import type { AppContext, Middleware } from './caller.ts';
import { networkOf } from './client-address.ts';
import { type LimitPolicy, limitHeadersOf, tooManyRequests } from './request-limits.ts';

export async function countRequest(c: AppContext, policy: LimitPolicy, who: string): Promise<void> {
  const taken = await c.get('requestLimits').take(policy, who);
  if (!taken) return;
  // The remaining requests of an address would reveal the activity of other callers behind it.
  if (policy !== 'address' || !taken.isAllowed) c.set('taken', [...(c.get('taken') ?? []), taken]);
  if (!taken.isAllowed) throw tooManyRequests(taken);
}

/**
 * Returns the key of the limit counters: the caller's id or, without credentials, the network.
 * Visitors share a token budget.
 */
export function countedAs(c: AppContext): string {
  const { id, isAnonymous, isVisitor } = c.get('caller');
  if (!isVisitor && !isAnonymous) return id;
  const network = `address:${networkOf(c.get('address'))}`;
  if (isVisitor) return `${visitorPrefix}${isAnonymous ? '' : `${id} `}${network}`;
  return network;
}

export async function countWork(c: AppContext, work: CountedWork | undefined): Promise<void> {
  if (work !== undefined) await countRequest(c, work, countedAs(c));
}

export const addLimitHeaders: Middleware = async (c, next) => {
  await next();
  const taken = c.get('taken');
  if (taken)
    for (const [name, value] of Object.entries(limitHeadersOf(taken)))
      c.res.headers.set(name, value);
};
