/**
 * Builds the page from `src/page` in a temporary folder and moves it to `dist/page` at once, because others may be reading it. Larger files
 * are also stored as gzip and Brotli.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'vite';
import { builtPage } from '../src/http/page.ts';

// Some packages ship a larger development build, selected by NODE_ENV.
process.env['NODE_ENV'] = 'production';

const minCompressedBytes = 1_000;

/** Stores each larger file with its compressed versions. */
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
// On the same disk, so that it can be renamed.
const aside = await mkdtemp(join(dist, 'building-'));
try {
  await build({ configFile: join(dist, '../vite.config.ts'), root: join(dist, '../src/page'), build: { outDir: join(aside, 'page') } });
  await compressFiles(join(aside, 'page/page'), join(aside, 'page/compressed'));
  if (existsSync(builtPage)) await rename(builtPage, join(aside, 'before'));
  await rename(join(aside, 'page'), builtPage);
} finally {
  await rm(aside, { recursive: true, force: true });
}
