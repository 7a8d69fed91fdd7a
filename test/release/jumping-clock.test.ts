/**
 * Sets the system clock of a running server hours ahead and to before 2000. Durations must use
 * monotonic time.
 */
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Jobs } from '../../src/ingest/jobs/jobs.ts';
import { moveClock } from '../support/moved-clock.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { jwtSecret, signToken } from '../support/tokens.ts';
import { foldersIn, startService, temporaryFolder, writeFiles } from '../support/workspace.ts';

const hourMs = 3_600_000;
const yearMs = 365.25 * 24 * hourMs;
const jumps = [0, 6 * hourMs, -30 * yearMs, 70 * yearMs, 0];
const moved = new URL('../support/moved-clock.ts', import.meta.url).href;

function startMoved(folder: string): Promise<ServerProcess> {
  return startServerProcess({
    ...foldersIn(folder),
    JWT_SECRET: jwtSecret,
    API_KEYS: 'key,other-key',
    RATE_LIMIT_PER_MINUTE: '200',
    MOVE_CLOCK: 'true',
    NODE_OPTIONS: `--import ${moved}`,
  });
}

const keyOf = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const send = (server: ServerProcess, method: string, path: string, body?: unknown, key = 'key') =>
  server.send(method, path, body, keyOf(key));

const ask = (server: ServerProcess) =>
  send(server, 'POST', '/api/agents/knowledge/generate', {
    messages: '@agent within how many days are refunds paid?',
    memory: { thread: 't', resource: 'r' },
  });

function slowUpload({ url }: ServerProcess) {
  const boundary = 'half-and-half';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="slow.md"\r\n\r\n# Slow\n\nThe slow upload is read whole.\n`;
  const sent = request(`${url}/api/namespaces/uploads/documents`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer other-key',
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
  });
  sent.write(head);
  const status = new Promise<number | undefined>((resolve, reject) => {
    sent.on('response', (response) => resolve(response.resume().statusCode));
    sent.on('error', reject);
  });
  return { status, finish: () => sent.end(`\r\n--${boundary}--\r\n`) };
}

it('survives clock jumps without losing data, blocking callers or changing the order of messages', async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  });
  const server = await startMoved(folder);
  const token = await signToken({ sub: 'u' }, '1h');
  const runs: string[] = [];
  for (const [turn, offMs] of jumps.entries()) {
    const upload = slowUpload(server);
    await expect.poll(async () => (await send(server, 'GET', '/api/state')).status).toBe(200);
    await moveClock(server.process, offMs);

    const { status, body } = await ask(server);
    expect([status, body.text]).toEqual([200, expect.stringContaining('within 30 days')]);
    expect((await send(server, 'GET', `/api/answers/${body.runId}`)).status).toBe(200);
    runs.unshift(body.runId);
    expect(
      (await send(server, 'POST', `/api/answers/${body.runId}/feedback`, { rating: 'up' })).status,
    ).toBe(200);

    const text = {
      namespace: 'docs',
      sources: [{ text: `Turn ${turn} says zebra${turn}x.`, title: `Turn ${turn}` }],
    };
    const job = await send(server, 'POST', '/api/tools/ingestSources', { ...text, wait: false });
    expect(job.status).toBe(202);
    await expect
      .poll(
        async () =>
          (await send(server, 'GET', `/api/jobs/${job.body.id}`, undefined, 'other-key')).body
            .status,
      )
      .toBe('completed');
    expect(
      (
        await send(server, 'POST', '/api/tools/searchDocs', {
          namespace: 'docs',
          query: `zebra${turn}x`,
        })
      ).body.results,
    ).not.toEqual([]);

    // An upload removes leftovers of killed uploads, but not this running one.
    const form = new FormData();
    form.append('files', new Blob([`# Quick ${turn}\n\nRead at once.\n`]), `quick${turn}.md`);
    const quick = await send(server, 'POST', '/api/namespaces/uploads/documents', form);
    expect(quick.status).toBe(200);
    upload.finish();
    expect(await upload.status).toBe(200);

    const isExpired = offMs > hourMs;
    expect((await send(server, 'GET', '/api/namespaces', undefined, token)).status).toBe(
      isExpired ? 401 : 200,
    );
    const { answers } = (await send(server, 'GET', '/api/answers')).body;
    expect(answers.map(({ runId }: { runId: string }) => runId)).toEqual(runs);
    const { messages } = (await send(server, 'GET', '/api/memory/threads/t/messages?resourceId=r'))
      .body;
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(
      Array.from({ length: (turn + 1) * 2 }, (_, at) => (at % 2 === 0 ? 'user' : 'assistant')),
    );
  }
  expect(server.output()).not.toMatch(/"level":"(?:error|fatal)"|"stack"/);
  expect(await server.stop('SIGTERM')).toBe(0);

  const again = await startMoved(folder);
  expect((await send(again, 'GET', '/api/namespaces/docs/documents')).body.total).toBe(
    jumps.length,
  );
  expect((await send(again, 'GET', '/api/answers')).body.answers).toHaveLength(jumps.length);

  // A rate-limited caller waits at most a minute, even if the clock was set back.
  await moveClock(again.process, -6 * hourMs);
  const replies = await Promise.all(
    Array.from({ length: 260 }, () => send(again, 'GET', '/api/state')),
  );
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of refused)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
});

it('runs a schedule once after a jump ahead, and again after the clock was corrected', async () => {
  let now = Date.UTC(2026, 0, 1);
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'source.md': '# Source\n\nText.\n' });
  const service = await startService(
    { ALLOWED_FILE_ROOTS: folder },
    {},
    { clock: () => new Date(now) },
  );
  const sources = [{ path: join(folder, 'source.md'), refreshEvery: '1h' }];
  expect((await service.ingest({ namespace: 'docs', sources })).status).toBe(200);
  const next = async () =>
    Date.parse(
      (await service.get('/api/namespaces')).body.namespaces.find((one: any) => one.name === 'docs')
        .schedules[0].nextAt,
    );
  const runs = async () => {
    const before = await next();
    await service.schedules.runDue();
    await expect.poll(() => (service.api.jobs as Jobs).isBusy('docs', 'schedules')).toBe(false);
    return (await next()) !== before;
  };
  expect(await runs()).toBe(false);
  now += 1_000 * hourMs;
  expect([await runs(), await runs(), await runs()]).toEqual([true, false, false]);
  now += 50 * yearMs;
  expect([await runs(), await runs()]).toEqual([true, false]);
  now -= 50 * yearMs;
  expect([await runs(), await runs()]).toEqual([true, false]);
  expect((await next()) - now).toBe(hourMs);
});
