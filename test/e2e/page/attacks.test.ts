/**
 * Untrusted content runs no script, requests no other origin and adds no foreign elements. Tests
 * the cleaner and the CSP separately.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { expect, it, onTestFinished } from 'vitest';
import { attacks, evil } from '../../support/attacks.ts';
import { describePage, startBrowser, watchContext } from '../../support/browser.ts';
import { launchOptions } from '../../support/chromium.ts';
import { sampled } from '../../support/depth.ts';
import { serveOnLoopback } from '../../support/event-stream.ts';
import { eventsOf, openPage } from '../../support/page.ts';
import { root } from '../../support/repository.ts';
import { forFile } from '../../support/when-done.ts';
import { sharedService, temporaryFolder, writeFiles } from '../../support/workspace.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const window: any;

const all = Object.entries(attacks);

/** Sample for tests whose code path is the same for every attack. */
const some = sampled(all, 8);

/** Documents with an attack as the text and in every front matter field. */
const files = Object.fromEntries(
  all.map(([, attack], at) => {
    const attackText = JSON.stringify(attack);
    const head = `title: ${attackText}\nauthor: ${attackText}\nsource: ${attackText}\nkind: ${at % 2 === 0 ? 'url' : 'file'}\nreviewBy: ${attackText}\nreviewedAt: ${attackText}`;
    return [
      `default/${String(at).padStart(3, '0')}.md`,
      `---\n${head}\n---\n\n# Before ${at}\n\n${attack}\n\n## ${attack.replaceAll('\n', ' ')}\n\nAfter ${at}.\n`,
    ];
  }),
);

/** Attacks as file names, as far as a file system allows. */
const names = all.map(
  ([, attack], at) =>
    `${at} ${attack
      .replace(/[/\0\n\r\\]|[\ud800-\udfff]/g, ' ')
      .slice(0, 60)
      .trim()}.md`,
);

/** Attacks call this. It logs a console error, which fails the test. */
const canary = `window.pwned = () => { top.isPwned = true; console.error('a script of a document ran'); };`;

/**
 * Chromium also logs these for content that is parsed and discarded; `faultsIn` checks the page
 * itself.
 */
