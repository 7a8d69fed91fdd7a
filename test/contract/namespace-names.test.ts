import { expect, it } from 'vitest';
import { createNamespaceParser, toNamespaceName } from '../../src/documents/namespace-name.ts';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { sharedService, startService } from '../support/workspace.ts';

/** Case folding of Unicode maps it to k. */
const kelvin = '\u212A';
const namespace = `doc${kelvin}`;
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

const inPath = `/api/namespaces/${encodeURIComponent(namespace)}`;
it.each<[string, object?]>([
  ['POST /api/tools/ingestSources', { namespace, sources: ['Some text.'] }],
  ['POST /api/agents/knowledge/generate', { messages: '@agent x', toolParams: { namespace } }],
  [`GET /api/gaps?namespace=${encodeURIComponent(namespace)}`],
  [`DELETE ${inPath}`],
])('a lookalike of a name is rejected by %s', async (at, body) => {
  const { request } = await sharedService({}, files);
  const [method = '', path = ''] = at.split(' ');
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await request(path, { method, headers, ...sent });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { code: 'invalid_namespace' },
  ]);
});

it('a lookalike in the claim of a token grants nothing, even next to a valid name', async () => {
  const { find } = await startService({ JWT_SECRET: jwtSecret }, files);
  const search = async (namespaces: unknown, at: string) => {
    const headers = await bearerOf({ namespaces });
    return (await find({ query: 'refunds', namespace: at }, headers)).status;
  };
  expect(await search(kelvin, 'k')).toBe(404);
  expect(await search([namespace, 'K'], 'dock')).toBe(404);
  expect(await search([namespace, 'K'], 'k')).toBe(200);
});
