/**
 * `import { createServer } from 'knowledge-agent'`: the service inside another Node or Hono
 * program. Importing it changes nothing.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { stoppingError } from '../packages/shared/src/errors.ts';
import { parseSettings, type ServerSettings } from './config.ts';
import { startContext } from './context.ts';
import { createApp } from './http/app.ts';

export { FolderInUseError } from '../packages/shared/src/disk/folder-lock.ts';
export { KnowledgeError } from '../packages/shared/src/errors.ts';
export { ConfigError, type ServerSettings } from './config.ts';

export interface KnowledgeServer {
  /**
   * Answers a request. @param env bindings of `@hono/node-server`; without them all callers share
   * one address and its limits
   */
  fetch(request: Request, env?: object): Response | Promise<Response>;
  /** Listener for `http.createServer`. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /**
   * Lets running requests finish for SHUTDOWN_SECONDS, saves the index and releases STATE_DIR.
   * Further requests fail.
   */
  close(): Promise<void>;
}

/** The app would say that it is starting. */
function closedResponse() {
  const { code, message, retryAfterSeconds } = stoppingError();
  return Response.json(
    { error: message, code },
    { status: 503, headers: { 'retry-after': String(retryAfterSeconds) } },
  );
}

/**
 * Starts the service without a port of its own. Resolves when documents and state are read.
 * @param settings only these; the environment is not read. HOST and PORT have no effect. LOG_LEVEL
 * defaults to `warn`
 * @throws TypeError; ConfigError if a setting is invalid; FolderInUseError if another server uses
 * STATE_DIR
 */
export async function createServer(settings: ServerSettings = {}): Promise<KnowledgeServer> {
  const config = parseSettings(settings);
  const parts = await startContext(config);
  const draining = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  try {
    const app = createApp(config, parts.api, parts.logger, {
      draining: draining.signal,
      stopping: stopping.signal,
    });
    await parts.warmUp();
    await parts.open();
    const fetch = (request: Request, env: object = {}) => {
      if (stopping.signal.aborted) return closedResponse();
      const answer = Promise.resolve(app.fetch(request, env as never));
      running.add(answer);
      void answer.finally(() => running.delete(answer)).catch(() => undefined);
      return answer;
    };
    return {
      fetch,
      // Replaces a missing `Host`.
      listener: getRequestListener(fetch, { hostname: 'localhost' }),
      async close() {
        draining.abort();
        const graceMs = config.shutdownSeconds * 1_000;
        const stop = () => stopping.abort(stoppingError());
        const timer = setTimeout(stop, graceMs);
        await Promise.all([Promise.allSettled(running), parts.endChat(graceMs)]);
        clearTimeout(timer);
        stop();
        await parts.close();
      },
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}
