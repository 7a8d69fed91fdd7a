/**
 * How long a server process was held between two turns of its event loop, in the CPU time of its main thread: a busy machine does not
 * count. Brought into the process by `--import`; asked over its channel to the test.
 */
import type { ChildProcess } from 'node:child_process';

/** Nothing that comes from outside holds the server longer, on the machine that `referenceMs` was measured on. */
export const maxHeldMs = 100;
const tickMs = 2;

/** A process that has just started still compiles its code: the reference work takes it four times as long at first. */
const coldCpuMs = 1_000;
const coldFactor = 2.5;

type Ask = 'begin' | 'tell';

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Words of a text, counted and sorted: what a server does with texts, in small. */
function referenceWork(): number {
  const text = Array.from({ length: 600 }, (_, at) => `word${at} (${at * 7}) `).join('');
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return JSON.stringify([...counts].sort()).length;
}

/** Of `runs` of the reference work, compiled, on the machine that the limit was set on. The system counts CPU in steps of 4 ms. */
const referenceMs = 52;
const runs = 20;

/** @returns how much slower than the reference machine this one is now; 1 where it is as fast or faster */
function slowness(): number {
  let from = 0;
  for (let run = -2 * runs; run < runs; run++) {
    if (run === 0) from = cpuMs();
    referenceWork();
  }
  return Math.max(1, (cpuMs() - from) / referenceMs);
}

/**
 * In the server.
 * @returns the longest stretch so far, milliseconds of CPU of the reference machine, and what begins anew
 */
export function watchLoop(): { heldMs(): number; begin(): void } {
  const factor = slowness();
  let begun = cpuMs();
  let last = begun;
  let heldMs = 0;
  setInterval(() => {
    const now = cpuMs();
    const isCold = last - begun < coldCpuMs;
    heldMs = Math.max(heldMs, (now - last) / (isCold ? coldFactor : 1));
    last = now;
  }, tickMs).unref();
  return {
    heldMs() {
      if (heldMs / factor <= maxHeldMs) return Math.round(heldMs / factor);
      // Other work of the machine may have slowed this one since it started.
      const told = heldMs / Math.max(factor, slowness());
      last = cpuMs();
      return Math.round(told);
    },
    begin() {
      // What led up to this turn does not count: the next tick would take it for a stretch after the beginning.
      begun = last = cpuMs();
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
