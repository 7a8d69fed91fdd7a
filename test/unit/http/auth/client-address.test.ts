import { describe, expect, it } from 'vitest';
import { type AddressRange, addressRanges } from '../../../../src/config/setting-types.ts';
import { clientAddress, networkOf } from '../../../../src/http/auth/client-address.ts';

const trusted: AddressRange[] = addressRanges.parse('loopback, 10.0.0.0/8, 192.0.2.7, fd00::/8');

describe('clientAddress', () => {
  it.each([
    // Headers of untrusted peers are ignored.
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['127.0.0.1', '1.1.1.1, 2.2.2.2, 198.51.100.1', '198.51.100.1'],
    ['::1', '1.1.1.1, 198.51.100.1, 10.1.2.3, 192.0.2.7', '198.51.100.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    // Only trusted proxies.
    ['127.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    // Notations of proxies.
    ['127.0.0.1', '198.51.100.1:54321', '198.51.100.1'],
    ['127.0.0.1', '[2001:db8::9]:443', '2001:db8::9'],
    ['127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', 'fe80::1%x-y', 'fe80::1'],
    ['127.0.0.1', '198.51.100.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['127.0.0.1', '0x7f.1', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1:99999999', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1,', '127.0.0.1'],
    [undefined, '198.51.100.1', 'unknown'],
    ['not an address', '198.51.100.1', 'unknown'],
  ])('reads a connection from %s with X-Forwarded-For %s as %s', (socket, forwarded, expected) => {
    expect(clientAddress(socket, forwarded, trusted)).toBe(expected);
  });

  it('ignores X-Forwarded-For if no proxy is trusted', () => {
    expect(clientAddress('127.0.0.1', '198.51.100.1', [])).toBe('127.0.0.1');
  });

  it('reads only the last entries of ten thousand', () => {
    expect(clientAddress('127.0.0.1', `198.51.100.1${', 10.0.0.1'.repeat(10_000)}`, trusted)).toBe(
      '10.0.0.1',
    );
  });
});

it.each([
  ['198.51.100.1', '198.51.100.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['unknown', 'unknown'],
])('networkOf(%s) returns %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ...['proxy.internal', '10.0.0.0/33', '10.0.0.0/8/9', '10.1', 'fe80::1%eth0'],
  ...['::ffff:10.0.0.0/104', '*'],
])('TRUSTED_PROXIES rejects %s', (text) => {
  expect(addressRanges.safeParse(text).error?.issues[0]?.message).toMatch(
    /^must be an address or range such as 127.0.0.1/,
  );
});
