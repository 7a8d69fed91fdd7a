/**
 * Builds `src/page` and `src/widget` into `dist/page`, replaced atomically because a server may be
 * reading it. Compresses larger files. Copies the files of Swagger UI, whose package would run an
 * install script wherever the service is installed.
 */
import { existsSync } from 'node:fs';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import swaggerFolder from 'swagger-ui-dist/absolute-path.js';
import { build } from 'vite';
import { builtPage, swaggerFiles } from '../src/http/page.ts';

// Fixed, because development builds of packages are larger.
process.env['NODE_ENV'] = 'production';

const minCompressedBytes = 1_000;

/** Stores larger files also as gzip and Brotli. */
async function compressFiles(folder: string, compressed: string): Promise<void> {
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
// On the same disk, because a rename works only within one disk.
const aside = await mkdtemp(join(dist, 'building-'));
try {
  await build({
    configFile: join(dist, '../vite.config.ts'),
    root: join(dist, '../src/page'),
    build: { outDir: join(aside, 'page') },
  });
  await build({
    configFile: join(dist, '../vite.config.ts'),
    mode: 'widget',
    build: { outDir: join(aside, 'page/widget') },
  });
  await mkdir(join(aside, 'page/swagger-ui'));
  for (const name of swaggerFiles)
    await copyFile(join(swaggerFolder(), name), join(aside, 'page/swagger-ui', name));
  await mkdir(join(aside, 'page/compressed'));
  for (const folder of ['page', 'widget'])
    await compressFiles(join(aside, 'page', folder), join(aside, 'page/compressed'));
  if (existsSync(builtPage)) await rename(builtPage, join(aside, 'before'));
  await rename(join(aside, 'page'), builtPage);
} finally {
  await rm(aside, { recursive: true, force: true });
}
