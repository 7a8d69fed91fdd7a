/** Where the Chromium of the system is. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws where `CHROMIUM_BIN` is set and is no program */
export function findChromium(): string | undefined {
  const { CHROMIUM_BIN, PATH = '' } = process.env;
  if (CHROMIUM_BIN) {
    if (!isProgram(CHROMIUM_BIN)) throw new Error(`CHROMIUM_BIN is no program: ${CHROMIUM_BIN}`);
    return CHROMIUM_BIN;
  }
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** How playwright-core starts it; root may not start its sandbox. */
export const launchOptions = (args: readonly string[] = []) => ({
  executablePath: findChromium() ?? '',
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...args],
});
