/** Namespaces outside memory behave like those in memory. */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Namespace } from '../../src/documents/namespace.ts';
import { reopened, startService, type TestService } from '../support/workspace.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const files = Object.fromEntries(
  names.flatMap((name) =>
    [1, 2].map((at) => [`${name}/${at}.md`, `# Page ${at}\n\nThe ${name}-word ${at}.`]),
  ),
);
const start = () => startService({ LIMITS: 'medium,open=2' }, files);

const hits = async ({ find }: TestService, namespace: string, query: string) =>
  (await find({ namespace, query })).body.results?.length;
const counts = async ({ api }: Pick<TestService, 'api'>) =>
  Object.fromEntries(
    (await api.documents.namespaces()).map(({ name, documents, chunks }) => [
      name,
      [documents, chunks],
    ]),
  );
const countsOf = (each: number, of = names) => ({
  default: [0, 0],
  ...Object.fromEntries(of.map((name) => [name, [each, each]])),
});
const without = (gone: string) => names.filter((name) => name !== gone);

it('a namespace that was unloaded is searched in the current state of its folder', async () => {
  const service = await start();
  for (const name of names) expect(await hits(service, name, `${name}-word`)).toBe(2);
  await writeFile(join(service.knowledgeDir, 'a/1.md'), 'The zebra.');
  await rm(join(service.knowledgeDir, 'a/2.md'));
  expect(await hits(service, 'a', 'zebra')).toBe(1);
  expect(await hits(service, 'a', 'a-word')).toBe(0);
  expect(await counts(service)).toEqual({ ...countsOf(2), a: [1, 1] });
});

it('concurrent writes to many namespaces lose nothing', async () => {
  const service = await start();
  for (let round = 0; round < 3; round++) {
    const text = `New text ${round} about giraffe${round}.`;
    const rows = await Promise.all(
      names.map((namespace) => service.ingest({ namespace, sources: [{ text }] })),
    );
    expect(rows.map(({ body }) => body.added)).toEqual(names.map(() => 1));
    for (const name of names) expect(await hits(service, name, `giraffe${round}`)).toBe(1);
  }
  expect(await counts(service)).toEqual(countsOf(5));
  await service.close();
  const restarted = reopened(service);
  await restarted.open();
  expect(await counts(restarted)).toEqual(countsOf(5));
});

it('deleting an unloaded namespace removes all its files', async () => {
  const service = await start();
  for (const name of names) await hits(service, name, 'word');
  expect((await service.delete('/api/namespaces/a')).status).toBe(200);
  for (const folder of ['knowledge', 'index/index', 'index/words'])
    expect(existsSync(join(service.folder, folder, 'a'))).toBe(false);
  expect(await counts(service)).toEqual(countsOf(2, without('a')));
});

it('lists namespaces without opening any', async () => {
  const { open } = Namespace;
  let left = 2;
  using _ = vi
    .spyOn(Namespace, 'open')
    .mockImplementation((...asked) => (left-- > 0 ? open(...asked) : Promise.reject(new Error())));
  const { get } = await start();
  expect((await get('/api/state')).status).toBe(200);
  const { namespaces } = (await get('/api/namespaces')).body;
  expect(namespaces.filter((one: { isIndexed: boolean }) => one.isIndexed)).toHaveLength(2);
});

it('closes after a namespace that is still opening', async () => {
  const { open } = Namespace;
  let opened = 0;
  using spied = vi.spyOn(Namespace, 'open').mockImplementation(async (...asked) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const namespace = await open(...asked);
    opened++;
    return namespace;
  });
  const service = await start();
  await expect.poll(() => spied.mock.calls.length).toBeGreaterThan(opened);
  await service.close();
  expect(opened).toBe(spied.mock.calls.length);
});

it('a restart lists namespaces without loading them, except those with a changed folder', async () => {
  const service = await start();
  await counts(service);
  await service.close();
  await rm(join(service.knowledgeDir, 'b/1.md'));
  await rm(join(service.knowledgeDir, 'c'), { recursive: true });
  const restarted = reopened(service);
  await restarted.open();
  const wanted = { ...countsOf(2, without('c')), b: [1, 1] };
  await expect.poll(() => counts(restarted)).toEqual(wanted);
});
