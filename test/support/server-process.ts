/** Starts the server in its own process on a free port and stops it after the test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { askMonitor } from './loop-monitor.ts';
import { root } from './repository.ts';
import { whenDone } from './when-done.ts';

/** Names the operations that most tests post to. */
export const postsBy = <More, Answer>(
  post: (path: string, body: unknown, more?: More) => Answer,
) => ({
  generate: (body: unknown, more?: More) => post('/api/agents/knowledge/generate', body, more),
  find: (body: unknown, more?: More) => post('/api/tools/searchDocs', body, more),
  ingest: (body: unknown, more?: More) => post('/api/tools/ingestSources', body, more),
});
export type Posts<More, Answer> = ReturnType<typeof postsBy<More, Answer>>;

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}
type Answer = Promise<Reply>;
interface More {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface ServerProcess extends Posts<AbortSignal, Answer> {
  readonly url: string;
  readonly process: ChildProcess;
  /** Milliseconds from the start of the process until it was ready. */
  readonly readyMs: number;
  output(): string;
  /** Restarts the measurement of the event loop. */
  watchHeld(): Promise<void>;
  /**
   * Longest time that the event loop was blocked since `watchHeld`, or since it was ready, in CPU
   * milliseconds.
   */
  heldMs(): Promise<number>;
  /** Sends JSON, or a form. */
  send(method: string, path: string, body?: unknown, more?: More): Answer;
  get(path: string, headers?: Record<string, string>): Answer;
  post(path: string, body: unknown, signal?: AbortSignal): Answer;
  /** Sends a signal, waits for the end and returns the exit code or the signal. */
  stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Whether a test may mount file systems. */
export function canMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const monitor = new URL('./loop-monitor.ts', import.meta.url).href;

/** Most tests need one request to the model an answer; others set `ANSWER_EFFORT`. */
export const oneRequest = (settings: Readonly<Record<string, string>>) =>
  settings['LLM_BASE_URL'] || settings['LLM_API_KEY'] ? { ANSWER_EFFORT: 'quick' } : {};

export async function startServerProcess(settings: Record<string, string>): Promise<ServerProcess> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--import', monitor, 'src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      SHUTDOWN_SECONDS: '4',
      MONITOR_LOOP: 'true',
      ...oneRequest(settings),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(child, 'exit');
  let heldMs = 0;
  const askHeld = async () => {
    heldMs = Math.max(heldMs, (await askMonitor(child, 'read')) ?? 0);
    return heldMs;
  };
  whenDone(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let output = '';
  const ready = new Promise<string>((resolve, reject) => {
    const read = (part: Buffer) => {
      output += part;
      const url = /listening on (http:\/\/[^ "]+)/.exec(output)?.[1];
      if (url && output.includes('"msg":"ready"')) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
  const url = await ready;
  const readyMs = performance.now() - started;
  await askMonitor(child, 'begin');
  const send: ServerProcess['send'] = async (method, path, body, { headers, ...more } = {}) => {
    const isJson = body !== undefined && !(body instanceof FormData);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
      body: isJson ? JSON.stringify(body) : ((body ?? null) as FormData | null),
      ...more,
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const post: ServerProcess['post'] = (path, body, signal) =>
    send('POST', path, body, signal ? { signal } : {});
  return {
    url,
    process: child,
    readyMs,
    output: () => output,
    async watchHeld() {
      heldMs = 0;
      await askMonitor(child, 'begin');
    },
    heldMs: askHeld,
    send,
    get: (path, headers = {}) => send('GET', path, undefined, { headers }),
    post,
    ...postsBy(post),
    async stop(signal) {
      child.kill(signal);
      const [code, by] = await ended;
      return code ?? by;
    },
  };
}
