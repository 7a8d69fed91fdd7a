import { describe, expect, it } from 'vitest';
import { AddressGuard, isPublicAddress } from '../../../../src/ingest/fetch/address-guard.ts';
import { listed } from '../../../support/listed.ts';

describe('an IP address', () => {
  it.each(['8.8.8.8', '2606:4700:4700::1111'])('%s is public', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ...listed(`
      0.0.0.0 | 10.0.0.1 | 100.64.0.1 | 127.0.0.1 | 169.254.169.254 | 172.31.255.255
      192.0.0.1 | 192.0.2.1 | 192.168.0.1 | 198.18.0.1 | 198.51.100.1 | 203.0.113.1 | 224.0.0.1 | 240.0.0.1 | 255.255.255.255
      168.63.129.16 | :: | ::1 | ::ffff:127.0.0.1 | ::ffff:7f00:1 | ::127.0.0.1 | 64:ff9b::7f00:1 | 64:ff9b:1::1 | 100::1 | 2001::1
      2001:db8::1 | 2002:7f00:1:: | fc00::1 | fd00:ec2::254 | fe80::1 | fe80::1%eth0 | fec0::1 | ff02::1 | nonsense
    `),
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('a source URL', () => {
  const allows = (url: string, hosts?: string[]) => {
    try {
      new AddressGuard(hosts).checkUrl(new URL(url));
      return true;
    } catch {
      return false;
    }
  };

  it.each(['https://example.com/', 'http://8.8.8.8/'])('%s is allowed', (url) =>
    expect(allows(url)).toBe(true),
  );

  it.each([
    ...listed(`
      http://127.0.0.1/ | http://2130706433/ | http://0x7f.1/ | http://0177.0.0.1/ | http://127.1/ | http://[::1]/
      http://[::ffff:127.0.0.1]/ | http://169.254.169.254/latest | http://10.0.0.1/ | https://example.com:8443/
      http://example.com:22/ | https://user@example.com/ | https://user:pass@example.com/ | ftp://example.com/ | file:///etc/passwd
      data:text/plain,x
    `),
  ])('%s is rejected', (url) => expect(allows(url)).toBe(false));

  it.each([
    ['http://127.0.0.1:8097/a', '127.0.0.1:8097'],
    ['http://10.0.0.1/', '10.0.0.1'],
    ['https://docs.example.com:8443/', 'docs.example.com:8443'],
    ['http://[::1]:9000/', '[::1]:9000'],
  ])('%s is rejected with the spelling that allows it', (url, spelling) => {
    expect(() => new AddressGuard(undefined).checkUrl(new URL(url))).toThrow(
      `List ${spelling}, and all other hosts to read, in ALLOWED_URL_HOSTS and restart the server.`,
    );
    expect(allows(url, [spelling])).toBe(true);
  });

  it('is limited to listed hosts, if any', () => {
    const hosts = ['docs.example.com', '*.example.org', '127.0.0.1:8080', '[::1]:9000'];
    for (const url of [
      ...listed(`
        https://docs.example.com/ | https://DOCS.example.com./ | https://a.example.org/ | http://127.0.0.1:8080/x | http://[::1]:9000/
      `),
    ])
      expect(allows(url, hosts)).toBe(true);
    for (const url of [
      ...listed(`
        https://example.com/ | https://xdocs.example.com/ | https://example.org/ | https://evil-example.org/ | http://127.0.0.1/
        http://127.0.0.1:8081/ | https://docs.example.com:8443/
      `),
    ])
      expect(allows(url, hosts)).toBe(false);
  });
});
