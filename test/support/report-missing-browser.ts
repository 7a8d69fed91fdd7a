/** Global setup: warns once if the page tests are skipped. */
import { findChromium } from './chromium.ts';

export default function reportMissingBrowser(): void {
  if (findChromium() === undefined)
    process.stderr.write(
      'The page tests are skipped: no Chromium found. Install it (apt-get install chromium) or set CHROMIUM_BIN.\n',
    );
}
