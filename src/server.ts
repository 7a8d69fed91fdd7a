/** Serves until it is told to stop: on SIGTERM and SIGINT requests in flight are answered, for up to four seconds. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import closeWithGrace from 'close-with-grace';
import { compose, type Parts } from './compose.ts';
import { type Config, ConfigError, isAuthenticated, isLoopback, keylessRights, parseConfig, usesJwt } from './config.ts';
import { FolderInUseError, lockFolder } from './disk/folder-lock.ts';
import { KnowledgeError, systemErrorCode, withCause } from './errors.ts';
import { createApp } from './http/app.ts';
import { isUpload } from './http/documents/upload-path.ts';
import { innerPath } from './http/path-prefix.ts';
import { KeyFileError } from './keys.ts';
import { onStopSignal, requireFolders } from './process.ts';

/** The process ends at the latest after this. */
const shutdownMs = 4_800;
/** Of it, for requests in flight; the rest is for putting the index away. */
const drainMs = 4_000;
/** Of it, for ended requests to say that they were ended. */
const farewellMs = 400;

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** More are counted. */
const maxListedNames = 10;

/** A client that sends its request slower than this, or nothing at all, is disconnected: 200 MiB take less at 2 Mbit/s. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 900_000, connectionsCheckingInterval: 5_000 };
/** The same for a request that is no upload. */
const bodyMs = 60_000;
const idleSocketMs = 300_000;

const slowAnswer = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** As the server itself ends what is slower than `requestTimeout`. */
function endSlowBody(request: IncomingMessage, response: ServerResponse, prefix: string | undefined): void {
  if (isUpload(request.method, innerPath(request.url?.split('?')[0] ?? '', prefix))) return;
  const end = () => {
    if (request.complete) return;
    if (!response.headersSent) request.socket.write(slowAnswer);
    request.socket.destroySoon();
  };
  const timer = setTimeout(end, bodyMs).unref();
  request.once('close', () => clearTimeout(timer));
}

/** One sentence on standard error, and the end: nothing of what was begun is worth keeping. */
function giveUp(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

async function readConfig(environment: NodeJS.ProcessEnv): Promise<Config> {
  try {
    const config = parseConfig(environment);
    await requireFolders(config);
    return config;
  } catch (error) {
    if (error instanceof ConfigError) giveUp(error.message);
    throw error;
  }
}

function createAppOrGiveUp(...parts: Parameters<typeof createApp>): ReturnType<typeof createApp> {
  try {
    return createApp(...parts);
  } catch (error) {
    if (error instanceof KeyFileError) giveUp(error.message);
    throw error;
  }
}

/** Jobs would run twice if two servers used one INDEX_DIR. */
function lockOrGiveUp(indexDir: string, { logger, onStateLost }: Pick<Parts, 'logger' | 'onStateLost'>): ReturnType<typeof lockFolder> {
  const path = resolve(indexDir);
  try {
    return lockFolder(path, { onWarning: (message, err) => logger.warn({ err }, message), onReplaced: () => onStateLost(path) });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    return giveUp(
      `INDEX_DIR: another server uses ${path} (${error.message}): stop that server, or set KNOWLEDGE_DIR and INDEX_DIR to other folders.`,
    );
  }
}

const listenProblems = new Map([
  ['EADDRINUSE', 'is already in use; set PORT to another one.'],
  ['EACCES', 'needs rights that this process does not have; set PORT to one above 1023.'],
]);

async function listen(server: Server, { host, port }: Config): Promise<AddressInfo> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: Error) => {
    const problem = listenProblems.get(systemErrorCode(error) ?? '');
    giveUp(problem ? `Port ${port} of ${host} ${problem}` : error.message);
  });
  return server.address() as AddressInfo;
}

const stoppingError = () =>
  new KnowledgeError('stopping', 'The server is stopping, and could not wait for the end of this; ask again in a moment.', {
    retryAfterSeconds: 5,
  });

