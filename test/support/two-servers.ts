/** Two servers with one database, and what they hold. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { postgres } from './postgres.ts';
import { startService, type TestService } from './workspace.ts';

export const ingest = (service: TestService, title: string, text: string, namespace = 'docs') =>
  service.ingest({ namespace, sources: [{ text, title }] });
export const titlesIn = async (service: TestService, namespace = 'docs'): Promise<string[]> =>
  ((await service.get(`/api/namespaces/${namespace}/documents`)).body.documents ?? [])
    .map(({ title }: { title: string }) => title)
    .sort();
export const filesOf = async ({ knowledgeDir }: TestService, namespace = 'docs') => {
  const names = await readdir(join(knowledgeDir, namespace)).catch(() => []);
  const read = async (name: string) =>
    [name, await readFile(join(knowledgeDir, namespace, name), 'utf8')] as const;
  return Object.fromEntries(await Promise.all(names.sort().map(read)));
};
export const eventually = (look: () => Promise<void>) =>
  expect.poll(async () => look().then(() => 'so', String), { timeout: 60_000 }).toBe('so');

export async function twoServers(files: Readonly<Record<string, string>> = {}) {
  const url = await postgres.newDatabase();
  const start = (own = {}, replacements = {}) =>
    startService({ DATABASE_URL: url }, own, replacements);
  return { url, start, one: await start(files), other: await start() };
}
