import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { actOn, openPage, refunds } from '../../support/page.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const localStorage: any;
declare const location: any;
declare const sessionStorage: any;

const settings = { API_KEYS: 'all-key,hr-key=hr' };
const salaries = 'Salaries are paid on the last day of each month.';
const pay = `# Pay\n\n${salaries}\n`;
const files = { ...refunds, 'hr/pay.md': pay };
const expected = [/status of 40[13]/];
const openLocked = (hash = '') => openPage({ settings, files, hash, expected });

describePage('Sign-in', () => {
  it('asks for a key, rejects a wrong one, accepts a valid one, shows its rights and forgets it on reload', async () => {
    const { page, context, see, look, enterKey, find, press, follow } = await openLocked();
    await look('key');
    await enterKey('wrong-key');
    await see('This key is not valid.', page.getByRole('alert'));
    await enterKey('all-key');
    await see('2 documents');
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    );
    expect(kept).not.toContain('all-key');
    expect(await context.storageState()).toEqual({ cookies: [], origins: [] });
    await follow('Status');
    await see('Your access');
    const text = await find('.state').innerText();
    expect(text).toMatch(/documents\s+2/);
    expect(text).toMatch(/Authentication\s+API key or token/);
    expect(text).not.toMatch(/all-key|hr-key/);
    await look('state-with-key');
    await press('Sign out');
    await enterKey('all-key');
    await see('Your access');
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('stays until a key is entered, even if an answer to the refused key comes late', async () => {
    const { page, see, enterKey } = await openLocked('#/documents/hr');
    await enterKey('all-key');
    await see(/^1 document$/);
    const late = Promise.withResolvers<void>();
    await page.route('**/api/state', async (route) => {
      await late.promise;
      await route.continue();
    });
    await page.route('**/documents?*', (route) => route.fulfill({ status: 401, json: {} }));
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const form = page.getByRole('heading', { name: 'Sign in' });
    await form.waitFor();
    const read = page.waitForResponse(/\/api\/namespaces$/);
    late.resolve();
    await read;
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(await form.isVisible()).toBe(true);
    await page.unroute('**/documents?*');
    await enterKey('all-key');
    await see(/^1 document$/);
  });

  it('is offered to readers without a key', async () => {
    const { see, press, enterKey } = await openPage({
      settings: { API_KEYS: 'all-key', PATH_PREFIX: '/k/visitors', PATH_PREFIX_RIGHTS: 'read' },
      hash: 'k/visitors/#/status',
    });
    await press('Sign in');
    await enterKey('all-key');
    await see('API key or token');
    await press('Sign out');
  });

  it('shows a key for one namespace only that namespace and no calls', async () => {
    const { page, base, enterKey, texts, text, ask, jump, see, look, follow, count, ...user } =
      await openLocked();
    await enterKey('hr-key');
    await texts('.picker option').toEqual(['hr']);
    expect(new URL(page.url()).hash).toBe('#/ask/hr');
    await texts('nav a').toEqual(['Ask', 'Documents', 'Status']);
    await ask('When are salaries paid?');
    await text('.turn .text').toContain(salaries);
    await jump('#/calls/hr');
    await see('Your key or token has no access to calls');
    await look('calls-not-allowed');
    // A namespace without access looks like a missing one.
    user.expectError(/status of 404/);
    await jump('#/ask/default');
    await see('There is no namespace “default”, or you have no access to it.');
    await look('namespace-unknown');
    await follow('Ask a question in hr');
    await see('What would you like to know?');
    await jump('#/documents/default');
    await see('There is no namespace “default”, or your key may not use it');
    await count('.documents a').toBe(0);
    await count('.drop, .documents-view > header button').toBe(0);
    expect(new URL(page.url()).origin).toBe(base);
  });

  it('asks for a key at a quote link, then shows the quote, and keeps the key for the tab only if the user chooses so', async () => {
    const { page, context, service, base, go, see, enterKey, marked, press, follow } =
      await openLocked();
    const { body } = await service.get('/api/namespaces/hr/documents', { 'x-api-key': 'hr-key' });
    const start = pay.indexOf(salaries);
    await go(
      `#/documents/hr/${body.documents[0].id}?start=${start}&end=${start + salaries.length}`,
    );
    await page.reload();
    const heading = page.getByRole('heading', { name: 'Sign in' });
    await heading.waitFor();
    await page.getByLabel('Stay signed in in this tab').check();
    await enterKey('hr-key');
    await marked().toBe(salaries);
    await page.reload();
    await marked().toBe(salaries);
    const other = actOn(await context.newPage());
    await other.page.goto(base);
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await follow('Status');
    await press('Sign out');
    await heading.waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.evaluate(() => sessionStorage.setItem(`key of ${location.pathname}`, 'revoked-key'));
    await page.reload();
    await see('This key is not valid.');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});
