/**
 * Builds the page, `src/page` → `dist/page`: aside, and put there as a whole, because others may be reading it. Each larger file of it is
 * also stored as gzip and as Brotli.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'vite';
import { builtPage } from '../src/http/page.ts';

// Whatever the environment says: packages bring another build for development, which is larger.
process.env['NODE_ENV'] = 'production';

const minCompressedBytes = 1_000;

/** Stores each larger file again, with its compressed forms next to it. */
async function compressFiles(folder: string, compressed: string): Promise<void> {
  await mkdir(compressed);
  for (const name of await readdir(folder)) {
    const content = await readFile(join(folder, name));
    if (content.length < minCompressedBytes) continue;
    await writeFile(join(compressed, name), content);
    await writeFile(join(compressed, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
    await writeFile(join(compressed, `${name}.br`), await promisify(brotliCompress)(content));
  }
}

const dist = dirname(builtPage);
await mkdir(dist, { recursive: true });
// On the same disk, so that it can be moved.
const aside = await mkdtemp(join(dist, 'building-'));
try {
  await build({ configFile: join(dist, '../vite.config.ts'), root: join(dist, '../src/page'), build: { outDir: join(aside, 'page') } });
  await compressFiles(join(aside, 'page/page'), join(aside, 'page/compressed'));
  if (existsSync(builtPage)) await rename(builtPage, join(aside, 'before'));
  await rename(join(aside, 'page'), builtPage);
} finally {
  await rm(aside, { recursive: true, force: true });
}
