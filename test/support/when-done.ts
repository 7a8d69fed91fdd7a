/** Registers what ends a server, folder or browser: with the test that started it, or with the file if a hook did. */
import { onTestFinished } from 'vitest';

type CleanUp = () => unknown;
const ofFile: CleanUp[] = [];

export function whenDone(cleanUp: CleanUp): void {
  const run = async () => void (await cleanUp());
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
