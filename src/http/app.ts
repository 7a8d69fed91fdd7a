/** The Hono app: what every request passes, in order, before it reaches a route. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { z } from 'zod';
import type { KnowledgeApi, RequestLimiter } from '../app/knowledge-api.ts';
import { type Config, isOpenToAll } from '../config.ts';
import { KnowledgeError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { addAgentRoutes, addErrorForms, openPages } from './agents/routes.ts';
import { addChatWebhooks, chatWebhooksPath } from './agents/webhook.ts';
import { addAnswerRoutes } from './answers/routes.ts';
import { addThreadRoutes } from './answers/threads.ts';
import { type AppEnv, createAuthenticate } from './auth/caller.ts';
import { refuseOtherSites, requireKnownHost } from './auth/site-guard.ts';
import { addCallRoutes } from './calls/routes.ts';
import { addCallWebhooks, callWebhooksPath } from './calls/webhooks.ts';
import { addDocumentRoutes, addJobRoutes } from './documents/routes.ts';
import { isUpload } from './documents/upload-path.ts';
import { errorResponse, isCallsPath } from './error-response.ts';
import { addMcpRoutes, mcpPath, tellRpcFailures } from './mcp/routes.ts';
import { addDocumentation } from './openapi.ts';
import { serve } from './operation.ts';
import { addPage, pagePrefix } from './page.ts';
import { noSuchPath, pathReader, serveBelow } from './path-prefix.ts';
import { addStateRoute, mirrorHealth } from './state.ts';
import { addToolRoutes } from './tools/routes.ts';

/** Open to everybody: what a load balancer and a person with a browser need, and nothing of the documents. */
const isOpen = (path: string) =>
  ['/', '/favicon.ico', '/health', '/ready', '/api/openapi.json', '/swagger-ui', ...openPages].includes(path) ||
  path.startsWith('/swagger-ui/') ||
  path.startsWith(pagePrefix);

/** A request that comes while the server opens waits so long for it. */
const openingWaitMs = 2_000;

const notReady = () =>
  new KnowledgeError('not_ready', 'The server is starting: documents and calls are still being read.', { retryAfterSeconds: 1 });

const notWritten = () => new KnowledgeError('storage_unavailable', 'This server cannot write its folder, and does not follow the others.');

/** Nothing is answered from what is not there yet. @throws KnowledgeError `not_ready` */
function requireReady({ isReady, whenReady }: KnowledgeApi): MiddlewareHandler<AppEnv> {
  return async (_, next) => {
    if (!isReady()) await Promise.race([whenReady, sleep(openingWaitMs, undefined, { ref: false })]);
    if (!isReady()) throw notReady();
    return next();
  };
}

/** What an answer depends on besides its address. */
const varyBy = 'authorization, x-api-key, apikey, onBehalfOf';

/** No answer about documents, answers or calls is anybody else's, nor good for later. */
const forThisCallerAlone: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  c.res.headers.append('vary', varyBy);
  // Calls that have ended are checked with their ETag.
  if (!c.res.headers.has('etag')) c.res.headers.set('cache-control', 'private, no-store');
};

const logRequests =
  (logger: Logger, stopping: AbortSignal | undefined): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    c.set('logger', logger);
    c.set('stopping', stopping);
    const started = performance.now();
    await next();
    const { method, path } = c.req;
    const ms = Math.round(performance.now() - started);
    logger.info({ requestId: c.get('requestId'), method, path: path.slice(0, 200), status: c.res.status, ms }, 'request');
  };

const windowSeconds = 60;

/**
 * Requests per caller and minute; callers without credentials by the address of their socket.
 * @param perMinute 0: no limit
 * @param shared undefined: counted in memory
 * @returns what counts one request, and throws KnowledgeError `rate_limited` with the seconds to wait
 */
function createRateLimit(perMinute: number, shared: RequestLimiter | undefined): (callerId: string) => Promise<void> {
  if (perMinute === 0) return async () => undefined;
  const limiter = shared ?? new RateLimiterMemory({ points: perMinute, duration: windowSeconds });
  return async (callerId) => {
    try {
      await limiter.consume(callerId);
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      // A clock that was set back makes it hours; the limiter itself goes by a timer.
      const retryAfterSeconds = Math.min(windowSeconds, Math.max(1, Math.ceil(rejected.msBeforeNext / 1000)));
      const tooMany = `More than ${perMinute} requests in a minute; try again in ${retryAfterSeconds} seconds.`;
      throw new KnowledgeError('rate_limited', tooMany, { retryAfterSeconds });
    }
  };
}

/** Paths with credentials of their own, which know no caller. */
const webhookPathsOf = ({ applyCallEvent }: KnowledgeApi): ReadonlySet<string> =>
  new Set([chatWebhooksPath, ...(applyCallEvent ? [callWebhooksPath] : [])]);

