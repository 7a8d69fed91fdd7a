/**
 * From which address a request comes: that of its connection, unless a proxy of the operator's (TRUSTED_PROXIES) made the connection, and
 * says in `X-Forwarded-For` for whom. Each proxy appends whom it was asked by, so the list is read from its end, and only as far as
 * trusted proxies wrote it: what stands before may be anybody's.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config.ts';

type Ranges = Config['trustedProxies'];

const maxHops = 50;

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function parseAddress(text: string): Address | undefined {
  // Of an address of this link, the interface says nothing to others.
  const [bare = ''] = text.split('%');
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare);
}

/** An entry of the header: an address, with brackets or a port where a proxy writes them (RFC 7239, section 6, has the same forms). */
function parseHop(entry: string): Address | undefined {
  const text = entry.trim();
  const [, inBrackets] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? [];
  const [, beforePort] = /^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  return parseAddress(inBrackets ?? beforePort ?? text);
}

const isWithin = (address: Address, ranges: Ranges) =>
  ranges.some(([range, bits]) => range.kind() === address.kind() && address.match([range, bits] as [ipaddr.IPv4, number]));

/**
 * @param socketAddress undefined where the connection has none, such as that of a test
 * @param forwarded the header `X-Forwarded-For`, all of its lines joined by commas
 * @returns an address in its one spelling, or `unknown`: nothing that was sent stands in it
 */
export function clientAddress(socketAddress: string | undefined, forwarded: string | undefined, trusted: Ranges): string {
  let address = parseAddress(socketAddress ?? '');
  if (!address) return 'unknown';
  const entries = trusted.length === 0 ? [] : (forwarded ?? '').split(',').slice(-maxHops);
  for (const entry of entries.reverse()) {
    if (!isWithin(address, trusted)) break;
    const before = parseHop(entry);
    if (!before) break;
    address = before;
  }
  return address.toString();
}

export function isTrustedProxy(socketAddress: string | undefined, trusted: Ranges): boolean {
  const address = parseAddress(socketAddress ?? '');
  return address !== undefined && isWithin(address, trusted);
}

/** Whoever has an IPv6 address has the 2^64 of its network (RFC 6177), and could be another caller with each. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}

const nearby = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal']);

/** Of this machine or its own network, as a proxy in front of it would be. */
export const isNearby = (address: string): boolean => nearby.has(parseAddress(address)?.range() ?? '');
