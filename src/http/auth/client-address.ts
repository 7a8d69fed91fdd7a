/**
 * The client's address: the peer of the connection or, if that is one of TRUSTED_PROXIES, the last
 * untrusted entry of `X-Forwarded-For`. Each proxy appends its own client, so entries before the
 * first untrusted one may be forged.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config.ts';

type Ranges = Config['trustedProxies'];

const maxHops = 50;

function parseAddress(text: string) {
  // The zone of a link-local address has a meaning only on its own machine.
  const [bare = ''] = text.split('%');
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare);
}

/**
 * Reads an entry of the header: an address, optionally in brackets or with a port (forms of RFC
 * 7239, section 6).
 */
function parseHop(entry: string) {
  const text = entry.trim();
  const [, inBrackets] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? [];
  const [, beforePort] = /^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  return parseAddress(inBrackets ?? beforePort ?? text);
}

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: Ranges) =>
  ranges.some(
    ([range, bits]) =>
      range.kind() === address.kind() && address.match([range, bits] as [ipaddr.IPv4, number]),
  );

/**
 * @param socketAddress undefined in tests without a connection
 * @param forwarded all lines of the header `X-Forwarded-For`, joined by commas
 * @returns a normalized address or `unknown`, never text of the header
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwarded: string | undefined,
  trusted: Ranges,
): string {
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

/**
 * The /64 network of an IPv6 address: its owner has 2^64 addresses (RFC 6177). An IPv4 address is
 * returned unchanged.
 */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (!(parsed instanceof ipaddr.IPv6)) return address;
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}

const nearby = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal']);

/**
 * Whether the address is on this machine or a private network, like a proxy in front of the server.
 */
export const isNearby = (address: string): boolean =>
  nearby.has(parseAddress(address)?.range() ?? '');
