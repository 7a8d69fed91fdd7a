import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { eventsOf, openPage } from '../../support/page.ts';

/** Browser global, for functions that run in the page. */
declare const document: any;

const question = 'Is the bicycle cellar heated in winter?';
const refundQuestion = 'Within how many days are refunds paid?';

describePage('Gaps', () => {
  it('lists unanswered questions, saves a written answer as a document and asks the question again', async () => {
    const { page, service, go, find, see, press, follow, fill, text, texts, count, look, focus } =
      await openPage({ hash: '#/gaps/default' });
    await see('No unanswered questions.');
    await look('gaps-none');
    const other = 'Which colour has the moon on Sundays?';
    for (const messages of [question, question, 'Who won the world cup?', other])
      await service.generate({ messages: `@agent ${messages}` });
    await page.reload();
    const current = '.gaps li[aria-current]';
    await follow(other, find('.gaps'));
    await text(`${current} h3`).toBe(other);
    await page.reload();
    await text(`${current} h3`).toBe(other);
    await focus().toBe(other);
    await go('#/gaps/default/unknown');
    await see('The linked question is not here');
    await page.goBack();
    await count(current).toBe(1);

    const gap = find('.gaps li.card').filter({ has: page.locator('h3', { hasText: question }) });
    await text(gap).toContain('asked 2 times');
    await text(gap).toMatch(/documents cover \d+% of it/);
    // There are no outdated answers, so they need no column.
    const edges = find('.cards > div').evaluateAll((all) =>
      all.map((one: any) => one.getBoundingClientRect().left),
    );
    expect(new Set(await edges).size).toBe(1);
    await look('gaps', { inReadme: 'gaps' });
    const csv = await service.request('/api/insights?format=csv');
    const link = page.getByRole('link', { name: 'CSV', exact: true });
    expect(await link.getAttribute('href')).toBe(
      `data:text/csv,${(await csv.text()).trimEnd().replaceAll('\r\n', '%0D%0A')}`,
    );
    await follow('Write an answer', gap);
    const writer = find('.writer');
    const marked = writer.locator('label:has(.required) > :is(input, textarea)');
    await expect
      .poll(() =>
        marked.evaluateAll((all) => all.map(({ name, required }: any) => [name, required])),
      )
      .toEqual([
        ['title', true],
        ['text', true],
        ['author', true],
      ]);
    await count('.preview').toBe(0);
    await fill('Answer (Markdown)', 'The bicycle cellar is heated in winter.');
    await text('.preview').toContain('The bicycle cellar is heated in winter.');
    await fill('Author', 'Ann', writer);
    await fill('Review by', '2099-05-01', writer);
    await look('gaps-writing');
    await press('Save and ask again');
    await see('Saved as a document. The question is now answered.');
    await text('.writer .text').toContain('The bicycle cellar is heated in winter.');
    await look('gaps-answered');
    const { body } = await service.get('/api/namespaces/default/documents?query=bicycle');
    expect(body.documents[0]).toMatchObject({ author: 'Ann', reviewBy: '2099-05-01' });
    await expect.poll(() => gap.count()).toBe(0);
    await follow('Close', writer);
    await texts('.writer').toEqual([]);
  });

  it('merges and splits gaps, approves a draft as a document, shows its reviewer and who got another answer, dismisses a gap and opens it again', async () => {
    const { page, service, go, find, see, press, text, look, count, ask, expectError } =
      await openPage();
    for (const asked of [question, question, 'Who won the world cup?'])
      await service.generate({ messages: `@agent ${asked}` });
    const { gaps } = (await service.get('/api/gaps')).body;
    const draft = { text: 'The bicycle cellar is heated: ask bob@cellar.example.', author: 'Bob' };
    await service.post(`/api/gaps/${gaps[0].id}/draft`, draft);
    await go('#/gaps/default');
    const gap = find('.gaps li.card').filter({ has: page.locator('h3', { hasText: question }) });
    await see('Drafts to review');
    await text(gap).toMatch(/Draft of Bob, \d+ \w+ \d{4}, \d\d:\d\d/);
    await text(gap.locator('.warning mark')).toBe('bob@cellar.example');
    await text(gap).toContain('by generate');
    await text('.gaps table').toContain('0%2 / 0');
    await look('gaps-drafted');
    await gap.getByText('Merge into another question').click();
    await press('Merge', gap);
    await see('Merged.');
    await count('.gaps li.card').toBe(1);
    await page.getByText('1 other wording').click();
    await look('gaps-merged');
    await press(/^Split: /);
    await see('Split.');
    await count('.gaps li.card').toBe(2);
    await find('.gaps [name=reviewed]').fill('The bicycle cellar is heated in winter.');
    expectError(/Failed to load resource/);
    await page.route('**/api/gaps?*unanswered', (route) => route.abort());
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await see('The server cannot be reached', find('.gaps'));
    await page.unroute('**/api/gaps?*unanswered');
    await press('Approve as document');
    await see('Approved. The answer is now a document.');
    const { body } = await service.get('/api/namespaces/default/documents?query=bicycle');
    expect(body.documents[0]).toMatchObject({
      author: 'Bob',
      file: expect.stringMatching(/^answers\//),
    });
    await press('Dismiss');
    await see('No unanswered questions.');
    await find('summary').filter({ hasText: 'Answered questions' }).click();
    await find('summary').filter({ hasText: 'Dismissed questions' }).click();
    await text(gap).toContain('answered by Bob');
    await look('gaps-closed');
    await press(
      'Reopen',
      find('.gaps li.card').filter({ has: page.locator('h3', { hasText: 'world cup' }) }),
    );
    await see('Opened again.');
    await text('.cards h3').toContain('world cup');
    expect((await service.get('/api/gaps?state=dismissed')).body.gaps).toEqual([]);

    await press('Who got another answer?', gap);
    await see('No answer before said otherwise.');
    await service.generate({ messages: `@agent ${question}` });
    const second = { text: 'The bicycle cellar is no longer heated.', author: 'Cleo' };
    const [{ id }] = (await service.get('/api/gaps?state=answered')).body.gaps;
    await service.post(`/api/gaps/${id}/draft`, second);
    await service.post(`/api/gaps/${id}/approve`, {});
    await page.reload();
    await find('summary').filter({ hasText: 'Answered questions' }).click();
    await press('Who got another answer?', gap);
    await expect
      .poll(() => gap.getByRole('status').locator('blockquote').allTextContents())
      .toEqual([
        'The bicycle cellar is heated in winter.',
        'The bicycle cellar is no longer heated.',
      ]);
    await look('gaps-told');
    await press('Open answer', gap);
    await text('.reader .facts').toMatch(/by Cleo, reviewed \d+ \w+ \d{4}/);
    await page.keyboard.press('Escape');
    await count('.reader').toBe(0);
    await go('#/ask/default');
    const turn = await ask(question);
    await press(/^Source 1/, turn);
    await text('.reader .facts').toMatch(/by Cleo, reviewed \d+ \w+ \d{4}/);
    await look('ask-reviewed');
  });

  it('reports a written answer that does not answer the question', async () => {
    const hash = `#/gaps/default?question=${encodeURIComponent(question)}`;
    const { page, go, find, see, press, fill, look, follow, ask, count } = await openPage({ hash });
    const body = eventsOf('I could not find that in the documents.', {
      reason: 'no_context',
      citations: [],
      dropped: 0,
      repaired: 0,
      model: 'x',
    });
    await page.route('**/api/agents/knowledge/stream', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body }),
    );
    await fill('Answer (Markdown)', 'Blue paint dries slowly.');
    await fill('Author', 'Ann', find('.writer'));
    await press('Save and ask again');
    await see('it does not answer the question yet');
    await look('gaps-still-open');
    await count('.writer .turn').toBe(1);
    await follow('Ask');
    await count('article.turn').toBe(0);
    await ask(refundQuestion);
    await go(hash);
    await see('it does not answer the question yet');
    await count('.writer .turn').toBe(0);
  });

  it('shows outdated answers with both texts, and the answer of a question that was rated as not helpful', async () => {
    const { page, service, go, find, see, press, look } = await openPage();
    await service.generate({ messages: `@agent ${refundQuestion}` });
    const path = join(service.knowledgeDir, 'default/refunds.md');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('within 30 days', 'within 14 days'));
    await expect
      .poll(async () => {
        const { body } = await service.get('/api/answers?namespace=default&state=stale');
        return body.answers.length;
      })
      .toBe(1);
    const at = '2026-05-01T10:00:00.000Z';
    const rated = {
      namespace: 'default',
      question,
      variants: [],
      count: 1,
      firstAskedAt: at,
      lastAskedAt: at,
      coverage: 0.9,
      closest: [],
      runId: 'run-1',
      answer: 'It is heated **sometimes**.',
    };
    await page.route('**/api/gaps?*unanswered', (route) =>
      route.fulfill({ json: { gaps: [rated] } }),
    );
    await go('#/gaps/default');
    await see('Answer rated as not helpful');
    await find('.gaps').getByText('Answer rated as not helpful').click();
    await find('.gaps strong').filter({ hasText: 'sometimes' }).waitFor();
    expect(await page.getByRole('link', { name: 'Open this answer' }).getAttribute('href')).toBe(
      '#/ask/default/run-1',
    );
    const item = find('.gaps li.card').filter({ hasText: refundQuestion });
    await expect
      .poll(() => item.locator('blockquote').allTextContents())
      .toEqual([
        expect.stringContaining('Refunds are paid within 30 days of purchase.'),
        expect.stringContaining('within 14 days'),
      ]);
    await expect
      .poll(() =>
        find('.cards > div').evaluateAll((all) =>
          all.map((one: any) => Math.round(one.getBoundingClientRect().left)),
        ),
      )
      .toEqual([20, 648]);
    await look('gaps-stale');
    await press('Ask again', item);
    await see('within 14 days', item.locator('.answer[aria-busy=false]'));
  });
});
