/**
 * Where nobody has to authenticate, whoever reaches the server may do everything, and every web page that somebody on this machine has
 * open reaches it: by a name of its own that was pointed here (DNS rebinding), or by requests that a browser sends to other sites
 * unasked. So only names that the operator knows are answered, and nothing that another site had a browser send. A program that is no
 * browser sends neither `Origin` nor `Sec-Fetch-Site` (Fetch Metadata Request Headers, W3C), and notices nothing.
 */
import { isIP } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { type Config, isLoopback, isOpenToAll } from '../../config.ts';
import { KnowledgeError } from '../../errors.ts';
import { hostOf } from '../../ingest/fetch/address-guard.ts';
import type { AppEnv } from './caller.ts';
import { isTrustedProxy } from './client-address.ts';

/** A `Host` in the one spelling that URLs have; undefined where it is more than a name and a port. */
function parseHost(header: string): URL | undefined {
  const url = /^[\w.:[\]-]+$/.test(header) ? URL.parse(`http://${header}`) : null;
  if (!url) return undefined;
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

const matches = (pattern: string, name: string) => (pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern);

function createHostCheck({ host, allowedHosts }: Pick<Config, 'host' | 'allowedHosts'>): (asked: URL) => boolean {
  const own = host.toLowerCase();
  const patterns = allowedHosts.map((pattern) => pattern.toLowerCase());

  return (asked) => {
    const name = hostOf(asked);
    if (isLoopback(name) || name.endsWith('.localhost') || name === own) return true;
    // Served to everybody on purpose: no page comes to be at an address, whatever its name leads to.
    if (!isLoopback(own) && isIP(name) !== 0) return true;
    return patterns.some((pattern) => matches(pattern, asked.hostname) || matches(pattern, `${asked.hostname}:${asked.port || '80'}`));
  };
}

export function requireKnownHost(config: Pick<Config, 'host' | 'allowedHosts'>): MiddlewareHandler<AppEnv> {
  const isKnown = createHostCheck(config);
  return (c, next) => {
    const asked = parseHost(c.req.header('host') ?? new URL(c.req.url).host);
    if (asked && isKnown(asked)) return next();
    throw new KnowledgeError(
      'host_not_allowed',
      'This server does not go by the name in the header Host: without API_KEYS or a JWT setting it answers to localhost, HOST and the names in ALLOWED_HOSTS.',
    );
  };
}

/**
 * How clients reach this server: PUBLIC_URL, or what the request says, with `X-Forwarded-Proto` and `X-Forwarded-Host` of a trusted proxy.
 * @returns what reads it, without a slash at its end; undefined for a name that is not one of the operator's, if these are known
 */
export function createOriginReader(config: Config): (c: Context<AppEnv>) => string | undefined {
  const { publicUrl, trustedProxies, allowedHosts } = config;
  const isKnown = isOpenToAll(config) || allowedHosts.length > 0 ? createHostCheck(config) : () => true;
  return (c) => {
    if (publicUrl !== undefined) return publicUrl;
    const isProxied = isTrustedProxy(c.env?.incoming?.socket.remoteAddress, trustedProxies);
    const forwarded = (name: string) => (isProxied ? c.req.header(name)?.split(',')[0]?.trim() : undefined);
    const { protocol, host } = new URL(c.req.url);
    const asked = parseHost(forwarded('x-forwarded-host') ?? host);
    if (!asked || !isKnown(asked)) return undefined;
    return `${forwarded('x-forwarded-proto') === 'https' ? 'https:' : protocol}//${asked.host}`;
  };
}

/** Refuses what a page of another origin had a browser send, unless it is in CORS_ORIGINS. @throws KnowledgeError `origin_not_allowed` */
export function refuseOtherSites({ corsOrigins }: Pick<Config, 'corsOrigins'>): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    const host = c.req.header('host') ?? new URL(c.req.url).host;
    const origin = c.req.header('origin');
    const site = c.req.header('sec-fetch-site');
    const isListed = corsOrigins.includes('*') || (origin !== undefined && corsOrigins.includes(origin));
    const isOwn =
      origin === undefined
        ? site === undefined || site === 'same-origin' || site === 'none'
        : URL.parse(origin)?.host === parseHost(host)?.host && site !== 'cross-site';
    if (isListed || isOwn) return next();
    throw new KnowledgeError('origin_not_allowed', 'Pages of other sites may not use this server, unless their origin is in CORS_ORIGINS.');
  };
}
