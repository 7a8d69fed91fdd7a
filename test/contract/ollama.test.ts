import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { findOllama } from '../../src/process.ts';
import { whenDone } from '../support/when-done.ts';

async function startTags(
  answer: object | RequestListener,
): Promise<{ port: number; paths: (string | undefined)[] }> {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    if (typeof answer === 'function') return answer(request, response);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenDone(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, paths };
}

const models = [
  { name: 'nomic-embed-text:latest', details: { family: 'nomic-bert' } },
  { name: 'bge-m3:latest', details: { family: 'bert' } },
  { name: 'a name\nwith a line break' },
  { name: 'qwen3:8b', details: { family: 'qwen3' } },
  { name: 'llama3.2:latest', details: { family: 'llama' } },
];

describe('a local Ollama', () => {
  it.each(['127.0.0.1:PORT', '0.0.0.0:PORT', ' http://0.0.0.0:PORT/ ', 'localhost:PORT'])(
    'is found at OLLAMA_HOST %s, with its first chat model',
    async (host) => {
      const { port, paths } = await startTags({ models });
      const origin = `http://${host.includes('localhost') ? 'localhost' : '127.0.0.1'}:${port}`;
      expect(await findOllama(host.replace('PORT', String(port)))).toEqual([
        `LLM_BASE_URL=${origin}/v1`,
        'LLM_MODEL=qwen3:8b',
      ]);
      expect(paths).toEqual(['/api/tags']);
    },
  );

  it.each<[string, object | RequestListener]>([
    ['has only embedding models', { models: models.slice(0, 3) }],
    ['is another server', { hello: 'world' }],
    ['sends no JSON', (_, response) => response.end('<html>')],
    [
      'redirects',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    ],
    ['never answers', () => undefined],
    ['sends its answer too slowly', (_, response) => response.write('{"models":')],
  ])('is not named if it %s', async (_, answer) => {
    expect(await findOllama(`127.0.0.1:${(await startTags(answer)).port}`)).toBeUndefined();
  });

  it('is not named if nothing listens, or the address is invalid', async () => {
    for (const host of ['127.0.0.1:9', 'http://', 'a b', '::1'])
      expect(await findOllama(host)).toBeUndefined();
  });
});
