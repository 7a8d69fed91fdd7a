/** Finds the system's Chromium: best its headless shell, which takes half of the CPU. */
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

const withPreferences = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Finds `CHROMIUM_BIN`, or the first of these programs.
 * @throws if `CHROMIUM_BIN` is set but not executable
 */
export function findChromium(
  names: readonly string[] = ['chromium-headless-shell', ...withPreferences],
): string | undefined {
  const { CHROMIUM_BIN, PATH = '' } = process.env;
  if (CHROMIUM_BIN) {
    if (!isProgram(CHROMIUM_BIN))
      throw new Error(`CHROMIUM_BIN is not an executable file: ${CHROMIUM_BIN}`);
    return CHROMIUM_BIN;
  }
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Finds a browser that reads the preferences of its user. The headless shell does not. */
export const findWholeChromium = (): string | undefined => findChromium(withPreferences);

/** Launch options for playwright-core. Root cannot use the sandbox. */
export const launchOptions = (args: readonly string[] = [], program = findChromium()) => ({
  executablePath: program ?? '',
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...args],
});
