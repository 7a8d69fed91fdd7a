import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { describePage, look } from '../../support/browser.ts';
import { focusedName, openPage, refunds, sampleFiles } from '../../support/page.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

/** Browser global, for functions that run in the page. */
declare const document: any;
declare const dispatchEvent: any;

const hash = '#/documents/default';
const long = `${'Averylongnamewithoutanyblank'.repeat(4)} and more`;

async function startSite() {
  let released = Promise.resolve();
  const site = {
    status: 200,
    url: '',
    release: (): void => undefined,
    /** Responses wait for `release`. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      site.release = resolve;
    },
  };
  const server = createServer(async (_, response) => {
    await released;
    response
      .writeHead(site.status, { 'content-type': 'text/html' })
      .end(
        '<title>Offers</title><main><h1>Offers</h1><p>Offers end in May of next year.</p></main>',
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  site.url = `http://${host}/offers`;
  return { site, host };
}

async function drop(page: Page, paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data });
}

describePage('Documents', () => {
  it('lists the documents of a namespace, searches them and opens one with anchors on its headings', async () => {
    const files = {
      ...(await sampleFiles()),
      'default/long.md': `---\ntitle: ${long}\nreviewBy: 2020-01-01\nauthor: Ann\n---\n\n# ${long}\n\nText.\n`,
    };
    const visited = await openPage({ hash, files });
    const { page } = visited;
    await page.getByText('21 documents').first().waitFor();
    await look(visited, 'documents', { inReadme: 'documents' });
    await page.getByLabel('Search documents').fill('refund policy');
    await page.getByText('1 found').waitFor();
    await expect
      .poll(() => page.locator('.documents b').allTextContents())
      .toEqual(['Refund policy']);
    await page.locator('.documents a').click();
    await page.locator('.reader h1').waitFor();
    await expect.poll(() => page.locator('.reader h2').first().textContent()).toBe('Refund policy');
    await expect
      .poll(() => page.locator('.document [data-anchor=how-long-do-refunds-take]').count())
      .toBe(1);
    await look(visited, 'documents-open');
    await page.getByLabel('Search documents').fill('nothing of that name');
    await page.getByText('No documents match').waitFor();
    await look(visited, 'documents-not-found');
  });

  it('shows how to add documents if the namespace is empty', async () => {
    const visited = await openPage({ hash, files: {} });
    await visited.page.getByText('No documents in default yet').waitFor();
    await look(visited, 'documents-empty');
  });

  it('uploads dropped files, shows a row for each and the reason for a failure', async () => {
    const visited = await openPage({ hash, expected: [/status of 422/] });
    const { page, service } = visited;
    await page.getByText('1 document', { exact: true }).first().waitFor();
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
    const work = page.locator('.work');
    await work.getByText(/^3 sources/).waitFor();
    const rows = work.locator('li');
    await expect.poll(() => rows.count()).toBe(3);
    // The server would reject this file again.
    await expect.poll(() => work.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
    const rowTexts = await rows.allTextContents();
    expect(rowTexts[0]?.replace(/\s+/g, ' ')).toMatch(/failed.*broken\.pdf.*\w+/);
    expect(rowTexts.join(' ').replace(/\s+/g, ' ')).toMatch(
      /added.*(hours\.md|more\/parking\.txt).*added.*(hours\.md|more\/parking\.txt)/,
    );
    await page.getByText('3 documents').first().waitFor();
    await look(visited, 'documents-dropped');
    expect((await service.get('/api/namespaces/default/documents')).body.total).toBe(3);
    await rows.getByRole('link', { name: 'hours.md' }).click();
    await page.locator('.document').getByText('Open from nine to five.').waitFor();
  });

  it('adds a URL, shows why it failed, and retries it', async () => {
    const { site, host } = await startSite();
    site.status = 500;
    const visited = await openPage({ hash, settings: { ALLOWED_URL_HOSTS: host } });
    const { page } = visited;
    await page.getByRole('button', { name: 'Add URL or text' }).click();
    await page.getByLabel('URLs, one per line').fill(site.url);
    await look(visited, 'documents-add-address');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const work = page.locator('.work');
    await work.locator('.chip.bad').waitFor();
    await work.getByText('1 source: 1 failed').waitFor();
    await expect
      .poll(async () => (await work.locator('li').textContent())?.replace(/\s+/g, ' '))
      .toMatch(/failed.*500/);
    await look(visited, 'documents-failed');
    site.status = 200;
    await work.getByRole('button', { name: /^Retry: / }).click();
    await page.locator('.work li', { hasText: 'added' }).waitFor({ state: 'attached' });
    await page.getByText('2 documents').first().waitFor();
  });

  it('adds a text with author and review date, and shows its job in its namespace with a link from others', async () => {
    const visited = await openPage({
      hash,
      files: { ...refunds, 'hr/a.md': '# A\n\nText.\n' },
    });
    const { page, service, url } = visited;
    await page.getByRole('button', { name: 'Add URL or text' }).click();
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.getByLabel('Title', { exact: true }).fill('Lost keys');
    await page.getByLabel('Text or Markdown').fill('Lost keys are kept at the **reception**.');
    await page.getByLabel('Author').fill('Ann');
    await page.getByLabel('Review by').fill('2099-05-01');
    await look(visited, 'documents-add-text');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const job = page.getByRole('region', { name: 'Lost keys' });
    await job.waitFor();
    await page.goto(`${url}/#/documents/hr`);
    await job.waitFor({ state: 'detached' });
    await page
      .getByText('Tasks in other namespaces')
      .getByRole('link', { name: 'default' })
      .click();
    await job.waitFor();
    await job.getByRole('button', { name: 'Close: Lost keys' }).click();
    await job.waitFor({ state: 'detached' });
    await expect.poll(() => focusedName(page)).toBe('Documents in default');
    const stored = async () =>
      (await service.get('/api/namespaces/default/documents?query=lost')).body.documents[0];
    await expect
      .poll(stored)
      .toMatchObject({ title: 'Lost keys', author: 'Ann', reviewBy: '2099-05-01' });
  });

  it('hides a deleted document at once, restores it on undo, and deletes it after ten seconds', async () => {
    const visited = await openPage({ hash, isAlone: true });
    const { page, service } = visited;
    const stored = async () => (await service.get('/api/namespaces/default/documents')).body.total;
    const deleteIt = async () => {
      await page.locator('.documents a').click();
      await page
        .getByRole('complementary', { name: 'Document' })
        .getByRole('button', { name: 'Delete' })
        .click();
      await page.getByText('No documents in default yet').waitFor();
      await expect.poll(() => page.locator('.reader').count()).toBe(0);
      await expect.poll(() => focusedName(page)).toBe('Documents in default');
    };
    await page.clock.install();
    await deleteIt();
    await look(visited, 'documents-deleted');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.documents b', { hasText: 'Refunds' }).waitFor();
    await deleteIt();
    await page.keyboard.press('Control+z');
    await page.locator('.documents b', { hasText: 'Refunds' }).waitFor();
    await page.clock.fastForward(10_000);
    expect(await stored()).toBe(1);
    await deleteIt();
    await page.clock.fastForward(9_000);
    expect(await stored()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.clock.fastForward(2_000);
    await expect.poll(stored).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  });

  it('deletes a document at once if the page closes before the ten seconds are over', async () => {
    const { page, service } = await openPage({ hash });
    await page.locator('.documents a').click();
    await page.locator('.reader').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No documents in default yet').waitFor();
    expect((await service.get('/api/namespaces/default/documents')).body.total).toBe(1);
    await page.reload();
    await expect
      .poll(async () => (await service.get('/api/namespaces/default/documents')).body.total)
      .toBe(0);
  });

  it('shows a deleted document again if the server fails to delete it', async () => {
    const { page } = await openPage({ hash, isAlone: true, expected: [/status of 507/] });
    const failure = { error: 'The disk is full.', code: 'storage_full' };
    await page.route('**/documents/*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 507, json: failure })
        : route.continue(),
    );
    await page.clock.install();
    await page.locator('.documents a').click();
    await page.locator('.reader').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No documents in default yet').waitFor();
    await page.clock.fastForward(10_000);
    await page.getByText('The disk is full.').waitFor();
    await page.locator('.documents b', { hasText: 'Refunds' }).waitFor();
  });

  it.each([true, false])(
    'shows the same list in all tabs (with a channel between tabs: %s)',
    async (hasChannel) => {
      const { page, context, url } = await openPage({ hash, isAlone: !hasChannel });
      if (!hasChannel)
        await context.addInitScript(() => {
          (globalThis as any).BroadcastChannel = class {
            constructor() {
              throw new Error('denied');
            }
          };
        });
      await page.reload();
      const tab = await context.newPage();
      await tab.goto(`${url}/${hash}`);
      await tab.locator('.documents b', { hasText: 'Refunds' }).waitFor();
      await page.locator('.documents a').click();
      await page.locator('.reader').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No documents in default yet').waitFor();
      if (hasChannel) await tab.getByText('No documents in default yet').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await tab.locator('.documents b', { hasText: 'Refunds' }).waitFor();
      await page
        .getByLabel('Upload files')
        .first()
        .setInputFiles([
          { name: 'a.md', mimeType: 'text/markdown', buffer: Buffer.from('# A\n\nText.') },
        ]);
      await page.getByText('2 documents', { exact: true }).first().waitFor();
      if (!hasChannel)
        await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await tab.getByText('2 documents', { exact: true }).first().waitFor();
    },
  );

  it('shows how much of each file is sent, and asks before the page closes', async () => {
    const visited = await openPage({
      hash: '#/documents/try',
      isAlone: true,
      expected: [/status of 404/],
    });
    const { page, context, service } = visited;
    const session = await context.newCDPSession(page);
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
    await network(200_000);
    const buffer = Buffer.from(`# Long\n\n${'Words of a long document follow. '.repeat(30_000)}`);
    const files = ['one', 'two'].map((name) => ({
      name: `${name}.md`,
      mimeType: 'text/markdown',
      buffer,
    }));
    expect(await asksBeforeClosing()).toBe(false);
    await page.getByLabel('Upload files').first().setInputFiles(files);
    const progress = page.getByRole('progressbar', { name: 'Sent: one.md' });
    await expect.poll(() => progress.evaluate((bar: any) => bar.value)).toBeGreaterThan(0);
    await page.locator('.work li', { hasText: 'sending' }).first().waitFor();
    expect(await asksBeforeClosing()).toBe(true);
    await look(visited, 'documents-uploading');
    await network(-1);
    await page.locator('.work').getByText('2 sources: 2 added').waitFor();
    expect(await asksBeforeClosing()).toBe(false);
    expect((await service.get('/api/namespaces/try/documents')).body.total).toBe(2);
  });

  it('shows a running job again after a reload, and in other tabs', async () => {
    const { site, host } = await startSite();
    site.hold();
    const { page, context, url } = await openPage({
      hash,
      settings: { ALLOWED_URL_HOSTS: host },
    });
    await page.getByRole('button', { name: 'Add URL or text' }).click();
    await page.getByLabel('URLs, one per line').fill(site.url);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('.work li', { hasText: site.url }).waitFor();
    await page.reload();
    await page.locator('.work li', { hasText: site.url }).waitFor();
    const tab = await context.newPage();
    await tab.goto(`${url}/${hash}`);
    await tab.locator('.work li', { hasText: site.url }).waitFor();
    site.release();
    for (const one of [page, tab]) {
      await one.locator('.work').getByText('1 source: 1 added').waitFor();
      await one.getByText('2 documents', { exact: true }).first().waitFor();
      await expect.poll(() => one.locator('.work').count()).toBe(1);
    }
  });

  it('filters by state; search and state are in the address and survive a reload', async () => {
    const files = {
      'default/a.md': '---\ntitle: Due\nreviewBy: 2020-01-01\n---\n\nText.\n',
      'default/b.md': '---\ntitle: Empty\n---\n',
      'default/c.md': '# Full\n\nText.\n',
    };
    const visited = await openPage({ hash, files });
    const { page } = visited;
    const titles = () => page.locator('.documents b').allTextContents();
    await expect.poll(titles).toEqual(['Due', 'Empty', 'Full']);
    await page.getByRole('link', { name: 'No text' }).click();
    await expect.poll(titles).toEqual(['Empty']);
    await page.getByRole('link', { name: 'Outdated' }).click();
    await expect.poll(titles).toEqual(['Due']);
    await look(visited, 'documents-outdated');
    await page.getByLabel('Search documents').fill('full');
    await page.getByText('No documents match “full”').waitFor();
    expect(page.url()).toMatch(/#\/documents\/default\?search=full&state=outdated$/);
    await page.reload();
    await page.getByText('No documents match “full”').waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await expect.poll(titles).toEqual(['Full']);
    await page.goBack();
    await page.getByText('No documents match “full”').waitFor();
    await expect
      .poll(() => page.locator('.states [aria-current]').textContent())
      .toContain('Outdated');
  });

  it('lists failed sources with their reasons, also after a reload, and retries them', async () => {
    const { site, host } = await startSite();
    site.status = 500;
    const visited = await openPage({
      hash: '#/documents/default?state=failed',
      settings: { ALLOWED_URL_HOSTS: host },
    });
    const { page, service } = visited;
    await page.getByText('No failed sources').waitFor();
    await service.post('/api/tools/ingestSources', {
      namespace: 'default',
      sources: [site.url],
      wait: false,
    });
    await expect
      .poll(async () => (await service.get('/api/namespaces/default/jobs')).body.jobs[0]?.status)
      .toBe('failed');
    await page.reload();
    const row = page.getByRole('list', { name: 'Failed sources' }).getByText(site.url);
    await row.waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Failed' }).textContent()).toMatch(/1/);
    await look(visited, 'documents-failed-state');
    site.status = 200;
    await page.getByRole('button', { name: `Retry: ${site.url}` }).click();
    await page.getByText('No failed sources').waitFor();
  });

  it('shows the reads of a document and the answers that quote it', async () => {
    const { site, host } = await startSite();
    const visited = await openPage({
      hash,
      files: {},
      settings: { ALLOWED_URL_HOSTS: host },
    });
    const { page, service } = visited;
    await service.post('/api/tools/ingestSources', {
      namespace: 'default',
      sources: [site.url],
      wait: false,
    });
    await expect
      .poll(async () => (await service.get('/api/namespaces/default/jobs')).body.jobs[0]?.status)
      .toBe('completed');
    await service.post('/api/agents/knowledge/generate', {
      messages: '@agent When do offers end?',
    });
    await page.reload();
    await page.locator('.documents a').click();
    await page.locator('.history summary').click();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('added').waitFor();
    await history.getByText('When do offers end?').waitFor();
    await look(visited, 'documents-history');
  });

  it('says that a namespace does not exist, and links to those that do', async () => {
    const visited = await openPage({
      hash: '#/documents/nowhere',
      expected: [/status of 404/],
    });
    const { page } = visited;
    await page.getByText('There is no namespace “nowhere”').waitFor();
    await look(visited, 'documents-unknown-namespace');
    await page.locator('.empty').getByRole('link', { name: 'default' }).click();
    await page.locator('.documents b', { hasText: 'Refunds' }).waitFor();
  });

  it('moves the focus to the next document after a deletion, or to the last one', async () => {
    const text = (name: string) => `# ${name}\n\nText.\n`;
    const files = {
      'default/a.md': text('First'),
      'default/b.md': text('Second'),
      'default/c.md': text('Third'),
    };
    const { page } = await openPage({ hash, files });
    for (const [deleted, next] of [
      ['First', 'Second'],
      ['Third', 'Second'],
    ] as const) {
      await page.locator('.documents a', { hasText: deleted }).click();
      await page.locator('.reader').getByRole('button', { name: 'Delete' }).click();
      await page.locator('.documents a', { hasText: deleted }).waitFor({ state: 'detached' });
      await expect.poll(() => focusedName(page)).toContain(next);
    }
  });

  it('offers to refresh a namespace only if it has a refreshable source', async () => {
    const offers =
      '---\ntitle: Offers\nsource: https://example.com/offers\nkind: url\n---\n\nOffers end in May.\n';
    const files = {
      'default/a.md': '# A\n\nText.\n',
      'hr/a.md': '# A\n\nText.\n',
      'hr/offers-0123456789ab.md': offers,
    };
    const { page, url } = await openPage({ hash, files });
    const button = page.getByRole('button', { name: 'Refresh all' });
    await page.getByText('1 document', { exact: true }).first().waitFor();
    await expect.poll(() => button.count()).toBe(0);
    await page.goto(`${url}/#/documents/hr`);
    await button.waitFor();
    await page.goto(`${url}/#/documents/default`);
    await expect.poll(() => button.count()).toBe(0);
  });

  it('deletes a namespace only after its name is typed', async () => {
    const visited = await openPage({
      hash: '#/documents/hr',
      expected: [/status of 404/],
      files: { 'hr/a.md': '# A\n\nText.' },
    });
    const { page, service } = visited;
    await page.getByText('1 document', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Delete namespace …' }).click();
    const button = page
      .getByRole('dialog', { name: 'Confirm' })
      .getByRole('button', { name: 'Delete namespace' });
    await expect.poll(() => button.isDisabled()).toBe(true);
    await page.getByLabel(/Type hr to confirm/).fill('hr');
    await look(visited, 'documents-delete-namespace');
    await button.click();
    await page.getByText('hr was deleted.').waitFor();
    await expect.poll(() => focusedName(page)).toBe('Documents in hr');
    expect(
      (await service.get('/api/namespaces')).body.namespaces.map(
        ({ name }: { name: string }) => name,
      ),
    ).not.toContain('hr');
  });

  it('renders only the visible rows of 5,000 documents and scrolls to the last', async () => {
    const { page } = await openPage({ hash, files: {} });
    const total = 5_000;
    await page.route('**/api/namespaces/default/documents?*', (route) => {
      const query = new URL(route.request().url()).searchParams;
      const [perPage, number] = [Number(query.get('perPage')), Number(query.get('page'))];
      const documents = Array.from(
        { length: Math.min(perPage, total - (number - 1) * perPage) },
        (_, at) => {
          const name = `document ${(number - 1) * perPage + at + 1}`;
          return {
            id: name,
            file: `${name}.md`,
            title: name,
            source: name,
            kind: 'text',
            bytes: 1,
            chunks: 1,
            revision: '',
            fetchedAt: null,
            lastModified: null,
            isRefreshable: false,
            author: null,
            reviewedAt: null,
            reviewBy: null,
          };
        },
      );
      return route.fulfill({ json: { total, page: number, perPage, documents } });
    });
    await page.reload();
    await page.getByText('5,000 documents').waitFor();
    await page.locator('.documents').getByText('document 1', { exact: true }).waitFor();
    await page
      .locator('.documents-view')
      .evaluate((section: any) => section.scrollTo(0, section.scrollHeight));
    await page.locator('.documents').getByText('document 5000', { exact: true }).waitFor();
    await expect.poll(() => page.locator('.documents li').count()).toBeLessThan(60);
    await page.locator('.documents a[tabindex="0"]').focus();
    await page.keyboard.press('Home');
    await page.locator('.documents').getByText('document 1', { exact: true }).waitFor();
    await page.keyboard.press('End');
    await page.locator('.documents').getByText('document 5000', { exact: true }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement.textContent))
      .toContain('document 5000');
  });

  it('renders a 2 MB document only near the visible part, and the rest while scrolling', async () => {
    const paragraph = (at: number) =>
      `## Part ${at}\n\nThe part of the number ${at} is about nothing but itself, and says so in a sentence of some length.\n\n`;
    const text = `# Long\n\n${Array.from({ length: 18_000 }, (_, at) => paragraph(at)).join('')}`;
    expect(text.length).toBeGreaterThan(2_000_000);
    const { page } = await openPage({
      hash: '#/documents/default',
      files: { 'default/long.md': text },
    });
    await page.locator('.documents a').click();
    await page.locator('.document h1').waitFor();
    const rendered = () => page.locator('.document .slice:not(:empty)').count();
    await expect.poll(() => page.locator('.document .slice').count()).toBeGreaterThan(200);
    await expect.poll(() => rendered()).toBeLessThan(10);
    await page.locator('.document').evaluate((body: any) => body.scrollTo(0, body.scrollHeight));
    await page.locator('.document').getByText('Part 17999', { exact: true }).waitFor();
    await expect.poll(() => rendered()).toBeLessThan(20);
  });
});
