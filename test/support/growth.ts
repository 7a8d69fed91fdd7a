/**
 * How work grows with its input, told by the same work at two sizes: how fast the machine is does not count, and what else runs on it only
 * where it is there every time.
 */
import { expect } from 'vitest';

const factor = 8;
/** Between linear (1) and quadratic (2), nearer to what is not to be: nothing is to fail by accident. */
const maxPower = 1.7;
/** Milliseconds below which a run tells nothing, and from which the processor's own count, in ticks of 4, is the finer one. */
const leastMs = 0.05;
const manyTicksMs = 25;
const maxAttempts = 20;
const smallRuns = 8;

async function workOf(run: () => unknown): Promise<number> {
  const [ticks, started] = [process.threadCpuUsage(), performance.now()];
  await run();
  const ms = performance.now() - started;
  const { user, system } = process.threadCpuUsage(ticks);
  return Math.max(leastMs, ms < manyTicksMs ? ms : Math.min(ms, (user + system) / 1_000));
}

/** Looked at again while it seems steeper than linear: waiting, compiling and collecting garbage only ever add. */
async function powerOf<T>(make: (size: number) => T, work: (input: T) => unknown, size: number): Promise<number> {
  const [small, large] = [make(Math.ceil(size / factor)), make(size)];
  const runSmall = () => workOf(() => work(small));
  // The first runs are compiled, which would make little work look like much.
  let ofSmall = Number.POSITIVE_INFINITY;
  for (let run = 0; run < smallRuns; run++) ofSmall = Math.min(ofSmall, await runSmall());
  let ofLarge = Number.POSITIVE_INFINITY;
  const power = () => Math.log(ofLarge / ofSmall) / Math.log(factor);
  for (let attempt = 0; attempt < maxAttempts && power() >= maxPower; attempt++) {
    ofLarge = Math.min(ofLarge, await workOf(() => work(large)));
    ofSmall = Math.min(ofSmall, await runSmall());
  }
  return power();
}

/**
 * Memory has steps, where a text no longer fits into a cache or the young heap: linear work may cost 4.5 times as much a character above one.
 * Work that seems steeper is therefore looked at once more from there on, where what is quadratic is so again.
 * @param size of the largest input, in whatever `make` counts; quadratic work has to show at it
 */
export async function expectLinear<T>(make: (size: number) => T, run: (input: T) => unknown, size: number, name = ''): Promise<void> {
  const power = await powerOf(make, run, size);
  expect(power < maxPower ? power : await powerOf(make, run, size * factor), name).toBeLessThan(maxPower);
}

/** The same for texts of each piece, again and again. */
export async function expectLinearIn(pieces: readonly string[], run: (text: string) => unknown, length: number): Promise<void> {
  for (const piece of pieces)
    await expectLinear((size) => piece.repeat(Math.ceil(size / piece.length)), run, length, JSON.stringify(piece.slice(0, 20)));
}
