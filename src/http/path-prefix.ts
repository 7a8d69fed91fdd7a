/**
 * `PATH_PREFIX`: a secret in the address, for platforms that can send no header. Nothing is served outside of it but `/health` and `/ready`,
 * which a balancer asks and which tell nothing. Everything behind this file sees paths without it, so that it stands in no log and no error.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Hono, MiddlewareHandler } from 'hono';
import { getPath } from 'hono/utils/url';
import { KnowledgeError } from '../errors.ts';
import type { AppEnv } from './auth/caller.ts';

const openOutside: ReadonlySet<string> = new Set(['/health', '/ready']);
/** Stands for every path outside: one that is nearly right has no place in the log either. */
const outside = '/outside PATH_PREFIX';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Of a path as it was asked for, the part that is served. @param prefix undefined: all of it */
export function innerPath(path: string, prefix: string | undefined): string {
  if (prefix === undefined || openOutside.has(path)) return path;
  const rest = path.slice(prefix.length);
  const isBelow = timingSafeEqual(digest(path.slice(0, prefix.length)), digest(prefix)) && (rest === '' || rest.startsWith('/'));
  return isBelow ? rest || '/' : outside;
}

export const noSuchPath = () =>
  new KnowledgeError('not_found', 'There is nothing at this path; GET /api/openapi.json lists every operation.');

export const pathReader =
  (prefix: string | undefined) =>
  (request: Request): string =>
    innerPath(getPath(request), prefix);

export function serveBelow(app: Hono<AppEnv>, prefix: string): void {
  const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
    if (c.req.path === outside) throw noSuchPath();
    // The page asks for its files beside it, so it has to stand in a folder.
    if (new URL(c.req.url).pathname === prefix) return c.redirect(`${prefix}/`);
    await next();
    const location = c.res.headers.get('location');
    if (location?.startsWith('/')) c.res.headers.set('location', prefix + location);
  };
  app.use(guard);
}

const uploadPath = /^\/api\/namespaces\/[^/]+\/documents$/;

export const isUpload = (method: string | undefined, path: string): boolean => method === 'POST' && uploadPath.test(path);
