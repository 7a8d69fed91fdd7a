/**
 * Measures how long an event loop was blocked, in CPU time, so that a busy machine does not count.
 * Loaded with `--import`.
 */
import type { ChildProcess } from 'node:child_process';

/** Longest allowed block, on the machine where `referenceMs` was measured. */
export const maxHeldMs = 100;
const tickMs = 2;

/** A new process still compiles its code: the reference work first takes four times as long. */
const coldCpuMs = 1_000;
const coldFactor = 2.5;

type Ask = 'begin' | 'read';

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Typical text work: counts and sorts the words of a text. */
function referenceWork() {
  const text = Array.from({ length: 600 }, (_, at) => `word${at} (${at * 7}) `).join('');
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return JSON.stringify([...counts].sort()).length;
}

/**
 * Duration of `runs` compiled runs of the reference work on the reference machine. CPU time has a
 * resolution of 4 ms.
 */
const referenceMs = 52;
const runs = 20;

/** @returns how many times slower this machine is now than the reference machine; at least 1 */
function slowness() {
  let from = 0;
  for (let run = -2 * runs; run < runs; run++) {
    if (run === 0) from = cpuMs();
    referenceWork();
  }
  return Math.max(1, (cpuMs() - from) / referenceMs);
}

interface LoopWatch {
  /** Longest block so far, in CPU milliseconds of the reference machine. */
  heldMs(): number;
  begin(): void;
}

export function watchLoop(): LoopWatch {
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
      // Other load may have slowed the machine since the start.
      const scaled = heldMs / Math.max(factor, slowness());
      last = cpuMs();
      return Math.round(scaled);
    },
    begin() {
      // Excludes the current turn, which the next tick would otherwise count.
      begun = last = cpuMs();
      heldMs = 0;
    },
  };
}

/** Runs in the server: answers queries of the test. */
function monitor() {
  const loop = watchLoop();
  process.on('message', (asked: Ask) => {
    if (asked === 'begin') loop.begin();
    process.send?.({ heldMs: loop.heldMs() });
  });
  // The IPC channel must not keep the server alive.
  process.channel?.unref();
}

/** Runs in the test. @returns undefined if the process has ended */
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
