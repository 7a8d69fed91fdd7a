/**
 * What others wrote, shown by the page: no script runs, nothing is asked of anywhere else, nothing stands in a document that text does not
 * need. With each of the two walls taken out in turn the corpus is seen, so that neither is there for show.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { expect, it, onTestFinished } from 'vitest';
import { attacks, evil } from '../../support/attacks.ts';
import { describePage, useBrowser, watchContext } from '../../support/browser.ts';
import { launchOptions } from '../../support/chromium.ts';
import { sampled } from '../../support/depth.ts';
import { serveOnLoopback } from '../../support/event-stream.ts';
import { ask, openPage } from '../../support/page.ts';
import { startService, temporaryFolder } from '../../support/workspace.ts';

/** Those of the page: what is evaluated there. */
declare const document: any;
declare const window: any;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const all = Object.entries(attacks);

/** Where whatever shows one of them shows each. */
const some = sampled(all, 16);

/** Each as the text of a document, and as everything that its front matter says. */
const files = Object.fromEntries(
  all.map(([, attack], at) => {
    const said = JSON.stringify(attack);
    const head = `title: ${said}\nauthor: ${said}\nsource: ${said}\nkind: ${at % 2 === 0 ? 'url' : 'file'}\nreviewBy: ${said}\nreviewedAt: ${said}`;
    return [
      `default/${String(at).padStart(3, '0')}.md`,
      `---\n${head}\n---\n\n# Before ${at}\n\n${attack}\n\n## ${attack.replaceAll('\n', ' ')}\n\nAfter ${at}.\n`,
    ];
  }),
);

/** As names of files, where a file system takes them. */
const names = all.map(
  ([, attack], at) =>
    `${at} ${attack
      .replace(/[/\0\n\r\\]|[\ud800-\udfff]/g, ' ')
      .slice(0, 60)
      .trim()}.md`,
);

/** Called by what runs; seen as an error on the console by whoever watches the page. */
const canary = `window.pwned = () => { top.isPwned = true; console.error('a script of a document ran'); };`;

