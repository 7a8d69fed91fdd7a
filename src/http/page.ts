/**
 * `GET /`: the page, built from `src/page` by `npm run build:page`. It is open to everybody and holds nothing: whatever it shows it asks of
 * the API, with the rights of the key that its user gives it. Its policy lets it load from this server alone and run no script but its own.
 */
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context, Hono } from 'hono';
import { KnowledgeError } from '../errors.ts';
import type { AppEnv } from './auth/caller.ts';

/** Of the files that the page loads. */
export const pagePrefix = '/page/';

const built = fileURLToPath(new URL('../../dist/page/', import.meta.url));

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

export function addPage(app: Hono<AppEnv>): void {
  const onFound = (path: string, c: Context) => {
    if (path.endsWith('.html')) {
      c.header('content-security-policy', policy);
      c.header('cache-control', 'no-cache');
      // The names of all others change with what they hold.
    } else c.header('cache-control', 'public, max-age=31536000, immutable');
  };
  app.get('/', serveStatic({ root: built, path: 'index.html', onFound }), () => {
    throw new KnowledgeError('not_found', 'The page is not built: run "npm run build:page" once. The API is at /swagger-ui.');
  });
  app.get(`${pagePrefix}:file`, serveStatic({ root: built, onFound }));
}