/** Who is calling, and how often. @throws KnowledgeError `unauthorized`, `rate_limited` */
function identifyCaller(config: Config, api: KnowledgeApi, logger: Logger): MiddlewareHandler<AppEnv> {
  const webhookPaths = webhookPathsOf(api);
  const authenticate = createAuthenticate(config, (message) => logger.warn(message));
  const countRequest = createRateLimit(config.rateLimitPerMinute, api.sharedLimiter);
  return async (c, next) => {
    const address = c.env?.incoming?.socket.remoteAddress ?? 'unknown';
    // Who guesses its credentials is counted too.
    if (webhookPaths.has(c.req.path)) {
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
  };
}

/** An upload, which is no text to be held in memory, has a limit of its own. @throws KnowledgeError `payload_too_large` */
function limitBodies({ maxBodyBytes }: Config): MiddlewareHandler<AppEnv> {
  const limit = bodyLimit({
    maxSize: maxBodyBytes,
    onError: () => {
      throw new KnowledgeError('payload_too_large', `The request body is larger than ${maxBodyBytes} bytes.`);
    },
  });
  return (c, next) => (isUpload(c.req.method, c.req.path) ? next() : limit(c, next));
}

const allowOrigins = (origins: readonly string[]) =>
  cors({
    origin: origins.includes('*') ? '*' : [...origins],
    // Whatever a client of one dialect or another sends: what is sent gives no right by itself.
    allowHeaders: [],
    exposeHeaders: ['x-request-id', 'retry-after', 'etag', 'x-vercel-ai-ui-message-stream', 'x-vercel-ai-data-stream', 'mcp-session-id'],
    maxAge: 600,
  });

const behindTheDoor = (handler: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> => {
  return (c, next) => (isOpen(c.req.path) ? next() : handler(c, next));
};

const readyOutput = z.object({ status: z.string() });
const healthOutput = readyOutput.extend({ mirror: mirrorHealth.optional().describe('with DATABASE_URL: what this server answers from') });

function addRoutes(app: Hono<AppEnv>, api: KnowledgeApi, config: Config): void {
  addToolRoutes(app, api);
  const { publicUrl, pathPrefix } = config;
  addAgentRoutes(app, api, { publicUrl, pathPrefix, needsCredentials: !isOpenToAll(config) });
  addMcpRoutes(app, api);
  addDocumentRoutes(app, api, config);
  addStateRoute(app, api, config);
  addJobRoutes(app, api);
  addAnswerRoutes(app, api);
  addThreadRoutes(app, api);
  addCallRoutes(app, api.calls);
  serve(app, 'health', { output: healthOutput }, (c) => c.json({ status: 'ok', mirror: api.mirrorHealth() }));
  serve(app, 'ready', { output: readyOutput }, (c) => {
    if (!api.isReady()) throw notReady();
    if (api.mirrorHealth()?.isWritten === false) throw notWritten();
    return c.json({ status: 'ready' });
  });
}

/** @param stopping aborts what is still in progress, so that its request is answered before the process ends */
export function createApp(config: Config, api: KnowledgeApi, logger: Logger, stopping?: AbortSignal): Hono<AppEnv> {
  const { pathPrefix } = config;
  const app = new Hono<AppEnv>({ getPath: pathReader(pathPrefix) });
  app.onError((error, c) => errorResponse(c, error));
  app.notFound((c) => errorResponse(c, noSuchPath()));

  app.use(requestId({ limitLength: 64 }));
  app.use(logRequests(logger, stopping));
  addErrorForms(app);
  app.use(mcpPath, tellRpcFailures);
  app.use(secureHeaders({ xFrameOptions: 'DENY', referrerPolicy: 'no-referrer', crossOriginResourcePolicy: 'same-origin' }));
  if (pathPrefix !== undefined) serveBelow(app, pathPrefix);
  if (isOpenToAll(config)) app.use(requireKnownHost(config));
  if (config.corsOrigins.length > 0) app.use(allowOrigins(config.corsOrigins));
  app.use(behindTheDoor(forThisCallerAlone));
  if (isOpenToAll(config)) app.use(behindTheDoor(refuseOtherSites(config)));
  app.use(behindTheDoor(identifyCaller(config, api, logger)));
  app.use(behindTheDoor(requireReady(api)));
  app.use(limitBodies(config));

  addRoutes(app, api, config);
  if (api.applyCallEvent) addCallWebhooks(app, { credentials: config.callsWebhook, apply: api.applyCallEvent });
  addChatWebhooks(app, config.chatWebhooks, api.takeChatMessage);
  addDocumentation(app, pathPrefix);
  addPage(app);
  addMethodErrors(app);
  return app;
}

/** A known path asked with another method says which one it takes. */
function addMethodErrors(app: Hono<AppEnv>): void {
  const routes = app.routes.filter(({ method }) => method !== 'ALL');
  for (const [path, own] of Map.groupBy(routes, ({ path }) => path)) {
    const allowed = [...new Set(own.map(({ method }) => method))].join(', ');
    app.all(path, (c) => {
      c.header('allow', allowed);
      throw new KnowledgeError('method_not_allowed', `This path takes ${allowed}.`);
    });
  }
}
