/** Starts the server as a child process for benches. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Resident memory of a process in MB; 0 if it does not exist. */
export async function residentMb(pid: number): Promise<number> {
  const ps = spawn('ps', ['-o', 'rss=', '-p', String(pid)]);
  let text = '';
  ps.stdout.on('data', (part) => (text += part));
  await once(ps, 'close');
  return Number(text) / 1024;
}

export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  readonly process: ChildProcess;
  readonly readyMs: number;
  post(path: string, body: unknown): Promise<{ ms: number; body: any }>;
  memoryMb(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * @param flags for Node; if there are any, the server gets an IPC channel @param onListening called
 * once /health responds
 */
export async function startServer(
  settings: Record<string, string>,
  flags: readonly string[] = [],
  onListening: (url: string) => void = () => undefined,
): Promise<BenchServer> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--max-semi-space-size=4', ...flags, 'src/main.ts'], {
    cwd: root,
    env: { PATH: process.env['PATH'], PORT: '0', RATE_LIMIT_PER_MINUTE: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit', ...(flags.length > 0 ? (['ipc'] as const) : [])],
  });
  let output = '';
  let told = false;
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(output)));
    child.stdout?.on('data', (part) => {
      output += part;
      const found = /listening on (http:\/\/[^ "]+)/.exec(output)?.[1];
      if (found && !told) onListening(found);
      told ||= found !== undefined;
      if (found && output.includes('"msg":"ready"')) resolve(found);
    });
  });
  // Request logs of hours are not kept.
  child.stdout?.removeAllListeners('data').resume();
  return {
    url,
    pid: child.pid ?? 0,
    process: child,
    readyMs: performance.now() - started,
    async post(path, body) {
      const asked = performance.now();
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const parsed = await response.json();
      return { ms: performance.now() - asked, body: parsed };
    },
    async memoryMb() {
      return residentMb(child.pid ?? 0);
    },
    async stop() {
      child.removeAllListeners('exit');
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
