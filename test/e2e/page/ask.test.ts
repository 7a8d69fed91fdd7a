import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describePage, look } from '../../support/browser.ts';
import {
  ask,
  focusedName,
  markedText,
  openPage,
  sampleFiles,
  startModel,
} from '../../support/page.ts';

/** Browser global, for functions that run in the page. */
declare const navigator: any;

const run = promisify(execFile);

describePage('Ask', () => {
  it('opens citations with the quote highlighted and links the closest passages if no sentence answers', async () => {
    const visited = await openPage({ files: await sampleFiles() });
    const { page, service, url } = visited;
    await look(visited, 'ask-welcome');
    const turn = await ask(page, 'How long do refunds take?');
    await expect
      .poll(() => turn.locator('.text').textContent())
      .toContain('Approved refunds take 5 to 10 business days to reach your card.');
    const { body } = await service.post('/api/agents/knowledge/generate', {
      messages: '@agent How long do refunds take?',
    });
    await turn.getByRole('button', { name: /^Source 1/ }).click();
    await expect.poll(() => markedText(page)).toBe(body.citations[0].quote);
    await expect.poll(() => page.locator('.reader h2').first().textContent()).toBe('Refund policy');
    await expect.poll(() => page.locator('.reader mark').first().isVisible()).toBe(true);
    expect(new URL(page.url()).origin).toBe(url);
    await look(visited, 'ask-cited', { inReadme: 'ask' });
    await page.getByRole('button', { name: 'Show Markdown' }).click();
    await expect.poll(() => markedText(page)).toBe(body.citations[0].quote);
    await look(visited, 'ask-cited-source');
    await page.getByRole('button', { name: 'Close document' }).click();
    await expect.poll(() => page.locator('.reader').count()).toBe(0);

    const open = await ask(page, 'Is there a discount for students?');
    await expect
      .poll(() => open.locator('.answer p').first().textContent())
      .toBe('I found no answer to that. Closest in the documents:');
    // Each place shows its sentence in its surroundings.
    const [excerpt] = await open.locator('.sources .excerpt').all();
    await expect
      .poll(() => excerpt?.locator('mark').first().textContent())
      .toMatch(/^Registered non-profit organisations and schools receive 25% off/);
    await expect
      .poll(() => excerpt?.textContent())
      .toContain('Enterprise orders of more than 200 agents');
    await look(visited, 'ask-closest');
    await open.getByRole('button', { name: 'Search details' }).click();
    await expect
      .poll(() => open.locator('.below > p').textContent())
      .toContain('Not answered: the documents come close');
    await open.locator('.sources button').first().click();
    await page.locator('.reader mark').first().waitFor();
    await expect.poll(() => page.locator('.reader h2').first().textContent()).toBe('Pricing FAQ');
    await expect.poll(async () => (await markedText(page)).length).toBeGreaterThan(0);
  });

  it('previews a source on hover without moving the focus, highlights rendered or stored text, and shows its origin', async () => {
    const { page } = await openPage();
    const turn = await ask(page, 'Within how many days are refunds paid?');
    await turn.getByRole('button', { name: /^Source 1/ }).hover();
    await expect.poll(() => markedText(page)).toBe('Refunds are paid within 30 days of purchase.');
    await expect.poll(() => focusedName(page)).toBe('Question');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.reader').count()).toBe(0);
    await expect.poll(() => focusedName(page)).toBe('Question');

    const marked = await ask(page, 'Who has to approve a refund above $500?');
    await marked.getByRole('button', { name: /^Source 1/ }).click();
    await expect
      .poll(() => markedText(page))
      .toBe('A refund above $500 has to be approved by a manager.');
    await page.getByRole('button', { name: 'Show Markdown' }).click();
    await expect
      .poll(() => markedText(page))
      .toBe('A refund above **$500** has to be approved by a manager.');
    await page.getByRole('button', { name: 'Close document' }).click();

    const link = turn.locator('.sources a');
    await expect.poll(() => link.getAttribute('href')).toBe('https://help.example.com/refunds');
    await expect.poll(() => link.getAttribute('rel')).toBe('noopener noreferrer');
    await turn.locator('.sources button').click();
    const facts = page.locator('.reader .facts');
    await facts.waitFor();
    await expect
      .poll(() => facts.textContent())
      .toMatch(/https:\/\/help\.example\.com\/refunds\s+1 May 2026\s+\d+ B/);
    await expect.poll(() => page.locator('.reader .path').textContent()).toBe('Window');
  });

  it('warns if a cited passage has moved or was deleted', async () => {
    const { page, service } = await openPage();
    const turn = await ask(page, 'Within how many days are refunds paid?');
    const { body: listed } = await service.get('/api/namespaces/default/documents');
    const path = join(service.knowledgeDir, 'default/refunds.md');
    const before = await readFile(path, 'utf8');
    async function edit(text: string): Promise<void> {
      await writeFile(path, text);
      const stored = async () =>
        (await service.get(`/api/namespaces/default/documents/${listed.documents[0].id}`)).body
          .markdown;
      await expect.poll(stored).toBe(text);
    }
    await edit(before.replace('## Window\n', '## Window\n\nA new paragraph.\n'));
    await turn.getByRole('button', { name: /^Source 1/ }).click();
    await page.getByText('This document has changed. The passage is now here.').waitFor();
    await expect.poll(() => markedText(page)).toBe('Refunds are paid within 30 days of purchase.');
    await page.keyboard.press('Escape');
    await edit(before.replace('within 30 days', 'at once'));
    await turn.getByRole('button', { name: /^Source 1/ }).click();
    await page.getByText('no longer contains this passage').waitFor();
    await expect.poll(() => page.locator('.reader mark').count()).toBe(0);
  });

  it('shows replaced and removed sentences with reasons and keeps the conversation until a new one starts', async () => {
    const model = await startModel();
    model.reply(
      'Refunds are paid within 40 days of purchase. [1][2] Moonlight softens every cheese of the valley. [1]',
    );
    const visited = await openPage({ settings: { LLM_BASE_URL: model.baseUrl } });
    const { page } = visited;
    const turn = await ask(page, 'Within how many days are refunds paid?');
    expect((await turn.locator('.text').textContent())?.trim()).toBe(
      'Refunds are paid within 30 days of purchase.1',
    );
    const button = turn.getByRole('button', { name: 'Why this answer' });
    await button.click();
    await turn.locator('.below s').first().waitFor();
    expect(await turn.locator('.below > p').textContent()).toContain(
      'The sources do not support all that the model wrote: 1 sentence replaced with the words of the source, 1 sentence left out.',
    );
    expect(await turn.locator('.below s').allTextContents()).toEqual([
      'Refunds are paid within 40 days of purchase.',
      'Moonlight softens every cheese of the valley.',
    ]);
    expect(await turn.locator('.below .chip').allTextContents()).toEqual([
      'different number',
      'not in the sources',
    ]);
    expect(await turn.locator('.below .excerpt').allTextContents()).toEqual([
      'Refunds are paid within 30 days of purchase.',
    ]);
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('true');
    await look(visited, 'ask-checked');
    await button.click();
    await expect.poll(() => turn.locator('.below').count()).toBe(0);

    await page.getByRole('button', { name: 'New chat' }).click();
    const before = model.requests.length;
    model.reply('Refunds are paid within 30 days of purchase. [1]');
    await ask(page, 'Within how many days are refunds paid?');
    await ask(page, 'And above $500?');
    await expect.poll(() => page.locator('article.turn').count()).toBe(2);
    const messagesOf = (number: number) =>
      JSON.stringify(model.requests[before + number]?.body.messages);
    expect(messagesOf(1)).toContain('Within how many days are refunds paid?');
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => page.locator('article.turn').count()).toBe(0);
    await ask(page, 'Who approves refunds?');
    expect(messagesOf(2)).not.toContain('Within how many days are refunds paid?');
  });

  it('shows the passages found and sends a rating with a comment', async () => {
    const visited = await openPage();
    const { page, service } = visited;
    const turn = await ask(page, 'Within how many days are refunds paid?');
    await turn.getByRole('button', { name: 'Search details' }).click();
    await turn.locator('.passages li').first().waitFor();
    const found = await service.post('/api/tools/searchDocs', {
      query: 'Within how many days are refunds paid?',
      explain: true,
    });
    const [first] = found.body.results;
    await expect
      .poll(() => turn.locator('.below > p').textContent())
      .toContain(`Coverage: ${Math.round(found.body.coverage * 100)}%`);
    const row = turn.locator('.passages li').first();
    await expect
      .poll(() => row.locator('.chip').textContent())
      .toBe(`score ${first.score.toFixed(3)}`);
    await expect
      .poll(() => row.textContent())
      .toContain(`Matched words: ${first.matched.join(', ')}`);
    await look(visited, 'ask-found');
    await row.locator('button').click();
    await page.getByRole('button', { name: 'Show Markdown' }).click();
    await expect.poll(() => markedText(page)).toBe(first.text);
    await page.keyboard.press('Escape');

    await turn.getByRole('button', { name: 'Not helpful' }).click();
    await turn.getByLabel('What was wrong or missing?').fill('Not for gift cards');
    await look(visited, 'ask-comment');
    await turn.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Your comment is saved').waitFor();
    await expect
      .poll(() => turn.getByRole('button', { name: 'Not helpful' }).getAttribute('aria-pressed'))
      .toBe('true');
    const { body: listed } = await service.get('/api/answers?namespace=default&state=all');
    const { body: kept } = await service.get(`/api/answers/${listed.answers[0].runId}`);
    expect(kept.feedback).toMatchObject([{ rating: 'down', comment: 'Not for gift cards' }]);
  });

  it('copies the answer as Markdown and a curl command that returns the same answer', async () => {
    const visited = await openPage();
    const { page, context, url } = visited;
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    const turn = await ask(page, "What's the refund window?");
    await turn.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Answer copied.').waitFor();
    const copied = await clipboard();
    expect(copied).toMatch(
      /^What's the refund window\?\n\nI found no answer to that\.[^\n]+\n\n- Refunds are paid within 30 days of purchase\.[\s\S]+\n\nSources:\n\[1\] Refunds › Window/,
    );
    await turn.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByText('Markdown copied.').waitFor();
    expect(await clipboard()).toMatch(
      /^\*\*What's the refund window\?\*\*\n\n[\s\S]+ \[\[1\]\]\(https:\/\/help\.example\.com\/refunds#window\)\n[\s\S]+\nSources:\n\n1\. \[Refunds › Window\]\(https:\/\/help\.example\.com\/refunds#window\)\n/,
    );
    await turn.getByRole('button', { name: 'API request' }).click();
    await look(visited, 'ask-curl');
    await turn.getByRole('button', { name: 'Copy command' }).click();
    await page.getByText('Command copied.').waitFor();
    const { stdout } = await run('bash', ['-c', await clipboard()]);
    expect(copied).toContain(JSON.parse(stdout).text.replaceAll('**', ''));
  });

  it('streams checked sentences, stops an answer when a new question is asked, and reports a model failure', async () => {
    const model = await startModel();
    const visited = await openPage({ settings: { LLM_BASE_URL: model.baseUrl } });
    const { page } = visited;
    const firstReply = model.nextLive();
    await page
      .getByRole('textbox', { name: 'Question', exact: true })
      .fill('Within how many days are refunds paid?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const reply = await firstReply;
    const answer = page.locator('.answer');
    await expect.poll(() => answer.getAttribute('aria-busy')).toBe('true');
    await expect.poll(() => answer.textContent()).toMatch(/Reading\s+Refunds/);
    await look(visited, 'ask-reading');
    reply.say('Refunds are paid within 30 days of purchase. [1]');
    await answer.getByText('Refunds are paid within 30 days of purchase.').waitFor();
    await expect.poll(() => answer.getAttribute('aria-busy')).toBe('true');
    reply.say(' Shipping costs are refunded only if the item arrived damaged. [2]');
    reply.finish();
    await page.locator('.answer[aria-busy=false]').waitFor();
    await expect.poll(() => answer.locator('.text').textContent()).toContain('arrived damaged.');

    await page.getByRole('button', { name: 'New chat' }).click();
    const secondReply = model.nextLive();
    await page
      .getByRole('textbox', { name: 'Question', exact: true })
      .fill('Within how many days are refunds paid?');
    await page.keyboard.press('Enter');
    const slow = await secondReply;
    model.reply('Shipping costs are refunded only if the item arrived damaged. [1]');
    const turn = await ask(page, 'When are shipping costs refunded?');
    await slow.closed;
    await expect.poll(() => turn.locator('.text').textContent()).toContain('arrived damaged');

    await page.getByRole('button', { name: 'New chat' }).click();
    model.reply((_, response) => void response.writeHead(503).end('{"error":{"message":"down"}}'));
    const failed = await ask(page, 'Within how many days are refunds paid?');
    const alert = failed.getByRole('alert');
    await expect.poll(() => alert.textContent()).toMatch(/model/i);
    await look(visited, 'ask-offline');
    model.reply('Refunds are paid within 30 days of purchase. [1]');
    await failed.getByRole('button', { name: 'Retry' }).click();
    await page
      .locator('article.turn')
      .last()
      .getByText('Refunds are paid within 30 days of purchase.')
      .waitFor();
    await expect.poll(() => page.locator('article.turn').count()).toBe(1);
  });

  it('reports that the model is unavailable when the answer quotes the documents instead', async () => {
    const model = await startModel();
    model.reply((_, response) => void response.writeHead(503).end('{"error":{"message":"down"}}'));
    const visited = await openPage({
      settings: { LLM_BASE_URL: model.baseUrl, DEGRADED_ANSWERS: 'true' },
    });
    const turn = await ask(visited.page, 'Within how many days are refunds paid?');
    await turn.getByText('The model is unavailable.').waitFor();
    await look(visited, 'ask-degraded');
    await expect.poll(() => turn.textContent()).toMatch(/30 days/);
  });

  it('welcomes with the documents of the namespace, questions that it answers, and how to add a model', async () => {
    const visited = await openPage({
      files: await sampleFiles(),
      hash: '#/state/default',
    });
    const { page, context, url } = visited;
    const suggestions = [
      { question: 'How long do refunds take?', documentId: 'any', title: 'Refund policy' },
    ];
    await context.route('**/api/namespaces/default/suggestions', (route) =>
      route.fulfill({ json: { namespace: 'default', suggestions } }),
    );
    await page.goto(`${url}/#/ask/default`);
    await page.getByText('A namespace is a collection of documents.').waitFor();
    await expect
      .poll(() => page.locator('.empty').textContent())
      .toMatch(/It holds \d+ documents: Acceptable use policy, .+ and \d+ others\./);
    await page.getByText('Without a model: quotes only').click();
    await expect
      .poll(() => page.locator('.hint pre').allTextContents())
      .toEqual(['LLM_API_KEY=…', 'LLM_BASE_URL=http://127.0.0.1:11434/v1\nLLM_MODEL=…']);
    await look(visited, 'ask-suggestions');
    await page.getByRole('button', { name: 'How long do refunds take?' }).click();
    await page
      .locator('.answer')
      .getByText('Approved refunds take 5 to 10 business days')
      .waitFor();
  });

  it('prints the conversation without controls', async () => {
    const { page } = await openPage();
    await page.getByText('1 document, last read 1 May 2026').waitFor();
    const turn = await ask(page, 'Within how many days are refunds paid?');
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.bar', '.asker', '.answer .tools', 'footer'])
      expect(await page.locator(part).isVisible(), part).toBe(false);
    expect(await turn.locator('.sources').isVisible()).toBe(true);
    expect(await turn.getByText('Namespace default').isVisible()).toBe(true);
  });

  it('offers to add documents to an empty namespace or after a question without an answer', async () => {
    const visited = await openPage({ files: {} });
    const { page } = visited;
    await page.getByText('There are no documents yet.').waitFor();
    await look(visited, 'ask-no-documents');
    const turn = await ask(page, 'Within how many days are refunds paid?');
    await look(visited, 'ask-no-context');
    await expect
      .poll(() => turn.getByRole('link').first().getAttribute('href'))
      .toMatch(/^#\/documents\/default/);
  });
});
