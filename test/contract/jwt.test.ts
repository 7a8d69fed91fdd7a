import {
  CompactSign,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { describe, expect, it } from 'vitest';
import { startSite } from '../support/site.ts';
import { sharedService, startService } from '../support/workspace.ts';

const secret = 'a-secret-of-thirty-two-characters-or-more';
const secretKey = new TextEncoder().encode(secret);
const files = { 'docs/a.md': '# A\n\nText here.\n', 'hr/b.md': '# B\n\nText here.\n' };
const withExpiry = (claims: JWTPayload, header: JWTHeaderParameters = { alg: 'HS256' }) =>
  new SignJWT(claims).setProtectedHeader(header).setExpirationTime('5m');
const sign = (claims: JWTPayload, header?: JWTHeaderParameters) =>
  withExpiry({ sub: 'user-1', ...claims }, header).sign(secretKey);

async function status(token: string, namespace = 'docs', settings: Record<string, string> = {}) {
  const { find } = await sharedService({ JWT_SECRET: secret, ...settings }, files);
  return (await find({ query: 'text', namespace }, { authorization: `Bearer ${token}` })).status;
}

describe('a token that is signed with the secret', () => {
  it('grants access to every namespace without the claim', async () => {
    expect(await status(await sign({}))).toBe(200);
    expect(await status(await sign({}, { alg: 'HS512' }), 'hr')).toBe(200);
  });

  it.each([
    [['docs'], 200],
    ['docs hr', 200],
    ['hr,docs', 200],
    [['hr'], 404],
    ['hr', 404],
    ['', 404],
    [{ docs: true }, 404],
  ])('with the claim namespaces %j gives %d', async (namespaces, expected) => {
    expect(await status(await sign({ namespaces }))).toBe(expected);
  });

  it.each([
    ['me', 'knowledge', 200],
    ['you', 'knowledge', 401],
    ['me', '', 401],
  ])('by %s for the audience %j gives %d', async (issuer, audience, expected) => {
    const settings = { JWT_ISSUER: 'me', JWT_AUDIENCE: 'knowledge' };
    const token = await sign({ iss: issuer, ...(audience && { aud: audience }) });
    expect(await status(token, 'docs', settings)).toBe(expected);
  });
});

describe('the server rejects', () => {
  it.each([null, 5, '', ' ', ['a'], { a: 1 }, true, 0, false])(
    'a token whose subject is %j',
    async (sub) => {
      expect(await status(await sign({ sub } as JWTPayload))).toBe(401);
    },
  );
  it.each(['exp', 'nbf', 'iat'])('a token whose %s is not a valid date', async (claim) => {
    for (const time of ['1e400', '-1e400', '1e300', '8640000000001']) {
      const claims = JSON.stringify({ sub: 'user-1', exp: 'EXP', [claim]: 'TIME' })
        .replace('"EXP"', '9999999999')
        .replace('"TIME"', time);
      const token = await new CompactSign(new TextEncoder().encode(claims))
        .setProtectedHeader({ alg: 'HS256' })
        .sign(secretKey);
      expect([time, await status(token)]).toEqual([time, 401]);
    }
  });
  it('a token without an expiry', async () => {
    const token = new SignJWT({ sub: 'user-1' }).setProtectedHeader({ alg: 'HS256' });
    expect(await status(await token.sign(secretKey))).toBe(401);
  });
  it('a token without signature', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(await status(`${part({ alg: 'none' })}.${part({ sub: 'x' })}.`)).toBe(401);
  });
  it('a token in x-api-key', async () => {
    const { get } = await sharedService({ JWT_SECRET: secret }, files);
    expect((await get('/api/agents', { 'x-api-key': await sign({}) })).status).toBe(401);
  });
});

it('a token is verified with the keys at JWT_JWKS_URL, and one signed with the public key as a secret is rejected', async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' };
  const site = await startSite({ '/jwks': { body: JSON.stringify({ keys: [jwk] }) } });
  const { get } = await startService({ JWT_JWKS_URL: `${site.url}/jwks` });
  const good = await withExpiry({}, { alg: 'RS256', kid: 'k1' }).sign(privateKey);
  const forged = await withExpiry({}, { alg: 'HS256', kid: 'k1' }).sign(
    new TextEncoder().encode(JSON.stringify(jwk)),
  );
  expect((await get('/api/agents', { authorization: `Bearer ${good}` })).status).toBe(200);
  expect((await get('/api/agents', { authorization: `Bearer ${forged}` })).status).toBe(401);
});

it('a token is not refused while the keys of its issuer cannot be read', async () => {
  const { privateKey } = await generateKeyPair('RS256');
  const token = await withExpiry({}, { alg: 'RS256', kid: 'k1' }).sign(privateKey);
  const site = await startSite({ '/jwks': { status: 500 } });
  const { request } = await startService({ JWT_JWKS_URL: `${site.url}/jwks` });
  const response = await request('/api/agents', { headers: { authorization: `Bearer ${token}` } });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await response.json()).toMatchObject({ code: 'issuer_unavailable' });
});
