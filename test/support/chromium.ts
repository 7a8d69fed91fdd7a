/** Finds the system's Chromium. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

function isProgram(path: string) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws if `CHROMIUM_BIN` is set but not executable */
export function findChromium(): string | undefined {
  const { CHROMIUM_BIN, PATH = '' } = process.env;
  if (CHROMIUM_BIN) {
    if (!isProgram(CHROMIUM_BIN))
      throw new Error(`CHROMIUM_BIN is not an executable file: ${CHROMIUM_BIN}`);
    return CHROMIUM_BIN;
  }
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Launch options for playwright-core. Root cannot use the sandbox. */
export const launchOptions = (args: readonly string[] = []) => ({
  executablePath: findChromium() ?? '',
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...args],
});
