import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describePage, visit } from '../../support/browser.ts';
import { serveOnLoopback } from '../../support/event-stream.ts';
import { listed } from '../../support/listed.ts';
import { ask, focusedName, markedText, openPage } from '../../support/page.ts';
import { startService } from '../../support/workspace.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const getComputedStyle: any;

const isFocusVisible = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    // The browser marks the focused part of a date itself.
    if (/^(date|time|datetime-local)$/.test(document.activeElement.type)) return true;
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
  });

/** Tabs through the whole page once. @returns accessible names in order */
async function tabThrough(page: Page): Promise<string[]> {
  const names: string[] = [];
  const isOutside = () => page.evaluate(() => document.activeElement === document.body);
  for (let step = 0; step < 200; step++) {
    await page.keyboard.press('Tab');
    if (await isOutside()) {
      if (names.length > 0 && names[0] === 'Knowledge Agent') return names;
      names.length = 0;
      continue;
    }
    const name = await focusedName(page);
    expect(await isFocusVisible(page), `the focus on ${name}`).toBe(true);
    names.push(name);
  }
  throw new Error(`the focus never leaves the page: ${names.slice(0, 20).join(', ')}`);
}

describePage('Keyboard use', () => {
  it('asks, opens a citation and returns the focus to its mark when the document closes', async () => {
    const { page } = await openPage();
    await expect.poll(() => focusedName(page)).toBe('Question');
    await page.keyboard.type('Within how many days are refunds paid?');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.locator('.answer[aria-busy=false]').waitFor();
    const order = await tabThrough(page);
    const wanted = [
      ...listed(`
      Knowledge Agent | Ask | Documents | Gaps | Calls | Status | Namespace default | Source 1: Refunds | Helpful | Copy
      Question | Ask
    `),
    ];
    expect(order.filter((name) => wanted.includes(name))).toEqual(wanted);
    await page.getByRole('button', { name: 'Source 1: Refunds' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => markedText(page)).toBe('Refunds are paid within 30 days of purchase.');
    await expect.poll(() => page.evaluate(() => document.activeElement.className)).toBe('document');
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedName(page)).toBe('Source 1: Refunds');
    await expect.poll(() => page.locator('.reader').count()).toBe(0);
  });

  it('reaches every control of the other views with a visible focus', async () => {
    const { page, url } = await openPage();
    for (const view of ['documents', 'gaps', 'calls', 'state']) {
      await page.goto(`${url}/#/${view}/default`);
      await page.reload();
      await page.locator('footer a').waitFor();
      const order = await tabThrough(page);
      expect(order.slice(0, 6), view).toEqual([
        'Knowledge Agent',
        'Ask',
        'Documents',
        'Gaps',
        'Calls',
        'Status',
      ]);
      expect(order.length, view).toBeGreaterThan(6);
    }
  });

  it('keeps the focus in an open dialog and restores it on close', async () => {
    const { page } = await openPage({ hash: '#/documents/default' });
    const button = page.getByRole('button', { name: 'Add URL or text' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Add documents' }).waitFor();
    for (let step = 0; step < 30; step++) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          () =>
            document.activeElement === document.body ||
            document.activeElement.closest('dialog') !== null,
        ),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedName(page)).toBe('Add URL or text');
  });
});

describePage('Phone use', () => {
  it('opens a tapped citation over the answer and returns on close', async () => {
    const { page } = await openPage({ width: 390, hasTouch: true });
    const turn = await ask(page, 'Within how many days are refunds paid?');
    await turn.getByRole('button', { name: /^Source 1/ }).tap();
    await expect.poll(() => markedText(page)).toBe('Refunds are paid within 30 days of purchase.');
    const reader = page.getByRole('dialog', { name: 'Document' });
    await expect.poll(async () => (await reader.boundingBox())?.width).toBe(390);
    await reader.getByRole('button', { name: 'Close document' }).tap();
    await turn.getByRole('button', { name: 'Helpful', exact: true }).tap();
    await turn.getByLabel('What did you like?').waitFor();
  });
});

const isInView = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const [mark, body] = ['.reader mark', '.reader .document'].map((part) =>
      document.querySelector(part).getBoundingClientRect(),
    );
    return mark.top >= body.top && mark.bottom <= body.bottom;
  });

