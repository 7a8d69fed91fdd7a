import { beforeAll, expect, it } from 'vitest';
import { startService, useService } from '../support/workspace.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const files = Object.fromEntries(
  names.flatMap((name) => [
    [`${name}/one.md`, '# One\n\nRefunds are paid.\n'],
    [`a/${name}.md`, `# ${name}\n`],
  ]),
);

/** Path, field of the entries, and key of an entry. */
const lists = [
  ['/api/namespaces', 'namespaces', 'name'],
  ['/api/namespaces/a/documents', 'documents', 'file'],
  ['/api/memory/threads', 'threads', 'id'],
  ['/api/answers', 'answers', 'runId'],
  ['/api/gaps', 'gaps', 'question'],
] as const;

const service = useService({}, files);
beforeAll(async () => {
  const ask = (question: string, thread: string) =>
    service().generate({
      messages: `@agent ${question}`,
      toolParams: { namespace: 'a' },
      memory: { thread, resource: 'user' },
    });
  for (const name of names) await ask('are refunds paid?', name);
  for (const name of ['first', 'second', 'third', 'fourth'])
    await ask(`who feeds the ${name} zebra?`, 'gaps');
});

it.each(lists)('%s returns all entries in pages, in their order', async (path, field, key) => {
  const listed = async (query: string) => {
    const { status, body } = await service().get(path + query);
    expect(status).toBe(200);
    const keys = body[field].map((entry: Record<string, unknown>) => entry[key]);
    return { keys, nextCursor: body.nextCursor as string | undefined };
  };
  const whole = await listed('');
  expect(whole.keys.length).toBeGreaterThan(3);
  const paged: unknown[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { keys, nextCursor } = await listed(`?limit=2${cursor && `&cursor=${cursor}`}`);
    expect(keys.length).toBeLessThanOrEqual(2);
    paged.push(...keys);
    cursor = nextCursor;
  }
  expect(paged).toEqual(whole.keys);
});

it('a list rejects invalid cursors and cursors of another list', async () => {
  const { get } = service();
  const { nextCursor } = (await get('/api/namespaces?limit=2')).body;
  for (const cursor of [nextCursor, 'WzFd', '%00', 'x'.repeat(5_000)])
    expect(await get(`/api/namespaces/a/documents?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: [{ path: 'cursor' }] },
    });
  for (const place of ['"x"', '1e30', '-1', '"1", "2"']) {
    const cursor = Buffer.from(`["listAnswers", ${place}]`).toString('base64url');
    expect((await get(`/api/answers?cursor=${cursor}`)).status, place).toBe(400);
  }
  expect((await get('/api/namespaces?limit=0')).status).toBe(400);
});

it('a list continues after the last entry, even if listed entries are deleted', async () => {
  const { get, namespaces } = await startService({}, files);
  const first = (await get('/api/namespaces?limit=2')).body;
  for (const { name } of first.namespaces) await namespaces.remove(name);
  const next = (await get(`/api/namespaces?limit=2&cursor=${first.nextCursor}`)).body;
  expect(next.namespaces).toMatchObject([{ name: 'c' }, { name: 'd' }]);
});
