/** Each check of the fuzzer must detect a faulty server and accept a correct one. */
import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createValidators } from '../../bench/fuzz/checks.ts';
import { logProblems } from '../../bench/fuzz/leaks.ts';
import { describeFailures } from '../../bench/fuzz/report.ts';
import { runPass } from '../../bench/fuzz/run.ts';
import { startSite } from '../support/site.ts';

const secret = 'a-secret-of-the-server-4711';
const elsewhere = 'The text in the namespace of others';
const canaries = [
  { name: 'the secret', text: secret },
  { name: 'text of vault', text: elsewhere, namespace: 'vault' },
];
const caller = { name: 'reader', headers: { 'x-api-key': 'key' }, reads: ['own'], weight: 1 };
const validatorOf = createValidators();

const objectOf = (required: readonly string[], properties: object = {}) => ({
  schema: { type: 'object', required, properties },
});
const error = {
  content: { 'application/json': objectOf(['error', 'code', 'requestId']) },
};
const thing = {
  content: {
    'application/json': objectOf(['size'], { size: { type: 'integer' } }),
    'text/event-stream': { schema: { type: 'string' } },
  },
};
const document = {
  paths: {
    '/things/{id}': {
      get: {
        operationId: 'readThing',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: thing, 404: error },
      },
    },
  },
};

const headers = { 'content-type': 'application/json', 'x-request-id': 'one' };
const json =
  (body: unknown, status = 200, more: object = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { ...headers, ...more }).end(JSON.stringify(body));
const stream =
  (text: string): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' }).end(text);
const missing = { error: 'There is none.', code: 'not_found', requestId: 'one' };

async function fuzz(listener: RequestListener) {
  const { url } = await startSite({}, () => (request, response) => {
    if (request.url === '/api/openapi.json') json(document)(request, response);
    // Other paths and methods are not operations.
    else if (request.method === 'GET' && /^\/things\/[^/?]+(?:\?.*)?$/.test(request.url ?? ''))
      listener(request, response);
    else json(missing, 404)(request, response);
  });
  const around = { callers: [caller], siteUrl: undefined, files: ['none.md'], pathPrefix: '' };
  const given = { url, around, canaries, validatorOf };
  const { failures } = await runPass({ ...given, seed: 7, requests: 30, concurrency: 2 });
  return { failures, report: describeFailures(failures, url, 7) };
}

describe('finds', () => {
  it.each([
    ['a 500', 'status 500', json({ error: 'Oh.', code: 'internal', requestId: 'one' }, 500)],
    ['a status that is not documented', 'undocumented', json(missing, 409)],
    ['a body that violates its schema', 'invalid body', json({ size: 'large' })],
    ['an event with invalid JSON', 'invalid body', stream('data: {"size":1}\n\ndata: {"si\n\n')],
    [
      'an answer without x-request-id',
      'header',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end('{"size":1}'),
    ],
    ['a closed connection', 'no answer', (_, response) => void response.destroy()],
    ['a secret', 'leak', json({ size: 1, more: `It is ${secret}.` })],
    [
      'a secret in base64, behind a letter',
      'leak',
      json({ size: 1, more: Buffer.from(`x${secret}yz`).toString('base64') }),
    ],
    [
      'a percent-encoded secret',
      'leak',
      json({
        size: 1,
        more: [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join(''),
      }),
    ],
    ['text of another namespace', 'leak', json({ size: 1, more: elsewhere })],
    [
      'a stack trace',
      'leak',
      json({ ...missing, error: 'Error: x\n    at read (file:///srv/app/src/read.ts:10:5)' }, 404),
    ],
  ] satisfies [string, string, RequestListener][])('%s', async (_, check, listener) => {
    const { failures, report } = await fuzz(listener);
    expect(failures.map((one) => one.check)).toContain(check);
    expect(report).toMatch(
      /request \d+ of seed 7[\s\S]*curl -sS .* 'http:\/\/127\.0\.0\.1:\d+\/things\//,
    );
  });
});

it('finds unhandled errors and secrets in a log', () => {
  const honest = '{"msg":"request"}\n{"err":{"stack":"at read (file:///srv/read.ts:1:1)"}}';
  expect(logProblems(honest, canaries)).toEqual([]);
  const faulty = `{"msg":"unhandledRejection"}\n{"key":"${secret}"}`;
  expect(logProblems(faulty, canaries)).toHaveLength(2);
});