/** Resolves when every request in flight is answered, or cut off after `drainMs`. */
async function drain(server: Server, stopping: AbortController): Promise<void> {
  // A kept-alive connection turns idle once its request is answered; nothing else closes it then.
  const closeIdle = setInterval(() => server.closeIdleConnections(), 50);
  const endWork = setTimeout(() => stopping.abort(stoppingError()), drainMs - farewellMs);
  const giveUp = setTimeout(() => server.closeAllConnections(), drainMs);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(closeIdle);
  clearTimeout(endWork);
  clearTimeout(giveUp);
}

function describeCallers(config: Config): string {
  const keyless = keylessRights(config);
  const everybody =
    config.pathPrefix === undefined
      ? isLoopback(config.host)
        ? 'everybody on this machine'
        : 'everybody who reaches this address'
      : `everybody who knows PATH_PREFIX (without a key: ${keyless?.join(', ')})`;
  if (!isAuthenticated(config)) return everybody;
  const { length } = config.apiKeys;
  const ofFile = config.apiKeysFile !== undefined && 'holders of a key of API_KEYS_FILE';
  const holders = [
    length > 0 && `holders of ${length === 1 ? 'one key' : `${length} keys`}`,
    ofFile,
    usesJwt(config) && 'holders of a JWT',
    keyless && everybody,
  ];
  return holders.filter(Boolean).join(' and ');
}

/** What there is, for whoever starts it. */
async function describeStock(api: Parts['api']) {
  const all = await api.documents.namespaces();
  const sum = (of: 'documents' | 'chunks') => all.reduce((total, one) => total + one[of], 0);
  const names = all.slice(0, maxListedNames).map(({ name }) => name);
  if (all.length > names.length) names.push(`and ${all.length - names.length} more`);
  return { namespaces: names.join(', '), documents: sum('documents'), chunks: sum('chunks'), model: api.modelName };
}

export async function runServer(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = await readConfig(environment);
  const parts = compose(config);
  const { api, logger, open, endChat, close } = parts;
  const lock = lockOrGiveUp(config.indexDir, parts);
  api.metrics.watchProcess();
  for (const problem of [...config.misspeltSettings, ...config.weakSettings]) logger.warn(problem);
  if (config.ignoredSettings.length > 0)
    logger.warn({ settings: config.ignoredSettings }, 'these settings have no effect beside the others');

  const stopping = new AbortController();
  let isStopping = false;
  const app = createAppOrGiveUp(config, api, logger, stopping.signal);
  const server = createAdaptorServer({ fetch: app.fetch, createServer, serverOptions: timeouts });
  if (!('closeAllConnections' in server)) throw new Error('expected an HTTP/1.1 server');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => endSlowBody(request, response, config.pathPrefix));
  server.setTimeout(idleSocketMs);

  const stop = closeWithGrace(
    {
      delay: shutdownMs,
      skip: [...stopSignals],
      logger: { error: (...parts: unknown[]) => logger.error({ parts: parts.map(String) }, 'shutting down') },
    },
    async ({ err }) => {
      isStopping = true;
      if (err) logger.error({ err }, 'the process failed');
      await Promise.all([drain(server, stopping), endChat(drainMs - farewellMs)]);
      await close();
      lock.release();
      logger.info('stopped');
    },
  );
  onStopSignal(stopSignals, (signal) => {
    logger.info({ signal }, 'stopping');
    stop.close();
  });

  const { address, port } = await listen(server, config);
  const host = address.includes(':') ? `[${address}]` : address;
  const url = `http://${host}:${port}`;
  logger.info(`listening on ${url} (API: ${url}${config.pathPrefix === undefined ? '' : '<PATH_PREFIX>'}/swagger-ui)`);
  await open().catch((error: Error) => {
    // What was being read when the process was told to stop is no failure.
    if (!isStopping) giveUp(`The server could not open what it keeps, and ends: ${withCause(error).replace(/\.$/, '')}.`);
  });
  if (isStopping) return;
  // Made once, which holds the process for long: not while somebody waits for something else.
  await app.request(`${config.pathPrefix ?? ''}/api/openapi.json`);
  logger.info({ ...(await describeStock(api)), url, callers: describeCallers(config), ms: Math.round(process.uptime() * 1000) }, 'ready');
}
