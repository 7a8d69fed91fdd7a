/**
 * Untrusted text in answers, questions, gaps, calls, uploads and file names runs no script and adds
 * no foreign elements.
 */
import { expect, it } from 'vitest';
import { attacks, canary, collectFaults, parsingErrors } from '../../support/attacks.ts';
import { describePage } from '../../support/browser.ts';
import { sampled } from '../../support/depth.ts';
import { eventsOf, openPage } from '../../support/page.ts';
import { writeFiles } from '../../support/workspace.ts';

const all = Object.entries(attacks);

/** Sample for views whose code path is the same for every attack. */
const some = sampled(all, 8);

/** Attacks as file names, as far as a file system allows. */
const names = all.map(
  ([, attack], at) =>
    `${at} ${attack
      .replace(/[/\0\n\r\\]|[\ud800-\udfff]/g, ' ')
      .slice(0, 60)
      .trim()}.md`,
);

describePage('untrusted text', () => {
  it('runs no script in answers, questions, gaps, calls, upload rows and file names', async () => {
    const { page, service, go, find, see, press, more, ask, count, texts, ...visited } =
      await openPage({
        files: {},
        isAlone: true,
        expected: [/status of 4\d\d/, parsingErrors],
      });
    const faultsIn = (selector: string) => page.evaluate(collectFaults, selector);
    await page.addInitScript(canary);
    await page.reload();
    let text = '';
    const place = () => ({
      index: 1,
      documentId: text,
      file: text,
      title: text,
      source: text,
      headingPath: [text],
      anchor: text,
      page: null,
      quote: text,
      start: 0,
      end: 1,
      revision: 'x',
    });
    const answer = (path: string, json: () => object) =>
      page.route(path, (route) => route.fulfill({ json: json() }));
    await page.route('**/api/agents/knowledge/stream', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: eventsOf(`${text} [1]\n\n${text}`, {
          reason: 'answered',
          citations: [place()],
          dropped: 1,
          repaired: 1,
          model: text,
        }),
      }),
    );
    await answer('**/api/answers/run', () => ({
      runId: 'run',
      check: {
        kept: [{ text, index: 1, score: 1, repaired: true, reason: text, instead: text }],
        dropped: 1,
        repaired: 1,
        droppedSentences: [{ text, reason: text }],
      },
    }));
    await answer('**/api/tools/searchDocs', () => ({
      coverage: 1,
      mode: 'lexical',
      results: [{ ...place(), text, score: 1, chunkId: 'x', matched: [text] }],
    }));
    for (const [name, attack] of some) {
      text = attack;
      const turn = await ask(attack.replaceAll('\n', ' '));
      for (const button of ['Why this answer', /^Search details/, 'API request']) {
        await more(button, turn);
        await turn.locator('.below').waitFor();
      }
      expect(await faultsIn('.answer .text'), name).toEqual([]);
      await press('New chat');
    }

    const at = '2026-05-01T10:00:00.000Z';
    await answer('**/api/gaps?*', () => ({
      gaps: all.map(([, question], number) => ({
        id: `gap${number}`,
        state: 'open',
        namespace: 'default',
        question,
        variants: [question],
        ways: [{ entryPoint: question, count: 1 }],
        drafts: [
          {
            id: `draft${number}`,
            text: question,
            author: question,
            createdAt: at,
            document: null,
            personal: [question],
          },
        ],
        count: 2,
        firstAskedAt: question,
        lastAskedAt: at,
        coverage: 0.5,
        closest: [{ documentId: 'x', file: question, title: question, source: question }],
      })),
    }));
    await answer('**/api/answers?*', () => ({
      answers: all.map(([, attack], number) => {
        text = attack;
        return {
          runId: `run${number}`,
          namespace: 'default',
          askedAt: at,
          question: text,
          text,
          state: 'stale',
          changed: [{ ...place(), now: { text, start: 0, end: 1 } }],
        };
      }),
    }));
    await go('#/gaps/default');
    await press('Show all');
    await count('.gaps li').toBeGreaterThanOrEqual(all.length * 2);
    expect(await faultsIn('.gaps .then')).toEqual([]);

    const calls = all.map(([, value]) => ({
      sessionId: value,
      type: value,
      status: value,
      mode: value,
      initiator: value,
      receiver: value,
      initiatedAt: 1_770_000_000,
      totalDuration: value,
      participants: [{ uid: value, [value]: value }],
      [value]: value,
    }));
    const total = calls.length;
    const pagination = { total, count: total, per_page: 100, current_page: 1, total_pages: 1 };
    await answer('**/v3/calls?*', () => ({ data: calls, meta: { pagination } }));
    await page.route('**/v3/calls/*', (route) =>
      route.request().url().includes('/summary')
        ? route.fallback()
        : route.fulfill({ json: { data: calls[7] } }),
    );
    await go('#/calls/default');
    await count('.calls tbody tr').toBeGreaterThanOrEqual(total);
    await find('.calls tbody a').nth(7).click();
    await find('dialog.record[open]').waitFor();
    expect(await faultsIn('.no-rendered-text')).toEqual([]);
    await page.keyboard.press('Escape');

    await go('#/documents/default');
    const buffer = Buffer.from('# A\n\nA text.\n');
    await press('Add URL or text');
    await press('Files');
    await find('dialog input[type=file][multiple]').setInputFiles([
      ...names.slice(0, 20).map((name) => ({ name, mimeType: 'text/markdown', buffer })),
      { name: `<img src=x onerror=pwned()>.exe`, mimeType: 'application/octet-stream', buffer },
    ]);
    await see(/^21 sources/, find('.work'));
    expect(await faultsIn('.no-rendered-text')).toEqual([]);

    await writeFiles(
      service.knowledgeDir,
      Object.fromEntries(names.map((name) => [`names/${name}`, '\n'])),
    );
    const stored = async () =>
      (await service.get('/api/namespaces/names/documents?perPage=100')).body;
    await expect.poll(async () => (await stored())?.total).toBe(names.length);
    await go('#/documents/names');
    await count('.documents b').toBeGreaterThanOrEqual(15);
    const shown = await find('.documents b').allTextContents();
    const titles = (await stored()).documents.map(({ title }: { title: string }) => title);
    expect(shown).toEqual(titles.slice(0, shown.length));
    expect(await faultsIn('.no-rendered-text')).toEqual([]);
    expect(visited.problems).toEqual([]);
  });
});
