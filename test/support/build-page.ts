/**
 * Before tests that open the page: built from what stands in `src/page`, unless `dist/page` is newer than all of it. It is built aside and
 * put there as a whole, because others may be reading it.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = join(root, 'dist');
const built = join(dist, 'page');

const changedAt = async (path: string) => (await stat(path)).mtimeMs;

async function isCurrent(): Promise<boolean> {
  const index = join(built, 'index.html');
  if (!existsSync(index)) return false;
  const names = await readdir(join(root, 'src/page'));
  const sources = ['vite.config.ts', 'package-lock.json', ...names.map((name) => join('src/page', name))];
  const changes = await Promise.all(sources.map((path) => changedAt(join(root, path))));
  return Math.max(...changes) < (await changedAt(index));
}

export default async function buildPage(): Promise<void> {
  if (await isCurrent()) return;
  await mkdir(dist, { recursive: true });
  // On the same disk, so that it can be moved.
  const aside = await mkdtemp(join(dist, 'building-'));
  try {
    await build({ configFile: join(root, 'vite.config.ts'), root: join(root, 'src/page'), build: { outDir: join(aside, 'page') } });
    if (existsSync(built)) await rename(built, join(aside, 'before'));
    await rename(join(aside, 'page'), built);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}
