import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describePage, useBrowser, visit } from '../../support/browser.ts';
import { serveOnLoopback } from '../../support/event-stream.ts';
import { listed } from '../../support/listed.ts';
import { ask, focusedName, markedText, openPage } from '../../support/page.ts';
import { startService } from '../../support/workspace.ts';

/** Those of the page: what is evaluated there. */
declare const document: any;
declare const getComputedStyle: any;

/** What has the focus is seen: an outline, or a border or ground of its own. */
const isFocusSeen = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    // The browser shows which part of a date has the focus.
    if (/^(date|time|datetime-local)$/.test(document.activeElement.type)) return true;
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
  });

/** Goes through the page by Tab once, from its beginning to its end. @returns names, in their order */
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
    expect(await isFocusSeen(page), `the focus on ${name}`).toBe(true);
    names.push(name);
  }
  throw new Error(`the focus never leaves the page: ${names.slice(0, 20).join(', ')}`);
}

describePage('with the keyboard alone', () => {
  const browser = useBrowser();

  it('a question is asked, its citation opened, and the focus returns to the mark when the document is closed', async () => {
    const { page } = await openPage(browser());
    await expect.poll(() => focusedName(page)).toBe('Question');
    await page.keyboard.type('Within how many days are refunds paid?');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.locator('.answer[aria-busy=false]').waitFor();
    const order = await tabThrough(page);
    const wanted = [
      ...listed(`
      Knowledge Agent | Ask | Documents | Gaps | Calls | State | Namespace default | Source 1: Refunds | Good answer | Copy
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

  it('every place of the other views is reached, seen and left', async () => {
    const { page, url } = await openPage(browser());
    for (const view of ['documents', 'gaps', 'calls', 'state']) {
      await page.goto(`${url}/#/${view}/default`);
      await page.reload();
      await page.locator('main h1').waitFor();
      const order = await tabThrough(page);
      expect(order.slice(0, 6), view).toEqual(['Knowledge Agent', 'Ask', 'Documents', 'Gaps', 'Calls', 'State']);
      expect(order.length, view).toBeGreaterThan(6);
    }
  });

  it('a dialog keeps the focus while it is open, and gives it back when it is closed', async () => {
    const { page } = await openPage(browser(), { hash: '#/documents/default' });
    const button = page.getByRole('button', { name: 'Add …' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Add documents' }).waitFor();
    for (let step = 0; step < 30; step++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest('dialog') !== null)).toBe(
        true,
      );
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedName(page)).toBe('Add …');
  });
});

describePage('on a phone', () => {
  const browser = useBrowser();

  it('a tap on a mark lays the document over the answer, and closing it leads back', async () => {
    const { page } = await openPage(browser(), { width: 390, hasTouch: true });
    const turn = await ask(page, 'Within how many days are refunds paid?');
    await turn.getByRole('button', { name: /^Source 1/ }).tap();
    await expect.poll(() => markedText(page)).toBe('Refunds are paid within 30 days of purchase.');
    const reader = page.getByRole('dialog', { name: 'Document' });
    await expect.poll(async () => (await reader.boundingBox())?.width).toBe(390);
    await reader.getByRole('button', { name: 'Close the document' }).tap();
    await turn.getByRole('button', { name: 'Good answer' }).tap();
    await turn.getByLabel('What was good about it?').waitFor();
  });
});

/** Whether the highlight lies within the part of the document that is visible. */
const isInView = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const [mark, body] = ['.reader mark', '.reader .document'].map((part) => document.querySelector(part).getBoundingClientRect());
    return mark.top >= body.top && mark.bottom <= body.bottom;
  });

describePage('the address', () => {
  const browser = useBrowser();

  it('says where one is: a document can be linked, and the way back leads back', async () => {
    const { page, service, url } = await openPage(browser());
    const { body } = await service.get('/api/namespaces/default/documents');
    await page.goto(`${url}/#/documents/default/${body.documents[0].id}`);
    await page.locator('.document h1').waitFor();
    await page.reload();
    await page.locator('.document h1').waitFor();
    await page.getByRole('link', { name: 'State', exact: true }).click();
    await page.getByRole('heading', { name: 'State', level: 1 }).waitFor();
    await page.goBack();
    await page.locator('.document h1').waitFor();
  });

  it('opens a document in a fresh tab with the linked quote highlighted and scrolled to', async () => {
    const filler = (at: number) => `Paragraph ${at} is about something else.\n\n`;
    const text = `# Long\n\n${Array.from({ length: 2_000 }, (_, at) => filler(at)).join('')}The vault opens at noon.\n\nMore follows.\n`;
    const { page, service, url, context } = await openPage(browser(), { files: { 'default/long.md': text } });
    const { body } = await service.get('/api/namespaces/default/documents');
    const [{ id, revision }] = body.documents;
    const start = text.indexOf('The vault');
    const linkTo = (from: number) => `${url}/#/documents/default/${id}?start=${from}&end=${from + 24}&revision=${revision.slice(0, 19)}`;
    const tab = await context.newPage();
    await tab.goto(linkTo(start));
    await expect.poll(() => markedText(tab)).toBe('The vault opens at noon.');
    await expect.poll(() => isInView(tab)).toBe(true);
    await tab.goto(linkTo(text.indexOf('Paragraph 7 is')));
    await tab.locator('.reader mark', { hasText: 'Paragraph 7 is about' }).waitFor();
    await page.goto(`${url}/#/documents/default/${id}?start=${start}&end=${start + 24}&revision=sha256-ffff`);
    await page.getByText('The document was edited after this link was made').waitFor();
    await expect.poll(() => page.locator('.reader mark').count()).toBe(0);
  });
});

describePage('each view', () => {
  const browser = useBrowser();

  it('has one heading of the first level, which names it, also while a document or an answer is open', async () => {
    const { page, service, url } = await openPage(browser());
    // Those of documents and answers have a level below it.
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
      ['state/default', 'State'],
    ]) {
      await page.goto(`${url}/#/${view}`);
      await expect.poll(headings).toEqual([heading]);
    }
  });
});

describePage('a tab that comes to the front', () => {
  const browser = useBrowser();

  it('asks again, once however often it does', async () => {
    const { page, service, url, requests } = await openPage(browser(), { hash: '#/documents/default' });
    await page.getByText('1 document', { exact: true }).first().waitFor();
    const asked = () => requests.filter((one) => one === `${url}/api/namespaces`).length;
    const before = asked();
    await service.post('/api/tools/ingestSources', { namespace: 'default', sources: [{ text: 'Lost keys are kept at the reception.' }] });
    await page.evaluate(() => {
      for (let times = 0; times < 20; times++) document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByText('2 documents', { exact: true }).first().waitFor();
    expect(asked() - before).toBeLessThanOrEqual(2);
  });
});

describePage('the watch over the page', () => {
  const browser = useBrowser();

  it('opens nothing but what was built', async () => {
    const url = await serveOnLoopback(await startService());
    const { page, requests } = await visit(browser(), url);
    await page.locator('footer a').waitFor();
    expect([...new Set(requests.map((asked) => asked.slice(url.length).replace(/-[\w-]{8}\./, '-hash.')))].sort()).toEqual([
      '/',
      '/api/namespaces',
      '/api/state',
      '/page/icon-hash.svg',
      '/page/index-hash.css',
      '/page/index-hash.js',
    ]);
  });
});
