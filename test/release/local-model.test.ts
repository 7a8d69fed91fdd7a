/** What a server does about models at its start: it downloads no list of them. */
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { startServerProcess } from '../support/server-process.ts';
import { whenDone } from '../support/when-done.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

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
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  });
  const folders = { ...foldersIn(folder), HOME: folder };
  const server = await startServerProcess({ ...folders, ...refresh, ...model, NO_PROXY: '' });
  server.process.disconnect();
  await server.generate({
    messages: '@agent when are refunds paid?',
    toolParams: { namespace: 'docs' },
  });
  expect(new Set(connections)).toEqual(new Set(['CONNECT model.invalid:443 HTTP/1.1']));
});