describePage('The address', () => {
  it('links to a document, survives a reload and supports the back button', async () => {
    const { page, service, url } = await openPage();
    const { body } = await service.get('/api/namespaces/default/documents');
    await page.goto(`${url}/#/documents/default/${body.documents[0].id}`);
    await page.locator('.document h1').waitFor();
    await page.reload();
    await page.locator('.document h1').waitFor();
    await page.getByRole('link', { name: 'Status', exact: true }).click();
    await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor();
    await page.goBack();
    await page.locator('.document h1').waitFor();
  });

  it('opens a linked quote in a new tab, highlighted and scrolled into view', async () => {
    const filler = (at: number) => `Paragraph ${at} is about something else.\n\n`;
    const text = `# Long\n\n${Array.from({ length: 2_000 }, (_, at) => filler(at)).join('')}The vault opens at noon.\n\nMore follows.\n`;
    const { page, service, url, context } = await openPage({
      files: { 'default/long.md': text },
    });
    const { body } = await service.get('/api/namespaces/default/documents');
    const [{ id, revision }] = body.documents;
    const start = text.indexOf('The vault');
    const linkTo = (from: number) =>
      `${url}/#/documents/default/${id}?start=${from}&end=${from + 24}&revision=${revision.slice(0, 19)}`;
    const tab = await context.newPage();
    await tab.goto(linkTo(start));
    await expect.poll(() => markedText(tab)).toBe('The vault opens at noon.');
    await expect.poll(() => isInView(tab)).toBe(true);
    await tab.goto(linkTo(text.indexOf('Paragraph 7 is')));
    await tab.locator('.reader mark', { hasText: 'Paragraph 7 is about' }).waitFor();
    await page.goto(
      `${url}/#/documents/default/${id}?start=${start}&end=${start + 24}&revision=sha256-ffff`,
    );
    await page.getByText('This document changed after the link was created').waitFor();
    await expect.poll(() => page.locator('.reader mark').count()).toBe(0);
  });
});

describePage('Every view', () => {
  it('has exactly one first-level heading, even while a document or an answer is open', async () => {
    const { page, service, url } = await openPage();
    // Headings of documents and answers have an `aria-level`.
    const headings = () => page.locator('h1:not([aria-level])').allTextContents();
    await ask(page, 'Within how many days are refunds paid?');
    await page.getByRole('button', { name: /^Source 1/ }).click();
    await page.locator('.document h1').waitFor();
    await expect.poll(headings).toEqual(['Ask']);
    const { body } = await service.get('/api/namespaces/default/documents');
    for (const [view, heading] of [
      [`documents/default/${body.documents[0].id}`, 'Documents in default'],
      ['gaps/default', 'Gaps'],
      ['calls/default', 'Calls'],
      ['state/default', 'Status'],
    ]) {
      await page.goto(`${url}/#/${view}`);
      await expect.poll(headings).toEqual([heading]);
    }
  });
});

describePage('A tab that becomes visible', () => {
  it('refetches once, even if it becomes visible many times', async () => {
    const { page, service, url, requests } = await openPage({
      hash: '#/documents/default',
    });
    await page.getByText('1 document', { exact: true }).first().waitFor();
    const countRequests = () => requests.filter((one) => one === `${url}/api/namespaces`).length;
    const before = countRequests();
    await service.post('/api/tools/ingestSources', {
      namespace: 'default',
      sources: [{ text: 'Lost keys are kept at the reception.' }],
    });
    await page.evaluate(() => {
      for (let times = 0; times < 20; times++)
        document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByText('2 documents', { exact: true }).first().waitFor();
    expect(countRequests() - before).toBeLessThanOrEqual(2);
  });
});

describePage('Page requests', () => {
  it('loads only the built files and the API', async () => {
    const url = await serveOnLoopback(await startService());
    const { requests } = await visit(url);
    const loaded = () =>
      [
        ...new Set(
          requests.map((asked) => asked.slice(url.length).replace(/-[\w-]{8}\./, '-hash.')),
        ),
      ].sort();
    await expect
      .poll(loaded)
      .toEqual([
        '/',
        '/api/namespaces',
        '/api/namespaces/default/documents?perPage=100',
        '/api/namespaces/default/suggestions',
        '/api/state',
        '/page/icon-hash.svg',
        '/page/index-hash.css',
        '/page/index-hash.js',
      ]);
  });
});
