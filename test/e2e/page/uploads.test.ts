import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { openPage } from '../../support/page.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

/** Browser global, for functions that run in the page. */
declare const dispatchEvent: any;

async function drop(page: Page, paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data });
}

describePage('Uploads', () => {
  it('uploads dropped files, shows a row for each and the reason for a failure', async () => {
    const { page, service, find, see, look, count, follow } = await openPage({
      hash: '#/documents/default',
      files: {},
      expected: [/status of 422/],
    });
    await see('No documents in default yet');
    await look('documents-empty');
    const folder = await temporaryFolder();
    await writeFiles(folder, {
      'hours.md': '# Opening hours\n\nOpen from nine to five.\n',
      'more/parking.txt': 'Parking is free on Sundays.',
      'broken.pdf': '%PDF-1.4 and nothing else',
    });
    await drop(
      page,
      ['hours.md', 'more', 'broken.pdf'].map((name) => join(folder, name)),
    );
    await see(/^3 sources/, find('.work'));
    await count('.work li').toBe(3);
    // The server would reject this file again.
    await expect
      .poll(() =>
        find('.work')
          .getByRole('button', { name: /^Retry/ })
          .count(),
      )
      .toBe(0);
    const rows = (await find('.work li').allTextContents()).map((row) => row.replace(/\s+/g, ' '));
    expect(rows[0]).toMatch(/failed.*broken\.pdf.*\w+/);
    expect(rows.join(' ')).toMatch(
      /added.*(hours\.md|more\/parking\.txt).*added.*(hours\.md|more\/parking\.txt)/,
    );
    await see('2 documents');
    expect((await service.get('/api/namespaces/default/documents')).body.total).toBe(2);
    await follow('hours.md', find('.work li'));
    await see('Open from nine to five.', find('.document'));
  });

  it('shows how much of each file is sent, and asks before the page closes', async () => {
    const { page, context, service, find, see, look } = await openPage({
      hash: '#/documents/try',
      expected: [/status of 404/],
    });
    const session = await context.newCDPSession(page);
    onTestFinished(() => session.detach());
    const network = (uploadThroughput: number) =>
      session.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    const asksBeforeClosing = () =>
      page.evaluate(() => {
        const event = new Event('beforeunload', { cancelable: true });
        dispatchEvent(event);
        return event.defaultPrevented;
      });
    await network(10_000);
    const buffer = Buffer.from(`# Long\n\n${'Words of a long document follow. '.repeat(1_000)}`);
    const files = ['one', 'two'].map((name) => ({
      name: `${name}.md`,
      mimeType: 'text/markdown',
      buffer,
    }));
    expect(await asksBeforeClosing()).toBe(false);
    await page.getByLabel('Upload files').first().setInputFiles(files);
    const progress = page.getByRole('progressbar', { name: 'Sent: one.md' });
    await expect.poll(() => progress.evaluate((bar: any) => bar.value)).toBeGreaterThan(0);
    await see('sending', find('.work li'));
    expect(await asksBeforeClosing()).toBe(true);
    await look('documents-uploading');
    await network(-1);
    await see('2 sources: 2 added', find('.work'));
    expect(await asksBeforeClosing()).toBe(false);
    expect((await service.get('/api/namespaces/try/documents')).body.total).toBe(2);
  });
});
