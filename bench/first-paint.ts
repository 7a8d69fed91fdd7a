/**
 * First contentful paint of the page on a slow phone: CPU 4 times slower, network as "slow 4G" (150
 * ms, 1.6 Mbit/s).
 */
import { chromium } from 'playwright-core';
import { launchOptions } from '../test/support/chromium.ts';

const url = process.argv[2] ?? 'http://127.0.0.1:4111/';
const runs = 7;

declare const performance: { getEntriesByName(name: string): { startTime: number }[] };

const browser = await chromium.launch(launchOptions());
const measured: { paint: number; ready: number }[] = [];
for (let run = 0; run < runs; run++) {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await session.send('Network.enable');
  const bytesPerSecond = (1.6 * 1_000_000) / 8;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond / 2,
  });
  const began = Date.now();
  await page.goto(url);
  await page.locator('main :is(.pane, form.key)').waitFor();
  const ready = Date.now() - began;
  const [paint] = await page.evaluate(() =>
    performance.getEntriesByName('first-contentful-paint').map(({ startTime }) => startTime),
  );
  measured.push({ paint: Math.round(paint ?? Number.NaN), ready });
  await context.close();
}
await browser.close();
const median = (of: 'paint' | 'ready') =>
  measured.map((one) => one[of]).toSorted((a, b) => a - b)[Math.floor(runs / 2)];
console.log(
  `${runs} visits without a cache: first contentful paint ${median('paint')} ms, ready for a question ${median('ready')} ms (medians)`,
);
