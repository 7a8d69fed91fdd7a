import { describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/workspace.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const files = Object.fromEntries(
  names.flatMap((name) => [
    [`${name}/one.md`, '# One\n\nRefunds are paid.\n'],
    [`a/${name}.md`, `# ${name}\n`],
  ]),
);
const ask = (service: TestService, messages: string, thread = 'thread') =>
  service.generate({
    messages,
    toolParams: { namespace: 'a' },
    memory: { thread, resource: 'user' },
  });

/** Path, field of the entries, and key of an entry. */
const lists = {
  listNamespaces: ['/api/namespaces', 'namespaces', 'name'],
  listDocuments: ['/api/namespaces/a/documents', 'documents', 'file'],
  listThreads: ['/api/memory/threads', 'threads', 'id'],
  listAnswers: ['/api/answers', 'answers', 'runId'],
  listGaps: ['/api/gaps', 'gaps', 'question'],
} as const;

async function setUp() {
  const service = await startService({ API_KEYS: 'key' }, files);
  const own = { ...service, get: (path: string) => service.get(path, { 'x-api-key': 'key' }) };
  const keyedService = {
    ...service,
    generate: (body: unknown) => service.generate(body, { 'x-api-key': 'key' }),
  };
  for (const name of names) await ask(keyedService, '@agent are refunds paid?', name);
  for (const name of ['first', 'second', 'third', 'fourth'])
    await ask(keyedService, `@agent who feeds the ${name} zebra?`, 'gaps');
  return own;
}

describe('lists', () => {
  it('return all entries in pages, in the order of the whole list', async () => {
    const service = await setUp();
    for (const [operation, [path, field, key]] of Object.entries(lists)) {
      const whole = (await service.get(path)).body;
      const keys = whole[field].map((entry: Record<string, unknown>) => entry[key]);
      expect(keys.length, operation).toBeGreaterThan(3);
      const paged: unknown[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { status, body } = await service.get(
          `${path}?limit=2${cursor && `&cursor=${cursor}`}`,
        );
        expect(status, operation).toBe(200);
        expect(body[field].length, operation).toBeLessThanOrEqual(2);
        paged.push(...body[field].map((entry: Record<string, unknown>) => entry[key]));
        cursor = body.nextCursor;
      }
      expect(paged, operation).toEqual(keys);
    }
  });

  it('continue after the last entry, even if listed entries are deleted', async () => {
    const service = await setUp();
    const { namespaces, nextCursor } = (await service.get('/api/namespaces?limit=2')).body;
    for (const { name } of namespaces) await service.namespaces.remove(name);
    const next = (await service.get(`/api/namespaces?limit=2&cursor=${nextCursor}`)).body;
    expect(next.namespaces.map(({ name }: { name: string }) => name)).toEqual(['c', 'd']);
  });

  it('reject invalid cursors and cursors of another list', async () => {
    const service = await setUp();
    const { nextCursor } = (await service.get('/api/namespaces?limit=2')).body;
    for (const cursor of [nextCursor, 'WzFd', '%00', 'x'.repeat(5_000)]) {
      const { status, body } = await service.get(`/api/namespaces/a/documents?cursor=${cursor}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'invalid_request', details: [{ path: 'cursor' }] });
    }
    for (const place of ['"x"', '1e30', '-1', '"1", "2"']) {
      const cursor = Buffer.from(`["listAnswers", ${place}]`).toString('base64url');
      expect((await service.get(`/api/answers?cursor=${cursor}`)).status, place).toBe(400);
    }
    expect((await service.get('/api/namespaces?limit=0')).status).toBe(400);
  });
});
