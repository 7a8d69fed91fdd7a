/** The page in a frame of another origin, and where the browser denies storage; its first paint. */
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describePage, startBrowser } from '../../support/browser.ts';
import { launchOptions } from '../../support/chromium.ts';
import { serveOnLoopback } from '../../support/event-stream.ts';
import { ask, refunds } from '../../support/page.ts';
import { whenDone } from '../../support/when-done.ts';
import { startService, temporaryFolder } from '../../support/workspace.ts';

/** Browser globals, for functions that run in the page. */
declare const isSecureContext: boolean;
declare const performance: any;
declare const sessionStorage: any;

/** A page of another site (`localhost`, not `127.0.0.1`) that shows the page in a frame. */
async function startIntranet(framed: () => string): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><title>Intranet</title><iframe width="900" height="700" src="${framed()}"></iframe>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenDone(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/** Opens the intranet in a browser whose user blocks all cookies and storage. */
async function openWithoutStorage(url: string): Promise<Page> {
  const profile = await temporaryFolder();
  await mkdir(join(profile, 'Default'));
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  await writeFile(join(profile, 'Default/Preferences'), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(profile, launchOptions());
  whenDone(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

describePage('The page in a frame', () => {
  it('works on an allowed origin where the browser denies storage, and stays empty on other origins', async () => {
    let url = '';
    const intranet = await startIntranet(() => url);
    const settings = { API_KEYS: 'all-key', ALLOWED_FRAME_ANCESTORS: intranet };
    url = await serveOnLoopback(await startService(settings, refunds), settings);
    const page = await openWithoutStorage(intranet);
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
    await frame
      .getByRole('textbox', { name: 'Question', exact: true })
      .fill('Within how many days are refunds paid?');
    await frame.getByRole('button', { name: 'Ask', exact: true }).click();
    await frame
      .getByRole('button', { name: /^Source 1/ })
      .first()
      .click();
    await expect
      .poll(() => frame.locator('.reader mark').allTextContents())
      .toContain('Refunds are paid within 30 days of purchase.');

    const unlisted = { ...settings, ALLOWED_FRAME_ANCESTORS: 'https://other.example.com' };
    url = await serveOnLoopback(await startService(unlisted, refunds), unlisted);
    const context = await (await startBrowser()).newContext();
    whenDone(() => context.close());
    const refused = await context.newPage();
    const message = refused.waitForEvent('console', (one) => /frame-ancestors/.test(one.text()));
    await refused.goto(intranet);
    await message;
    expect(await refused.frames()[1]?.getByRole('heading').count()).toBe(0);
  });
});

describePage('The page over plain HTTP', () => {
  it('works on a host name, where browsers lack the functions of secure contexts', async () => {
    const settings = { API_KEYS: 'all-key' };
    const { port } = new URL(
      await serveOnLoopback(await startService(settings, refunds), settings),
    );
    const other = await chromium.launch(
      launchOptions(['--host-resolver-rules=MAP knowledge.test 127.0.0.1']),
    );
    whenDone(() => other.close());
    const page = await other.newPage();
    await page.goto(`http://knowledge.test:${port}/`);
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await page.getByLabel('API key or token').fill('all-key');
    await page.keyboard.press('Enter');
    await ask(page, 'Within how many days are refunds paid?');
    await expect.poll(() => page.url()).toMatch(/#\/ask\/default\/[\da-f-]{36}$/);
  });
});

describePage('The built page', () => {
  it('paints before its script has run, so that a slow device shows it early', async () => {
    const url = await serveOnLoopback(await startService({}, refunds));
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
