import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readFrontMatter } from '../../src/markdown/front-matter.ts';
import { cases } from '../support/depth.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const textOf = (number: number) =>
  `# Document ${number}\n\nThe unique word of document ${number} is zebra${number}x.\n\n${`Filling sentence ${number}. `.repeat(150)}`;

describe('killed in the middle of an ingest of 200 documents and started again', () => {
  it.each([150, 60, 400].slice(0, cases(1)))(
    'after about %d ms, every document that was answered for is there, searchable, and whole',
    async (killAfterMs) => {
      const folder = await temporaryFolder();
      const settings = { KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') };
      const server = await startServerProcess(settings);
      const answered: number[] = [];
      const sending = Array.from({ length: 40 }, async (_, batch) => {
        const numbers = Array.from({ length: 5 }, (__, position) => batch * 5 + position);
        const { body } = await server.post('/api/tools/ingestSources', {
          namespace: 'docs',
          sources: numbers.map((number) => ({ text: textOf(number), title: `Document ${number}` })),
        });
        for (const [position, row] of body.results.entries()) if (row.status === 'added') answered.push(numbers[position]!);
      });
      const settled = Promise.allSettled(sending);
      await new Promise((resolve) => setTimeout(resolve, killAfterMs));
      await server.stop('SIGKILL');
      await settled;

      const again = await startServerProcess(settings);
      for (const number of answered) {
        const { body } = await again.post('/api/tools/searchDocs', { namespace: 'docs', query: `zebra${number}x`, maxResults: 1 });
        expect(body.results[0]?.text).toContain(`zebra${number}x`);
      }
      const stored = answered.length === 0 ? [] : readdirSync(join(folder, 'knowledge/docs')).filter((name) => name.endsWith('.md'));
      for (const name of stored) {
        const content = readFileSync(join(folder, 'knowledge/docs', name), 'utf8');
        const { attributes, bodyStart } = readFrontMatter(content);
        const number = Number(/\d+$/.exec(String(attributes['title']))?.[0]);
        expect(content.slice(bodyStart).trim()).toBe(textOf(number).trim());
      }
      expect(stored.length).toBeGreaterThanOrEqual(answered.length);
    },
  );
});

describe('SIGTERM', () => {
  const files = { 'knowledge/default/a.md': '# Refunds\n\nRefunds are paid within 30 days.\n' };

  it('lets a request in flight finish, refuses new ones, and ends the process with 0', async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, files);
    const provider = await startFakeProvider();
    onTestFinished(() => provider.close());
    const asked = Promise.withResolvers<void>();
    provider.reply(async () => {
      asked.resolve();
      await new Promise((resolve) => setTimeout(resolve, 800));
      return 'Refunds are paid within 30 days. [1]';
    });
    const server = await startServerProcess({
      KNOWLEDGE_DIR: join(folder, 'knowledge'),
      INDEX_DIR: join(folder, 'index'),
      LLM_BASE_URL: provider.baseUrl,
    });
    const answer = server.post('/api/agents/knowledge/generate', { messages: '@agent refunds?' });
    await asked.promise;
    const ended = server.stop('SIGTERM');
    expect((await answer).body.answered).toBe(true);
    expect(await ended).toBe(0);
    await expect(server.post('/api/tools/searchDocs', { query: 'x' })).rejects.toThrow();
  });

  it('reaches the server through npm start', async () => {
    const folder = await temporaryFolder();
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const env = { ...process.env, PORT: '0', KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') };
    const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    const url = await new Promise<string>((resolve) => {
      npm.stdout.on('data', (part) => {
        output += part;
        const found = /listening on (http:\/\/[^ "]+)/.exec(output)?.[1];
        if (found && output.includes('"msg":"ready"')) resolve(found);
      });
    });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    npm.kill('SIGTERM');
    await vi.waitFor(() => expect(output).toContain('"msg":"stopped"'), { timeout: 60_000 });
    await vi.waitFor(() => expect(fetch(`${url}/health`)).rejects.toThrow(), { timeout: 60_000 });
  });

  it('ends what a request waits for, answers it, and ends the process within five seconds', async () => {
    const folder = await temporaryFolder();
    const asked = Promise.withResolvers<void>();
    const silent = createServer(() => asked.resolve());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const server = await startServerProcess({
      KNOWLEDGE_DIR: join(folder, 'knowledge'),
      INDEX_DIR: join(folder, 'index'),
      ALLOWED_URL_HOSTS: host,
    });
    const answer = server.post('/api/tools/ingestSources', { sources: ['A good text stays.', `http://${host}/`] });
    await asked.promise;
    expect(await server.stop('SIGTERM')).toBe(0);
    expect((await answer).body).toMatchObject({ added: 1, failed: 1 });
  });
});
