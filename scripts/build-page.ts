/** Builds the page, `src/page` → `dist/page`: aside, and put there as a whole, because others may be reading it. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'vite';
import { builtPage } from '../src/http/page-build.ts';

// Whatever the environment says: packages bring another build for development, which is larger.
process.env['NODE_ENV'] = 'production';
const dist = dirname(builtPage);
await mkdir(dist, { recursive: true });
// On the same disk, so that it can be moved.
const aside = await mkdtemp(join(dist, 'building-'));
try {
  await build({ configFile: join(dist, '../vite.config.ts'), root: join(dist, '../src/page'), build: { outDir: join(aside, 'page') } });
  if (existsSync(builtPage)) await rename(builtPage, join(aside, 'before'));
  await rename(join(aside, 'page'), builtPage);
} finally {
  await rm(aside, { recursive: true, force: true });
}
