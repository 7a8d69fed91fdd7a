/** Serves until SIGTERM or SIGINT. Then running requests have SHUTDOWN_SECONDS to finish. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import closeWithGrace from 'close-with-grace';
import { FolderInUseError } from '../packages/shared/src/disk/folder-lock.ts';
import { stoppingError, systemErrorCode, withCause } from '../packages/shared/src/errors.ts';
import {
  type Config,
  ConfigError,
  isLoopback,
  keylessAccess,
  parseConfig,
  usesJwt,
} from './config.ts';
import { type Context, startContext } from './context.ts';
import { createApp } from './http/app.ts';
import { innerPath, isUpload } from './http/path-prefix.ts';
import { KeyFileError } from './keys.ts';
import { createLogger, logOutput, secretsOf } from './log.ts';
import { onStopSignal } from './process.ts';

/** Time for interrupted requests to send their 503, before connections are closed. */
const lastResponsesMs = 3_000;
/** Time to close the index and the stores after the last request. */
const closingMs = 10_000;

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Namespaces in the startup log line. */
const maxListedNames = 10;

/**
 * Disconnects slower clients. At 2 Mbit/s, an upload of 200 MiB takes 840 seconds, which is
 * allowed.
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 900_000,
  connectionsCheckingInterval: 5_000,
  // Above that of load balancers, which would send a request into a connection that closes.
  keepAliveTimeout: 75_000,
};
/** Replaces a missing `Host`: health checks of load balancers may speak HTTP/1.0. */
const hostname = 'localhost';
/** Maximum time to send a body that is not an upload. */
const bodyMs = 60_000;
const idleSocketMs = 300_000;

const slowAnswer = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** Ends a slow request like Node does after `requestTimeout`. */
function endSlowBody(
  request: IncomingMessage,
  response: ServerResponse,
  prefix: string | undefined,
) {
  if (isUpload(request.method, innerPath(request.url?.split('?')[0] ?? '', prefix))) return;
  const end = () => {
    if (request.complete) return;
    if (!response.headersSent) request.socket.write(slowAnswer);
    request.socket.destroySoon();
  };
  const timer = setTimeout(end, bodyMs).unref();
  request.once('close', () => clearTimeout(timer));
}

