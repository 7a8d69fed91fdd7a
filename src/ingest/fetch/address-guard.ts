/**
 * SSRF protection: allows only public unicast addresses, unless the operator lists the host. It
 * checks the address of the connection, so redirects, other spellings and DNS rebinding cannot
 * bypass it. IPv6 is limited to 2000::/3, without 6to4 and Teredo.
 */
import ipaddr from 'ipaddr.js';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';

export const notAllowed = (message: string) => new KnowledgeError('source_not_allowed', message);

/** Azure's platform address. It is in a public range, but serves requests inside the cloud. */
const publicLooking = new Set(['168.63.129.16']);
const globalUnicast = ipaddr.parseCIDR('2000::/3');

export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (publicLooking.has(parsed.toString()) || parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast);
}

const unbracketed = (host: string) => host.replace(/^\[(.*)\]$|\.$/, '$1').toLowerCase();

function parsePattern(pattern: string) {
  const withPort = /^(.*?|\[.*\]):(\d{1,5})$/.exec(pattern);
  const host = unbracketed(withPort?.[1] ?? pattern);
  return {
    host: host.replace(/^\*\./, ''),
    subdomains: host.startsWith('*.'),
    port: withPort && Number(withPort[2]),
  };
}

const isStandardPort = (port: number) => port === 80 || port === 443;
const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80));
export const hostOf = (url: URL): string => unbracketed(url.hostname);

/**
 * Whether the host of a URL is localhost or an IP address that is not public. Does not resolve
 * names.
 */
export function isLocalUrl(url: string): boolean {
  const hostname = hostOf(new URL(url));
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    (ipaddr.isValid(hostname) && !isPublicAddress(hostname))
  );
}

/** What the operator must do so that a host is read. */
export function hintToList(hostname: string, port: number): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return `List ${host}${isStandardPort(port) ? '' : `:${port}`}, and all other hosts to read, in ALLOWED_URL_HOSTS and restart the server.`;
}

export class AddressGuard {
  readonly #patterns;

  /**
   * @param allowedHosts patterns `host`, `*.host` (its subdomains), `host:port`; undefined: any
   * public host on a standard port
   */
  constructor(allowedHosts: readonly string[] | undefined) {
    this.#patterns = allowedHosts?.map(parsePattern);
  }

  #isListed(hostname: string, port: number) {
    const isMatch = ({ subdomains, host, port: wanted }: ReturnType<typeof parsePattern>) =>
      (subdomains ? hostname.endsWith(`.${host}`) : hostname === host) &&
      (wanted === null ? isStandardPort(port) : port === wanted);
    return this.#patterns?.some(isMatch) ?? false;
  }

  /**
   * Checks scheme, credentials, port and host before DNS resolution. @throws KnowledgeError
   * `source_not_allowed`
   */
  checkUrl(url: URL) {
    const refuse = (message: string) => {
      throw notAllowed(message);
    };
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      refuse('Only http:// and https:// sources are allowed.');
    if (url.username !== '' || url.password !== '')
      refuse('A source URL must not contain a user name or password.');
    const hostname = hostOf(url);
    const port = portOf(url);
    if (this.#isListed(hostname, port)) return;
    const hint = hintToList(hostname, port);
    if (this.#patterns) refuse(`The host of this source is not in ALLOWED_URL_HOSTS. ${hint}`);
    if (!isStandardPort(port)) refuse(`Sources are read from ports 80 and 443 only. ${hint}`);
    if (ipaddr.isValid(hostname) && !isPublicAddress(hostname))
      refuse(`The host of this source is not a public address. ${hint}`);
  }

  isAllowedAddress(address: string, hostname: string, port: number) {
    return (
      this.#isListed(unbracketed(hostname), port) || (!this.#patterns && isPublicAddress(address))
    );
  }
}
