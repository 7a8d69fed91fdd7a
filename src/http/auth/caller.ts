/**
 * Authenticates callers. Every credential of a request must be valid, so that a second header
 * cannot bypass the first.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { resolve } from 'node:path';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { CallsError } from '../../../packages/calls/src/errors.ts';
import { isUid } from '../../../packages/calls/src/types.ts';
import type { FairQueue } from '../../../packages/shared/src/concurrency/fair-queue.ts';
import { lazy } from '../../../packages/shared/src/concurrency/lazy.ts';
import { KnowledgeError, systemErrorCode } from '../../../packages/shared/src/errors.ts';
import { type Config, isAuthenticated, keylessAccess } from '../../config.ts';
import {
  noSuchNamespace,
  type ParseNamespace,
  toNamespaceName,
} from '../../documents/namespace-name.ts';
import type { Documents } from '../../ingest/documents.ts';
import { type KeyFile, openKeyFile } from '../../keys.ts';
import type { Logger, StateLog } from '../../log.ts';
import {
  defaultRights,
  type Right,
  rights,
  rightsAmong,
  withoutParts,
  withParts,
} from '../../rights.ts';
import { note } from '../../trace.ts';
import type { ErrorForm } from '../error-body.ts';
import type { PolicyTaken, RequestLimits } from './request-limits.ts';

export type Caller = Readonly<{
  /** Stable id without secrets. Limits are counted per id. */
  id: string;
  namespaces: ReadonlySet<string> | undefined;
  rights: ReadonlySet<Right>;
  /**
   * Whether `calls` covers the calls of all users. Calls belong to no namespace, so a key limited
   * to namespaces needs the right explicitly.
   */
  readsAllCalls: boolean;
  isAnonymous?: boolean;
  /**
   * Whether the caller belongs to the public, so its limits hold for its address, also with
   * `RATE_LIMIT_PER_MINUTE=0`.
   */
  isVisitor?: boolean | undefined;
  /**
   * Only of a publishable key: origins of the pages that may use it. Such a caller is many
   * visitors, who share its id.
   */
  origins?: readonly string[] | undefined;
  /**
   * Whether the caller sent a key of API_KEYS or API_KEYS_FILE: a trusted program, such as the chat
   * platform.
   */
  isKey?: boolean;
  subject?: string | undefined;
  mayActForUsers?: boolean;
  /**
   * The caller's key for the calling service: the header `apikey`, unless it contains a key of this
   * service.
   */
  callsApiKey?: string | undefined;
}>;

export interface AppEnv {
  // Tests that use `app.request()` have no Node request.
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    logger: Logger;
    /** Logs a lasting state once, instead of each request that fails because of it. */
    states: StateLog;
    address: string;
    caller: Caller;
    authentication?: Authentication;
    /** User that the body of the request names, if that is believed. */
    namedUser?: string;
    requestLimits: RequestLimits;
    taken?: readonly PolicyTaken[];
    streams: FairQueue;
    stopping?: AbortSignal | undefined;
    errorForm?: ErrorForm | undefined;
    /** Whether a publishable key may call the path. */
    isForVisitors?: boolean;
    /** Whether a page of an origin that a publishable key lists sent the request. */
    isOfKnownPage?: boolean;
  };
}

export type App = Hono<AppEnv>;
export type AppContext = Context<AppEnv>;
export type Middleware = MiddlewareHandler<AppEnv>;

const unauthorized = (message: string, cause?: unknown) =>
  new KnowledgeError('unauthorized', message, { cause });

/**
 * A server with keys rejects an unknown `apikey`, because it cannot distinguish a guess from a key
 * of the calling service.
 */
function noKeyFor(callsKey: string | undefined) {
  const needed =
    'This request needs a key or token of this service: send it in the header apikey, x-api-key or Authorization.';
  return callsKey === undefined
    ? new CallsError('AUTH_ERR_EMPTY_APIKEY', needed, { status: 401 })
    : new CallsError('AUTH_ERR_APIKEY_NOT_FOUND', 'This key is not valid.', { status: 401 });
}

const publicKeyAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const anonymousToken = 'jwt';

function grant(names: readonly string[] | undefined, listed: readonly Right[] | undefined) {
  const isLimited = names !== undefined;
  const given = listed ?? defaultRights(isLimited);
  return {
    namespaces: names && new Set(names),
    rights: withParts(given),
    readsAllCalls: given.includes('calls') && (listed !== undefined || !isLimited),
  };
}

const wordsOf = (claim: unknown, between: RegExp) =>
  (typeof claim === 'string' ? claim.split(between) : Array.isArray(claim) ? claim : []).filter(
    (word) => typeof word === 'string',
  );

/**
 * Rights in the claim `scope` (RFC 8693, section 4.2); undefined if the token has no scope. Unknown
 * words are ignored. Only spaces separate words (RFC 6749, section 3.3), so `x+admin` grants
 * nothing.
 */
function claimedRights({ scope }: JWTPayload) {
  return scope === undefined ? undefined : rightsAmong(wordsOf(scope, / +/));
}

/** Maximum date of JavaScript in seconds (ECMA-262, "Time Values"). */
const maxNumericDate = 8.64e12;

/**
 * @throws Error for a time beyond JavaScript's dates, such as `1e400`: a token with that `exp`
 * would never expire
 */
function requireDates({ exp, nbf, iat }: JWTPayload) {
  for (const time of [exp, nbf, iat])
    if (time !== undefined && !(Math.abs(time) <= maxNumericDate))
      throw new Error('exp, nbf or iat is not a date');
}

/** The claim `namespaces`; undefined: no limit. An invalid claim or name grants nothing. */
function claimedNamespaces({ namespaces: claim }: JWTPayload) {
  if (claim === undefined) return undefined;
  return wordsOf(claim, /[\s,+]+/).flatMap((name) => toNamespaceName(name) ?? []);
}

/** Codes of `jose` for a token that names no key of the issuer. */
const withoutKey = /^ERR_(?:JWKS_(?:NO|MULTIPLE)_MATCHING_KEYS?|JOSE_NOT_SUPPORTED)$/;

/** The issuer's fault is not the caller's. */
function insistOnKeys(error: unknown): never {
  if (withoutKey.test(systemErrorCode(error) ?? '')) throw error;
  throw new KnowledgeError(
    'issuer_unavailable',
    'The keys of the token issuer cannot be read. Retry in a moment.',
    { cause: error, retryAfterSeconds: 5 },
  );
}

/** Reads tokens of the issuer in the settings; undefined: no tokens are accepted. */
function openTokens({ jwtJwksUrl, jwtSecret, jwtIssuer, jwtAudience }: Config) {
  if (jwtJwksUrl === undefined && !jwtSecret) return undefined;
  const verification = {
    algorithms: jwtJwksUrl === undefined ? ['HS256', 'HS384', 'HS512'] : publicKeyAlgorithms,
    requiredClaims: ['exp'],
    ...(jwtIssuer === undefined ? {} : { issuer: jwtIssuer }),
    ...(jwtAudience === undefined ? {} : { audience: jwtAudience }),
  };
  const load = lazy(async () => {
    const { createRemoteJWKSet, jwtVerify } = await import('jose');
    const secret = new TextEncoder().encode(jwtSecret);
    const keys = jwtJwksUrl && createRemoteJWKSet(new URL(jwtJwksUrl), { timeoutDuration: 5_000 });
    const tokenKey: JWTVerifyGetKey = async (...header) =>
      keys ? await keys(...header).catch(insistOnKeys) : secret;
    return (token: string) => jwtVerify(token, tokenKey, verification);
  });
  return async (token: string) => (await (await load())(token)).payload;
}

const keyId = (sha256: Buffer) => `key:${sha256.toString('hex').slice(0, 12)}`;

