/** The Hono app: its middleware in order, then the routes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { z } from 'zod';
import { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';
import {
  KnowledgeError,
  stoppingError,
  withReadableNamespaces,
} from '../../packages/shared/src/errors.ts';
import { answerLate } from '../chat/late-answers.ts';
import { type Config, isOpenToAll, keylessAccess } from '../config.ts';
import type { MirrorHealth } from '../documents/document-writes.ts';
import type { KeyFile } from '../keys.ts';
import { type Logger, StateLog } from '../log.ts';
import { inStage } from '../trace.ts';
import {
  addAgentRoutes,
  addErrorForms,
  addLongHistories,
  publishablePaths,
} from './agents/agent-routes.ts';
import { addChatWebhooks, chatWebhooksPath } from './agents/webhook.ts';
import { addAnswerRoutes } from './answers/answer-routes.ts';
import { addGapRoutes } from './answers/gap-routes.ts';
import { addThreadRoutes } from './answers/threads.ts';
import {
  type App,
  type AppEnv,
  Authentication,
  checkPublishable,
  type Middleware,
  readableNamespaces,
} from './auth/caller.ts';
import { clientAddress, isNearby, networkOf } from './auth/client-address.ts';
import { addLimitHeaders, countedAs, countRequest } from './auth/counting.ts';
import { limitHeaders, RequestLimits } from './auth/request-limits.ts';
import { refuseOtherSites, requireKnownHost } from './auth/site-guard.ts';
import { addCallRoutes } from './calls/call-routes.ts';
import { addDocumentRoutes, addJobRoutes } from './documents/document-routes.ts';
import { errorCodeHeader, errorResponse, isCallsPath } from './error-response.ts';
import type { KnowledgeApi } from './knowledge-api.ts';
import { addMcpRoutes, mcpPath, useRpcErrors } from './mcp/mcp-routes.ts';
import { addDocumentation } from './openapi.ts';
import { limitBody, serve } from './operation.ts';
import { addPage, forAllPages, pagePrefix, widgetPath } from './page.ts';
import { isUpload, noSuchPath, pathReader, serveBelow } from './path-prefix.ts';
import { addMetricsRoute, addStateRoute, metricsPath, mirrorHealth } from './state-route.ts';
import { addToolRoutes } from './tools/tool-routes.ts';
import { watchRequests } from './watch.ts';

/** Whether a path needs no credentials. Such paths return nothing about the documents. */
const isPublicPath = (path: string) =>
  [
    '/',
    widgetPath,
    '/favicon.ico',
    '/health',
    '/ready',
    '/api/openapi.json',
    '/swagger-ui',
  ].includes(path) ||
  path.startsWith('/swagger-ui/') ||
  path.startsWith(pagePrefix);

/** Maximum wait of a request that arrives during startup. */
const startupWaitMs = 2_000;

const notReady = () =>
  new KnowledgeError(
    'not_ready',
    'The server is starting: it is still reading documents and calls. Retry in a moment.',
    { retryAfterSeconds: 1 },
  );

const unavailable = (message: string) => new KnowledgeError('storage_unavailable', message);

function requireCurrent(mirror: MirrorHealth | undefined, { maxMirrorAge }: Config) {
  if (!mirror) return;
  if (!mirror.isWritten)
    throw unavailable('This server cannot write to KNOWLEDGE_DIR and is out of date.');
  const age = mirror.ageMs === null ? process.uptime() : mirror.ageMs / 1_000;
  if (maxMirrorAge !== undefined && age > maxMirrorAge)
    throw unavailable(
      `The database has been unreachable for ${Math.round(age)} s, longer than MAX_MIRROR_AGE.`,
    );
}

interface ShutdownSignals {
  /** Aborted on SIGTERM: `/ready` returns 503, all other requests are still served. */
  readonly draining: AbortSignal;
  /** Aborted when SHUTDOWN_SECONDS are over: running requests fail with `stopping`. */
  readonly stopping: AbortSignal;
}

/** @throws KnowledgeError `not_ready` until the documents are read */
async function requireReady({ isReady, whenReady }: KnowledgeApi) {
  if (!isReady()) await Promise.race([whenReady, sleep(startupWaitMs, undefined, { ref: false })]);
  if (!isReady()) throw notReady();
}

/** Metrics stay available during startup, and chat messages are kept for a later answer. */
const servedEarly = [metricsPath, chatWebhooksPath];
const waitUntilReady =
  (api: KnowledgeApi): Middleware =>
  async (c, next) => {
    if (!servedEarly.includes(c.req.path)) await requireReady(api);
    return next();
  };

/** Responses depend on the caller, so shared caches may not keep them. */
const forbidSharedCaching: Middleware = async (c, next) => {
  await next();
  c.res.headers.append('vary', 'authorization, x-api-key, apikey, onBehalfOf');
  // Responses with an ETag, such as ended calls, may be cached and revalidated.
  if (!c.res.headers.has('etag')) c.res.headers.set('cache-control', 'private, no-store');
};

