import { rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveOnLoopback } from '../support/event-stream.ts';
import { runCommand } from '../support/run-command.ts';
import { startSite } from '../support/site.ts';
import { startService, temporaryFolder, writeFiles } from '../support/workspace.ts';

const run = (args: string[], settings: Record<string, string> = {}, input = '') =>
  runCommand(['ingest', ...args], settings, input);

async function handbook(files: Record<string, string> = {}): Promise<string> {
  const folder = join(await temporaryFolder(), 'handbook');
  await writeFiles(folder, {
    'leave.md': '# Leave\n\nEmployees have 25 days of leave.\n',
    'policies/sla.txt': 'Beta.',
    'picture.png': '\0',
    '.git/config.md': 'Hidden.',
    ...files,
  });
  return folder;
}

const startServer = async (settings: Record<string, string> = {}) => ({
  url: await serveOnLoopback(await startService(settings), settings),
});

async function startFake(answer: RequestListener) {
  const requests: string[] = [];
  const { url } = await startSite({}, () => (request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    request.resume().on('end', () => answer(request, response));
  });
  return { url, requests };
}

describe('npm run ingest --server', () => {
  it('uploads files and folders, prints rows and a table, and reports unchanged files the next time', async () => {
    const folder = await handbook();
    const server = await startServer({ API_KEYS: 'key=hr' });
    const args = [folder, '--server', `${server.url}/`, '--namespace', 'hr'];
    const { code, out, err } = await run(args, { KNOWLEDGE_API_KEY: 'key' });
    expect([code, err]).toEqual([
      0,
      'added     handbook/leave.md\nadded     handbook/policies/sla.txt\nLeft out 1 file of other formats: picture.png.\n',
    ]);
    expect(out).toMatch(/^status +source +chunks +title or reason\n/);
    expect(out).toContain('hr: 2 added\n');
    expect((await run([...args, '--glob', '**/*.md'], { KNOWLEDGE_API_KEY: 'key' })).out).toContain(
      'hr: 1 unchanged\n',
    );
    // Without a key the upload is refused.
    const { code: refused, err: error } = await run(args);
    expect([refused, error]).toEqual([
      1,
      `${server.url} requires a valid key. Set KNOWLEDGE_API_KEY.\n`,
    ]);
  });

  it('splits large uploads into several requests and reports an oversized file as a failed row', async () => {
    const large = Object.fromEntries(
      Array.from({ length: 15 }, (_, number) => [`large-${number}.txt`, 'Text. '.repeat(10_000)]),
    );
    const folder = await handbook({ ...large, 'larger.txt': 'Text. '.repeat(120_000) });
    const server = await startServer({ MAX_SOURCE_BYTES: '65536' });
    const { code, out, err } = await run([folder, '--server', server.url]);
    expect([code, out.match(/default: .*/)?.[0]]).toEqual([1, 'default: 17 added, 1 failed']);
    expect(err).toMatch(/^failed +handbook\/larger\.txt \(payload_too_large: /m);
  });

  it('retries after Retry-After and never sends the key to a redirect target', async () => {
    const counts = { added: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0 };
    const report = { namespace: 'default', ...counts, results: [] };
    let asked = 0;
    const busy = await startFake((_, response) => {
      if (asked++ === 0) response.writeHead(429, { 'retry-after': '1' }).end('{}');
      else
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(report));
    });
    const folder = await handbook();
    expect((await run([folder, '--server', busy.url], { KNOWLEDGE_API_KEY: 'key' })).code).toBe(0);
    expect(busy.requests).toEqual(
      Array(2).fill('POST /api/namespaces/default/documents Bearer key'),
    );
    const other = await startFake((_, response) => response.end('{}'));
    const moved = await startFake((_, response) =>
      response.writeHead(308, { location: `${other.url}/` }).end(),
    );
    const { code, err } = await run([folder, '--server', moved.url], { KNOWLEDGE_API_KEY: 'key' });
    expect([code, err]).toEqual([
      1,
      `${moved.url} returned a redirect, which is not followed. Give the final address.\n`,
    ]);
    expect(other.requests).toEqual([]);
  });

  it('reports a refused connection', async () => {
    const gone = await startSite();
    await gone.close();
    const { code, err } = await run([await handbook(), '--server', gone.url]);
    expect([code, err]).toEqual([1, `${gone.url} is unreachable: the connection was refused.\n`]);
  });

  it('rejects incompatible options and sends nothing', async () => {
    const folder = await handbook({ 'more/leave.md': 'More.' });
    const server = await startFake((_, response) => response.end('{}'));
    const there = ['--server', server.url];
    const noUrl = '--server must be an http:// or https:// URL';
    for (const [args, hint] of [
      [[folder, '--prune', ...there], '--prune works only with URLs'],
      [[folder, '--refresh-every', '1d', ...there], '--refresh-every works only with URLs'],
      [[folder, '--glob', '*.pdf', ...there], 'has no matching file'],
      [[join(folder, 'leave.md'), '--glob', '*.md', ...there], 'is a file, not a folder'],
      [
        [join(folder, 'leave.md'), join(folder, 'more/leave.md'), ...there],
        'would both be called "leave.md"',
      ],
      [[folder, '--server', 'knowledge.example.com'], noUrl],
      [[folder, '--server', 'https://user:password@example.com'], noUrl],
    ] as const) {
      const { code, err } = await run([...args]);
      expect([code, err]).toEqual([2, expect.stringContaining(hint)]);
    }
    await rm(folder, { recursive: true });
    expect((await run([folder, ...there])).code).toBe(2);
    expect(server.requests).toEqual([]);
  });
});
