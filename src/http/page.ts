/**
 * `GET /`: the page, built from `src/page` by `npm run build:page`. It is open to everybody and holds nothing: whatever it shows it asks of
 * the API, with the rights of the key that its user gives it. Its policy lets it load from this server alone and run no script but its own.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServeStaticOptions, serveStatic } from '@hono/node-server/serve-static';
import type { Hono, MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import { KnowledgeError } from '../errors.ts';
import type { AppEnv } from './auth/caller.ts';

// The page as it is built: a checkout builds it once, and again when its sources have changed; an installation without its sources brings
// it along. Built by a process of its own, because that takes a second of work and packages that no server needs.

const root = fileURLToPath(new URL('../..', import.meta.url));
export const builtPage = join(root, 'dist/page');

const changedAt = async (path: string): Promise<number | undefined> => (await stat(join(root, path)).catch(() => undefined))?.mtimeMs;

async function isPageCurrent(): Promise<boolean> {
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

export const pagePrefix = '/page/';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // That of the templates, and that of what cleans Markdown.
  'trusted-types lit-html dompurify',
].join('; ');

const withHeaders =
  (headers: Readonly<Record<string, string>>): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    await next();
    if (c.res.ok) for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  };

const notFound = () =>
  new KnowledgeError('not_found', 'There is no such file of the page; it may have been built anew: load the page again.');
const notBuilt = () =>
  new KnowledgeError(
    'not_found',
    'The page is not built: "npm run build:page" does it, with the development packages. The API is at /swagger-ui.',
  );

/** Files of the built page. Waits for the build, because `serveStatic` complains of a folder that does not exist yet. */
function serveBuilt(prepared: Promise<void>, root: string, options: ServeStaticOptions<AppEnv> = {}): MiddlewareHandler<AppEnv> {
  let files: MiddlewareHandler<AppEnv> | undefined;
  return async (c, next) => {
    await prepared;
    if (!files && existsSync(root)) files = serveStatic({ root, ...options });
    return files ? files(c, next) : next();
  };
}

export function addPage(app: Hono<AppEnv>, built = builtPage): void {
  const prepared = preparePage();
  const asIndex = withHeaders({ 'content-security-policy': policy, 'cache-control': 'no-cache' });
  app.get('/', asIndex, etag(), serveBuilt(prepared, built, { path: 'index.html' }), () => {
    throw notBuilt();
  });
  // The names change with what they hold.
  const asAsset = withHeaders({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' });
  const rewriteRequestPath = (path: string) => path.replace(pagePrefix, '/compressed/');
  const compressed = serveBuilt(prepared, built, { precompressed: true, rewriteRequestPath });
  app.get(`${pagePrefix}:file`, asAsset, compressed, serveBuilt(prepared, built), () => {
    throw notFound();
  });
}
