import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { openPage, sampleFiles } from '../../support/page.ts';

/** Browser global, for functions that run in the page. */
declare const navigator: any;

const run = promisify(execFile);
const question = 'Within how many days are refunds paid?';
const quote = 'Refunds are paid within 30 days of purchase.';
const section = `${quote} A refund above $500 has to be approved by a manager.`;

describePage('Ask', () => {
  it('opens citations with the quote highlighted and shows sections that may answer', async () => {
    const { page, service, base, find, look, ask, text, press, more, marked, count } =
      await openPage({ files: await sampleFiles() });
    await text('.empty').toMatch(
      /Answers come only from these \d+ documents: Acceptable use policy, .+ and \d+ others\./,
    );
    await page.getByText('Without a model: quotes only').click();
    await expect
      .poll(() => find('.hint pre').allTextContents())
      .toEqual(['LLM_API_KEY=…', 'LLM_BASE_URL=http://127.0.0.1:11434/v1\nLLM_MODEL=…']);
    await look('ask-welcome');
    const turn = await ask('How long do refunds take?');
    await text(turn.locator('.text')).toContain(
      'Approved refunds take 5 to 10 business days to reach your card.',
    );
    const { body } = await service.generate({
      messages: '@agent How long do refunds take?',
    });
    await press(/^Source 1/, turn);
    await marked().toBe(body.citations[0].quote.replace(/\n+/g, ''));
    await text('.reader h2').toBe('Refund policy');
    await expect.poll(() => find('.reader mark').first().isVisible()).toBe(true);
    expect(new URL(page.url()).origin).toBe(base);
    await look('ask-cited', { inReadme: 'ask' });
    await press('Show Markdown');
    await marked().toBe(body.citations[0].quote);
    await press('Close document');
    await count('.reader').toBe(0);

    const open = await ask('Is there a discount for students?');
    await expect
      .poll(() => open.locator('.answer p').first().textContent())
      .toBe('This may answer it:');
    await expect
      .poll(() => open.locator('.text').textContent())
      .toMatch(
        /Registered non-profit organisations and schools receive 25% off[\s\S]+Enterprise orders of more than 200 agents/,
      );
    await look('ask-closest');
    await more('Search details', open);
    await expect
      .poll(() => open.locator('.below > p').textContent())
      .toContain('these sections of the documents may answer the question');
    await open.locator('.sources button').first().click();
    await page.locator('.reader mark').first().waitFor();
    await expect.poll(() => page.locator('.reader h2').first().textContent()).toBe('Pricing FAQ');
    await marked().not.toBe('');
  });

  it('opens the first namespace that holds documents, unless the address names one', async () => {
    const { page, url, go, text, see } = await openPage({
      files: { 'hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n' },
    });
    await url().toContain('#/ask/hr');
    await text('.empty').toContain('Answers come only from this document: Pay.');
    await go('#/ask/default');
    await page.reload();
    await see('There are no documents yet.');
  });

  it('opens no document by hovering, highlights rendered or stored text, shows its origin, and warns if the passage has moved or was deleted', async () => {
    const { page, service, ask, marked, focus, count, press, follow, text, see } = await openPage();
    const turn = await ask(question);
    const source = turn.getByRole('button', { name: /^Source 1/ });
    await source.click();
    await marked().toBe(section);
    await page.keyboard.press('Escape');
    await count('.reader').toBe(0);
    // The pointer still rests on the mark.
    await source.hover();
    await focus().toBe('Source 1: Refunds');
    await source.click();
    await marked().toBe(section);
    await follow('Gaps');
    await count('.reader').toBe(0);
    await follow('Ask');
    await count('article.turn').toBe(1);

    const marks = await ask('Who has to approve a refund above $500?');
    await press(/^Source 1/, marks);
    await marked().toBe(section);
    await press('Show Markdown');
    await marked().toBe(section.replace('$500', '**$500**'));
    await press('Close document');

    const link = turn.locator('.sources a');
    expect(await link.getAttribute('href')).toBe('https://help.example.com/refunds');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await turn.locator('.sources button').click();
    await text('.reader .facts').toMatch(
      /https:\/\/help\.example\.com\/refunds\s*1 May 2026\s*\d+ B/,
    );
    await text('.reader .path').toBe('Window');
    await page.keyboard.press('Escape');

    const path = join(service.knowledgeDir, 'default/refunds.md');
    const before = await readFile(path, 'utf8');
    const { body } = await service.get('/api/namespaces/default/documents');
    const address = `/api/namespaces/default/documents/${body.documents[0].id}`;
    async function edit(edited: string): Promise<void> {
      await writeFile(path, edited);
      await expect.poll(async () => (await service.get(address)).body.markdown).toBe(edited);
    }
    await edit(before.replace('## Window\n', '## Window\n\nA new paragraph.\n'));
    await source.click();
    await see('This document has changed. The passage is now here.');
    await marked().toBe(section.replace('$500', '**$500**'));
    await page.keyboard.press('Escape');
    await edit(before.replace('within 30 days', 'at once'));
    await source.click();
    await see('no longer contains this passage');
    await count('.reader mark').toBe(0);
  });

  it('shows the passages found, sends a rating with a comment, copies the answer and its request, and prints without controls', async () => {
    const { page, context, service, base, find, ask, press, more, fill, see, text, ...user } =
      await openPage();
    const { look, marked, count } = user;
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base });
    await text('.empty').toContain('Answers come only from this document, last read 1 May 2026');
    const turn = await ask(question);
    await more('Search details');
    const found = await service.find({ query: question, explain: true });
    const [first] = found.body.results;
    await text('.below > p').toContain(`Coverage: ${Math.round(found.body.coverage * 100)}%`);
    await text('.passages li .chip').toBe(`score ${first.score.toFixed(3)}`);
    await text('.passages li').toContain(`Matched words: ${first.matched.join(', ')}`);
    await look('ask-found');
    await find('.passages li button').first().click();
    await press('Show Markdown');
    await marked().toBe(first.text);
    await page.keyboard.press('Escape');

    await press('Not helpful');
    await fill('What was wrong or missing?', 'Not for gift cards');
    await press('Send');
    await see('Your comment is saved');
    await turn.getByRole('button', { name: 'Not helpful', pressed: true }).waitFor();
    const { body } = await service.get('/api/answers?namespace=default&state=all');
    const { body: kept } = await service.get(`/api/answers/${body.answers[0].runId}`);
    expect(kept.feedback).toMatchObject([{ rating: 'down', comment: 'Not for gift cards' }]);

    await page.emulateMedia({ media: 'print' });
    for (const part of ['.bar', '.asker', '.answer .tools', 'footer'])
      expect(await find(part).isVisible(), part).toBe(false);
    await turn.locator('.sources').waitFor();
    await page.emulateMedia({ media: 'screen' });

    const rated = Promise.withResolvers<void>();
    await page.route('**/feedback', async (route) => {
      await rated.promise;
      await route.fulfill({ json: { handedOff: 'A person gets it.' } });
    });
    await press('Helpful');
    await press('New chat');
    await ask(question);
    rated.resolve();
    await see('A person gets it.');
    await count('.thumb[aria-pressed=true]').toBe(0);

    await press('New chat');
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await ask("What's the refund window?");
    await press('Copy');
    await see('Answer copied.');
    const copied = await clipboard();
    expect(copied).toMatch(
      /^What's the refund window\?\n\nRefunds › Window\n\nRefunds are paid within 30 days of purchase\.[\s\S]+\n\nSources:\n\[1\] Refunds › Window/,
    );
    await more('Copy as Markdown');
    await see('Markdown copied.');
    expect(await clipboard()).toMatch(
      /^\*\*What's the refund window\?\*\*\n\n[\s\S]+ \[\[1\]\]\(https:\/\/help\.example\.com\/refunds#window\)\n[\s\S]*\nSources:\n\n- \[\\\[1\\\] Refunds › Window\]\(https:\/\/help\.example\.com\/refunds#window\)\n/,
    );
    await more('API request');
    await look('ask-curl');
    await press('Copy command');
    await see('Command copied.');
    const { stdout } = await run('bash', ['-c', await clipboard()]);
    expect(copied).toContain(JSON.parse(stdout).text.replaceAll('**', ''));
  });

  it('suggests questions, and offers to add documents to an empty namespace or after a question without an answer', async () => {
    const { page, context, see, look, press, find, texts } = await openPage({ files: {} });
    await see('There are no documents yet.');
    await look('ask-no-documents');
    const suggestions = [{ question, documentId: 'any', title: 'Refund policy' }];
    await context.route('**/api/namespaces/default/suggestions', (route) =>
      route.fulfill({ json: { namespace: 'default', suggestions } }),
    );
    await page.reload();
    await press(question);
    await find('.answer[aria-busy=false]').waitFor();
    await texts('.turn .question').toEqual([question]);
    await look('ask-no-context');
    expect(await find('.turn').getByRole('link').first().getAttribute('href')).toMatch(
      /^#\/documents\/default/,
    );
  });
});
