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
async function powerOf<T>(make: (size: number) => T, work: (input: T) => unknown, from: number, to: number): Promise<number> {
  const [small, large] = [make(from), make(to)];
  const runSmall = () => workOf(() => work(small));
  // The first runs are compiled, which would make little work look like much.
  let ofSmall = Number.POSITIVE_INFINITY;
  for (let run = 0; run < smallRuns; run++) ofSmall = Math.min(ofSmall, await runSmall());
  let ofLarge = Number.POSITIVE_INFINITY;
  const power = () => Math.log(ofLarge / ofSmall) / Math.log(to / from);
  for (let attempt = 0; attempt < maxAttempts && power() >= maxPower; attempt++) {
    ofLarge = Math.min(ofLarge, await workOf(() => work(large)));
    ofSmall = Math.min(ofSmall, await runSmall());
  }
  return power();
}

/**
 * Memory has steps: a text that outgrows a cache or the young heap may cost several times as much a character.
 * Work that seems steeper than linear is measured again over a range of 64, in which one step raises the power by less than half.
 * @param size of the larger input, in whatever `make` counts; quadratic work has to show at it
 */
export async function expectLinear<T>(make: (size: number) => T, run: (input: T) => unknown, size: number, name = ''): Promise<void> {
  const smallSize = Math.ceil(size / factor);
  const power = await powerOf(make, run, smallSize, size);
  expect(power < maxPower ? power : await powerOf(make, run, smallSize, size * factor), name).toBeLessThan(maxPower);
}

/** The same for texts of each piece, again and again. */
export async function expectLinearIn(pieces: readonly string[], run: (text: string) => unknown, length: number): Promise<void> {
  for (const piece of pieces)
    await expectLinear((size) => piece.repeat(Math.ceil(size / piece.length)), run, length, JSON.stringify(piece.slice(0, 20)));
}
