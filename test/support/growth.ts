/**
 * Compares work at two sizes, so that the machine's speed does not matter. Other load matters only
 * if it is constant.
 */
import { expect } from 'vitest';

const factor = 8;
/** Between linear (1) and quadratic (2), closer to quadratic to avoid flaky failures. */
const maxPower = 1.7;
/**
 * Runs below `leastMs` are too short to measure. From `manyTicksMs` on, CPU time (in ticks of 4 ms)
 * is more precise than the clock.
 */
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

/**
 * Repeats the measurement while it looks steeper than linear: waiting, compilation and garbage
 * collection only add time.
 */
async function powerOf<T>(
  make: (size: number) => T,
  work: (input: T) => unknown,
  from: number,
  to: number,
): Promise<number> {
  const [small, large] = [make(from), make(to)];
  const runSmall = () => workOf(() => work(small));
  // Warm-up: compilation would inflate the small run.
  let smallMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < smallRuns; run++) smallMs = Math.min(smallMs, await runSmall());
  let largeMs = Number.POSITIVE_INFINITY;
  const power = () => Math.log(largeMs / smallMs) / Math.log(to / from);
  for (let attempt = 0; attempt < maxAttempts && power() >= maxPower; attempt++) {
    largeMs = Math.min(largeMs, await workOf(() => work(large)));
    smallMs = Math.min(smallMs, await runSmall());
  }
  return power();
}

/**
 * Expects linear work. A text that outgrows a cache or the young heap costs several times more per
 * character, so work that looks steeper is measured again over a range of 64, in which one such
 * step adds less than 0.5 to the power.
 * @param size larger input, in units of `make`; large enough for quadratic work to show
 */
export async function expectLinear<T>(
  make: (size: number) => T,
  run: (input: T) => unknown,
  size: number,
  name = '',
): Promise<void> {
  const smallSize = Math.ceil(size / factor);
  const power = await powerOf(make, run, smallSize, size);
  expect(
    power < maxPower ? power : await powerOf(make, run, smallSize, size * factor),
    name,
  ).toBeLessThan(maxPower);
}

export async function expectLinearIn(
  pieces: readonly string[],
  run: (text: string) => unknown,
  length: number,
): Promise<void> {
  for (const piece of pieces)
    await expectLinear(
      (size) => piece.repeat(Math.ceil(size / piece.length)),
      run,
      length,
      JSON.stringify(piece.slice(0, 20)),
    );
}
