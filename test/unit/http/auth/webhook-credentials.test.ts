import { describe, expect, it } from 'vitest';
import { readWebhookSecret } from '../../../../src/config/setting-types.ts';
import {
  isSigned,
  isTimely,
  readSignature,
} from '../../../../src/http/auth/webhook-credentials.ts';
import { read } from '../../../support/repository.ts';

/** Test vector of the libraries of Standard Webhooks. */
const key = readWebhookSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') ?? Buffer.alloc(0);
const given = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const body = Buffer.from('{"test": 2432232314}');

describe('a webhook signature', () => {
  it("accepts the specification's example and rejects every change to it", () => {
    expect(isSigned(given, body, key)).toBe(true);
    expect(isSigned({ ...given, signature: `v1,AAAA  ${given.signature}` }, body, key)).toBe(true);
    expect(isSigned({ ...given, id: `${given.id}.` }, body, key)).toBe(false);
    expect(isSigned({ ...given, timestamp: '1614265331' }, body, key)).toBe(false);
    expect(isSigned(given, body.subarray(1), key)).toBe(false);
    expect(isSigned(given, body, key.subarray(1))).toBe(false);
    expect(isSigned({ ...given, signature: given.signature.slice(3) }, body, key)).toBe(false);
  });

  it('is valid five minutes before and after its timestamp', () => {
    const at = Number(given.timestamp) * 1_000;
    expect(
      [-301, -300, 0, 300, 301].map((seconds) => isTimely(given, at + seconds * 1_000)),
    ).toEqual([false, true, true, true, false]);
    for (const timestamp of ['', '-1', '1e9', 'x', '1614265330.5', '9'.repeat(13)])
      expect(isTimely({ ...given, timestamp }, at)).toBe(false);
  });

  it('requires all three headers', () => {
    const headers = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };
    const read = { id: 'a', timestamp: '1', signature: 'v1,x' };
    expect(readSignature(new Headers(headers))).toEqual(read);
    for (const name of Object.keys(headers))
      expect(readSignature(new Headers({ ...headers, [name]: ' ' }))).toBeUndefined();
  });
});

it('secrets are compared only in constant time', () => {
  const source = read('src/http/auth/webhook-credentials.ts');
  expect(source).toMatch(
    /return bytes\.length === expected\.length && sameBytes\(bytes, expected\)/,
  );
  expect(source).toMatch(/ sameText\(given\.password, password\);/);
  expect(source.match(/===/g)).toHaveLength(4);
});

it('readWebhookSecret accepts whsec_ with base64, or a text of at least 16 bytes', () => {
  expect(readWebhookSecret('sixteen letters!')).toEqual(Buffer.from('sixteen letters!'));
  for (const wrong of ['short', 'whsec_', 'whsec_AAAA', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS*'])
    expect(readWebhookSecret(wrong)).toBeUndefined();
});
