import { expect, it } from 'vitest';
import { describePage, look, useBrowser } from '../../support/browser.ts';
import { ask, markedText, openPage, refunds } from '../../support/page.ts';

/** Those of the page: what is evaluated there. */
declare const localStorage: any;
declare const sessionStorage: any;
declare const document: any;

const settings = { API_KEYS: 'all-key,hr-key=hr' };
const files = { ...refunds, 'hr/pay.md': '# Pay\n\nSalaries are paid on the last day of each month.\n' };

describePage('a server with keys', () => {
  const browser = useBrowser();

  async function openLocked(hash = '') {
    const opened = await openPage(browser(), { settings, files, hash, expected: [/status of 40[13]/] });
    await opened.page.getByText('A key is needed').waitFor();
    const give = async (key: string) => {
      await opened.page.getByLabel('Key or token').fill(key);
      await opened.page.keyboard.press('Enter');
    };
    return { ...opened, give };
  }

  it('asks for one, refuses a wrong one, opens with a right one, and has forgotten it after a reload', async () => {
    const visited = await openLocked();
    const { page, context, give } = visited;
    await look(visited, 'key');
    await give('wrong-key');
    await page.getByText('This server does not know that key.').waitFor();
    await look(visited, 'key-wrong');
    await give('all-key');
    await page.getByText('2 documents').first().waitFor();
    const turn = await ask(page, 'Within how many days are refunds paid?');
    await expect.poll(() => turn.locator('.text').textContent()).toContain('Refunds are paid within 30 days of purchase.');
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
    expect(kept).not.toContain('all-key');
    expect(await context.storageState()).toEqual({ cookies: [], origins: [] });
    await page.reload();
    await page.getByText('A key is needed').waitFor();
  });

  it('shows with a key of one namespace that alone, and no calls', async () => {
    const visited = await openLocked('#/ask/hr');
    const { page, url, give } = visited;
    await give('hr-key');
    await page.getByText('1 document', { exact: false }).first().waitFor();
    await expect.poll(() => page.locator('nav a').allTextContents()).toEqual(['Ask', 'Documents', 'State']);
    await expect.poll(() => page.locator('.picker option').allTextContents()).toEqual(['hr']);
    const turn = await ask(page, 'When are salaries paid?');
    await expect.poll(() => turn.locator('.text').textContent()).toContain('Salaries are paid on the last day of each month.');
    await page.evaluate(() => {
      location.hash = '#/calls/hr';
    });
    await page.getByText('Your key or token may not see calls').waitFor();
    await look(visited, 'calls-not-allowed');
    // A namespace of others is as one that is not there.
    visited.expectError(/status of 404/);
    await page.evaluate(() => {
      location.hash = '#/documents/default';
    });
    await page.getByText('default holds no documents yet').waitFor();
    await expect.poll(() => page.locator('.documents a').count()).toBe(0);
    expect(new URL(page.url()).origin).toBe(url);
  });

  it('asks for a key at the link of a quote, and shows the quote with it', async () => {
    const { page, url, service, give } = await openLocked();
    const { body } = await service.get('/api/namespaces/hr/documents', { authorization: 'Bearer hr-key' });
    const quote = 'Salaries are paid on the last day of each month.';
    const start = files['hr/pay.md'].indexOf(quote);
    await page.goto(`${url}/#/documents/hr/${body.documents[0].id}?start=${start}&end=${start + quote.length}`);
    await page.reload();
    await page.getByText('A key is needed').waitFor();
    await give('hr-key');
    await expect.poll(() => markedText(page)).toBe(quote);
  });

  it('lands on the namespace of its key', async () => {
    for (const hash of ['', '#/documents/default']) {
      const { page, give } = await openLocked(hash);
      await give('hr-key');
      await expect.poll(() => page.locator('.picker option:checked').allTextContents()).toEqual(['hr']);
      expect(new URL(page.url()).hash).toMatch(/^#\/(ask|documents)\/hr$/);
    }
  });

  it('tells what it is and what one may, and nothing that is secret', async () => {
    const visited = await openLocked('#/state/default');
    const { page, give } = visited;
    await give('all-key');
    await page.getByRole('heading', { name: 'You' }).waitFor();
    const text = await page.locator('.state').innerText();
    expect(text).toMatch(/documents\s+2/);
    expect(text).toContain('the key or token that you gave');
    expect(text).not.toMatch(/all-key|hr-key/);
    await look(visited, 'state-with-key');
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByText('A key is needed').waitFor();
  });
});

declare const location: any;

describePage('State', () => {
  const browser = useBrowser();

  it('tells documents, chunks, model, limits and rights', async () => {
    const visited = await openPage(browser(), { hash: '#/state/default', files });
    const { page, service } = visited;
    await page.getByRole('heading', { name: 'Limits' }).waitFor();
    const { body } = await service.get('/api/state');
    const text = await page.locator('.state').innerText();
    for (const said of [body.version, 'Without a model: quotes only', 'in memory', 'none', 'up to 21 MB', 'no limit'])
      expect(text).toContain(said);
    await look(visited, 'state', { inReadme: 'state' });
  });
});
