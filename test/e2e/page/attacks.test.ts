/**
 * Untrusted content runs no script, requests no other origin and adds no foreign elements. Tests
 * the cleaner and the CSP separately.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { expect, it, onTestFinished } from 'vitest';
import { attacks, evil } from '../../support/attacks.ts';
import { describePage, startBrowser, watchContext } from '../../support/browser.ts';
import { launchOptions } from '../../support/chromium.ts';
import { sampled } from '../../support/depth.ts';
import { serveOnLoopback } from '../../support/event-stream.ts';
import { ask, openPage } from '../../support/page.ts';
import { startService, temporaryFolder } from '../../support/workspace.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const window: any;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const all = Object.entries(attacks);

/** Sample for tests whose code path is the same for every attack. */
const some = sampled(all, 16);

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

/** Returns forbidden elements, attributes and link targets in rendered text. */
const faultsIn = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate((within) => {
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
      if (!isOwn(element) && !allowed.has(element.tagName))
        faults.push(`element ${element.tagName}`);
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
  }, selector);

/** Opens the documents one after another. @returns faults by attack */
async function openEach(
  page: Page,
  url: string,
  ids: readonly string[],
  which = all,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const attack of which) {
    const at = all.indexOf(attack);
    const id = ids[at];
    await page.evaluate((hash) => {
      window.location.hash = hash;
    }, `#/documents/default/${id}`);
    // The heading before the attack always remains.
    await page.locator('.reader .document', { hasText: `Before ${at}` }).waitFor();
    const faults = await faultsIn(page, '.reader .document');
    if (faults.length > 0) found.set(attack[0], faults);
  }
  expect(new URL(page.url()).origin).toBe(url);
  return found;
}

async function idsOf(get: (path: string) => Promise<{ body: any }>): Promise<string[]> {
  const pages = await Promise.all(
    [1, 2].map((page) => get(`/api/namespaces/default/documents?perPage=100&page=${page}`)),
  );
  const listed = pages.flatMap(({ body }) => body.documents);
  return listed.filter(({ file }) => /^\d{3}\.md$/.test(file)).map(({ id }) => id);
}