/** Exits without cleanup, because nothing was started. */
function exitWithMessage(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Runs a part of the start; problems that the operator must solve end the process. */
async function orExit<T>(work: () => T | Promise<T>) {
  try {
    return await work();
  } catch (error) {
    if (
      error instanceof ConfigError ||
      error instanceof KeyFileError ||
      error instanceof FolderInUseError
    )
      exitWithMessage(error.message);
    throw error;
  }
}

const listenProblems = new Map([
  ['EADDRINUSE', 'is already in use. Set PORT to another port.'],
  ['EACCES', 'requires privileges. Set PORT to a port above 1023.'],
]);

async function listen(server: Server, { host, port }: Config) {
  server.listen(port, host);
  await once(server, 'listening').catch((error: Error) => {
    const problem = listenProblems.get(systemErrorCode(error) ?? '');
    exitWithMessage(problem ? `Port ${port} of ${host} ${problem}` : error.message);
  });
  return server.address() as AddressInfo;
}

/** Resolves when all running requests are answered. After `maxMs` they fail with `stopping`. */
async function drain(server: Server, stopping: AbortController, maxMs: number) {
  // Closes keep-alive connections that become idle after their response.
  const closeIdle = setInterval(() => server.closeIdleConnections(), 50);
  const endWork = setTimeout(() => stopping.abort(stoppingError()), maxMs);
  const closeAll = setTimeout(() => server.closeAllConnections(), maxMs + lastResponsesMs);
  await new Promise((resolve) => server.close(resolve));
  for (const timer of [closeIdle, endWork, closeAll]) clearTimeout(timer);
}

function describeCallers(config: Config) {
  const keyless = keylessAccess(config);
  const who = isLoopback(config.host)
    ? 'everyone on this machine'
    : 'everyone who can reach this address';
  const whoMay = config.pathPrefix === undefined ? who : 'everyone who knows PATH_PREFIX';
  const isLimited = config.pathPrefix !== undefined || keyless?.namespaces !== undefined;
  const where = keyless?.namespaces === undefined ? '' : ` in ${keyless.namespaces.join(', ')}`;
  const everyone = isLimited
    ? `${whoMay} (without a key: ${keyless?.rights.join(', ')}${where})`
    : whoMay;
  const { length } = config.apiKeys;
  const callers = [
    length > 0 && `holders of ${length === 1 ? 'one key' : `${length} keys`}`,
    config.apiKeysFile !== undefined && 'holders of a key of API_KEYS_FILE',
    usesJwt(config) && 'holders of a JWT',
    keyless && everyone,
  ];
  return callers.filter(Boolean).join(' and ');
}

/** Counts for the startup log line. */
async function startupCounts(api: Context['api']) {
  const { documents, chunks } = api.documents.total();
  const all = await api.documents.names();
  const names = all.slice(0, maxListedNames);
  if (all.length > names.length) names.push(`and ${all.length - names.length} more`);
  return { namespaces: names.join(', '), documents, chunks, model: api.modelName };
}

const idleWindowMs = 3_000;
/** Maximum work in such a window, as a share, of a server that is idle. */
const idleShare = 0.2;

/**
 * Loads the agent when the server is idle, so that the first reader does not wait for it. A server
 * without a model that was never asked keeps its memory.
 */
async function prepareWhenIdle(
  { answers, prepare }: Context['api'],
  { llm }: Config,
  logger: Context['logger'],
  signal: AbortSignal,
) {
  const newest = answers.newest({ namespaces: undefined, callerId: undefined });
  if (!llm && (await newest.next()).done) return;
  for (let isIdle = false; !isIdle; ) {
    const before = performance.eventLoopUtilization();
    await sleep(idleWindowMs, undefined, { ref: false, signal });
    isIdle = performance.eventLoopUtilization(before).utilization < idleShare;
  }
  await prepare();
  logger.debug('the agent is loaded');
}

export async function runServer(environment: NodeJS.ProcessEnv): Promise<void> {
  // Without a listener, a closed pipe would end the process. The logger listens to standard output.
  process.stderr.on('error', () => undefined);
  const config = await orExit(() => parseConfig(environment));
  const logger = createLogger(config.logLevel, process.stdout, secretsOf(config));
  logOutput(logger);
  const { api, warmUp, open, endChat, close } = await orExit(() =>
    startContext(config, { logger }),
  );

  const leaving = new AbortController();
  const stopping = new AbortController();
  const app = await orExit(() =>
    createApp(config, api, logger, { draining: leaving.signal, stopping: stopping.signal }),
  );
  const server = createAdaptorServer({
    fetch: app.fetch,
    hostname,
    createServer,
    serverOptions: timeouts,
  });
  if (!('closeAllConnections' in server)) throw new Error('expected an HTTP/1.1 server');
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    endSlowBody(request, response, config.pathPrefix),
  );
  // Tells clients not to reuse a connection that is about to close.
  server.prependListener('request', (_, response: ServerResponse) => {
    if (leaving.signal.aborted) response.setHeader('connection', 'close');
  });
  server.setTimeout(idleSocketMs);

  const delayMs = config.shutdownDelay * 1_000;
  const drainMs = config.shutdownSeconds * 1_000;
  const stop = closeWithGrace(
    {
      delay: delayMs + drainMs + lastResponsesMs + closingMs,
      skip: [...stopSignals],
      logger: {
        error: (...parts: unknown[]) => logger.error({ parts: parts.map(String) }, 'shutting down'),
      },
    },
    async ({ err }) => {
      leaving.abort();
      if (err) logger.error({ err }, 'the process failed');
      // A failed process must not keep running for the delay.
      else if (server.listening) await sleep(delayMs);
      const maxMs = err ? 0 : drainMs;
      await Promise.all([drain(server, stopping, maxMs), endChat(maxMs)]);
      await close();
      logger.info('stopped');
      await logger.flushLines?.();
    },
  );
  onStopSignal(stopSignals, (signal) => {
    logger.info({ signal }, 'stopping');
    stop.close();
  });

  await warmUp();
  const { address, port } = await listen(server, config);
  const host = address.includes(':') ? `[${address}]` : address;
  const url = `http://${host}:${port}`;
  const below = config.pathPrefix === undefined ? url : `${url}<PATH_PREFIX>`;
  logger.info(`listening on ${url} (page: ${below}/, API: ${below}/swagger-ui)`);
  await open().catch(async (error: Error) => {
    // A stop during startup is not a failure.
    if (leaving.signal.aborted) return;
    await logger.flushLines?.();
    exitWithMessage(`Startup failed: ${withCause(error).replace(/\.$/, '')}.`);
  });
  if (leaving.signal.aborted) return;
  const counts = await startupCounts(api);
  const ms = Math.round(process.uptime() * 1000);
  logger.info({ ...counts, url, callers: describeCallers(config), ms }, 'ready');
  // If loading fails, the first question tries again and reports it.
  void prepareWhenIdle(api, config, logger, leaving.signal).catch(() => undefined);
}
