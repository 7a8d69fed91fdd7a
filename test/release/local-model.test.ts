/**
 * What a server does about models at its start: it names a local Ollama, and downloads no list of
 * models.
 */
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startServerProcess } from '../support/server-process.ts';
import { startSite } from '../support/site.ts';
import { whenDone } from '../support/when-done.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

async function start(settings: Record<string, string>) {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  });
  const server = await startServerProcess({
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    STATE_DIR: join(folder, 'state'),
    HOME: folder,
    ...settings,
  });
  server.process.disconnect();
  return server;
}

async function startOllama() {
  const body = JSON.stringify({ models: [{ name: 'llama3.2:latest' }] });
  const { host, requests: asked } = await startSite({}, () => ({ body }));
  return { asked, host };
}

it('names a local Ollama after it is ready, with the two lines that switch it on', async () => {
  const { host } = await startOllama();
  const server = await start({ OLLAMA_HOST: host });
  await vi.waitUntil(() => server.output().includes('LLM_MODEL='), { timeout: 60_000 });
  const lines = server
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
  expect(lines.slice(lines.indexOf('ready'))).toEqual([
    'ready',
    'Ollama is reachable; these two lines in .env let it answer questions:',
    `LLM_BASE_URL=http://${host}/v1`,
    'LLM_MODEL=llama3.2:latest',
  ]);
});

it('asks no Ollama if a model is set', async () => {
  const { asked, host } = await startOllama();
  const server = await start({ OLLAMA_HOST: host, LLM_BASE_URL: 'http://127.0.0.1:9/v1' });
  await server.find({ query: 'refunds', namespace: 'docs' });
  expect([asked, server.output().includes('Ollama')]).toEqual([[], false]);
});

it("downloads no list of models, even if the environment tells Mastra's router to", async () => {
  const connections: string[] = [];
  const proxy = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        connections.push(String(data).split('\r\n')[0] ?? '');
        socket.destroy();
      });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  whenDone(() => proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const refresh = {
    MASTRA_DEV: 'true',
    MASTRA_AUTO_REFRESH_PROVIDERS: 'true',
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: url,
    HTTP_PROXY: url,
  };
  const model = {
    LLM_MODEL: 'anthropic/claude-sonnet-4-6',
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: 'https://model.invalid/v1',
  };
  const server = await start({ ...refresh, ...model, NO_PROXY: '' });
  await server.generate({
    messages: '@agent when are refunds paid?',
    toolParams: { namespace: 'docs' },
  });
  expect(new Set(connections)).toEqual(new Set(['CONNECT model.invalid:443 HTTP/1.1']));
});
