import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config.ts';
import { createNamespaceParser, toNamespaceName } from '../../src/documents/namespace-name.ts';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { sharedService, startService } from '../support/workspace.ts';

/** Characters that Unicode case folding maps to ASCII: k, i and s. */
const kelvin = '\u212A';
const lookalikes = [`${kelvin}`, `doc${kelvin}`, '\u0130n', '\u017Fales', '\uFF4B', '\u0131n'];

const files = {
  'k/a.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  'dock/a.md': '# A\n\nText here.\n',
};
it('a single character is a valid name only if it is an ASCII letter or digit', () => {
  const names = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
    (name) => toNamespaceName(name) !== undefined,
  );
  expect(names.join('')).toBe('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
  expect(createNamespaceParser(['k'])('K')).toBe('k');
});

describe.each(lookalikes)('the namespace %j is rejected', (namespace) => {
  it('in every body, query and path', async () => {
    const { get, post, request } = await sharedService({}, files);
    const refused = { status: 400, body: { code: 'invalid_namespace' } };
    const question = { messages: '@agent how long do refunds take?', toolParams: { namespace } };
    for (const [path, body] of [
      ['/api/tools/ingestSources', { namespace, sources: ['Some text.'] }],
      ['/api/tools/searchDocs', { namespace, query: 'refunds' }],
      ['/api/agents/knowledge/generate', question],
      ['/api/agents/knowledge/stream', question],
      ['/api/answers/verify', { namespace, citations: [] }],
    ] as const)
      expect(await post(path, body), path).toMatchObject(refused);
    const name = encodeURIComponent(namespace);
    expect(await get(`/api/gaps?namespace=${name}`)).toMatchObject(refused);
    const inPath = `/api/namespaces/${name}`;
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', '/documents'],
      ['GET', '/documents/x'],
      ['DELETE', '/documents/x'],
      ['POST', '/refresh'],
    ] as const) {
      const headers = { 'content-type': 'application/json' };
      const body = method === 'POST' ? { body: '{}' } : {};
      const response = await request(inPath + path, { method, headers, ...body });
      const answer = { status: response.status, body: await response.json() };
      expect(answer, method + path).toMatchObject(refused);
    }
  });

  it('in settings that limit or list namespaces', () => {
    for (const [name, value] of [
      ['ALLOWED_NAMESPACES', `default,${namespace}`],
      ['API_KEYS', `some-key=${namespace}`],
      ['API_KEYS', `some-key=default+${namespace}`],
    ] as const)
      expect(() => parseConfig({ [name]: value }), value).toThrow(ConfigError);
  });
});

it('a lookalike in the claim of a token grants nothing, even next to a valid name', async () => {
  const { find } = await startService({ JWT_SECRET: jwtSecret }, files);
  const search = async (namespaces: unknown, namespace: string) => {
    const body = { query: 'refunds', namespace };
    return (await find(body, await bearerOf({ namespaces }))).status;
  };
  expect(await search([kelvin], 'k')).toBe(404);
  expect(await search(kelvin, 'k')).toBe(404);
  expect(await search([`doc${kelvin}`, 'K'], 'dock')).toBe(404);
  expect(await search([`doc${kelvin}`, 'K'], 'k')).toBe(200);
});
