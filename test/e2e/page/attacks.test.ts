/**
 * Untrusted documents run no script, request no other origin and add no foreign elements. Tests the
 * cleaner and the CSP separately.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { expect, it, onTestFinished } from 'vitest';
import { attacks, canary, collectFaults, evil, parsingErrors } from '../../support/attacks.ts';
import { describePage, startBrowser, watchContext } from '../../support/browser.ts';
import { findWholeChromium, launchOptions } from '../../support/chromium.ts';
import { sampled } from '../../support/depth.ts';
import { serveOnLoopback } from '../../support/event-stream.ts';
import { root } from '../../support/repository.ts';
import { forFile } from '../../support/when-done.ts';
import { sharedService, temporaryFolder } from '../../support/workspace.ts';

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

describePage('untrusted documents', () => {
  it('runs no script in documents, rendered or as source', async () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
    const { get, url } = await served();
    const folder = await temporaryFolder();
    const log = join(folder, 'net.json');
    // Only a whole browser with a persistent profile prefetches DNS.
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      ...launchOptions([`--log-net-log=${log}`], findWholeChromium()),
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
