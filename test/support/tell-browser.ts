/** Says once for all of them that the tests of the page are left out, and what they want. */
import { findChromium } from './chromium.ts';

export default function tellBrowser(): void {
  if (findChromium() === undefined)
    process.stderr.write(
      'The tests of the page are left out: there is no Chromium here. Install it (apt-get install chromium), or set CHROMIUM_BIN.\n',
    );
}
