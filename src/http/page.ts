/**
 * `GET /`: the page, built from `src/page`, and `GET /widget.js`. Both are public and contain no
 * data: they call the API with a key.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServeStaticOptions, serveStatic } from '@hono/node-server/serve-static';
import { etag } from 'hono/etag';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { packageRoot as root } from '../package.ts';
import type { App, AppEnv, Middleware } from './auth/caller.ts';
import { serve, textResponse } from './operation.ts';

// A checkout rebuilds the page when its sources change; an installed package contains the built
// page. A child process builds it, because the build takes a second of CPU time and loads packages
// that the server does not need.

export const builtPage = join(root, 'dist/page');
/** Files of `swagger-ui-dist` that the build of the page copies. */
export const swaggerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

const changedAt = async (path: string) =>
  (await stat(join(root, path)).catch(() => undefined))?.mtimeMs;

async function isPageCurrent() {
  const builtAt = await changedAt('dist/page/index.html');
  if (builtAt === undefined) return false;
  const folders = ['src/page', 'src/widget'].map(async (folder) => {
    const names = await readdir(join(root, folder)).catch(() => []);
    return names.map((name) => `${folder}/${name}`);
  });
  const sources = (await Promise.all(folders)).flat();
  const others = [
    'scripts/build-page.ts',
    'package-lock.json',
    'packages/shared/src/concurrency/event-stream.ts',
  ];
  const changes = await Promise.all([...others, ...sources].map(changedAt));
  return changes.every((at) => at === undefined || at < builtAt);
}

/**
 * Builds the page if its sources have changed. Never rejects: if the build fails, an earlier build
 * is served.
 */
export async function preparePage(): Promise<void> {
  if (await isPageCurrent()) return;
  const builder = spawn(process.execPath, [join(root, 'scripts/build-page.ts')], {
    cwd: root,
    stdio: 'ignore',
    timeout: 60_000,
  });
  builder.unref();
  await once(builder, 'exit').catch(() => undefined);
}

export const pagePrefix = '/page/';
export const widgetPath = '/widget.js';

/**
 * Content security policy of a page that loads only its own files.
 * @param changes directives that differ
 */
export const pagePolicy = (changes: Readonly<Record<string, string>>): string =>
  Object.entries({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...changes,
  })
    .map((directive) => directive.join(' '))
    .join('; ');

const withHeaders =
  (headers: Readonly<Record<string, string>>): Middleware =>
  async (c, next) => {
    await next();
    if (c.res.ok)
      for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  };

/** Also for 304, whose headers replace those in the browser's cache. */
export const forAllPages: Middleware = async (c, next) => {
  await next();
  c.res.headers.set('cross-origin-resource-policy', 'cross-origin');
  if (c.res.ok) c.res.headers.set('cache-control', 'public, max-age=3600');
};

const notBuilt = () =>
  new KnowledgeError(
    'not_found',
    'The page is not built: install the optional packages with "npm ci", then restart. The API is at /api/openapi.json.',
  );

/**
 * Serves files of the built page. Waits for the build, because `serveStatic` logs an error if its
 * folder does not exist yet.
 */
function serveBuilt(
  prepared: Promise<void>,
  root: string,
  options: ServeStaticOptions<AppEnv> = {},
): Middleware {
  let files: Middleware | undefined;
  return async (c, next) => {
    await prepared;
    if (!files && existsSync(root)) files = serveStatic({ root, ...options });
    return files ? files(c, next) : next();
  };
}

export function addPage(app: App, frameAncestors: readonly string[] = [], built = builtPage): void {
  const prepared = preparePage();
  const asIndex = withHeaders({
    'content-security-policy': pagePolicy({
      ...(frameAncestors.length > 0 && { 'frame-ancestors': frameAncestors.join(' ') }),
      'require-trusted-types-for': "'script'",
      // Policies of the templates (lit) and of the Markdown sanitizer (DOMPurify).
      'trusted-types': 'lit-html dompurify',
    }),
    'cache-control': 'no-cache',
  });
  app.get('/', asIndex, etag(), serveBuilt(prepared, built, { path: 'index.html' }), () => {
    throw notBuilt();
  });
  // File names contain a hash of the content.
  const asAsset = withHeaders({
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  });
  const rewriteRequestPath = (path: string) => path.replace(pagePrefix, '/compressed/');
  const compressed = serveBuilt(prepared, built, { precompressed: true, rewriteRequestPath });
  const widget = serveBuilt(prepared, built, { precompressed: true, path: 'compressed/widget.js' });
  app.get(`${pagePrefix}:file`, asAsset, compressed, serveBuilt(prepared, built), () => {
    throw new KnowledgeError(
      'not_found',
      'The page has no such file. It may have been rebuilt: reload the page.',
    );
  });
  const output = textResponse('The script', 'text/javascript');
  serve(app, 'readWidget', { output, before: etag() }, async (c) => {
    const found = await widget(c, async () => undefined);
    if (!found) throw notBuilt();
    found.headers.append('vary', 'Accept-Encoding');
    return found;
  });
}
