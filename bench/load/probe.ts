/**
 * What the server's process tells of itself where a bench has brought this in by `--import`: the longest hold of its loop since it was last
 * asked, memory, what it has open. With `--expose-gc` it collects first, and that pause counts as no hold.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchLoop } from '../../test/support/loop-monitor.ts';

export interface Probed {
  /** CPU of the longest stretch between two turns of the loop, milliseconds. */
  readonly heldMs: number;
  /** CPU of the process so far, milliseconds. */
  readonly cpuMs: number;
  readonly rssMb: number;
  readonly heapMb: number;
  /** Memory of buffers, outside of the heap. */
  readonly externalMb: number;
  readonly files: number;
  readonly sockets: number;
}

const megabyte = 1024 * 1024;
/** For the monitor to have seen the end of a collection. */
const settleMs = 20;

function probe(heldMs: number): Probed {
  const { user, system } = process.cpuUsage();
  const cpuMs = (user + system) / 1_000;
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const files = readdirSync('/proc/self/fd').length;
  return { heldMs, cpuMs, rssMb: rss / megabyte, heapMb: heapUsed / megabyte, externalMb: external / megabyte, files, sockets };
}

/** Here: asks a server that has brought this in. */
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