const parsingErrors =
  /^(Executing inline event handler|Applying inline style|Setting the document's base URI|This document requires 'TrustedScript' assignment)/;

/** Returns forbidden elements, attributes and link targets in rendered text; runs in the page. */
function collectFaults(within: string): string[] {
  const allowed = new Set(
    'A P H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE PRE CODE EM STRONG DEL INS SUB SUP KBD BR HR DL DT DD TABLE THEAD TBODY TR TH TD DETAILS SUMMARY MARK'.split(
      ' ',
    ),
  );
  const isOwn = (element: any) => element.matches('div.slice, button.mark, pre.source');
  // A form field may be named `getAttributeNames`.
  const attributesOf = (element: any): any[] =>
    window.Element.prototype.getAttributeNames.call(element).map((name: string) => ({
      name,
      value: window.Element.prototype.getAttribute.call(element, name),
    }));
  const faults: string[] = [];
  for (const element of document.querySelectorAll(`${within} *`)) {
    if (!isOwn(element) && !allowed.has(element.tagName)) faults.push(`element ${element.tagName}`);
    for (const { name, value } of attributesOf(element)) {
      if (
        /^on/i.test(name) ||
        ['src', 'srcset', 'style', 'id', 'name', 'ping', 'background', 'is'].includes(name)
      ) {
        if (!isOwn(element)) faults.push(`attribute ${name}`);
      }
      if (name === 'href' && !/^(https?:\/\/|mailto:|#)/i.test(value))
        faults.push(`address ${value}`);
    }
  }
  for (const element of document.querySelectorAll('*'))
    for (const { name } of attributesOf(element))
      if (/^on/i.test(name)) faults.push(`handler ${name} on ${element.tagName}`);
  if (
    document.querySelectorAll('script').length !== 1 ||
    document.querySelectorAll('base, meta[http-equiv], iframe, object, embed').length > 0
  )
    faults.push('the page contains foreign scripts or frames');
  return faults;
}
const faultsIn = (page: Page, selector: string) => page.evaluate(collectFaults, selector);

/** Opens the documents one after another. @returns faults by attack */
async function openEach(
  page: Page,
  url: string,
  ids: readonly string[],
  which = all,
): Promise<Map<string, string[]>> {
  const wanted = which.map((attack) => [attack[0], ids[all.indexOf(attack)], all.indexOf(attack)]);
  await page.evaluate(`globalThis.collectFaults = ${collectFaults}`);
  // One call for all attacks: each call from here takes as long as a document.
  const found = await page.evaluate(async (each) => {
    const faulty: [string, string[]][] = [];
    for (const [name, id, at] of each) {
      window.location.hash = `#/documents/default/${id}`;
      // The heading before the attack always remains.
      const heading = new RegExp(`Before ${at}\\b`);
      while (!heading.test(document.querySelector('.reader .document')?.textContent))
        await new Promise((resolve) => setTimeout(resolve, 5));
      const faults = window.collectFaults('.reader .document');
      if (faults.length > 0) faulty.push([String(name), faults]);
    }
    return faulty;
  }, wanted);
  expect(new URL(page.url()).origin).toBe(url);
  return new Map(found);
}

let url: Promise<string> | undefined;

/** Serves the documents, once for the file. */
async function served() {
  const { get } = await sharedService({}, files);
  url ??= forFile(async () => serveOnLoopback(await sharedService({}, files)));
  return { get, url: await url };
}

async function idsOf(get: (path: string) => Promise<{ body: any }>): Promise<string[]> {
  const pages = await Promise.all(
    [1, 2].map((page) => get(`/api/namespaces/default/documents?perPage=100&page=${page}`)),
  );
  const listed = pages.flatMap(({ body }) => body.documents);
  return listed.filter(({ file }) => /^\d{3}\.md$/.test(file)).map(({ id }) => id);
}

describePage('untrusted content', () => {
  it('runs no script in documents, rendered or as source', async () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
    const { get, url } = await served();
    const folder = await temporaryFolder();
    const log = join(folder, 'net.json');
    // Only a persistent profile prefetches DNS.
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      ...launchOptions([`--log-net-log=${log}`]),
      viewport: { width: 1280, height: 800 },
    });
    onTestFinished(() => context.close());
    const { problems, requests, expectError } = watchContext(context)(url);
    expectError(parsingErrors);
    await context.addInitScript(canary);
    const page = await context.newPage();
    await page.goto(`${url}/#/documents/default`);
    const ids = await idsOf(get);
    expect(ids).toHaveLength(all.length);
    expect(await openEach(page, url, ids)).toEqual(new Map());
    await page.getByRole('button', { name: 'Show Markdown', exact: true }).click();
    expect(await openEach(page, url, ids, some)).toEqual(new Map());
    const last = ids[all.indexOf(some.at(-1) ?? ['', ''])];
    const { body } = await get(`/api/namespaces/default/documents/${last}`);
    await expect
      .poll(() => page.locator('.document pre.source').allTextContents())
      .toEqual([body.markdown]);
    expect(problems).toEqual([]);
    const own = /^\/(page\/[\w.-]+|api\/[\w/?=&.-]+)?$/;
    expect(requests.filter((asked) => !own.test(asked.slice(url.length)))).toEqual([]);
    await context.close();
    expect(await readFile(log, 'utf8')).not.toContain(evil);
  });

  it('runs no script in answers, questions, gaps, calls, upload rows and file names', async () => {
    const { page, service, go, find, see, press, more, ask, count, texts, ...visited } =
      await openPage({
        files: {},
        isAlone: true,
        expected: [/status of 4\d\d/, parsingErrors],
      });
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
      expect(await faultsIn(page, '.answer .text'), name).toEqual([]);
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
    expect(await faultsIn(page, '.gaps .then')).toEqual([]);

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
    expect(await faultsIn(page, '.no-rendered-text')).toEqual([]);
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
    expect(await faultsIn(page, '.no-rendered-text')).toEqual([]);

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
    expect(await faultsIn(page, '.no-rendered-text')).toEqual([]);
    expect(visited.problems).toEqual([]);
  });

  /** Builds the page with a cleaner that removes nothing. */
  async function buildWithoutCleaner(): Promise<string> {
    const stub = join(await temporaryFolder(), 'cleaner.js');
    await writeFile(
      stub,
      `const policy = trustedTypes.createPolicy('dompurify', { createHTML: (html) => html });
       export default { sanitize(html) { const holder = document.createElement('div'); holder.innerHTML = policy.createHTML(html);
         const fragment = document.createDocumentFragment(); fragment.append(...holder.childNodes); return fragment; } };`,
    );
    await using made = await rolldown({
      input: join(root, 'src/page/main.ts'),
      platform: 'browser',
      resolve: { alias: { dompurify: stub } },
    });
    const { output } = await made.generate({ format: 'esm', codeSplitting: false });
    return output[0].code;
  }

  it('appears without the cleaner but still runs no script', async () => {
    const { get, url } = await served();
    const context = await (await startBrowser()).newContext();
    onTestFinished(() => context.close());
    await context.addInitScript(canary);
    const body = await buildWithoutCleaner();
    await context.route('**/page/*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body }),
    );
    // Blocks navigation to the attacker's host.
    await context.route(
      ({ hostname }) => hostname.endsWith(evil),
      (route) => route.abort('aborted'),
    );
    const { problems } = watchContext(context)(url);
    const page = await context.newPage();
    await page.goto(`${url}/#/documents/default`);
    const found = await openEach(page, url, await idsOf(get), some);
    expect(found.size).toBeGreaterThanOrEqual(some.length * 0.7);
    expect(problems.filter((problem) => problem.includes('a script of a document ran'))).toEqual(
      [],
    );
    expect(await page.evaluate(() => window.isPwned)).toBeUndefined();
  });
});
