import { expect, it } from 'vitest';
import { describePage, look } from '../../support/browser.ts';
import { ask, markedText, openPage, refunds } from '../../support/page.ts';

/** Browser globals, for functions that run in the page. */
declare const localStorage: any;
declare const sessionStorage: any;
declare const document: any;

const settings = { API_KEYS: 'all-key,hr-key=hr' };
const files = {
  ...refunds,
  'hr/pay.md': '# Pay\n\nSalaries are paid on the last day of each month.\n',
};

describePage('Sign-in', () => {
  async function openLocked(hash = '') {
    const opened = await openPage({
      settings,
      files,
      hash,
      expected: [/status of 40[13]/],
    });
    await opened.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const enterKey = async (key: string) => {
      await opened.page.getByLabel('API key or token').fill(key);
      await opened.page.keyboard.press('Enter');
    };
    return { ...opened, enterKey };
  }

  it('asks for a key, rejects a wrong one, accepts a valid one and forgets it on reload', async () => {
    const visited = await openLocked();
    const { page, context, enterKey } = visited;
    await look(visited, 'key');
    await enterKey('wrong-key');
    await page.getByText('This key is not valid.').waitFor();
    await look(visited, 'key-wrong');
    await enterKey('all-key');
    await page.getByText('2 documents').first().waitFor();
    const turn = await ask(page, 'Within how many days are refunds paid?');
    await expect
      .poll(() => turn.locator('.text').textContent())
      .toContain('Refunds are paid within 30 days of purchase.');
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    );
    expect(kept).not.toContain('all-key');
    expect(await context.storageState()).toEqual({ cookies: [], origins: [] });
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('shows a key for one namespace only that namespace and no calls', async () => {
    const visited = await openLocked('#/ask/hr');
    const { page, url, enterKey } = visited;
    await enterKey('hr-key');
    await page.getByText('1 document', { exact: false }).first().waitFor();
    await expect
      .poll(() => page.locator('nav a').allTextContents())
      .toEqual(['Ask', 'Documents', 'Status']);
    await expect.poll(() => page.locator('.picker option').allTextContents()).toEqual(['hr']);
    const turn = await ask(page, 'When are salaries paid?');
    await expect
      .poll(() => turn.locator('.text').textContent())
      .toContain('Salaries are paid on the last day of each month.');
    await page.evaluate(() => {
      location.hash = '#/calls/hr';
    });
    await page.getByText('Your key or token has no access to calls').waitFor();
    await look(visited, 'calls-not-allowed');
    // A namespace without access looks like a missing one.
    visited.expectError(/status of 404/);
    await page.evaluate(() => {
      location.hash = '#/ask/default';
    });
    await page.getByText('There is no namespace “default”, or you have no access to it.').waitFor();
    await look(visited, 'namespace-unknown');
    await page.getByRole('link', { name: 'Ask a question in hr' }).click();
    await page.getByText('What would you like to know?').waitFor();
    await page.evaluate(() => {
      location.hash = '#/documents/default';
    });
    await page.getByText('There is no namespace “default”, or your key may not use it').waitFor();
    await expect.poll(() => page.locator('.documents a').count()).toBe(0);
    await expect.poll(() => page.locator('.drop, .documents-view > header button').count()).toBe(0);
    expect(new URL(page.url()).origin).toBe(url);
  });

  it('asks for a key at a quote link and then shows the quote', async () => {
    const { page, url, service, enterKey } = await openLocked();
    const { body } = await service.get('/api/namespaces/hr/documents', {
      authorization: 'Bearer hr-key',
    });
    const quote = 'Salaries are paid on the last day of each month.';
    const start = files['hr/pay.md'].indexOf(quote);
    await page.goto(
      `${url}/#/documents/hr/${body.documents[0].id}?start=${start}&end=${start + quote.length}`,
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await enterKey('hr-key');
    await expect.poll(() => markedText(page)).toBe(quote);
  });

  it('switches to the namespace of the key if the address names none', async () => {
    const { page, enterKey } = await openLocked();
    await enterKey('hr-key');
    await expect
      .poll(() => page.locator('.picker option:checked').allTextContents())
      .toEqual(['hr']);
    expect(new URL(page.url()).hash).toBe('#/ask/hr');
  });

  it('keeps a key for the tab only if the user chooses so, until the user signs out or the key is rejected', async () => {
    const { page, context, url } = await openLocked();
    await page.getByLabel('API key or token').fill('hr-key');
    await page.getByLabel('Stay signed in in this tab').check();
    await page.keyboard.press('Enter');
    await page.getByText('What would you like to know?').waitFor();
    await page.reload();
    await page.getByText('What would you like to know?').waitFor();
    const other = await context.newPage();
    await other.goto(url);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.evaluate(() => sessionStorage.setItem(`key of ${location.pathname}`, 'revoked-key'));
    await page.reload();
    await page.getByText('This key is not valid.').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('shows the rights of the caller but never a key', async () => {
    const visited = await openLocked('#/state/default');
    const { page, enterKey } = visited;
    await enterKey('all-key');
    await page.getByRole('heading', { name: 'Your access' }).waitFor();
    const text = await page.locator('.state').innerText();
    expect(text).toMatch(/documents\s+2/);
    expect(text).toMatch(/Authentication\s+API key or token/);
    expect(text).not.toMatch(/all-key|hr-key/);
    await look(visited, 'state-with-key');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

declare const location: any;

describePage('Status', () => {
  it('shows documents, model, configuration, limits and rights', async () => {
    const visited = await openPage({ hash: '#/state/default', files });
    const { page, service } = visited;
    await page.getByRole('heading', { name: 'Limits' }).waitFor();
    const { body } = await service.get('/api/state');
    const text = await page.locator('.state').innerText();
    for (const expected of [
      body.version,
      'No model (quotes only)',
      'in memory',
      'off',
      'up to 21 MB',
      'no limit',
    ])
      expect(text).toContain(expected);
    await look(visited, 'state', { inReadme: 'state' });
  });
});
