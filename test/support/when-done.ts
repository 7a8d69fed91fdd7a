/** Registers what ends a server, folder or browser: with the test that started it, or with the file if a hook did. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished } from 'vitest';

type CleanUp = () => unknown;
const ofFile: CleanUp[] = [];
const sharing = new AsyncLocalStorage<true>();

/** Starts something that later tests of the file use too: it ends with the file. */
export const forFile = <T>(start: () => T): T => sharing.run(true, start);

export function whenDone(cleanUp: CleanUp): void {
  const run = async () => void (await cleanUp());
  if (sharing.getStore()) {
    ofFile.push(run);
    return;
  }
  try {
    onTestFinished(run);
  } catch {
    // Vitest refuses this outside of a test.
    ofFile.push(run);
  }
}

/** Ends what hooks started, the last first; `seed.ts` calls it after each file. */
export async function endFile(): Promise<void> {
  for (let cleanUp = ofFile.pop(); cleanUp; cleanUp = ofFile.pop()) await cleanUp();
}
