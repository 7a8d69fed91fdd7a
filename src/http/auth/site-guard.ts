/**
 * Protects a server without authentication from web pages that are open in a local browser. Unknown
 * host names are rejected (DNS rebinding), and so are requests of other sites (CSRF). Programs send
 * neither `Origin` nor `Sec-Fetch-Site` (W3C Fetch Metadata) and are not affected.
 */
import { isIP } from 'node:net';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { type Config, isAuthenticated, isLoopback, isOpenToAll } from '../../config.ts';
import { hostOf } from '../../ingest/fetch/address-guard.ts';
import { isCallsPath } from '../error-response.ts';
import { type AppContext, type Middleware, sendsCredential } from './caller.ts';
import { isTrustedProxy } from './client-address.ts';

/** Normalizes a `Host` header; undefined if it contains more than a name and a port. */
function parseHost(header: string) {
  const url = /^[\w.:[\]-]+$/.test(header) ? URL.parse(`http://${header}`) : null;
  if (!url) return undefined;
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

const hostAsked = (c: AppContext) => parseHost(c.req.header('host') ?? new URL(c.req.url).host);

const matches = (pattern: string, name: string) =>
  pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern;

function isKnownHost(asked: URL, { host, allowedHosts, publicUrl }: Config) {
  const own = host.toLowerCase();
  const name = hostOf(asked);
  if (isLoopback(name) || name.endsWith('.localhost') || name === own) return true;
  if (publicUrl !== undefined && name === hostOf(new URL(publicUrl))) return true;
  // The operator opened the server to its network. DNS rebinding needs a name, so addresses are
  // safe.
  if (!isLoopback(own) && isIP(name) !== 0) return true;
  return allowedHosts
    .map((pattern) => pattern.toLowerCase())
    .some(
      (pattern) =>
        matches(pattern, asked.hostname) ||
        matches(pattern, `${asked.hostname}:${asked.port || '80'}`),
    );
}

/**
 * A credential is exempt if the server has keys: it is checked later, and a page that rebinds a
 * name has none. @throws KnowledgeError `host_not_allowed`
 */
export function requireKnownHost(config: Config): Middleware {
  const hasKeys = isAuthenticated(config);
  return (c, next) => {
    if (hasKeys && sendsCredential(c.req.raw.headers, isCallsPath(c.req.path))) return next();
    const asked = hostAsked(c);
    if (asked && isKnownHost(asked, config)) return next();
    throw new KnowledgeError(
      'host_not_allowed',
      'The Host header names another server. Without a key, only localhost, HOST, ALLOWED_HOSTS and the host of PUBLIC_URL are accepted.',
    );
  };
}

/**
 * Finds this server's public origin: PUBLIC_URL, or the URL of the request and the `X-Forwarded-…`
 * headers of a trusted proxy. The origin has no slash at its end. It is undefined for unknown host
 * names, and if it would reveal PATH_PREFIX to the readers of answers.
 */
export function publicOrigin(c: AppContext, config: Config): string | undefined {
  const { publicUrl, pathPrefix, trustedProxies, allowedHosts } = config;
  if (publicUrl !== undefined || pathPrefix !== undefined) return publicUrl;
  const isProxied = isTrustedProxy(c.env?.incoming?.socket.remoteAddress, trustedProxies);
  const forwarded = (name: string) =>
    isProxied ? c.req.header(name)?.split(',')[0]?.trim() : undefined;
  const { protocol, host } = new URL(c.req.url);
  const asked = parseHost(forwarded('x-forwarded-host') ?? host);
  const isLimited = isOpenToAll(config) || allowedHosts.length > 0;
  if (!asked || (isLimited && !isKnownHost(asked, config))) return undefined;
  return `${forwarded('x-forwarded-proto') === 'https' ? 'https:' : protocol}//${asked.host}`;
}

/**
 * Rejects requests of pages of other origins, except those in CORS_ORIGINS and those with a
 * publishable key. @throws KnowledgeError `origin_not_allowed`
 */
export function refuseOtherSites({
  corsOrigins,
  publicUrl,
}: Pick<Config, 'corsOrigins' | 'publicUrl'>): Middleware {
  const own = publicUrl && new URL(publicUrl).origin;
  return (c, next) => {
    const origin = c.req.header('origin');
    const site = c.req.header('sec-fetch-site');
    const isListed =
      corsOrigins.includes('*') ||
      (origin !== undefined && (origin === own || corsOrigins.includes(origin)));
    const isOwn =
      origin === undefined
        ? site === undefined || site === 'same-origin' || site === 'none'
        : URL.parse(origin)?.host === hostAsked(c)?.host && site !== 'cross-site';
    const isPublishable =
      c.get('isOfKnownPage') === true && /^bearer pk_/i.test(c.req.header('authorization') ?? '');
    if (isListed || isOwn || isPublishable) return next();
    throw new KnowledgeError(
      'origin_not_allowed',
      'Pages of other sites may not use this server. Add their origin to CORS_ORIGINS to allow them.',
    );
  };
}
