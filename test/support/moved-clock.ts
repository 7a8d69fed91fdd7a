/**
 * Shifts `Date` in a server process like a changed system clock; monotonic time is not affected.
 * Loaded with `--import`.
 */
import type { ChildProcess } from 'node:child_process';

interface Jump {
  readonly clockOffMs: number;
}

const isJump = (message: unknown): message is Jump =>
  typeof message === 'object' && message !== null && 'clockOffMs' in message;

function replaceDate() {
  const Real = Date;
  let offMs = 0;
  class MovedDate extends Real {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(Real.now() + offMs);
      else super(...(given as [number]));
    }

    static override now(): number {
      return Real.now() + offMs;
    }
  }
  globalThis.Date = MovedDate as DateConstructor;
  process.on('message', (message) => {
    if (!isJump(message)) return;
    offMs = message.clockOffMs;
    process.send?.({ isMoved: true });
  });
  process.channel?.unref();
}

/** Called by the test: sets the offset of the server's clock. */
export function moveClock(server: ChildProcess, clockOffMs: number): Promise<void> {
  return new Promise((resolve) => {
    const settle = (message: unknown) => {
      if (typeof message !== 'object' || message === null || !('isMoved' in message)) return;
      server.off('message', settle);
      resolve();
    };
    server.on('message', settle);
    server.send({ clockOffMs } satisfies Jump);
  });
}

if (process.env['MOVE_CLOCK'] === 'true') replaceDate();
