import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const patient = { timeout: 120_000, interval: 50 };

async function folders() {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'knowledge/default/a.md': '# Refunds\n\nRefunds are paid within 30 days.\n' });
  return { KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') };
}

/** A provider that takes a question and says nothing. */
async function silentProvider() {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.reply(() => new Promise<undefined>(() => undefined));
  return provider;
}

describe('Ctrl-C under npm start in a terminal', { timeout: 300_000 }, () => {
  /**
   * The same form of the same program on each system that has it: a terminal of its own. `exec`, because a shell that waits for npm tells
   * of the key and not of how npm ended: dash does, bash leaves its place to npm by itself.
   */
  const inTerminal = (command: string) =>
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null'];

  it('ends the server in order, as often as it is pressed, and says so in readable lines', async () => {
    for (const pressed of ['\u0003', '\u0003\u0003']) {
      const env = { ...process.env, PORT: '0', NO_COLOR: '1', ...(await folders()) };
      const terminal = spawn('script', inTerminal('exec npm start'), { cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'] });
      onTestFinished(() => void terminal.kill('SIGKILL'));
      let output = '';
      terminal.stdout.on('data', (part) => (output += part));
      await vi.waitFor(() => expect(output).toMatch(/ready {2}namespaces=default {2}documents=1 {2}chunks=1 {2}model=extractive/), patient);
      expect(output).toMatch(/^\d\d:\d\d:\d\d {2}listening on http:\/\/127\.0\.0\.1:\d+ \(page: /m);
      expect(output).not.toContain('not found');
      const ended = once(terminal, 'close');
      terminal.stdin.write(pressed);
      const [code] = await ended;
      expect(output).toMatch(/stopping {2}signal=SIGINT\r?\n[^\n]*stopped/);
      expect(output.match(/stopping/g)).toHaveLength(1);
      expect(code).toBe(0);
    }
  });
});

describe('two signals', { timeout: 120_000 }, () => {
  it('within a second are one', async () => {
    const server = await startServerProcess(await folders());
    server.process.kill('SIGINT');
    expect(await server.stop('SIGINT')).toBe(0);
    expect(server.output()).toContain('"msg":"stopped"');
  });

  it('of which the second comes later end the process at once', async () => {
    const provider = await silentProvider();
    const server = await startServerProcess({ ...(await folders()), LLM_BASE_URL: provider.baseUrl });
    const answer = server.post('/api/agents/knowledge/generate', { messages: '@agent refunds?' }).catch(() => undefined);
    await vi.waitFor(() => expect(provider.requests).toHaveLength(1), patient);
    server.process.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await server.stop('SIGINT')).toBe(130);
    expect(server.output()).not.toContain('"msg":"stopped"');
    await answer;
  });

  it('end a command in order as well, with what is done told', async () => {
    const asked = Promise.withResolvers<void>();
    const silent = createServer(() => asked.resolve());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, ['src/cli/main.ts', 'ingest', `http://${host}/`], {
      cwd: root,
      env: { PATH: process.env['PATH'], ALLOWED_URL_HOSTS: host, ...(await folders()) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let err = '';
    child.stderr.on('data', (part) => (err += part));
    const ended = once(child, 'close');
    await asked.promise;
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(err).toContain('Interrupted: what was done stays');
  });
});

describe('a model that does not answer while the server stops', { timeout: 120_000 }, () => {
  it('gets the time there is; then its questions are told that the server stops, and the log no trace of it', async () => {
    const provider = await silentProvider();
    const server = await startServerProcess({ ...(await folders()), LLM_BASE_URL: provider.baseUrl });
    const body = { messages: '@agent how long do refunds take?' };
    const answer = server.post('/api/agents/knowledge/generate', body);
    const stream = fetch(`${server.url}/api/agents/knowledge/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.text());
    await vi.waitFor(() => expect(provider.requests).toHaveLength(2), patient);
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(await answer).toMatchObject({
      status: 503,
      body: { code: 'stopping', error: expect.stringMatching(/^The server is stopping/) },
    });
    expect(await stream).toMatch(/"type":"error".*"code":"stopping"[\s\S]*\[DONE\]/);
    expect(server.output()).not.toMatch(/"stack"|"level":"error"| {4}at /);
  });

  it('is told where calls and sources are waited for, too', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const server = await startServerProcess({
      ...(await folders()),
      ALLOWED_URL_HOSTS: host,
      CALLS_BASE_URL: `http://${host}`,
    });
    let asked = 0;
    const bothAsked = new Promise<void>((resolve) => silent.on('request', () => ++asked === 2 && resolve()));
    const calls = fetch(`${server.url}/v3/calls`, { headers: { apikey: 'x' } });
    const report = server.post('/api/tools/ingestSources', { sources: [`http://${host}/page`] });
    await bothAsked;
    expect(await server.stop('SIGTERM')).toBe(0);
    const refused = await calls;
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'ERR_STOPPING' } }]);
    expect((await report).body.results[0].error.code).toBe('stopping');
  });
});

