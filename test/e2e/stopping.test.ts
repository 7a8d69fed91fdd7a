import { describe, expect, it, vi } from 'vitest';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startProgram } from '../support/run-command.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startSite } from '../support/site.ts';
import { inTerminal } from '../support/terminal.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

const patient = { timeout: 300_000, interval: 50 };

async function folders() {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/default/a.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  });
  return foldersIn(folder);
}

async function silentProvider() {
  const provider = await startFakeProvider();
  provider.reply(() => new Promise<undefined>(() => undefined));
  return provider;
}

describe('Ctrl-C under npm start in a terminal', () => {
  it('shuts the server down gracefully, even if pressed twice, with readable log lines', async () => {
    const env = { ...process.env, PORT: '0', NO_COLOR: '1', ...(await folders()) };
    const { child, output, ended } = startProgram(['script', ...inTerminal('exec npm start')], env);
    await vi.waitFor(
      () =>
        expect(output.out).toMatch(
          /ready {2}namespaces=default {2}documents=1 {2}chunks=1 {2}model=extractive/,
        ),
      patient,
    );
    expect(output.out).toMatch(/\d\d:\d\d:\d\d {2}listening on http:\/\/127\.0\.0\.1:\d+ \(page: /);
    expect(output.out).not.toContain('not found');
    // Two signals within a second count as one.
    child.stdin.write('\u0003\u0003');
    const { code, out } = await ended;
    expect(out).toMatch(/stopping {2}signal=SIGINT\r?\n[^\n]*stopped/);
    expect(out.match(/stopping/g)).toHaveLength(1);
    expect(code).toBe(0);
  });
});

describe('two signals', () => {
  it('end a command gracefully and report its results', async () => {
    const asked = Promise.withResolvers<void>();
    const { host } = await startSite({ '/': () => asked.resolve() });
    const { child, ended } = startProgram(
      [process.execPath, 'src/cli/main.ts', 'ingest', `http://${host}/`],
      { ALLOWED_URL_HOSTS: host, ...(await folders()) },
    );
    await asked.promise;
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 130,
      err: expect.stringContaining('Interrupted. Finished sources are stored'),
    });
  });
});

describe('SIGTERM', () => {
  it('makes the server not ready, finishes running requests, fails waiting ones with stopping, and exits with 0', async () => {
    const { host, requests } = await startSite({}, () => () => undefined);
    const provider = await silentProvider();
    const server = await startServerProcess({
      ...(await folders()),
      ALLOWED_URL_HOSTS: host,
      CALLS_BASE_URL: `http://${host}`,
      LLM_BASE_URL: provider.baseUrl,
      LOG_LEVEL: 'debug',
      CHAT_WEBHOOK_PASSWORD: 'password',
      CHAT_CALLBACK_URL: 'https://platform.example/messages',
      // On a busy machine what should end in time needs some of it.
      SHUTDOWN_SECONDS: '2',
      SHUTDOWN_DELAY: '4',
    });
    // An idle server with a model loads the agent before the first question.
    await vi.waitFor(() => expect(server.output()).toContain('the agent is loaded'), patient);
    const from = server.output().length;
    const generate = (text: string) => server.generate({ messages: `@agent ${text}` });
    const finish = Promise.withResolvers<string>();
    provider.reply(() => finish.promise);
    const finishing = generate('when are refunds paid?');
    await vi.waitFor(() => expect(provider.requests).toHaveLength(1), patient);
    provider.reply(() => new Promise<undefined>(() => undefined));

    const questions = Array.from({ length: 4 }, () => generate('how long do refunds take?'));
    const stream = fetch(`${server.url}/api/agents/knowledge/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: '@agent how long do refunds take?' }),
    }).then((response) => response.text());
    const chats = await Promise.all(
      ['ann', 'bob'].map((user) =>
        server.send(
          'POST',
          '/api/webhooks/chat',
          { text: '@agent when are refunds paid?', conversation: 'c', user },
          { headers: { authorization: `Basic ${btoa('hook:password')}` } },
        ),
      ),
    );
    expect(chats.map(({ body }) => body.status)).toEqual(['accepted', 'accepted']);
    const calls = server.get('/v3/calls', { apikey: 'x' });
    const report = server.ingest({
      sources: ['A good text stays.', `http://${host}/page`],
    });
    await vi.waitFor(() => expect(requests).toHaveLength(2), patient);
    const sources = Array.from({ length: 3 }, (_, page) => `http://${host}/${page}`);
    const ingests = Array.from({ length: 4 }, () => server.ingest({ sources }));
    const open = new ReadableStream<Uint8Array>({
      start: (body) =>
        body.enqueue(
          new TextEncoder().encode(
            '--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nA note',
          ),
        ),
    });
    const upload = fetch(`${server.url}/api/namespaces/default/documents`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: open,
      duplex: 'half',
    } as RequestInit);
    await vi.waitFor(() => expect(provider.requests.length).toBe(8), patient);

    const search = () => server.find({ query: 'refunds' }).then(({ status }) => status);
    expect((await server.get('/ready')).status).toBe(200);
    const ended = server.stop('SIGTERM');
    await vi.waitFor(() => expect(server.output()).toContain('"msg":"stopping"'), patient);
    expect(await server.get('/ready')).toMatchObject({ status: 503, body: { code: 'stopping' } });
    expect(await Promise.all(Array.from({ length: 8 }, search))).toEqual(
      Array.from({ length: 8 }, () => 200),
    );
    finish.resolve('Refunds are paid within 30 days. [1]');
    expect((await finishing).body.answered).toBe(true);

    expect(await ended).toBe(0);
    const error = expect.stringMatching(/^The server is shutting down/);
    for (const refused of await Promise.all(questions))
      expect(refused).toMatchObject({ status: 503, body: { code: 'stopping', error } });
    expect(await stream).toMatch(/"type":"error".*"code":"stopping"[\s\S]*\[DONE\]/);
    expect(await calls).toMatchObject({ status: 503, body: { error: { code: 'ERR_STOPPING' } } });
    const { body: made } = await report;
    expect(made).toMatchObject({ added: 1, failed: 1 });
    expect(made.results[1].error.code).toBe('stopping');
    for (const { body } of await Promise.all(ingests))
      expect(new Set(body.results?.map(({ error }: any) => error.code) ?? [body.code])).toEqual(
        new Set(['stopping']),
      );
    const cut = await upload;
    expect([cut.status, await cut.json()]).toMatchObject([503, { code: 'stopping' }]);
    expect(server.output()).toContain(
      '2 chat messages were not answered before the server stopped',
    );
    expect(server.output()).toContain('"msg":"stopped"');
    expect(server.output().slice(from)).not.toMatch(/"stack"|"level":"error"| {4}at /);
    await expect(search()).rejects.toThrow();
  });
});
