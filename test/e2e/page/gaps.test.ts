import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePage, look } from '../../support/browser.ts';
import { openPage, refunds } from '../../support/page.ts';

/** Browser global, for functions that run in the page. */
declare const document: any;

const question = 'Is the bicycle cellar heated in winter?';

describePage('Gaps', () => {
  it('lists unanswered questions, saves a written answer as a document and asks the question again', async () => {
    const visited = await openPage();
    const { page, service, url } = visited;
    for (const messages of [
      `@agent ${question}`,
      `@agent ${question}`,
      '@agent Who won the world cup?',
    ])
      await service.post('/api/agents/knowledge/generate', { messages });
    await page.goto(`${url}/#/gaps/default`);
    const gap = page.locator('.gaps li.card', { hasText: question });
    await gap.waitFor();
    await expect
      .poll(async () => (await gap.textContent())?.replace(/\s+/g, ' '))
      .toContain('asked 2 times');
    await look(visited, 'gaps', { inReadme: 'gaps' });
    await gap.getByRole('link', { name: 'Write an answer' }).click();
    await page.getByLabel('Answer (Markdown)').fill('The bicycle cellar is heated in winter.');
    await page.locator('.writer').getByLabel('Author').fill('Ann');
    await page.locator('.writer').getByLabel('Review by').fill('2099-05-01');
    await look(visited, 'gaps-writing');
    await page.getByRole('button', { name: 'Save and ask again' }).click();
    await page.getByText('Saved as a document. The question is now answered.').waitFor();
    await expect
      .poll(() => page.locator('.writer .text').textContent())
      .toContain('The bicycle cellar is heated in winter.');
    await look(visited, 'gaps-answered');
    const { body } = await service.get('/api/namespaces/default/documents?query=bicycle');
    expect(body.documents[0]).toMatchObject({ author: 'Ann', reviewBy: '2099-05-01' });
    await expect.poll(() => gap.count()).toBe(0);
    await page.locator('.writer').getByRole('link', { name: 'Close' }).click();
    await expect.poll(() => page.locator('.writer').count()).toBe(0);
  });

  it('shows that there are no gaps, and reports a written answer that does not answer the question', async () => {
    const visited = await openPage({ hash: '#/gaps/default' });
    const { page, url } = visited;
    await page.getByText('No unanswered questions.').waitFor();
    await look(visited, 'gaps-none');
    await page.route('**/api/agents/knowledge/stream', (route) => {
      const chunks = [
        { type: 'start', runId: 'run', payload: {} },
        {
          type: 'text-delta',
          runId: 'run',
          payload: { text: 'I could not find that in the documents.' },
        },
        {
          type: 'finish',
          runId: 'run',
          payload: { reason: 'no_context', citations: [], dropped: 0, repaired: 0, model: 'x' },
        },
      ];
      return route.fulfill({
        contentType: 'text/event-stream',
        body: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''),
      });
    });
    await page.goto(`${url}/#/gaps/default?question=${encodeURIComponent(question)}`);
    await page.getByLabel('Answer (Markdown)').fill('Blue paint dries slowly.');
    await page.locator('.writer').getByLabel('Author').fill('Ann');
    await page.getByRole('button', { name: 'Save and ask again' }).click();
    await page.getByText('it does not answer the question yet').waitFor();
    await look(visited, 'gaps-still-open');
  });

  it('shows outdated answers with their old quote and the current text', async () => {
    const visited = await openPage();
    const { page, service, url } = visited;
    await service.post('/api/agents/knowledge/generate', {
      messages: '@agent Within how many days are refunds paid?',
    });
    const path = join(service.knowledgeDir, 'default/refunds.md');
    await writeFile(
      path,
      (await readFile(path, 'utf8')).replace('within 30 days', 'within 14 days'),
    );
    const stale = async () =>
      (await service.get('/api/answers?namespace=default&state=stale')).body.answers.length;
    await expect.poll(stale).toBe(1);
    await page.goto(`${url}/#/gaps/default`);
    const item = page.locator('.gaps li.card', {
      hasText: 'Within how many days are refunds paid?',
    });
    await item.waitFor();
    await expect
      .poll(() => item.locator('blockquote').allTextContents())
      .toEqual([
        'Refunds are paid within 30 days of purchase.',
        expect.stringContaining('within 14 days'),
      ]);
    await look(visited, 'gaps-stale');
    expect(refunds['default/refunds.md']).toContain('within 30 days');
    await item.getByRole('button', { name: 'Ask again' }).click();
    await item.locator('.answer[aria-busy=false]').getByText('within 14 days').first().waitFor();
  });

  it('links to one question: the address opens it after a reload, and says so if it is not listed', async () => {
    const visited = await openPage();
    const { page, service, url } = visited;
    const questions = [question, 'Who won the world cup?', 'Which colour has the moon on Sundays?'];
    for (const messages of questions)
      await service.post('/api/agents/knowledge/generate', { messages: `@agent ${messages}` });
    await page.goto(`${url}/#/gaps/default`);
    const current = page.locator('.gaps li[aria-current]');
    await page
      .locator('.gaps')
      .getByRole('link', { name: questions[2] as string })
      .click();
    await expect.poll(() => current.locator('h3').textContent()).toBe(questions[2]);
    await page.reload();
    await expect.poll(() => current.locator('h3').textContent()).toBe(questions[2]);
    await expect
      .poll(() => page.evaluate(() => document.activeElement.textContent))
      .toBe(questions[2]);
    await look(visited, 'gaps-linked');
    await page.goto(`${url}/#/gaps/default/unknown`);
    await page.getByText('The linked question is not in these lists.').waitFor();
    visited.expectError(/status of 404/);
    await page.goto(`${url}/#/gaps/nowhere`);
    await page.getByText('There is no namespace “nowhere”').waitFor();
    await page.goBack();
    await page.goBack();
    await expect.poll(() => current.count()).toBe(1);
  });

  it('shows the answer of a question that was rated as not helpful, with a link to it', async () => {
    const { page } = await openPage();
    const times = {
      firstAskedAt: '2026-05-01T10:00:00.000Z',
      lastAskedAt: '2026-05-01T10:00:00.000Z',
    };
    const gap = {
      namespace: 'default',
      question,
      variants: [],
      count: 1,
      ...times,
      coverage: 0.9,
      closest: [],
    };
    await page.route('**/api/gaps?*', (route) =>
      route.fulfill({
        json: { gaps: [{ ...gap, runId: 'run-1', answer: 'It is heated **sometimes**.' }] },
      }),
    );
    await page.goto(page.url().replace(/#.*|$/, '#/gaps/default'));
    await page.getByText('Answer rated as not helpful').click();
    await page.locator('.gaps strong', { hasText: 'sometimes' }).waitFor();
    await expect
      .poll(() => page.getByRole('link', { name: 'Open this answer' }).getAttribute('href'))
      .toBe('#/ask/default/run-1');
  });
});
