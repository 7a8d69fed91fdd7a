/** Registers clean-up: after the test, or after the file if a hook started the resource. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished } from 'vitest';

type CleanUp = () => unknown;
const ofFile: CleanUp[] = [];
const sharing = new AsyncLocalStorage<true>();

/** Starts a resource for all later tests of the file; it ends with the file. */
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
    // Outside of a test, Vitest throws.
    ofFile.push(run);
  }
}

/** Runs the file's clean-up, last first. `seed.ts` calls it after each file. */
export async function endFile(): Promise<void> {
  for (let cleanUp = ofFile.pop(); cleanUp; cleanUp = ofFile.pop()) await cleanUp();
}
