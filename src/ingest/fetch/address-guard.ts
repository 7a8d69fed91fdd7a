/**
 * Which addresses a source may be fetched from: public unicast only, unless the operator lists the host. Judged on the address
 * that is connected to, so that neither a redirect, nor another spelling of an address, nor a second answer of the name server
 * leads inside. IPv6 is taken from 2000::/3 alone; what is embedded there (6to4, Teredo) is refused with its own range.
 */
import ipaddr from 'ipaddr.js';
import { KnowledgeError } from '../../errors.ts';

export type AddressGuard = ReturnType<typeof createAddressGuard>;

/** Public by its range, but answered inside a cloud: Azure's platform address. */
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
  return { host: host.replace(/^\*\./, ''), subdomains: host.startsWith('*.'), port: withPort && Number(withPort[2]) };
}

const isStandardPort = (port: number) => port === 80 || port === 443;
const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80));
export const hostOf = (url: URL): string => unbracketed(url.hostname);

/** Whether a URL names this machine or one of a private network, by its host alone. */
export function isLocalUrl(url: string): boolean {
  const hostname = hostOf(new URL(url));
  return hostname === 'localhost' || hostname.endsWith('.localhost') || (ipaddr.isValid(hostname) && !isPublicAddress(hostname));
}

/** @param allowedHosts patterns `host`, `*.host` (its subdomains), `host:port`; undefined: any public host on a standard port */
export function createAddressGuard(allowedHosts: readonly string[] | undefined) {
  const patterns = allowedHosts?.map(parsePattern);
  const isListed = (hostname: string, port: number) =>
    patterns?.some(
      (pattern) =>
        (pattern.subdomains ? hostname.endsWith(`.${pattern.host}`) : hostname === pattern.host) &&
        (pattern.port === null ? isStandardPort(port) : port === pattern.port),
    ) ?? false;

  return {
    /** Checks scheme, credentials, port and host before anything is resolved. @throws KnowledgeError `source_not_allowed` */
    checkUrl(url: URL): void {
      const refuse = (message: string) => {
        throw new KnowledgeError('source_not_allowed', message);
      };
      if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse('Only http:// and https:// sources are read.');
      if (url.username !== '' || url.password !== '') refuse('A source URL may not hold a user name or password.');
      const hostname = hostOf(url);
      const port = portOf(url);
      if (isListed(hostname, port)) return;
      if (patterns) refuse('The host of this source is not in ALLOWED_URL_HOSTS.');
      if (!isStandardPort(port)) refuse('Sources are read from ports 80 and 443 only; other ports have to be listed in ALLOWED_URL_HOSTS.');
      if (ipaddr.isValid(hostname) && !isPublicAddress(hostname)) refuse('The host of this source is not a public address.');
    },

    isAllowedAddress: (address: string, hostname: string, port: number) =>
      isListed(unbracketed(hostname), port) || (!patterns && isPublicAddress(address)),
  };
}
