/**
 * `PATH_PREFIX`: a secret in the URL, for platforms that cannot send headers. It is removed here,
 * so that no log or error contains it.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { getPath } from 'hono/utils/url';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { App } from './auth/caller.ts';

const openOutside = new Set(['/health', '/ready']);
/**
 * Replaces every path without the prefix, because the log must not contain a nearly correct prefix.
 */
const outsidePath = '/outside PATH_PREFIX';

const digest = (text: string) => hash('sha256', text, 'buffer');

/** Removes the prefix of a request path. @param prefix undefined: the path stays as it is */
export function innerPath(path: string, prefix: string | undefined): string {
  if (prefix === undefined || openOutside.has(path)) return path;
  const rest = path.slice(prefix.length);
  const isBelow =
    timingSafeEqual(digest(path.slice(0, prefix.length)), digest(prefix)) &&
    (rest === '' || rest.startsWith('/'));
  return isBelow ? rest || '/' : outsidePath;
}

export const noSuchPath = () =>
  new KnowledgeError('not_found', 'Path not found. GET /api/openapi.json lists all operations.');

export const pathReader = (prefix: string | undefined) => (request: Request) =>
  innerPath(getPath(request), prefix);

export function serveBelow(app: App, prefix: string): void {
  app.use(async (c, next) => {
    if (c.req.path === outsidePath) throw noSuchPath();
    // The page loads its files by relative URLs, so its own URL has to end with a slash.
    if (new URL(c.req.url).pathname === prefix) return c.redirect(`${prefix}/`);
    await next();
    const location = c.res.headers.get('location');
    if (location?.startsWith('/')) c.res.headers.set('location', prefix + location);
  });
}

const uploadPath = /^\/api\/namespaces\/[^/]+\/documents$/;

export const isUpload = (method: string | undefined, path: string): boolean =>
  method === 'POST' && uploadPath.test(path);
