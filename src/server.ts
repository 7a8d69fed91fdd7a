/** Serves until it is told to stop: on SIGTERM and SIGINT requests in flight are answered, for up to four seconds. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import closeWithGrace from 'close-with-grace';
import { compose } from './compose.ts';
import { type Config, ConfigError, parseConfig } from './config.ts';
import { systemErrorCode } from './errors.ts';
import { createApp } from './http/app.ts';

/** The process ends at the latest after this. */
const shutdownMs = 4_800;
/** Of it, for work in progress to end by itself; then it is ended, and its requests say so. */
const patienceMs = 2_500;
/** Of it, for requests in flight; the rest is for putting the index away. */
const drainMs = 4_000;

/** A client that sends its request slower than this, or nothing at all, is disconnected. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };
const idleSocketMs = 300_000;

/** @returns undefined after the problems were written to standard error */
function readConfig(environment: NodeJS.ProcessEnv): Config | undefined {
  try {
    return parseConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

function listenError(error: Error, host: string, port: number): Error {
  const code = systemErrorCode(error);
  if (code === 'EADDRINUSE') return new Error(`Port ${port} of ${host} is already in use; set PORT to another one.`, { cause: error });
  if (code === 'EACCES')
    return new Error(`Port ${port} of ${host} needs rights that this process does not have; set PORT to one above 1023.`, { cause: error });
  return error;
}

function listen(server: Server, { host, port }: Config): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server listens on no port'));
      else resolve(address);
    });
  });
}

/** Resolves when every request in flight is answered, or cut off after `drainMs`. */
async function drain(server: Server, stopping: AbortController): Promise<void> {
  // A kept-alive connection turns idle once its request is answered; nothing else closes it then.
  const closeIdle = setInterval(() => server.closeIdleConnections(), 50);
  const endWork = setTimeout(() => stopping.abort(), patienceMs);
  const giveUp = setTimeout(() => server.closeAllConnections(), drainMs);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(closeIdle);
  clearTimeout(endWork);
  clearTimeout(giveUp);
}

export async function runServer(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  if (!config) {
    process.exitCode = 1;
    return;
  }
  const { api, logger, open, close } = compose(config);
  if (config.ignoredSettings.length > 0)
    logger.warn({ settings: config.ignoredSettings }, 'these settings have no effect beside the others');

  const stopping = new AbortController();
  const app = createApp(config, api, logger, stopping.signal);
  const server = createAdaptorServer({ fetch: app.fetch, createServer, serverOptions: timeouts });
  if (!('closeAllConnections' in server)) throw new Error('expected an HTTP/1.1 server');
  server.setTimeout(idleSocketMs);

  closeWithGrace(
    { delay: shutdownMs, logger: { error: (...parts: unknown[]) => logger.error({ parts: parts.map(String) }, 'shutting down') } },
    async ({ signal, err }) => {
      if (err) logger.error({ err }, 'the process failed');
      logger.info({ signal }, 'stopping');
      await drain(server, stopping);
      await close();
      logger.info('stopped');
    },
  );

  const { address, port } = await listen(server, config).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  const host = address.includes(':') ? `[${address}]` : address;
  logger.info({ model: api.modelName }, `listening on http://${host}:${port} (API: http://${host}:${port}/swagger-ui)`);
  await open();
  logger.info({ ms: Math.round(process.uptime() * 1000) }, 'ready');
}
