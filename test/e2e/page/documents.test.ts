import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { actOn, openPage, sampleFiles } from '../../support/page.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;

const hash = '#/documents/default';
const list = '/api/namespaces/default/documents';
const textOf = (name: string) => `# ${name}\n\nText.\n`;
const titles = '.documents b';

describePage('Documents', () => {
  it('lists the documents of a namespace, searches and filters them, and opens one with anchors on its headings', async () => {
    const long = `${'Averylongnamewithoutanyblank'.repeat(4)} and more`;
    const { page, find, see, look, press, fill, texts, text, count, url } = await openPage({
      hash,
      files: {
        ...(await sampleFiles()),
        'default/long.md': `---\ntitle: ${long}\nreviewBy: 2020-01-01\nauthor: Ann\n---\n\n# ${long}\n\n[Broken link](#%)\n`,
        'default/empty.md': '---\ntitle: Empty\n---\n',
      },
    });
    await see('22 documents');
    await look('documents', { inReadme: 'documents' });
    await fill('Search documents', 'refund policy');
    await see('1 found');
    await texts(titles).toEqual(['Refund policy']);
    await find('.documents a').click();
    await text('.reader h2').toBe('Refund policy');
    await count('.document [data-anchor=how-long-do-refunds-take]').toBe(1);
    await look('documents-open');
    await page.getByLabel('Search documents').focus();
    await page.keyboard.insertText('x'.repeat(400));
    await see('No documents match');
    await fill('Search documents', '');
    await url().toMatch(/documents\/default\/?[^?]*$/);
    await see('22 documents');
    await find('.states').getByText('No text').click();
    await texts(titles).toEqual(['Empty']);
    await find('.states').getByText('Outdated').click();
    await texts(titles).toEqual([long]);
    await find('.documents a').click();
    await page.getByRole('link', { name: 'Broken link' }).click();
    await press('Close document');
    await fill('Search documents', 'empty');
    await see('No documents match “empty”');
    await url().toMatch(/#\/documents\/default\?search=empty&state=outdated$/);
    await page.reload();
    await see('No documents match “empty”');
    await find('.states').getByText('All', { exact: true }).click();
    await texts(titles).toContain('Empty');
    await page.goBack();
    await see('No documents match “empty”');
    await text('.states [aria-current]').toContain('Outdated');
  });

  it('hides a deleted document at once, restores it on undo or failure, and deletes it after ten seconds or when the page closes', async () => {
    const { page, service, find, see, press, texts, count, focus, expectError } = await openPage({
      hash,
      isAlone: true,
      files: {
        'default/a.md': textOf('First'),
        'default/b.md': textOf('Second'),
        'default/c.md': textOf('Third'),
      },
    });
    const stored = async () => (await service.get(list)).body.total;
    const all = ['First', 'Second', 'Third'];
    const remove = async (title: string, next: string) => {
      await find('.documents a').filter({ hasText: title }).click();
      await press('Delete', page.getByRole('complementary', { name: 'Document' }));
      await texts(titles).not.toContain(title);
      await count('.reader').toBe(0);
      await focus().toContain(next);
    };
    await page.clock.install();
    await remove('First', 'Second');
    await press('Undo');
    await texts(titles).toEqual(all);
    await remove('Third', 'Second');
    await page.keyboard.press('Control+z');
    await texts(titles).toEqual(all);
    await page.clock.fastForward(10_000);
    expect(await stored()).toBe(3);
    await remove('First', 'Second');
    await page.clock.fastForward(9_000);
    expect(await stored()).toBe(3);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.clock.fastForward(2_000);
    await expect.poll(stored).toBe(2);
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await remove('Third', 'Second');
    expect(await stored()).toBe(2);
    await page.reload();
    await expect.poll(stored).toBe(1);
    // The first reload may have read the list before the document was deleted.
    await page.reload();
    await texts(titles).toEqual(['Second']);

    expectError(/status of 507/);
    const json = { error: 'The disk is full.', code: 'storage_full' };
    await page.route('**/documents/*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 507, json })
        : route.continue(),
    );
    await remove('Second', 'Documents in default');
    await see('No documents in default yet');
    await page.clock.fastForward(10_000);
    await see('The disk is full.');
    await texts(titles).toEqual(['Second']);
  });

  it.each([true, false])(
    'shows the same list in all tabs (with a channel between tabs: %s)',
    async (hasChannel) => {
      const { page, context, base, find, see, press, texts } = await openPage({
        hash,
        isAlone: !hasChannel,
      });
      if (!hasChannel)
        await context.addInitScript(() => {
          (globalThis as any).BroadcastChannel = class {
            constructor() {
              throw new Error('denied');
            }
          };
        });
      await page.reload();
      const tab = actOn(await context.newPage());
      await tab.page.goto(`${base}/${hash}`);
      await tab.texts(titles).toEqual(['Refunds']);
      // A tab in the background draws rarely, so a press would wait.
      await page.bringToFront();
      await find('.documents a').click();
      await press('Delete', find('.reader'));
      await texts(titles).toEqual([]);
      if (hasChannel) await tab.texts(titles).toEqual([]);
      await press('Undo');
      await tab.texts(titles).toEqual(['Refunds']);
      const buffer = Buffer.from(textOf('A'));
      await page
        .getByLabel('Upload files')
        .first()
        .setInputFiles([{ name: 'a.md', mimeType: 'text/markdown', buffer }]);
      await see(/^2 documents$/);
      if (!hasChannel)
        await tab.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await tab.see(/^2 documents$/);
    },
  );

  it('renders only the visible rows of 5,000 documents and only the visible part of a 2 MB document', async () => {
    const part = (at: number) =>
      `## Part ${at}\n\nThe part of the number ${at} is about nothing but itself, and says so in a sentence of some length.\n\n`;
    const long = `# Long\n\n${Array.from({ length: 18_000 }, (_, at) => part(at)).join('')}`;
    expect(long.length).toBeGreaterThan(2_000_000);
    const { page, find, see, count, focus } = await openPage({
      hash,
      files: { 'default/long.md': long },
    });
    const slices = '.document .slice';
    await find('.documents a').click();
    await find('.document h1').waitFor();
    await count(slices).toBeGreaterThan(200);
    await count(`${slices}:not(:empty)`).toBeLessThan(10);
    await find('.document').evaluate((body: any) => body.scrollTo(0, body.scrollHeight));
    await see(/^Part 17999$/, find('.document'));
    await count(`${slices}:not(:empty)`).toBeLessThan(20);
    await page.keyboard.press('Escape');

    const total = 5_000;
    await page.route('**/api/namespaces/default/documents?*', (route) => {
      const query = new URL(route.request().url()).searchParams;
      const [perPage, number] = [Number(query.get('perPage')), Number(query.get('page'))];
      const before = (number - 1) * perPage;
      const documents = Array.from({ length: Math.min(perPage, total - before) }, (_, at) => {
        const name = `document ${before + at + 1}`;
        return {
          id: name,
          file: name,
          title: name,
          source: name,
          kind: 'text',
          bytes: 1,
          chunks: 1,
        };
      });
      return route.fulfill({ json: { total, page: number, perPage, documents } });
    });
    await page.reload();
    await see('5,000 documents');
    const rows = find('.documents');
    await see(/^document 1$/, rows);
    await find('.documents-view').evaluate((view: any) => view.scrollTo(0, view.scrollHeight));
    await see(/^document 5000$/, rows);
    await count('.documents li').toBeLessThan(60);
    await find('.documents a[tabindex="0"]').focus();
    await page.keyboard.press('Home');
    await see(/^document 1$/, rows);
    await page.keyboard.press('End');
    await see(/^document 5000$/, rows);
    await focus().toContain('document 5000');
  });
});