describe('a server that stops under load', { timeout: 300_000 }, () => {
  it('is not ready at once, answers during SHUTDOWN_DELAY, and ends with 0', async () => {
    const server = await startServerProcess({ ...(await folders()), SHUTDOWN_DELAY: '3' });
    const search = () => server.post('/api/tools/searchDocs', { query: 'refunds' }).then(({ status }) => status);
    expect((await fetch(`${server.url}/ready`)).status).toBe(200);
    const ended = server.stop('SIGTERM');
    await vi.waitFor(() => expect(server.output()).toContain('"msg":"stopping"'), patient);
    const ready = await fetch(`${server.url}/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { code: 'stopping' }]);
    expect(await Promise.all(Array.from({ length: 50 }, search))).toEqual(Array.from({ length: 50 }, () => 200));
    expect(await ended).toBe(0);
    expect(server.output()).toContain('"msg":"stopped"');
  });

  it('answers waiting ingests, uploads and questions with stopping after SHUTDOWN_SECONDS, and ends with 0', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const provider = await silentProvider();
    const server = await startServerProcess({
      ...(await folders()),
      ALLOWED_URL_HOSTS: host,
      LLM_BASE_URL: provider.baseUrl,
      SHUTDOWN_SECONDS: '1',
    });
    const sources = Array.from({ length: 20 }, (_, page) => `http://${host}/${page}`);
    const ingests = Array.from({ length: 20 }, () => server.post('/api/tools/ingestSources', { sources }));
    const questions = Array.from({ length: 20 }, () =>
      server.post('/api/agents/knowledge/generate', { messages: '@agent how long do refunds take?' }),
    );
    // A body that never ends.
    const open = new ReadableStream<Uint8Array>({
      start: (body) =>
        body.enqueue(new TextEncoder().encode('--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nA note')),
    });
    const upload = fetch(`${server.url}/api/namespaces/default/documents`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: open,
      duplex: 'half',
    } as RequestInit);
    await vi.waitFor(() => expect(provider.requests.length).toBe(20), patient);
    expect(await server.stop('SIGTERM')).toBe(0);
    for (const { status, body } of await Promise.all(questions)) expect([status, body.code]).toEqual([503, 'stopping']);
    for (const { body } of await Promise.all(ingests))
      expect(new Set(body.results?.map(({ error }: any) => error.code) ?? [body.code])).toEqual(new Set(['stopping']));
    const refused = await upload;
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'stopping' }]);
  });
});

it('messages of a chat platform that wait for a model are ended with the server, and counted in its log', {
  timeout: 120_000,
}, async () => {
  const provider = await silentProvider();
  const server = await startServerProcess({
    ...(await folders()),
    LLM_BASE_URL: provider.baseUrl,
    CHAT_WEBHOOK_USER: 'hook',
    CHAT_WEBHOOK_PASSWORD: 'password',
    CHAT_CALLBACK_URL: 'https://platform.example/messages',
  });
  for (const user of ['ann', 'bob']) {
    const response = await fetch(`${server.url}/api/webhooks/chat`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('hook:password')}` },
      body: JSON.stringify({ text: '@agent when are refunds paid?', conversation: 'c', user }),
    });
    expect(await response.json()).toEqual({ status: 'accepted' });
  }
  await vi.waitFor(() => expect(provider.requests).toHaveLength(2), patient);
  expect(await server.stop('SIGTERM')).toBe(0);
  expect(server.output()).toContain('2 messages of the chat platform were not answered before the server stopped');
  expect(server.output()).toContain('"msg":"stopped"');
});
