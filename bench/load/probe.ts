/**
 * Reports from inside the server's process (`--import`): longest block of the event loop since the
 * last probe, memory, open files and sockets. With `--expose-gc` it collects garbage first; that
 * pause does not count as a block.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchLoop } from '../../test/support/loop-monitor.ts';

export interface Probed {
  /** CPU milliseconds of the longest event loop iteration. */
  readonly heldMs: number;
  /** CPU milliseconds of the process so far. */
  readonly cpuMs: number;
  readonly rssMb: number;
  readonly heapMb: number;
  /** Memory of buffers outside the heap. */
  readonly externalMb: number;
  readonly files: number;
  readonly sockets: number;
}

const megabyte = 1024 * 1024;
/** Milliseconds until the monitor has seen the end of a collection. */
const settleMs = 20;

function probe(heldMs: number): Probed {
  const { user, system } = process.cpuUsage();
  const cpuMs = (user + system) / 1_000;
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const sockets = process
    .getActiveResourcesInfo()
    .filter((name) => name === 'TCPSocketWrap').length;
  const files = readdirSync('/proc/self/fd').length;
  return {
    heldMs,
    cpuMs,
    rssMb: rss / megabyte,
    heapMb: heapUsed / megabyte,
    externalMb: external / megabyte,
    files,
    sockets,
  };
}

/** Queries the probe of a server process. */
export async function probeServer(server: ChildProcess): Promise<Probed> {
  const told = once(server, 'message');
  server.send('probe');
  const [probed] = await told;
  return probed as Probed;
}

if (process.argv[1]?.endsWith('src/main.ts')) {
  const loop = watchLoop();
  process.on('message', async () => {
    process.send?.(probe(loop.heldMs()));
    await sleep(settleMs);
    loop.begin();
  });
  process.channel?.unref();
}
