/**
 * The page as it is built: a checkout builds it once, and again when its sources have changed; an installation without its sources brings
 * it along. Built by a process of its own, because that takes a second of work and packages that no server needs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
export const builtPage = join(root, 'dist/page');

const changedAt = async (path: string): Promise<number | undefined> => (await stat(join(root, path)).catch(() => undefined))?.mtimeMs;

export async function isPageCurrent(): Promise<boolean> {
  const builtAt = await changedAt('dist/page/index.html');
  if (builtAt === undefined) return false;
  const sources = await readdir(join(root, 'src/page')).catch(() => []);
  const changes = await Promise.all(
    ['vite.config.ts', 'scripts/build-page.ts', 'package-lock.json', ...sources.map((name) => `src/page/${name}`)].map(changedAt),
  );
  return changes.every((at) => at === undefined || at < builtAt);
}

/** Resolves when it is built, or cannot be: then what was built before is what there is. Never rejects. */
export async function preparePage(): Promise<void> {
  if (await isPageCurrent()) return;
  const builder = spawn(process.execPath, [join(root, 'scripts/build-page.ts')], { cwd: root, stdio: 'ignore', timeout: 60_000 });
  builder.unref();
  await once(builder, 'exit').catch(() => undefined);
}
