/**
 * How long a server process was held between two turns of its event loop, in the CPU time of its main thread: a busy machine does not
 * count. Brought into the process by `--import`; asked over its channel to the test.
 */
import type { ChildProcess } from 'node:child_process';

/** Nothing that comes from outside holds the server longer. */
export const maxHeldMs = 100;
const tickMs = 2;

type Ask = 'begin' | 'tell';

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** In the server. @returns the longest stretch so far, milliseconds of CPU, and what begins anew */
export function watchLoop(): { heldMs(): number; begin(): void } {
  let last = cpuMs();
  let heldMs = 0;
  setInterval(() => {
    const now = cpuMs();
    heldMs = Math.max(heldMs, now - last);
    last = now;
  }, tickMs).unref();
  return {
    heldMs: () => Math.round(heldMs),
    begin() {
      heldMs = 0;
    },
  };
}

/** In the server: the longest stretch since the test said that it begins. */
function monitor(): void {
  const loop = watchLoop();
  process.on('message', (asked: Ask) => {
    if (asked === 'begin') loop.begin();
    process.send?.({ heldMs: loop.heldMs() });
  });
  // The channel alone keeps no server alive.
  process.channel?.unref();
}

/** In the test. @returns undefined where the process has ended */
export function askMonitor(server: ChildProcess, ask: Ask): Promise<number | undefined> {
  return new Promise((resolve) => {
    if (!server.connected) return resolve(undefined);
    const settle = (answer?: { readonly heldMs: number }) => {
      server.off('message', settle).off('exit', onExit);
      resolve(answer?.heldMs);
    };
    const onExit = () => settle();
    server.on('message', settle).on('exit', onExit);
    server.send(ask, () => undefined);
  });
}

if (process.env['MONITOR_LOOP'] === 'true') monitor();
