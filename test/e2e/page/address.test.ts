import { expect, it } from 'vitest';
import { describePage, look } from '../../support/browser.ts';
import { ask, markedText, openPage, refunds, startModel } from '../../support/page.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const location: any;

const question = 'Within how many days are refunds paid?';
const quote = 'Refunds are paid within 30 days of purchase.';

describePage('The address of a conversation', () => {
  it('names the last answer; reload, back, forward and a new tab show the conversation, which continues', async () => {
    const model = await startModel();
    const visited = await openPage({
      settings: { LLM_BASE_URL: model.baseUrl },
      hash: '#/ask/default',
    });
    const { page, context, url } = visited;
    model.reply(`${quote} [1]`);
    await ask(page, question);
    await expect.poll(() => page.url()).toMatch(/#\/ask\/default\/[\da-f-]{36}$/);
    const first = page.url();
    model.reply('A refund above $500 has to be approved by a manager. [1]');
    await ask(page, 'And above $500?');
    await expect.poll(() => page.url()).not.toBe(first);
    const both = [question, 'And above $500?'];
    const questions = (shown = page) =>
      expect.poll(() => shown.locator('.turn .question').allTextContents());
    await page.reload();
    await questions().toEqual(both);
    await expect.poll(() => page.title()).toBe('And above $500? – Ask – default – Knowledge Agent');
    await page
      .locator('.turn')
      .first()
      .getByRole('button', { name: /^Source 1/ })
      .click();
    await expect.poll(() => markedText(page)).toBe(quote);
    await page.keyboard.press('Escape');
    await page.goBack();
    await page.getByText('What would you like to know?').waitFor();
    await page.goForward();
    await questions().toEqual(both);

    const tab = await context.newPage();
    await tab.goto(first);
    await questions(tab).toEqual(both);
    expect(await tab.title()).toBe(`${question} – Ask – default – Knowledge Agent`);
    model.reply('Shipping costs are refunded only if the item arrived damaged. [1]');
    await ask(tab, 'And shipping?');
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain(quote);
    await questions(tab).toEqual([...both, 'And shipping?']);
    await tab.getByRole('link', { name: 'Documents', exact: true }).click();
    await tab.getByRole('heading', { name: 'Documents in default' }).waitFor();
    await tab.getByRole('link', { name: 'Ask', exact: true }).click();
    await questions(tab).toEqual([...both, 'And shipping?']);
    await tab.getByRole('button', { name: 'New chat' }).click();
    await questions(tab).toEqual([]);
    expect(tab.url()).toBe(`${url}/#/ask/default`);
  });

  it('names an open citation: back closes it, forward and reload open it, closing goes back', async () => {
    const { page } = await openPage();
    await ask(page, question);
    await expect.poll(() => page.url()).toMatch(/#\/ask\/default\/[\da-f-]{36}$/);
    const answer = page.url();
    const open = () => page.getByRole('button', { name: /^Source 1/ }).click();
    await open();
    expect(page.url()).toBe(`${answer}?source=1`);
    await expect.poll(() => page.title()).toBe('Refunds – Ask – default – Knowledge Agent');
    await page.goBack();
    await expect.poll(() => page.locator('.reader').count()).toBe(0);
    await page.goForward();
    await expect.poll(() => markedText(page)).toBe(quote);
    await page.reload();
    await expect.poll(() => markedText(page)).toBe(quote);
    await page.getByRole('button', { name: 'Close document' }).click();
    await expect.poll(() => page.url()).toBe(answer);
    await expect.poll(() => page.locator('.reader').count()).toBe(0);
    await open();
    const link = await page.getByRole('link', { name: 'Show in list' }).getAttribute('href');
    expect(link).toMatch(/^#\/documents\/default\/\w+\?start=\d+&end=\d+&revision=sha256-\w{12}$/);
    await page.getByRole('link', { name: 'Show in list' }).click();
    await page.reload();
    await expect.poll(() => markedText(page)).toBe(quote);
    await expect.poll(() => page.title()).toBe('Refunds – Documents – default – Knowledge Agent');
  });

  it('asks a linked question once', async () => {
    const opened = await openPage({
      hash: `?question=${encodeURIComponent(question)}&namespace=default`,
    });
    const { page, requests, url } = opened;
    const asked = () => requests.filter((one) => one.endsWith('/stream')).length;
    await page.locator('.answer[aria-busy=false]').getByText(quote).first().waitFor();
    expect(page.url()).toMatch(/^http:\/\/[^?]+\/#\/ask\/default\/[\da-f-]{36}$/);
    await page.reload();
    await page.locator('.answer').getByText(quote).first().waitFor();
    expect(asked()).toBe(1);
    await page.goto(`${url}/#/ask/default?question=Who%20approves%20refunds%3F`);
    await page.getByRole('heading', { name: 'Who approves refunds?' }).waitFor();
    expect(asked()).toBe(2);
    await page.goto(`${url}/#/ask/nowhere?question=Who%20approves%20refunds%3F`);
    await page.getByText('There is no namespace “nowhere”').waitFor();
    expect(asked()).toBe(2);
  });

  it('shows one answer to another caller, and says so', async () => {
    const settings = { API_KEYS: 'ann-key,ben-key' };
    const { page, context, service, url, expectError } = await openPage({
      settings,
      expected: [/status of 40[14]/],
    });
    const enter = async (shown: typeof page, key: string) => {
      await shown.getByLabel('API key or token').fill(key);
      await shown.keyboard.press('Enter');
      await shown.locator('.pane').waitFor();
    };
    await enter(page, 'ann-key');
    await ask(page, question);
    await ask(page, 'Who approves refunds?');
    await expect.poll(() => page.url()).toMatch(/[\da-f-]{36}$/);
    const ben = await context.newPage();
    await ben.goto(page.url());
    await enter(ben, 'ben-key');
    await ben.getByText('This link shows one answer.').waitFor();
    await expect
      .poll(() => ben.locator('.turn .question').allTextContents())
      .toEqual(['Who approves refunds?']);
    await look({ page: ben }, 'ask-shared');
    await ask(ben, question);
    expect((await service.get('/api/memory/threads', { 'x-api-key': 'ben-key' })).body.total).toBe(
      1,
    );
    expectError(/status of 404/);
    await ben.goto(`${url}/#/ask/default/00000000-0000-4000-8000-000000000000`);
    await ben.getByText('There is no such answer, or you have no access to it.').waitFor();
    await look({ page: ben }, 'ask-unknown');
    await ben.getByRole('link', { name: 'Ask a question in default' }).click();
    await ben.getByText('What would you like to know?').waitFor();
  });

  it('says that a view or a namespace is unknown and links to a known one', async () => {
    const { page, url } = await openPage({
      hash: '#/nowhere/default',
      expected: [/status of 404/],
    });
    await page.getByText('There is no view “nowhere”.').waitFor();
    await expect.poll(() => page.title()).toBe('Not found – Knowledge Agent');
    await page.goto(`${url}/#/gaps/nowhere`);
    await page.getByText('There is no namespace “nowhere”').waitFor();
    await page.getByRole('link', { name: 'Ask a question in default' }).click();
    await expect.poll(() => page.title()).toBe('Ask – default – Knowledge Agent');
    await page.goto(`${url}/#/documents/brand-new`);
    await page.getByRole('heading', { name: 'Documents in brand-new' }).waitFor();
  });
});

describePage('Keys of the Ask view', () => {
  it('focus the field with /, recall the last question with ArrowUp, and lead from the field to the new answer once', async () => {
    const { page } = await openPage();
    await ask(page, question);
    const focused = () =>
      page.evaluate(() => document.activeElement.id || document.activeElement.className);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('turn');
    await page.keyboard.press('/');
    expect(await focused()).toBe('question');
    await page.keyboard.press('Tab');
    expect(await focused()).not.toBe('turn');
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowUp');
    const field = page.getByRole('textbox', { name: 'Question', exact: true });
    expect(await field.inputValue()).toBe(question);
    await page.keyboard.type('/');
    expect(await field.inputValue()).toBe(`${question}/`);
  });
});

describePage('A visitor without a key', () => {
  it('asks, reads quoted passages and keeps the conversation, without failed requests', async () => {
    const settings = {
      ALLOW_ANONYMOUS: 'read',
      ANONYMOUS_NAMESPACES: 'default',
      API_KEYS: 'all-key',
    };
    const files = {
      ...refunds,
      'hr/pay.md': '# Pay\n\nSalaries are paid on the last day of each month.\n',
    };
    const visited = await openPage({ settings, files });
    const { page, requests, url } = visited;
    await page.getByText('What would you like to know?').waitFor();
    await expect.poll(() => page.locator('nav a').allTextContents()).toEqual(['Ask']);
    await expect.poll(() => page.locator('.picker option').allTextContents()).toEqual(['default']);
    await look(visited, 'visitor-welcome');
    const turn = await ask(page, question);
    await turn.getByRole('button', { name: 'Why this answer' }).click();
    await turn.getByText('Searched “default”').waitFor();
    await turn.getByRole('button', { name: /^Source 1/ }).click();
    await expect.poll(() => markedText(page)).toBe(quote);
    await page.getByText('Sign in to read the document.').waitFor();
    await look(visited, 'visitor-cited');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).not.toContain('source=');
    await page.reload();
    await page.locator('.answer').getByText(quote).first().waitFor();
    expect(
      requests.filter((one) =>
        /documents|answers|threads|api\/namespaces$/.test(one.slice(url.length)),
      ),
    ).toEqual([]);
    visited.expectError(/status of 403/);
    await page.goto(`${url}/#/documents/default`);
    await page.getByText('You need a key to open Documents.').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Continue without a key' }).click();
    await page.getByText('You need a key to open Documents.').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('API key or token').fill('all-key');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Documents in default' }).waitFor();
  });
});
