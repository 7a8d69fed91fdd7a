import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { eventsOf, openPage } from '../../support/page.ts';

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
      await service.post('/api/agents/knowledge/generate', { messages: `@agent ${messages}` });
    await page.reload();
    const current = '.gaps li[aria-current]';
    await follow(other, find('.gaps'));
    await text(`${current} h3`).toBe(other);
    await page.reload();
    await text(`${current} h3`).toBe(other);
    await focus().toBe(other);
    await go('#/gaps/default/unknown');
    await see('The linked question is not in these lists.');
    await page.goBack();
    await count(current).toBe(1);

    const gap = find('.gaps li.card').filter({ hasText: question });
    await text(gap).toContain('asked 2 times');
    await text(gap).toMatch(/documents cover \d+% of it/);
    // There are no outdated answers, so they need no column.
    const edges = find('.cards > div').evaluateAll((all) =>
      all.map((one: any) => one.getBoundingClientRect().left),
    );
    expect(new Set(await edges).size).toBe(1);
    await look('gaps', { inReadme: 'gaps' });
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

  it('shows drafts to review, approves one as a document, dismisses a gap, and shows figures', async () => {
    const { service, go, find, see, press, text, look } = await openPage();
    for (const asked of [question, question, 'Who won the world cup?'])
      await service.post('/api/agents/knowledge/generate', { messages: `@agent ${asked}` });
    const { gaps } = (await service.get('/api/gaps')).body;
    const draft = { text: 'The bicycle cellar is heated: ask bob@cellar.example.', author: 'Bob' };
    await service.post(`/api/gaps/${gaps[0].id}/draft`, draft);
    await go('#/gaps/default');
    const gap = find('.gaps li.card').filter({ hasText: question });
    await see('draft to review');
    await text(gap).toContain('bob@cellar.example');
    await text(gap).toContain('by generate');
    await text('.gaps table').toContain('0%2 / 0');
    await look('gaps-drafted');
    await find('.gaps [name=reviewed]').fill('The bicycle cellar is heated in winter.');
    await press('Approve as document');
    await expect.poll(() => gap.count()).toBe(0);
    const { body } = await service.get('/api/namespaces/default/documents?query=bicycle');
    expect(body.documents[0]).toMatchObject({
      author: 'Bob',
      file: expect.stringMatching(/^answers\//),
    });
    await press('Dismiss');
    await see('No unanswered questions.');
    expect((await service.get('/api/gaps?state=dismissed')).body.gaps).toHaveLength(1);
  });

  it('reports a written answer that does not answer the question', async () => {
    const { page, find, see, press, fill, look } = await openPage({
      hash: `#/gaps/default?question=${encodeURIComponent(question)}`,
    });
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
  });

  it('shows outdated answers with both texts, and the answer of a question that was rated as not helpful', async () => {
    const { page, service, go, find, see, press, look } = await openPage();
    await service.post('/api/agents/knowledge/generate', { messages: `@agent ${refundQuestion}` });
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
    await page.route('**/api/gaps?*', (route) => route.fulfill({ json: { gaps: [rated] } }));
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
