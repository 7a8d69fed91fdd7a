/**
 * Who is calling, and which namespaces they may use: one place for every way in. Every credential that a request carries has to be
 * valid, so that a second header is no way around the first.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { CallsError } from '../calls/errors.ts';
import type { Config } from '../config.ts';
import { KnowledgeError } from '../errors.ts';

export interface Caller {
  /** Stable for one caller, free of secrets: what limits are counted by. */
  readonly id: string;
  /** Undefined: every namespace. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** Whether nothing is known of them but their address. */
  readonly isAnonymous?: boolean;
  /** The user whom a token names. */
  readonly subject?: string | undefined;
  /** Whether a key may say for which user it asks. */
  readonly mayActForUsers?: boolean;
  /** Their own key of the calling service: what the header `apikey` holds, where it is no key of this service. */
  readonly callsApiKey?: string | undefined;
}

/** @param isCalls whether the header `apikey` counts, as it does below /v3 and nowhere else */
export type Authenticate = (headers: Headers, address: string, isCalls?: boolean) => Promise<Caller>;

const unauthorized = (cause?: unknown) =>
  new KnowledgeError('unauthorized', 'A valid key (Authorization: Bearer … or x-api-key) or token is needed.', { cause });

/** Where this service has keys or tokens of its own, a key of the calling service opens nothing: it could not be told from a guess. */
const noKeyFor = (callsKey: string | undefined) =>
  callsKey === undefined
    ? new CallsError(
        'AUTH_ERR_EMPTY_APIKEY',
        'A key or token of this service is needed, in the header apikey, x-api-key or Authorization.',
        {
          status: 401,
        },
      )
    : new CallsError('AUTH_ERR_APIKEY_NOT_FOUND', 'This apikey is not known here.', { status: 401 });

/** Every token without a subject. */
const anonymousToken = 'jwt';

const digest = (text: string) => createHash('sha256').update(text).digest();
const namespaceSet = (names: readonly string[] | undefined) => names && new Set(names.map((name) => name.toLowerCase()));

/** The claim `namespaces` as a list; absent means no limit, anything unreadable means none at all. */
function claimedNamespaces(payload: JWTPayload): ReadonlySet<string> | undefined {
  const claim = payload['namespaces'];
  if (claim === undefined) return undefined;
  if (typeof claim === 'string') return namespaceSet(claim.split(/[\s,+]+/).filter((name) => name !== ''));
  return namespaceSet(Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : []);
}

export function createAuthenticate({ apiKeys, jwt, callsTrustedKeys }: Pick<Config, 'apiKeys' | 'jwt' | 'callsTrustedKeys'>): Authenticate {
  const keys = apiKeys.map(({ key, namespaces }) => {
    const hash = digest(key);
    return {
      hash,
      caller: {
        id: `key:${hash.toString('hex').slice(0, 12)}`,
        namespaces: namespaceSet(namespaces),
        mayActForUsers: callsTrustedKeys.includes(key),
      } satisfies Caller,
    };
  });
  const verification = {
    ...(jwt?.issuer === undefined ? {} : { issuer: jwt.issuer }),
    ...(jwt?.audience === undefined ? {} : { audience: jwt.audience }),
  };
  const keySet = jwt?.jwksUrl === undefined ? undefined : createRemoteJWKSet(new URL(jwt.jwksUrl), { timeoutDuration: 5_000 });
  const secret = jwt?.secret === undefined ? undefined : new TextEncoder().encode(jwt.secret);

  /** Every key is compared, in constant time each. */
  function callerOfKey(presented: string): Caller | undefined {
    const hash = digest(presented);
    return keys.filter((key) => timingSafeEqual(key.hash, hash))[0]?.caller;
  }

  async function callerOfToken(token: string): Promise<Caller | undefined> {
    if (!keySet && !secret) return undefined;
    try {
      const { payload } = keySet
        ? await jwtVerify(token, keySet, {
            ...verification,
            algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
          })
        : await jwtVerify(token, secret as Uint8Array, { ...verification, algorithms: ['HS256', 'HS384', 'HS512'] });
      return {
        id: payload.sub === undefined ? anonymousToken : `jwt:${payload.sub}`,
        namespaces: claimedNamespaces(payload),
        subject: payload.sub,
      };
    } catch (error) {
      throw unauthorized(error);
    }
  }

  return async (headers, address, isCalls = false) => {
    const authorization = headers.get('authorization');
    const apiKey = headers.get('x-api-key');
    const callsKey = isCalls ? headers.get('apikey')?.trim() || undefined : undefined;
    if (keys.length === 0 && !jwt) return { id: `address:${address}`, namespaces: undefined, isAnonymous: true, callsApiKey: callsKey };

    const callers: (Caller | undefined)[] = [];
    if (apiKey !== null) callers.push(callerOfKey(apiKey.trim()));
    if (authorization !== null) {
      const token = /^bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
      callers.push(token === undefined ? undefined : (callerOfKey(token) ?? (await callerOfToken(token))));
    }
    const callsKeyOwner = callsKey === undefined ? undefined : callerOfKey(callsKey);
    if (callsKeyOwner) callers.push(callsKeyOwner);
    if (isCalls && callers.length === 0) throw noKeyFor(callsKey);
    const [caller] = callers;
    // Two credentials of two callers are as wrong as one that does not fit.
    if (!caller || callers.some((other) => other?.id !== caller.id)) throw unauthorized();
    // A key of this service never goes to another one.
    return callsKeyOwner ? caller : { ...caller, callsApiKey: callsKey };
  };
}

/** Whether an id stands for one caller alone. */
export const isOneCaller = (caller: Caller): boolean => caller.id !== anonymousToken;

export const mayUse = (caller: Caller, namespace: string): boolean => caller.namespaces?.has(namespace) ?? true;

/** @throws KnowledgeError `namespace_not_allowed` */
export function requireNamespace(caller: Caller, namespace: string): void {
  if (!mayUse(caller, namespace)) {
    throw new KnowledgeError('namespace_not_allowed', `This key or token may not use the namespace "${namespace}".`);
  }
}
