import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { actOn, openPage, refunds } from '../../support/page.ts';

/** Browser global, for functions that run in the page. */
declare const document: any;

const question = 'Within how many days are refunds paid?';
const quote =
  'Refunds are paid within 30 days of purchase. A refund above $500 has to be approved by a manager.';
const answerAddress = /#\/ask\/default\/[\da-f-]{36}$/;

describePage('The address of a conversation', () => {
  it('names the last answer; reload, back, forward and a new tab show the conversation, which continues', async () => {
    const model = await startFakeProvider();
    const settings = { LLM_BASE_URL: model.baseUrl };
    const { page, context, ask, url, title, texts, press, marked, see, base } = await openPage({
      settings,
      hash: '#/ask/default',
    });
    model.reply(`${quote} [1]`);
    await ask(question);
    await url().toMatch(answerAddress);
    const first = page.url();
    model.reply('A refund above $500 has to be approved by a manager. [1]');
    await ask('And above $500?');
    await url().not.toBe(first);
    const both = [question, 'And above $500?'];
    await page.reload();
    await texts('.turn .question').toEqual(both);
    await title().toBe('And above $500? – Ask – default – Knowledge Agent');
    await press(/^Source 1/, page.locator('.turn').first());
    await marked().toBe(quote);
    await page.keyboard.press('Escape');
    await page.goBack();
    await see('What would you like to know?');
    await page.goForward();
    await texts('.turn .question').toEqual(both);

    const tab = actOn(await context.newPage());
    await tab.page.goto(first);
    await tab.texts('.turn .question').toEqual(both);
    expect(await tab.page.title()).toBe(`${question} – Ask – default – Knowledge Agent`);
    model.reply('Shipping costs are refunded only if the item arrived damaged. [1]');
    await tab.ask('And shipping?');
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain(quote);
    await tab.texts('.turn .question').toEqual([...both, 'And shipping?']);
    await tab.follow('Documents');
    await tab.see('Documents in default');
    await tab.follow('Ask');
    await tab.texts('.turn .question').toEqual([...both, 'And shipping?']);
    await tab.press('New chat');
    await tab.texts('.turn .question').toEqual([]);
    expect(tab.page.url()).toBe(`${base}/#/ask/default`);
  });

  it('asks a linked question once, and names an open citation: back closes it, forward and reload open it', async () => {
    const { page, requests, go, see, url, title, texts, count, press, marked, follow } =
      await openPage({ hash: `?question=${encodeURIComponent(question)}&namespace=default` });
    const asked = () => requests.filter((one) => one.endsWith('/stream')).length;
    await see(quote, page.locator('.answer[aria-busy=false]'));
    expect(page.url()).toMatch(/^http:\/\/[^?]+\/#\/ask\/default\/[\da-f-]{36}$/);
    const answer = page.url();
    await page.reload();
    await see(quote, page.locator('.answer'));
    expect(asked()).toBe(1);
    await press(/^Source 1/);
    expect(page.url()).toBe(`${answer}?source=1`);
    await title().toBe('Refunds – Ask – default – Knowledge Agent');
    await page.goBack();
    await count('.reader').toBe(0);
    await page.goForward();
    await marked().toBe(quote);
    await page.reload();
    await marked().toBe(quote);
    await press('Close document');
    await url().toBe(answer);
    await count('.reader').toBe(0);
    await press(/^Source 1/);
    expect(await page.getByRole('link', { name: 'Show in list' }).getAttribute('href')).toMatch(
      /^#\/documents\/default\/\w+\?start=\d+&end=\d+&revision=sha256-\w{12}$/,
    );
    await follow('Show in list');
    await page.reload();
    await marked().toBe(quote);
    await title().toBe('Refunds – Documents – default – Knowledge Agent');
    await go('#/ask/default?question=Who%20approves%20refunds%3F');
    await texts('.turn .question').toContain('Who approves refunds?');
    expect(asked()).toBe(2);
    await go('#/ask/nowhere?question=Who%20approves%20refunds%3F');
    await see('There is no namespace “nowhere”');
    expect(asked()).toBe(2);
  });

  it('shows one answer to another caller, and says so', async () => {
    const { page, context, service, base, expectError, enterKey, ask, url } = await openPage({
      settings: { API_KEYS: 'ann-key,ben-key' },
      expected: [/status of 40[14]/],
    });
    await enterKey('ann-key');
    await page.locator('.pane').waitFor();
    await ask(question);
    await ask('Who approves refunds?');
    await url().toMatch(answerAddress);
    const ben = actOn(await context.newPage());
    await ben.page.goto(page.url());
    await ben.enterKey('ben-key');
    await ben.see('This link shows one answer');
    await ben.texts('.turn .question').toEqual(['Who approves refunds?']);
    await ben.look('ask-shared');
    await ben.ask(question);
    const threads = await service.get('/api/memory/threads', { 'x-api-key': 'ben-key' });
    expect(threads.body.total).toBe(1);
    expectError(/status of 404/);
    await ben.page.goto(`${base}/#/ask/default/00000000-0000-4000-8000-000000000000`);
    await ben.see('There is no such answer, or you have no access to it.');
    await ben.look('ask-unknown');
    await ben.follow('Ask a question in default');
    await ben.see('What would you like to know?');
  });

  it('says that a view or a namespace is unknown and links to a known one', async () => {
    const { go, see, title, find, follow, look, texts } = await openPage({
      hash: '#/nowhere/default',
      expected: [/status of 404/],
    });
    await see('There is no view “nowhere”.');
    await title().toBe('Not found – Knowledge Agent');
    await go('#/gaps/nowhere');
    await see('There is no namespace “nowhere”');
    await follow('Ask a question in default');
    await title().toBe('Ask – default – Knowledge Agent');
    await go('#/documents/nowhere');
    await see('There is no namespace “nowhere”');
    await look('documents-unknown-namespace');
    await follow('default', find('.empty'));
    await texts('.documents b').toEqual(['Refunds']);
    await go('#/documents/brand-new');
    await see('Documents in brand-new');
  });
});

describePage('Keys of the Ask view', () => {
  it('recall the last question with ArrowUp, and lead from the field to the new answer once', async () => {
    const { page, ask } = await openPage();
    await ask(question);
    const focused = () =>
      page.evaluate(() => document.activeElement.id || document.activeElement.className);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('turn');
    const field = page.getByRole('textbox', { name: 'Question', exact: true });
    await field.focus();
    await page.keyboard.press('Tab');
    expect(await focused()).not.toBe('turn');
    await field.focus();
    await page.keyboard.press('ArrowUp');
    expect(await field.inputValue()).toBe(question);
  });
});

describePage('A visitor without a key', () => {
  it('asks, reads quoted passages and keeps the conversation, without failed requests', async () => {
    const { page, requests, base, go, ...user } = await openPage({
      settings: {
        ALLOW_ANONYMOUS: 'read',
        ANONYMOUS_NAMESPACES: 'default',
        API_KEYS: 'all-key',
      },
      files: { ...refunds, 'hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n' },
    });
    await user.see('What would you like to know?');
    await user.texts('nav a').toEqual(['Ask']);
    await user.texts('.picker option').toEqual(['default']);
    await user.look('visitor-welcome');
    const turn = await user.ask(question);
    await user.more('Why this answer', turn);
    await user.see('Searched “default”', turn);
    await user.press(/^Source 1/, turn);
    await user.marked().toBe(quote);
    await user.see('Sign in to read the document.');
    await user.look('visitor-cited');
    await page.keyboard.press('Escape');
    await user.url().not.toContain('source=');
    await page.reload();
    await user.see(quote, page.locator('.answer'));
    const own = /documents|answers|threads|api\/namespaces$/;
    expect(requests.filter((one) => own.test(one.slice(base.length)))).toEqual([]);
    user.expectError(/status of 403/);
    await go('#/documents/default');
    await user.see('You need a key to open Documents.');
    await user.press('Sign in');
    await user.press('Continue without a key');
    await user.see('You need a key to open Documents.');
    await user.press('Sign in');
    await user.enterKey('all-key');
    await user.see('Documents in default');
  });
});