function setContext(logger: Logger, stopping: AbortSignal | undefined): Middleware {
  const states = new StateLog(logger);
  return (c, next) => {
    c.set('logger', logger);
    c.set('states', states);
    c.set('stopping', stopping);
    return next();
  };
}

/**
 * Sizes of JSON that is compressed. Smaller bodies gain nothing; larger ones would occupy a thread
 * for too long.
 */
const compressedBytes = { min: 1_000, max: 8_000_000 };

/**
 * Compresses JSON for clients that accept gzip, in a thread. Event streams, files and metrics are
 * not compressed.
 */
function compressJson(): Middleware {
  const gzip = compress({ encoding: 'gzip', contentTypeFilter: /^application\/json/ });
  return async (c, next) => {
    await next();
    const { status, headers } = c.res;
    if (!headers.get('content-type')?.startsWith('application/json')) return;
    headers.append('vary', 'Accept-Encoding');
    if (!/gzip|\*/i.test(c.req.header('accept-encoding') ?? '')) return;
    // Without a content-length, hono/compress would compress a body of any size.
    const body = new Uint8Array(await c.res.arrayBuffer());
    c.res = undefined;
    c.res = new Response(body, { status, headers });
    if (body.length >= compressedBytes.min && body.length <= compressedBytes.max)
      await gzip(c, async () => {});
  };
}

function setLimits(config: Config, logger: Logger): Middleware {
  const { trustedProxies, limits } = config;
  const requestLimits = new RequestLimits(config);
  const streams = new FairQueue({ slots: limits.streams });
  let isProxyReported = trustedProxies.length > 0;
  return (c, next) => {
    const forwarded = c.req.header('x-forwarded-for');
    const address = clientAddress(c.env?.incoming?.socket.remoteAddress, forwarded, trustedProxies);
    if (!isProxyReported && forwarded !== undefined && isNearby(address)) {
      isProxyReported = true;
      logger.warn(
        { address },
        'requests come through a proxy and share its address and limits: add the proxy to TRUSTED_PROXIES',
      );
    }
    c.set('address', address);
    c.set('requestLimits', requestLimits);
    c.set('streams', streams);
    return next();
  };
}

function identifyCaller(authentication: Authentication): Middleware {
  return async (c, next) => {
    const address = c.get('address');
    const network = networkOf(address);
    await countRequest(c, 'address', network);
    // Counted before the credentials are checked, so that guessing is limited.
    if (c.req.path === chatWebhooksPath) {
      await countRequest(c, 'default', `webhooks:${network}`);
      return next();
    }
    try {
      const caller = await inStage('authenticate', () =>
        authentication.callerOf(c.req.raw.headers, address, isCallsPath(c.req.path)),
      );
      c.set('caller', caller);
      checkPublishable(caller, c.req.header('origin'), c.get('isForVisitors') === true);
      c.set('authentication', authentication);
    } catch (error) {
      // Failed requests count per address, so that guessing keys is limited.
      await countRequest(c, 'default', `address:${network}`);
      throw error;
    }
    const policy = c.get('caller').isVisitor ? 'visitor' : 'default';
    await countRequest(c, policy, countedAs(c));
    return next();
  };
}

/**
 * Uploads are exempt: they are streamed and have their own limit. @throws KnowledgeError
 * `payload_too_large`
 */
function limitBodies({ maxBodyBytes }: Config): Middleware {
  const limit = limitBody(maxBodyBytes);
  return (c, next) => (isUpload(c.req.method, c.req.path) ? next() : limit(c, next));
}

const exposeHeaders = [
  ...['x-request-id', errorCodeHeader, 'retry-after', 'etag'],
  ...['x-vercel-ai-ui-message-stream', 'x-vercel-ai-data-stream'],
  ...limitHeaders,
];

const allowOrigins = (origins: readonly string[]) =>
  cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowHeaders: [],
    exposeHeaders,
    maxAge: 600,
  });

/**
 * Lets pages of the origins that publishable keys list call the paths for visitors. A preflight has
 * no key.
 */
function allowKnownPages(file: KeyFile | undefined): Middleware {
  return async (c, next) => {
    c.set('isForVisitors', true);
    const origin = c.req.header('origin');
    if (origin === undefined || !(await file?.listsOrigin(origin))) return next();
    c.set('isOfKnownPage', true);
    return allowOrigins([origin])(c, next);
  };
}

/**
 * Only the page may be shown in a frame, by ALLOWED_FRAME_ANCESTORS: X-Frame-Options cannot name
 * origins.
 */
function addSecureHeaders({ allowedFrameAncestors }: Config): Middleware {
  const headersWith = (xFrameOptions: 'DENY' | false) =>
    secureHeaders({
      xFrameOptions,
      referrerPolicy: 'no-referrer',
      crossOriginResourcePolicy: 'same-origin',
    });
  const unframed = headersWith('DENY');
  const page = allowedFrameAncestors.length > 0 ? headersWith(false) : unframed;
  return (c, next) => (c.req.path === '/' ? page : unframed)(c, next);
}

const exceptPublicPaths =
  (handler: Middleware): Middleware =>
  (c, next) =>
    isPublicPath(c.req.path) ? next() : handler(c, next);

