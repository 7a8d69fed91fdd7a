import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { findOllama } from '../../src/process.ts';
import { startSite } from '../support/site.ts';

const startTags = (answer: object | RequestListener) =>
  startSite({
    '/api/tags':
      typeof answer === 'function' ? (answer as RequestListener) : { body: JSON.stringify(answer) },
  });

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
      const { host: site, requests } = await startTags({ models });
      const port = site.split(':')[1] ?? '';
      const origin = `http://${host.includes('localhost') ? 'localhost' : '127.0.0.1'}:${port}`;
      expect(await findOllama(host.replace('PORT', port))).toEqual([
        `LLM_BASE_URL=${origin}/v1`,
        'LLM_MODEL=qwen3:8b',
      ]);
      expect(requests).toEqual(['/api/tags']);
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
    expect(await findOllama((await startTags(answer)).host)).toBeUndefined();
  });

  it('is not named if nothing listens, or the address is invalid', async () => {
    for (const host of ['127.0.0.1:9', 'http://', 'a b', '::1'])
      expect(await findOllama(host)).toBeUndefined();
  });
});