describePage('untrusted content', () => {
  it('covers at least sixty attacks', () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
  });

  it('runs no script in documents, rendered or as source', async () => {
    const service = await startService({}, files);
    const url = await serveOnLoopback(service);
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
    await page.locator('.documents a').first().waitFor();
    const ids = await idsOf(service.get);
    expect(ids).toHaveLength(all.length);
    expect(await openEach(page, url, ids)).toEqual(new Map());
    await page.getByRole('button', { name: 'Show Markdown', exact: true }).click();
    expect(await openEach(page, url, ids, some)).toEqual(new Map());
    const { body } = await service.get(
      `/api/namespaces/default/documents/${ids[all.indexOf(some.at(-1) ?? ['', ''])]}`,
    );
    await expect
      .poll(() => page.locator('.document pre.source').allTextContents())
      .toEqual([body.markdown]);
    expect(problems).toEqual([]);
    expect(
      requests.filter(
        (asked) => !/^\/(page\/[\w.-]+|api\/[\w/?=&.-]+)?$/.test(asked.slice(url.length)),
      ),
    ).toEqual([]);
    await context.close();
    expect(await readFile(log, 'utf8')).not.toContain(evil);
  });

  it('runs no script in answers, questions, gaps, calls and upload rows', async () => {
    const { page, url, expectError, problems } = await openPage({
      files: {},
      isAlone: true,
    });
    expectError(/status of 4\d\d/);
    expectError(parsingErrors);
    await page.addInitScript(canary);
    await page.reload();
    let attackText = '';
    const place = () => ({
      index: 1,
      documentId: attackText,
      file: attackText,
      title: attackText,
      source: attackText,
      headingPath: [attackText],
      anchor: attackText,
      page: null,
      quote: attackText,
      start: 0,
      end: 1,
      revision: 'x',
    });
    await page.route('**/api/agents/knowledge/stream', (route) => {
      const chunks = [
        { type: 'start', runId: 'run', payload: {} },
        {
          type: 'text-delta',
          runId: 'run',
          payload: { text: `${attackText} [1]\n\n${attackText}` },
        },
        {
          type: 'finish',
          runId: 'run',
          payload: {
            reason: 'answered',
            citations: [place()],
            dropped: 1,
            repaired: 1,
            model: attackText,
          },
        },
      ];
      const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
      return route.fulfill({ contentType: 'text/event-stream', body: `${body}data: [DONE]\n\n` });
    });
    await page.route('**/api/answers/run', (route) =>
      route.fulfill({
        json: {
          runId: 'run',
          check: {
            kept: [
              {
                text: attackText,
                index: 1,
                score: 1,
                repaired: true,
                reason: attackText,
                instead: attackText,
              },
            ],
            dropped: 1,
            repaired: 1,
            droppedSentences: [{ text: attackText, reason: attackText }],
          },
        },
      }),
    );
    await page.route('**/api/tools/searchDocs', (route) =>
      route.fulfill({
        json: {
          coverage: 1,
          mode: 'lexical',
          results: [
            { ...place(), text: attackText, score: 1, chunkId: 'x', matched: [attackText] },
          ],
        },
      }),
    );
    for (const [name, attack] of some) {
      attackText = attack;
      const turn = await ask(page, attack.replaceAll('\n', ' '));
      for (const button of ['Why this answer', /^Search details/, 'API request']) {
        await turn.getByRole('button', { name: button }).click();
        await turn.locator('.below').waitFor();
      }
      expect(await faultsIn(page, '.answer .text'), name).toEqual([]);
      await page.getByRole('button', { name: 'New chat' }).click();
    }

    const at = '2026-05-01T10:00:00.000Z';
    await page.route('**/api/gaps?*', (route) =>
      route.fulfill({
        json: {
          gaps: all.map(([, question]) => ({
            namespace: 'default',
            question,
            variants: [question],
            count: 2,
            firstAskedAt: question,
            lastAskedAt: at,
            coverage: 0.5,
            closest: [{ documentId: 'x', file: question, title: question, source: question }],
          })),
        },
      }),
    );
    await page.route('**/api/answers?*', (route) =>
      route.fulfill({
        json: {
          answers: all.map(([, text], number) => ({
            runId: `run${number}`,
            namespace: 'default',
            askedAt: at,
            question: text,
            text,
            state: 'stale',
            changed: [
              {
                index: 1,
                documentId: 'x',
                file: text,
                title: text,
                quote: text,
                now: { text, start: 0, end: 1 },
              },
            ],
          })),
        },
      }),
    );
    await page.goto(`${url}/#/gaps/default`);
    await page
      .locator('.gaps li')
      .nth(all.length * 2 - 1)
      .waitFor({ state: 'attached' });
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
    const pagination = {
      total: calls.length,
      count: calls.length,
      per_page: 100,
      current_page: 1,
      total_pages: 1,
    };
    await page.route('**/v3/calls?*', (route) =>
      route.fulfill({ json: { data: calls, meta: { pagination } } }),
    );
    await page.route('**/v3/calls/*', (route) =>
      route.request().url().includes('/summary')
        ? route.fallback()
        : route.fulfill({ json: { data: calls[7] } }),
    );
    await page.goto(`${url}/#/calls/default`);
    await page
      .locator('.calls tbody tr')
      .nth(all.length - 1)
      .waitFor({ state: 'attached' });
    await page.locator('.calls tbody a').nth(7).click();
    await page.locator('dialog.record[open]').waitFor();
    expect(await faultsIn(page, '.no-rendered-text')).toEqual([]);
    await page.keyboard.press('Escape');

    await page.goto(`${url}/#/documents/default`);
    const buffer = Buffer.from('# A\n\nA text.\n');
    await page.getByRole('button', { name: 'Add URL or text' }).first().click();
    await page.getByRole('button', { name: 'Files', exact: true }).click();
    await page
      .locator('dialog input[type=file][multiple]')
      .setInputFiles([
        ...names.slice(0, 60).map((name) => ({ name, mimeType: 'text/markdown', buffer })),
        { name: `<img src=x onerror=pwned()>.exe`, mimeType: 'application/octet-stream', buffer },
      ]);
    await page
      .locator('.work')
      .getByText(/^61 sources/)
      .waitFor();
    expect(await faultsIn(page, '.no-rendered-text')).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('runs no script in file names', async () => {
    const { page, service } = await openPage({
      hash: '#/documents/default',
      isAlone: true,
      files: { 'default/a.md': '# A\n\nA.' },
    });
    await page.addInitScript(canary);
    await page.reload();
    for (const name of names) await writeFile(join(service.knowledgeDir, 'default', name), '\n');
    await expect
      .poll(async () => (await service.get('/api/state')).body.documents)
      .toBe(names.length + 1);
    await page.reload();
    await page
      .getByText(`${names.length + 1} documents`)
      .first()
      .waitFor();
    const { body } = await service.get('/api/namespaces/default/documents?perPage=100');
    const titles = body.documents.map(({ title }: { title: string }) => title);
    await page.locator('.documents b').first().waitFor();
    const shown = await page.locator('.documents b').allTextContents();
    expect(shown.length).toBeGreaterThanOrEqual(15);
    expect(shown).toEqual(titles.slice(0, shown.length));
    expect(await faultsIn(page, '.no-rendered-text')).toEqual([]);
  });

  let built: Promise<string> | undefined;

  /** Builds the page with a cleaner that removes nothing. */
  async function buildWithoutCleaner(): Promise<string> {
    const stub = join(await temporaryFolder(), 'cleaner.js');
    await writeFile(
      stub,
      `const policy = trustedTypes.createPolicy('dompurify', { createHTML: (html) => html });
       export default { sanitize(html) { const holder = document.createElement('div'); holder.innerHTML = policy.createHTML(html);
         const fragment = document.createDocumentFragment(); fragment.append(...holder.childNodes); return fragment; } };`,
    );
    const made = await build({
      configFile: join(root, 'vite.config.ts'),
      root: join(root, 'src/page'),
      resolve: { alias: { dompurify: stub } },
      build: { write: false },
    });
    const entry = ('output' in made ? made.output : []).find(
      (file) => file.type === 'chunk' && file.isEntry,
    );
    if (entry?.type !== 'chunk') throw new Error('the build has no entry');
    return entry.code;
  }

  async function openWithoutCleaner({ hasPolicy }: { hasPolicy: boolean }) {
    const service = await startService({}, files);
    const url = await serveOnLoopback(service);
    const context = await (await startBrowser()).newContext();
    onTestFinished(() => context.close());
    await context.addInitScript(canary);
    built ??= buildWithoutCleaner();
    const body = await built;
    await context.route('**/page/*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body }),
    );
    // Blocks navigation to the attacker's host.
    await context.route(
      ({ hostname }) => hostname.endsWith(evil),
      (route) => route.abort('aborted'),
    );
    if (!hasPolicy)
      await context.route(
        ({ pathname }) => pathname === '/',
        async (route) => {
          const response = await route.fetch();
          const { 'content-security-policy': _, ...headers } = response.headers();
          await route.fulfill({ response, headers });
        },
      );
    const watch = watchContext(context)(url);
    const page = await context.newPage();
    await page.goto(`${url}/#/documents/default`);
    await page.locator('.documents a').first().waitFor();
    return { ...watch, page, url, ids: await idsOf(service.get) };
  }

  it('appears without the cleaner but still runs no script', async () => {
    const { page, url, ids, problems } = await openWithoutCleaner({ hasPolicy: true });
    const found = await openEach(page, url, ids, some);
    expect(found.size).toBeGreaterThanOrEqual(some.length * 0.8);
    expect(problems.filter((problem) => problem.includes('a script of a document ran'))).toEqual(
      [],
    );
    expect(await page.evaluate(() => window.isPwned)).toBeUndefined();
  });
});