function requireOneCaller(callers: readonly (Caller | undefined)[]) {
  if (callers.length === 0)
    throw unauthorized(
      'This request needs a key: send `Authorization: Bearer KEY` or `x-api-key: KEY`.',
    );
  const [caller] = callers;
  if (!caller || callers.includes(undefined)) throw unauthorized('This key is not valid.');
  if (callers.some((other) => other?.id !== caller.id))
    throw unauthorized('The keys or tokens of this request belong to different callers.');
  return caller;
}

/** @param isCalls whether the header `apikey` is read: only below /v3 */
export const sendsCredential = (headers: Headers, isCalls: boolean): boolean =>
  headers.has('authorization') ||
  headers.has('x-api-key') ||
  (isCalls && Boolean(headers.get('apikey')?.trim()));

export class Authentication {
  readonly #config;
  readonly #keys;
  readonly #tokens;
  readonly keyFile: KeyFile | undefined;

  /** Opens the key file, if there is one. @param onWarning receives its problems */
  constructor(config: Config, onWarning: (message: string) => void) {
    this.#config = config;
    this.#tokens = openTokens(config);
    this.#keys = config.apiKeys.map(({ key, namespaces, rights: listed }) => {
      const sha256 = hash('sha256', key, 'buffer');
      const given = grant(namespaces, listed);
      const mayActForUsers = config.callsTrustedKeys.includes(key);
      return { sha256, caller: { id: keyId(sha256), ...given, mayActForUsers, isKey: true } };
    });
    const reservedHashes = new Set(this.#keys.map(({ sha256 }) => sha256.toString('hex')));
    if (config.apiKeysFile !== undefined)
      this.keyFile = openKeyFile({ path: resolve(config.apiKeysFile), reservedHashes, onWarning });
  }

  /** @param isCalls whether the header `apikey` is read: only below /v3 */
  async callerOf(headers: Headers, address: string, isCalls: boolean): Promise<Caller> {
    const callsKey = isCalls ? headers.get('apikey')?.trim() || undefined : undefined;
    const keyless = keylessAccess(this.#config);
    // A server without keys cannot reject a key.
    if (keyless && !(isAuthenticated(this.#config) && sendsCredential(headers, isCalls))) {
      const { namespaces, isVisitor, rights: listed } = keyless;
      const id = `address:${address}`;
      const given = grant(namespaces, listed);
      return { id, ...given, isAnonymous: true, isVisitor, callsApiKey: callsKey };
    }
    const callsKeyOwner = callsKey === undefined ? undefined : await this.#callerOfKey(callsKey);
    const callers = await this.#callersOf(headers);
    if (callsKeyOwner) callers.push(callsKeyOwner);
    if (isCalls && callers.length === 0) throw noKeyFor(callsKey);
    const caller = requireOneCaller(callers);
    // A key of this service is never forwarded to the calling service.
    return callsKeyOwner ? caller : { ...caller, callsApiKey: callsKey };
  }

  /** Verifies a token of this server's issuer. @throws KnowledgeError `unauthorized` */
  async callerOfToken(token: string): Promise<Caller | undefined> {
    try {
      const payload = await this.#tokens?.(token);
      if (!payload) return undefined;
      requireDates(payload);
      const { sub: subject } = payload;
      // A `sub` of another type, converted to text, could equal another caller's subject.
      if ('sub' in payload && (typeof subject !== 'string' || subject.trim() === ''))
        throw new Error('sub is not a text');
      const id = subject === undefined ? anonymousToken : `jwt:${subject}`;
      return { id, ...grant(claimedNamespaces(payload), claimedRights(payload)), subject };
    } catch (error) {
      if (error instanceof KnowledgeError) throw error;
      throw unauthorized('This token is not valid.', error);
    }
  }

  async #callerOfKey(presented: string): Promise<Caller | undefined> {
    const sha256 = hash('sha256', presented, 'buffer');
    // All keys are compared, each in constant time.
    const [known] = this.#keys.filter((key) => timingSafeEqual(key.sha256, sha256));
    if (known) return known.caller;
    const stored = await this.keyFile?.find(sha256.toString('hex'));
    if (!stored) return undefined;
    const { namespaces, rights: listed, origins } = stored;
    const given = grant(namespaces === '*' ? undefined : namespaces, listed);
    const kind = origins ? { origins, isVisitor: true } : { isKey: true };
    return { id: keyId(sha256), ...given, ...kind };
  }

  async #callersOf(headers: Headers): Promise<(Caller | undefined)[]> {
    const authorization = headers.get('authorization');
    const apiKey = headers.get('x-api-key');
    const callers = apiKey === null ? [] : [await this.#callerOfKey(apiKey.trim())];
    if (authorization === null) return callers;
    const token = /^bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
    if (token === undefined) return [...callers, undefined];
    return [...callers, (await this.#callerOfKey(token)) ?? (await this.callerOfToken(token))];
  }
}

/**
 * Whether the id belongs to one caller. Tokens without a subject, publishable keys, and visitors of
 * one address share one id, so nothing is remembered for them.
 */
export const identifiesCaller = (caller: Caller): boolean =>
  caller.id !== anonymousToken && !caller.isVisitor;

/**
 * @throws KnowledgeError if a publishable key is used by a page of another origin, or for anything
 * but asking and rating
 */
export function checkPublishable(
  { origins }: Caller,
  origin: string | undefined,
  isForVisitors: boolean,
): void {
  if (!origins) return;
  if (origin === undefined || !origins.includes(origin))
    throw new KnowledgeError(
      'origin_not_allowed',
      'This key is only for the web pages that it was made for.',
    );
  if (!isForVisitors)
    throw new KnowledgeError('right_missing', 'A publishable key may only ask and rate answers.');
}

/**
 * Whether a caller owns the conversations of its id. Below `PATH_PREFIX`, callers without a key may
 * share a platform's address and id.
 */
export const ownsThreads = (caller: Caller): boolean =>
  identifiesCaller(caller) && (!caller.isAnonymous || caller.rights.has('admin'));

export const mayUse = (caller: Caller, namespace: string): boolean =>
  caller.namespaces?.has(namespace) ?? true;

/** Namespaces whose documents the caller may read, sorted; none without a caller. */
export async function readableNamespaces(
  caller: Caller | undefined,
  documents: Pick<Documents, 'names'>,
): Promise<string[]> {
  if (!caller?.rights.has('read')) return [];
  return (await documents.names()).filter((name) => mayUse(caller, name)).sort();
}

/**
 * Namespace of requests that name none. Chat platforms name none, so a caller with a single
 * namespace asks there.
 */
export function usualNamespace({ namespaces }: Caller): string {
  const [only = 'default', ...others] = namespaces ?? [];
  return others.length === 0 ? only : 'default';
}

/**
 * `mayUse` for an item that was found by id. Notes a foreign namespace for the audit log, because
 * the response hides it.
 */
export function mayUseAndNote(caller: Caller, namespace: string): boolean {
  note({ namespace, isForeign: !mayUse(caller, namespace) });
  return mayUse(caller, namespace);
}

export function requireRight(caller: Caller, right: Right): void {
  if (caller.rights.has(right)) return;
  const subject = caller.isAnonymous ? 'Callers without a key do' : 'This key or token does';
  throw new KnowledgeError('right_missing', `${subject} not have the right "${right}".`);
}

/**
 * Rights of a caller in its namespaces. `calls` is included only if the caller can see calls: all,
 * or those of its token's user.
 */
export function rightsOf({ rights: given, readsAllCalls, subject }: Caller): Right[] {
  const seesCalls = subject === undefined ? readsAllCalls : isUid(subject);
  return withoutParts(
    rights.filter((right) => given.has(right) && (right !== 'calls' || seesCalls)),
  );
}

/**
 * Returns undefined for a forbidden namespace without calling `parse`, whose error reveals
 * ALLOWED_NAMESPACES. @throws as `parse`
 */
export function namespaceIfAllowed(
  caller: Caller,
  name: string,
  parse: ParseNamespace,
): string | undefined {
  const requested = toNamespaceName(name);
  const isAllowed = requested === undefined || mayUse(caller, requested);
  if (requested !== undefined) note({ namespace: requested, isForeign: !isAllowed });
  return isAllowed ? parse(name) : undefined;
}

/**
 * A namespace that the caller may not use fails like a missing one. @throws KnowledgeError
 * `namespace_not_found`, as `parse`
 */
export function namespaceToRead(caller: Caller, name: string, parse: ParseNamespace): string {
  const namespace = namespaceIfAllowed(caller, name, parse);
  if (namespace === undefined) throw noSuchNamespace(toNamespaceName(name) ?? '');
  return namespace;
}

export function namespaceToWrite(caller: Caller, name: string, parse: ParseNamespace): string {
  const namespace = namespaceIfAllowed(caller, name, parse);
  if (namespace !== undefined) return namespace;
  throw new KnowledgeError(
    'namespace_not_allowed',
    `This key or token may not use the namespace "${toNamespaceName(name)}".`,
  );
}

/** The caller with only the namespaces and rights that the token of its user has too. */
function narrowed(caller: Caller, { namespaces, rights: granted, readsAllCalls }: Caller): Caller {
  const common = caller.namespaces && namespaces?.intersection(caller.namespaces);
  return {
    ...caller,
    namespaces: common ?? caller.namespaces ?? namespaces,
    rights: caller.rights.intersection(granted),
    readsAllCalls: caller.readsAllCalls && readsAllCalls,
  };
}

/**
 * Stores the named user if the token is valid, or the caller is a trusted key. A token also limits
 * the request to its own namespaces and rights. Other names have no effect. Callers without a key
 * and publishable keys act for no user, so the token of a body cannot be tried out.
 * @param named user that a body names, by name or by a token of the server's issuer
 * @throws KnowledgeError `unauthorized`, `right_missing`
 */
export async function actAs(
  c: AppContext,
  named: Readonly<Record<'uid' | 'token', string | undefined>> | undefined,
): Promise<void> {
  const caller = c.get('caller');
  if (!named || caller.origins || caller.isAnonymous) return;
  const signed =
    named.token === undefined
      ? undefined
      : await c.get('authentication')?.callerOfToken(named.token);
  if (signed) {
    c.set('caller', narrowed(caller, signed));
    requireRight(c.get('caller'), 'ask');
  }
  const user = signed?.subject ?? (caller.mayActForUsers ? named.uid : undefined);
  if (user !== undefined && caller.subject === undefined && isUid(user)) c.set('namedUser', user);
}

export const noUid =
  'The header onBehalfOf must be a uid: 1 to 100 characters without control characters.';

/**
 * The acting user: the subject of a token, the header `onBehalfOf` of a trusted key, or the user
 * that `actAs` stored. Other callers that send the header are rejected.
 * @throws KnowledgeError `acting_user_not_allowed`, `invalid_request`
 */
export function callerActingUser(c: AppContext): string | undefined {
  const { subject = c.get('namedUser'), mayActForUsers } = c.get('caller');
  const asked = c.req.header('onBehalfOf');
  if (asked === undefined || asked === subject)
    return subject !== undefined && isUid(subject) ? subject : undefined;
  if (!mayActForUsers)
    throw new KnowledgeError(
      'acting_user_not_allowed',
      'Only a key of CALLS_TRUSTED_KEYS may send the header onBehalfOf.',
    );
  if (!isUid(asked)) throw new KnowledgeError('invalid_request', noUid);
  return asked;
}

/**
 * Owner of stored answers and conversations: the caller, or the user that a key acts for. Free of
 * secrets. @throws as `callerActingUser`
 */
export function ownerOf(c: AppContext): string {
  const { id, subject } = c.get('caller');
  const user = callerActingUser(c);
  return user === undefined || user === subject ? id : `${id} for ${user}`;
}