const readyOutput = z.object({ status: z.string() });
const healthOutput = readyOutput.extend({
  mirror: mirrorHealth
    .optional()
    .describe('only with DATABASE_URL: state of the local copy of the documents'),
  warnings: z
    .array(
      z.object({
        code: z.string(),
        count: z.int().describe('affected namespaces; 1 if the whole server is'),
        namespaces: z
          .array(z.string())
          .optional()
          .describe('only on servers that need no credentials'),
      }),
    )
    .optional()
    .describe('conditions that need an operator, such as an unreadable folder; omitted if empty'),
});

/** Anyone may call `GET /health`, so namespaces are named only if everyone may read them. */
function shownWarnings(api: KnowledgeApi, config: Config) {
  const warnings = api.warnings.list();
  if (warnings.length === 0) return {};
  const { rights, namespaces } = keylessAccess(config) ?? {};
  const isNamed =
    rights?.includes('read') && namespaces === undefined && config.pathPrefix === undefined;
  return {
    warnings: warnings.map(({ code, count, namespaces }) => ({
      code,
      count,
      ...(isNamed && namespaces.length > 0 ? { namespaces } : {}),
    })),
  };
}

function addRoutes(
  app: App,
  api: KnowledgeApi,
  config: Config,
  shutdown: ShutdownSignals | undefined,
) {
  addToolRoutes(app, api);
  addAgentRoutes(app, api, config);
  addMcpRoutes(app, api, config);
  addDocumentRoutes(app, api, config);
  addStateRoute(app, api, config);
  addJobRoutes(app, api);
  addAnswerRoutes(app, api);
  addGapRoutes(app, api);
  addThreadRoutes(app, api);
  addMetricsRoute(app, api);
  addCallRoutes(
    app,
    api.calls,
    config.callsBaseUrl === undefined ? [] : config.callsExtraParameters,
  );
  serve(app, 'health', { output: healthOutput }, (c) =>
    c.json({ status: 'ok', mirror: api.mirrorHealth(), ...shownWarnings(api, config) }),
  );
  serve(app, 'ready', { output: readyOutput }, (c) => {
    if (shutdown?.draining.aborted) throw stoppingError();
    if (!api.isReady()) throw notReady();
    requireCurrent(api.mirrorHealth(), config);
    return c.json({ status: 'ready' });
  });
}

export function createApp(
  config: Config,
  api: KnowledgeApi,
  logger: Logger,
  shutdown?: ShutdownSignals,
): App {
  const { pathPrefix } = config;
  const app = new Hono<AppEnv>({ getPath: pathReader(pathPrefix) });
  app.onError(async (error, c) => {
    const readable = () => readableNamespaces(c.get('caller'), api.documents);
    return errorResponse(c, await withReadableNamespaces(error, readable));
  });
  app.notFound((c) => errorResponse(c, noSuchPath()));

  app.use(requestId({ limitLength: 64 }));
  app.use(setContext(logger, shutdown?.stopping));
  app.use(watchRequests(app, api, logger));
  app.use(compressJson());
  addErrorForms(app);
  app.use(mcpPath, useRpcErrors);
  app.use(widgetPath, forAllPages);
  app.use(addSecureHeaders(config));
  if (pathPrefix !== undefined) serveBelow(app, pathPrefix);
  if (isOpenToAll(config)) app.use(requireKnownHost(config));
  const authentication = new Authentication(config, (message) => logger.warn(message));
  for (const path of publishablePaths) app.use(path, allowKnownPages(authentication.keyFile));
  if (config.corsOrigins.length > 0) app.use(allowOrigins(config.corsOrigins));
  app.use(setLimits(config, logger));
  for (const step of [
    addLimitHeaders,
    forbidSharedCaching,
    ...(isOpenToAll(config) ? [refuseOtherSites(config)] : []),
    identifyCaller(authentication),
    waitUntilReady(api),
  ])
    app.use(exceptPublicPaths(step));
  addLongHistories(app, config.maxBodyBytes);
  app.use(limitBodies(config));

  addRoutes(app, api, config, shutdown);
  const starting = {
    requireReady: () => requireReady(api),
    whenReady: api.whenReady,
    onWarning: (message: string, err: unknown) => logger.warn({ err }, message),
  };
  const take = api.takeChatMessage && answerLate(api.takeChatMessage, starting);
  addChatWebhooks(app, config, take);
  addDocumentation(app, config);
  addPage(app, config.allowedFrameAncestors);
  addMethodErrors(app);
  return app;
}

/** Returns 405 with the allowed methods if a known path is called with another method. */
function addMethodErrors(app: App) {
  const routes = app.routes.filter(({ method }) => method !== 'ALL');
  for (const [path, own] of Map.groupBy(routes, ({ path }) => path)) {
    const allowed = [...new Set(own.map(({ method }) => method))].join(', ');
    app.all(path, (c) => {
      c.header('allow', allowed);
      throw new KnowledgeError('method_not_allowed', `This path accepts only ${allowed}.`);
    });
  }
}
