/** The page in a frame of another origin, and where the browser denies storage; its first paint. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { describePage, startBrowser } from '../../support/browser.ts';
import { findWholeChromium, launchOptions } from '../../support/chromium.ts';
import { serveOnLoopback } from '../../support/event-stream.ts';
import { actOn, refunds } from '../../support/page.ts';
import { startSite } from '../../support/site.ts';
import { whenDone } from '../../support/when-done.ts';
import { startService, temporaryFolder } from '../../support/workspace.ts';

/** Browser globals, for functions that run in the page. */
declare const isSecureContext: boolean;
declare const performance: any;
declare const sessionStorage: any;

const question = 'Within how many days are refunds paid?';

async function serve(settings: Record<string, string> = {}): Promise<string> {
  return serveOnLoopback(await startService(settings, refunds), settings);
}

/** A page of another site (`localhost`, not `127.0.0.1`) that shows the page in a frame. */
async function startIntranet(framed: () => string): Promise<string> {
  const { url } = await startSite({}, () => ({
    body: `<!doctype html><title>Intranet</title><iframe width="900" height="700" src="${framed()}"></iframe>`,
  }));
  return url.replace('127.0.0.1', 'localhost');
}

describe.skipIf(findWholeChromium() === undefined)(
  'The page where the browser denies storage',
  () => {
    it('works in a frame on an allowed origin, stays empty on others, and works over plain HTTP', async () => {
      let url = '';
      const intranet = await startIntranet(() => url);
      const settings = { API_KEYS: 'all-key', ALLOWED_FRAME_ANCESTORS: intranet };
      url = await serve(settings);
      const { port } = new URL(url);
      // The user blocks all cookies and storage.
      const profile = await temporaryFolder();
      await mkdir(join(profile, 'Default'));
      const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
      await writeFile(join(profile, 'Default/Preferences'), JSON.stringify(preferences));
      const context = await chromium.launchPersistentContext(
        profile,
        launchOptions(['--host-resolver-rules=MAP knowledge.test 127.0.0.1'], findWholeChromium()),
      );
      whenDone(() => context.close());
      const page = await context.newPage();
      await page.goto(intranet);
      const frame = page.frames()[1];
      if (!frame) throw new Error('the intranet shows no frame');
      await frame.getByLabel('API key or token').fill('all-key');
      const denied = await frame.evaluate(() => {
        try {
          return sessionStorage.length;
        } catch (error) {
          return (error as Error).name;
        }
      });
      expect(denied).toBe('SecurityError');
      await frame.getByLabel('Stay signed in in this tab').check();
      await frame.getByRole('button', { name: 'Sign in' }).click();
      await frame.getByRole('textbox', { name: 'Question', exact: true }).fill(question);
      await frame.getByRole('button', { name: 'Ask', exact: true }).click();
      await frame
        .getByRole('button', { name: /^Source 1/ })
        .first()
        .click();
      await expect
        .poll(() => frame.locator('.reader mark').allTextContents())
        .toContainEqual(expect.stringContaining('Refunds are paid within 30 days of purchase.'));

      url = await serve({ ...settings, ALLOWED_FRAME_ANCESTORS: 'https://other.example.com' });
      const message = page.waitForEvent('console', (one) => /frame-ancestors/.test(one.text()));
      await page.goto(intranet);
      await message;
      expect(await page.frames()[1]?.getByRole('heading').count()).toBe(0);

      // Browsers lack the functions of secure contexts on a host name.
      await page.goto(`http://knowledge.test:${port}/`);
      expect(await page.evaluate(() => isSecureContext)).toBe(false);
      const user = actOn(page);
      await user.enterKey('all-key');
      await user.ask(question);
      await user.url().toMatch(/#\/ask\/default\/[\da-f-]{36}$/);
    });
  },
);

describePage('The built page', () => {
  it('paints before its script has run, so that a slow device shows it early', async () => {
    const url = await serve();
    const context = await (await startBrowser()).newContext();
    whenDone(() => context.close());
    const page = await context.newPage();
    const held = Promise.withResolvers<void>();
    await page.route('**/*.js', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(url, { waitUntil: 'commit' });
    const paints = () =>
      page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length);
    await expect.poll(paints).toBe(1);
    await page.getByText('Loading …').waitFor();
    held.resolve();
    await page.getByText('What would you like to know?').waitFor();
  });
});