/** Chromium says so of what is parsed aside and thrown away, too: that none of it stands in the page is seen there. */
const whileParsing =
  /^(Executing inline event handler|Applying inline style|Setting the document's base URI|This document requires 'TrustedScript' assignment)/;

/** What may not stand in rendered text, and what leads elsewhere than it may: empty where all is well. */
const faultsIn = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate((within) => {
    const allowed = new Set(
      'A P H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE PRE CODE EM STRONG DEL INS SUB SUP KBD BR HR DL DT DD TABLE THEAD TBODY TR TH TD DETAILS SUMMARY MARK'.split(
        ' ',
      ),
    );
    const isOwn = (element: any) => element.matches('div.slice, button.mark, pre.source');
    // A form may have a field of that name.
    const attributesOf = (element: any): any[] =>
      window.Element.prototype.getAttributeNames
        .call(element)
        .map((name: string) => ({ name, value: window.Element.prototype.getAttribute.call(element, name) }));
    const faults: string[] = [];
    for (const element of document.querySelectorAll(`${within} *`)) {
      if (!isOwn(element) && !allowed.has(element.tagName)) faults.push(`element ${element.tagName}`);
      for (const { name, value } of attributesOf(element)) {
        if (/^on/i.test(name) || ['src', 'srcset', 'style', 'id', 'name', 'ping', 'background', 'is'].includes(name)) {
          if (!isOwn(element)) faults.push(`attribute ${name}`);
        }
        if (name === 'href' && !/^(https?:\/\/|mailto:|#)/i.test(value)) faults.push(`address ${value}`);
      }
    }
    for (const element of document.querySelectorAll('*'))
      for (const { name } of attributesOf(element)) if (/^on/i.test(name)) faults.push(`handler ${name} on ${element.tagName}`);
    if (
      document.querySelectorAll('script').length !== 1 ||
      document.querySelectorAll('base, meta[http-equiv], iframe, object, embed').length > 0
    )
      faults.push('the page holds what it did not bring');
    return faults;
  }, selector);

/** Opens each document as a person goes through the list. @returns faults by attack */
async function openEach(page: Page, url: string, ids: readonly string[], which = all): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const attack of which) {
    const at = all.indexOf(attack);
    const id = ids[at];
    await page.evaluate((hash) => {
      window.location.hash = hash;
    }, `#/documents/default/${id}`);
    // In its slice stands the heading before it, however little of the rest is left.
    await page.locator('.reader .document', { hasText: `Before ${at}` }).waitFor();
    const faults = await faultsIn(page, '.reader .document');
    if (faults.length > 0) found.set(attack[0], faults);
  }
  expect(new URL(page.url()).origin).toBe(url);
  return found;
}

async function idsOf(get: (path: string) => Promise<{ body: any }>): Promise<string[]> {
  const pages = await Promise.all([1, 2].map((page) => get(`/api/namespaces/default/documents?perPage=100&page=${page}`)));
  const listed = pages.flatMap(({ body }) => body.documents);
  return listed.filter(({ file }) => /^\d{3}\.md$/.test(file)).map(({ id }) => id);
}

describePage('what others wrote', () => {
  const browser = useBrowser();

  it('is a corpus of at least sixty attacks', () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
  });

  it('is shown as documents, rendered and as they are stored, and does nothing', async () => {
    const service = await startService({}, files);
    const url = await serveOnLoopback(service);
    const folder = await temporaryFolder();
    const log = join(folder, 'net.json');
    // Only what is no private window looks names up ahead.
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      ...launchOptions([`--log-net-log=${log}`]),
      viewport: { width: 1280, height: 800 },
    });
    onTestFinished(() => context.close());
    const { problems, requests, expectError } = watchContext(context, url);
    expectError(whileParsing);
    await context.addInitScript(canary);
    const page = await context.newPage();
    await page.goto(`${url}/#/documents/default`);
    await page.locator('.documents a').first().waitFor();
    const ids = await idsOf(service.get);
    expect(ids).toHaveLength(all.length);
    expect(await openEach(page, url, ids)).toEqual(new Map());
    await page.getByRole('button', { name: 'Markdown', exact: true }).click();
    expect(await openEach(page, url, ids, some)).toEqual(new Map());
    const { body } = await service.get(`/api/namespaces/default/documents/${ids[all.indexOf(some.at(-1) ?? ['', ''])]}`);
    await expect.poll(() => page.locator('.document pre.source').allTextContents()).toEqual([body.markdown]);
    expect(problems).toEqual([]);
    expect(requests.filter((asked) => !/^\/(page\/[\w.-]+|api\/[\w/?=&.-]+)?$/.test(asked.slice(url.length)))).toEqual([]);
    await context.close();
    expect(await readFile(log, 'utf8')).not.toContain(evil);
  });

  it('stands in answers, questions, gaps, calls and rows of uploads, and does nothing', async () => {
    const { page, url, expectError, problems } = await openPage(browser(), { files: {} });
    expectError(/status of 4\d\d/);
    expectError(whileParsing);
    await page.addInitScript(canary);
    await page.reload();
    let said = '';
    const place = () => ({
      index: 1,
      documentId: said,
      file: said,
      title: said,
      source: said,
      headingPath: [said],
      anchor: said,
      page: null,
      quote: said,
      start: 0,
      end: 1,
      revision: 'x',
    });
    await page.route('**/api/agents/knowledge/stream', (route) => {
      const chunks = [
        { type: 'start', runId: 'run', payload: {} },
        { type: 'text-delta', runId: 'run', payload: { text: `${said} [1]\n\n${said}` } },
        { type: 'finish', runId: 'run', payload: { reason: 'answered', citations: [place()], dropped: 1, repaired: 1, model: said } },
      ];
      const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
      return route.fulfill({ contentType: 'text/event-stream', body: `${body}data: [DONE]\n\n` });
    });
    await page.route('**/api/answers/run', (route) =>
      route.fulfill({
        json: {
          runId: 'run',
          check: {
            kept: [{ text: said, index: 1, score: 1, repaired: true, reason: said, instead: said }],
            dropped: 1,
            repaired: 1,
            droppedSentences: [{ text: said, reason: said }],
          },
        },
      }),
    );
    await page.route('**/api/tools/searchDocs', (route) =>
      route.fulfill({
        json: { coverage: 1, mode: 'lexical', results: [{ ...place(), text: said, score: 1, chunkId: 'x', matched: [said] }] },
      }),
    );
    for (const [name, attack] of some) {
      said = attack;
      const turn = await ask(page, attack.replaceAll('\n', ' '));
      for (const button of ['What was checked', /^How it was found/, /^curl/]) {
        await turn.getByRole('button', { name: button }).click();
        await turn.locator('.below').waitFor();
      }
      expect(await faultsIn(page, '.answer .text'), name).toEqual([]);
      await page.getByRole('button', { name: 'New', exact: true }).click();
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
            changed: [{ index: 1, documentId: 'x', file: text, title: text, quote: text, now: { text, start: 0, end: 1 } }],
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
    const pagination = { total: calls.length, count: calls.length, per_page: 100, current_page: 1, total_pages: 1 };
    await page.route('**/v3/calls?*', (route) => route.fulfill({ json: { data: calls, meta: { pagination } } }));
    await page.route('**/v3/calls/*', (route) =>
      route.request().url().includes('/summary') ? route.fallback() : route.fulfill({ json: { data: calls[7] } }),
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
    await page.getByRole('button', { name: 'Add documents' }).click();
    await page.getByRole('button', { name: 'Files', exact: true }).click();
    await page
      .locator('input[type=file][multiple]')
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

  it('stands in names of files that were put there by hand, and does nothing', async () => {
    const { page, service } = await openPage(browser(), { hash: '#/documents/default', files: { 'default/a.md': '# A\n\nA.' } });
    await page.addInitScript(canary);
    await page.reload();
    for (const name of names) await writeFile(join(service.knowledgeDir, 'default', name), '\n');
    await expect.poll(async () => (await service.get('/api/state')).body.documents).toBe(names.length + 1);
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

  /** The script of the page with a cleaner that lets everything through. */
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
    const entry = ('output' in made ? made.output : []).find((file) => file.type === 'chunk' && file.isEntry);
    if (entry?.type !== 'chunk') throw new Error('nothing was built');
    return entry.code;
  }

  async function openCrippled({ hasPolicy }: { hasPolicy: boolean }) {
    const service = await startService({}, files);
    const url = await serveOnLoopback(service);
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    await context.addInitScript(canary);
    built ??= buildWithoutCleaner();
    const body = await built;
    await context.route('**/page/*.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
    // A page that is led away stays.
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
    const watch = watchContext(context, url);
    const page = await context.newPage();
    await page.goto(`${url}/#/documents/default`);
    await page.locator('.documents a').first().waitFor();
    return { ...watch, page, url, ids: await idsOf(service.get) };
  }

  it('would be seen if it were not cleaned, and even then runs nothing', async () => {
    const { page, url, ids, problems } = await openCrippled({ hasPolicy: true });
    const found = await openEach(page, url, ids, some);
    expect(found.size).toBeGreaterThanOrEqual(some.length * 0.8);
    expect(problems.filter((problem) => problem.includes('a script of a document ran'))).toEqual([]);
    expect(await page.evaluate(() => window.isPwned)).toBeUndefined();
  });
});
