/**
 * Callers of the fuzz: valid and invalid credentials of each right and form, and the namespaces
 * that each may read.
 */
import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { type Right, rights } from '../../src/rights.ts';

export interface FuzzCaller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Namespaces whose text may appear in their responses; undefined: all. */
  readonly reads: readonly string[] | undefined;
  /** Relative share of requests. */
  readonly weight: number;
}

/** Namespaces that the fuzz reads and writes; it has no right in `vault`. */
export const fuzzNamespaces = ['default', 'hr', 'try'] as const;

const keys: Readonly<Record<string, readonly [namespaces: string, rights: readonly Right[]]>> = {
  all: ['default+hr+try', rights],
  read: ['default', ['read']],
  write: ['default+try', ['write']],
  calls: ['default', ['calls']],
  admin: ['default', ['admin']],
  trusted: ['default+try', ['read', 'write', 'calls']],
};
/** Keys of servers that this fuzz starts; no other server has them. */
export const keyOf = (name: string) => `fuzz-key-of-${name}-5f0c2b`;
/** Key that restores deleted documents. */
export const operatorKey = keyOf('operator');
export const jwtSecret = 'fuzz-secret-of-tokens-with-more-than-32-characters';
export const webhook = { user: 'fuzz-hooks', password: 'fuzz-password-of-webhooks-77' };
export const webhookSecret = 'fuzz-secret-of-signed-webhooks';

export const apiKeys = [
  ...Object.entries(keys).map(
    ([name, [namespaces, given]]) => `${keyOf(name)}=${namespaces}:${given.join('+')}`,
  ),
  operatorKey,
].join(',');

const mayRead = (given: readonly Right[]) => given.includes('read') || given.includes('admin');

const token = (
  claims: Record<string, unknown>,
  secret = jwtSecret,
  expires: string | number = 4_102_444_800,
) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret));

const base64 = (text: string) => Buffer.from(text).toString('base64url');

/**
 * Callers of a server that was started with `apiKeys`, `jwtSecret` and the webhooks' credentials.
 */
export async function ownCallers(): Promise<FuzzCaller[]> {
  const ofKeys = Object.entries(keys).map(([name, [namespaces, given]], at): FuzzCaller => {
    const headers: Readonly<Record<string, string>> =
      at % 2 ? { 'x-api-key': keyOf(name) } : { authorization: `Bearer ${keyOf(name)}` };
    return {
      name,
      headers,
      reads: mayRead(given) ? namespaces.split('+') : [],
      weight: name === 'all' ? 150 : 6,
    };
  });
  const bearer = (name: string, jwt: string, reads: readonly string[] = []): FuzzCaller => ({
    ...{ name, reads, weight: 3 },
    headers: { authorization: `Bearer ${jwt}` },
  });
  const claims = {
    sub: 'elena.petrova',
    namespaces: ['default', 'try'],
    scope: 'read write calls',
  };
  const good = await token(claims);
  const nothing = (name: string, headers: Readonly<Record<string, string>>): FuzzCaller => ({
    name,
    headers,
    reads: [],
    weight: 1,
  });
  return [
    ...ofKeys,
    bearer('token', good, ['default', 'try']),
    bearer('token without subject', await token({ namespaces: 'hr', scope: 'read admin' }), ['hr']),
    bearer('token of no right', await token({ ...claims, scope: 'openid' })),
    bearer('forged token', await token(claims, 'another-secret-of-thirty-two-characters!')),
    bearer('old token', await token(claims, jwtSecret, 1)),
    bearer(
      'unsigned token',
      `${base64('{"alg":"none"}')}.${base64(JSON.stringify({ ...claims, exp: 4_102_444_800 }))}.`,
    ),
    bearer('token cut short', good.slice(0, -5)),
    bearer('token with odd claims', await token({ sub: '', namespaces: { a: 1 }, scope: 7 })),
    {
      ...nothing('trusted key for a user', {
        'x-api-key': keyOf('trusted'),
        onbehalfof: 'elena.petrova',
      }),
      reads: ['default', 'try'],
      weight: 5,
    },
    nothing('no credentials', {}),
    nothing('wrong key', { 'x-api-key': 'wrong' }),
    nothing('broken authorization', { authorization: 'Bearer' }),
    nothing('basic authorization', { authorization: 'Basic !!!' }),
    nothing('very long key', { 'x-api-key': 'x'.repeat(8_000) }),
    nothing('two keys', { 'x-api-key': keyOf('read'), authorization: `Bearer ${keyOf('all')}` }),
  ];
}

/** Headers of a webhook of the platform. */
export function webhookHeaders(
  body: Buffer,
  nowSeconds: number,
  isSigned: boolean,
): Record<string, string> {
  if (!isSigned)
    return {
      authorization: `Basic ${Buffer.from(`${webhook.user}:${webhook.password}`).toString('base64')}`,
    };
  const id = `fuzz-${nowSeconds}-${body.length}`;
  const signature = createHmac('sha256', webhookSecret)
    .update(`${id}.${nowSeconds}.`)
    .update(body)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(nowSeconds),
    'webhook-signature': `v1,${signature}`,
  };
}

/** Callers of a server that the fuzz did not start. */
export const callersOf = (key: string | undefined): FuzzCaller[] => [
  ...(key === undefined
    ? []
    : [{ name: 'key', headers: { 'x-api-key': key }, reads: undefined, weight: 12 }]),
  { name: 'no credentials', headers: {}, reads: undefined, weight: key === undefined ? 12 : 1 },
  { name: 'wrong key', headers: { 'x-api-key': 'wrong' }, reads: undefined, weight: 1 },
  {
    name: 'broken authorization',
    headers: { authorization: 'Bearer' },
    reads: undefined,
    weight: 1,
  },
];
