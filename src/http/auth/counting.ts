/** What is counted of a request, and how much of what goes on for a while it may take: by one name, whichever limit it is. */
import type { Context, MiddlewareHandler } from 'hono';
import type { CountedWork } from '../operations.ts';
import type { AppEnv } from './caller.ts';
import { networkOf } from './client-address.ts';
import { type LimitPolicy, limitHeadersOf, tooManyRequests } from './request-limits.ts';

export async function countRequest(c: Context<AppEnv>, policy: LimitPolicy, who: string): Promise<void> {
  const taken = await c.get('takeRequest')(policy, who);
  if (!taken) return;
  // How much an address has left says something of whoever shares it.
  if (policy !== 'address' || !taken.isAllowed) c.set('taken', [...(c.get('taken') ?? []), taken]);
  if (!taken.isAllowed) throw tooManyRequests(taken);
}

export const countAddress = (c: Context<AppEnv>): Promise<void> => countRequest(c, 'address', networkOf(c.get('address')));

/** Who a request is counted for: the caller; of those without credentials, whoever shares their network. */
export function countedAs(c: Context<AppEnv>): string {
  const { id, isAnonymous } = c.get('caller');
  return isAnonymous ? `address:${networkOf(c.get('address'))}` : id;
}

export async function countWork(c: Context<AppEnv>, work: CountedWork | undefined): Promise<void> {
  if (work !== undefined) await countRequest(c, work, countedAs(c));
}

export const tellLimits: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const taken = c.get('taken');
  if (taken) for (const [name, value] of Object.entries(limitHeadersOf(taken))) c.res.headers.set(name, value);
};
