/** The Hono app: what every request passes, in order, before it reaches a route. */
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import type { Config } from '../config.ts';
import { KnowledgeError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { KnowledgeApi } from '../mastra/knowledge-api.ts';
import type { AppEnv } from './app-env.ts';
import { addCallWebhooks, callWebhooksPath } from './call-webhooks.ts';
import { createAuthenticate } from './caller.ts';
import { addDocumentation } from './documentation.ts';
import { errorResponse, isCallsPath } from './error-response.ts';
import { createRateLimit } from './rate-limit.ts';
import { addRoutes } from './routes.ts';

export type HttpConfig = Pick<
  Config,
  'apiKeys' | 'jwt' | 'corsOrigins' | 'maxBodyBytes' | 'rateLimitPerMinute' | 'callsTrustedKeys' | 'callsWebhook'
>;

/** Open to everybody: what a load balancer and a person with a browser need, and nothing of the documents. */
const isOpen = (path: string) =>
  path === '/health' || path === '/ready' || path === '/api/openapi.json' || path === '/swagger-ui' || path.startsWith('/swagger-ui/');

/** @param stopping aborts what is still in progress, so that its request is answered before the process ends */
export function createApp(config: HttpConfig, api: KnowledgeApi, logger: Logger, stopping?: AbortSignal): Hono<AppEnv> {
  const authenticate = createAuthenticate(config);
  const countRequest = createRateLimit(config.rateLimitPerMinute);
  const app = new Hono<AppEnv>();

  app.onError((error, c) => errorResponse(c, error));
  app.notFound((c) =>
    errorResponse(c, new KnowledgeError('not_found', 'There is nothing at this path; GET /api/openapi.json lists every operation.')),
  );

  app.use(requestId({ limitLength: 64 }));
  app.use(async (c, next) => {
    c.set('logger', logger);
    const started = performance.now();
    await next();
    logger.info(
      {
        requestId: c.get('requestId'),
        method: c.req.method,
        path: c.req.path.slice(0, 200),
        status: c.res.status,
        ms: Math.round(performance.now() - started),
      },
      'request',
    );
  });
  app.use(secureHeaders({ xFrameOptions: 'DENY', referrerPolicy: 'no-referrer', crossOriginResourcePolicy: 'same-origin' }));
  if (config.corsOrigins.length > 0) {
    app.use(
      cors({
        origin: config.corsOrigins.includes('*') ? '*' : [...config.corsOrigins],
        allowHeaders: ['authorization', 'content-type', 'x-api-key', 'apikey', 'onBehalfOf', 'if-none-match'],
        exposeHeaders: ['x-request-id', 'retry-after', 'etag'],
        maxAge: 600,
      }),
    );
  }

  app.use(async (c, next) => {
    if (isOpen(c.req.path)) return next();
    const address = c.env?.incoming?.socket.remoteAddress ?? 'unknown';
    // It has credentials of its own; who guesses them is counted too.
    if (c.req.path === callWebhooksPath && api.applyCallEvent) {
      await countRequest(`webhooks:${address}`);
      return next();
    }
    try {
      c.set('caller', await authenticate(c.req.raw.headers, address, isCallsPath(c.req.path)));
    } catch (error) {
      // Guessing keys is counted too.
      await countRequest(`address:${address}`);
      throw error;
    }
    await countRequest(c.get('caller').id);
    return next();
  });
  app.use(
    bodyLimit({
      maxSize: config.maxBodyBytes,
      onError: () => {
        throw new KnowledgeError('payload_too_large', `The request body is larger than ${config.maxBodyBytes} bytes.`);
      },
    }),
  );

  addRoutes(app, api, stopping);
  if (api.applyCallEvent) addCallWebhooks(app, { credentials: config.callsWebhook, apply: api.applyCallEvent });
  addDocumentation(app);
  addMethodErrors(app);
  return app;
}

/** A known path asked with another method says which one it takes. */
function addMethodErrors(app: Hono<AppEnv>): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method !== 'ALL') methods.set(path, (methods.get(path) ?? new Set()).add(method));
  }
  for (const [path, allowed] of methods) {
    app.all(path, (c) => {
      c.header('allow', [...allowed].join(', '));
      throw new KnowledgeError('method_not_allowed', `This path takes ${[...allowed].join(', ')}.`);
    });
  }
}
