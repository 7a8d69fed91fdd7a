/** The chat widget. A test fails on any console error, also of a content policy. */
import { expect, it } from 'vitest';
import texts from '../../src/widget/texts.json' with { type: 'json' };
import { describePage, look } from '../support/browser.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { sampleFiles } from '../support/page.ts';
import {
  answeredWith,
  answers,
  anyOrigin,
  ask,
  focused,
  launcher,
  openHost,
  openPanel,
  operator,
  panel,
  plainPage,
  question,
  sentence,
} from '../support/shop.ts';

/** Browser global, for functions that run in the page. */
declare const window: any;

describePage('The chat widget', () => {
  it('asks from another origin, streams the answer, shows its source and rates it', async () => {
    const model = await startFakeProvider();
    const settings = { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'k', LLM_MODEL: 'm' };
    const visited = await openHost({
      settings,
      attributes: 'data-agent-name="Shop help" data-position="left"',
    });
    const { page, service, server, expectError } = visited;
    await openPanel(page);
    await page.getByRole('dialog', { name: 'Shop help' }).waitFor();
    await look(page, 'widget-open');
    const live = model.nextLive();
    await page.keyboard.type(question);
    await page.keyboard.press('Enter');
    const reply = await live;
    reply.say(`${sentence} [1]\n\nShipping costs are`);
    const answer = answers(page).first();
    await expect.poll(() => answer.textContent()).toContain(sentence);
    expect(await answer.getAttribute('aria-busy')).toBe('true');
    reply.say(' refunded only if the item arrived damaged. [1]');
    reply.finish();
    await page.locator('knowledge-chat article[aria-busy=false]').waitFor();
    await answer.getByRole('button', { name: 'Source 1: Refunds' }).first().click();
    await expect.poll(() => answer.locator('.sources blockquote').first().isVisible()).toBe(true);
    expect(await focused(page)).toBe('SUMMARY');
    const link = answer.locator('.sources a').first();
    expect(await link.evaluate((a: any) => [a.href, a.target, a.rel])).toEqual([
      'https://help.example.com/refunds',
      '_blank',
      'noopener noreferrer nofollow',
    ]);
    await look(page, 'widget-answered');
    await answer.getByRole('button', { name: texts.en.down }).click();
    const pressed = () =>
      answer.locator('.thumb').evaluateAll((all) => all.map((one) => one.ariaPressed));
    await expect.poll(pressed).toEqual(['false', 'true']);
    expect(await focused(page)).toBe('thumb down');
    const { gaps } = (await service.get('/api/gaps', operator)).body;
    expect(gaps).toMatchObject([{ question, runId: expect.any(String) }]);
    const { body } = await service.get(`/api/answers/${gaps[0].runId}`, operator);
    expect(body.feedback).toMatchObject([{ rating: 'down', comment: null }]);
    await look(page, 'widget-rated');
    await page.reload();
    await openPanel(page);
    await expect.poll(pressed).toEqual(['false', 'true']);
    await page.route(`${server}/api/answers/**`, (route) =>
      route.fulfill({ json: { handedOff: 'A person gets your question.' }, headers: anyOrigin }),
    );
    await answer.getByRole('button', { name: texts.en.up, exact: true }).click();
    await expect.poll(pressed).toEqual(['true', 'false']);
    expect(await answer.getByRole('status').textContent()).toBe('A person gets your question.');
    await page.unroute(`${server}/api/answers/**`);
    await page.route(`${server}/api/answers/**`, (route) => route.abort());
    expectError(/Failed to load resource/);
    await answer.getByRole('button', { name: texts.en.down }).click();
    await expect.poll(() => answer.getByRole('status').textContent()).toBe(texts.en.unrated);
    expect(await pressed()).toEqual(['true', 'false']);
  });

  it('sends the earlier turns with a follow-up, keeps them after a reload, and answers in order', async () => {
    const { page } = await openHost();
    const bodies: any[] = [];
    page.on(
      'request',
      (request) => void (request.method() === 'POST' && bodies.push(request.postDataJSON())),
    );
    await openPanel(page);
    await ask(page);
    await ask(page, 'What about shipping costs?');
    expect(bodies[1].messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
    expect(bodies[1].threadId).toMatch(/^[0-9a-f]{32}$/);
    // The server chooses the namespace of the key.
    expect(bodies[1].forwardedProps).toEqual({});
    await page.reload();
    await openPanel(page);
    await expect.poll(() => answers(page).count()).toBe(2);
    await expect.poll(() => answers(page).first().textContent()).toContain(sentence);
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => answers(page).count()).toBe(0);
    await ask(page);
    expect(bodies[2].messages).toHaveLength(1);
    expect(bodies[2].threadId).not.toBe(bodies[1].threadId);
    for (const text of [question, 'When are shipping costs refunded?']) {
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    }
    await expect
      .poll(() => page.locator('knowledge-chat article[aria-busy=false]').count())
      .toBe(3);
    await expect.poll(() => answers(page).nth(1).textContent()).toContain('30 days');
    await expect.poll(() => answers(page).nth(2).textContent()).toContain('damaged');
  });

  it('says a refusal, and a failure with a way to repeat the question', async () => {
    const { page, server } = await openHost({ expected: [/Failed to load resource/] });
    await openPanel(page);
    const refusal = await ask(page, 'How do I cook pasta?');
    expect(await refusal.textContent()).toContain('could not find');
    await page.route(`${server}/api/agents/**`, (route) => route.abort());
    const failed = await ask(page);
    expect(await failed.textContent()).toContain(texts.en.failed);
    await page.unroute(`${server}/api/agents/**`);
    await failed.getByRole('button', { name: texts.en.retry }).click();
    expect(await focused(page)).toBe('log');
    await expect.poll(() => failed.textContent()).toContain(sentence);
  });

  it('stops the answer when the panel closes', async () => {
    const model = await startFakeProvider();
    const { page } = await openHost({
      settings: { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'k', LLM_MODEL: 'm' },
    });
    await openPanel(page);
    const live = model.nextLive();
    await page.keyboard.type(question);
    await page.keyboard.press('Enter');
    const reply = await live;
    await page.keyboard.press('Escape');
    await reply.closed;
    await expect.poll(() => focused(page)).toBe('launcher');
    await launcher(page).click();
    await expect.poll(() => answers(page).first().textContent()).toContain(texts.en.stopped);
  });

  it('shows example questions and asks a chosen one', async () => {
    const { page: own } = await openHost({ files: await sampleFiles() });
    await openPanel(own);
    await own.getByRole('group', { name: texts.en.examples }).getByRole('button').first().waitFor();
    const { page, server } = await openHost();
    const json = { suggestions: [{ question }, { question: '<img src=x onerror=pwned()>' }] };
    await page.route(`${server}/api/namespaces/default/suggestions`, (route) =>
      route.fulfill({ json, headers: anyOrigin }),
    );
    await openPanel(page);
    await page.getByRole('button', { name: question }).click();
    expect(await focused(page)).toBe('log');
    await expect.poll(() => answers(page).first().textContent()).toContain(sentence);
  });

  it('shows escaped pipes in tables, and links to addresses of all forms, on a right-to-left page', async () => {
    const { page, server } = await openHost({
      host: { html: (script) => plainPage.html(script).replace('<html', '<html dir="rtl"') },
    });
    await openPanel(page);
    const table = '| a | x \\| y |\n|-|-|\n| `p\\|q` | b |';
    const links =
      '[mail](mailto:help@a.example) [n](https://a.example/F_(b)) https://a.example/Возврат. 見るhttps://a.example/xを見る';
    const answer = await answeredWith(page, server, `${table}\n\n${links}`);
    expect(await answer.locator('th, td').allTextContents()).toEqual(['a', 'x | y', 'p|q', 'b']);
    expect(
      await answer.locator('a').evaluateAll((all) => all.map(({ href }: any) => href)),
    ).toEqual([
      'mailto:help@a.example',
      'https://a.example/F_(b)',
      encodeURI('https://a.example/Возврат'),
      'https://a.example/x',
    ]);
    expect(
      await panel(page).evaluate((dialog: any) => window.getComputedStyle(dialog).direction),
    ).toBe('ltr');
  });

  it('has all texts in each language', () => {
    for (const [language, own] of Object.entries(texts))
      expect([language, Object.keys(own)]).toEqual([language, Object.keys(texts.en)]);
    expect(Object.keys(texts)).toEqual(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ja']);
  });
});
