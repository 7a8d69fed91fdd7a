/**
 * Runs the page in the system's Chromium with playwright-core. A test fails if the page throws,
 * logs a console error (including CSP violations), requests another origin, or opens a dialog or
 * another page.
 */
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished } from 'vitest';
import { findChromium, launchOptions } from './chromium.ts';

/** Browser global, for functions that run in the page. */
declare const document: any;

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `describe`, skipped if there is no browser. */
export const describePage = describe.skipIf(findChromium() === undefined);

let started: Promise<Browser> | undefined;

/** Browser that all test files of a worker share; it ends with the worker's process. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    started ??= chromium.launch(launchOptions());
    browser = await started;
  });
  return () => {
    if (!browser) throw new Error('the browser is not started');
    return browser;
  };
}

export interface Watch {
  /** Forbidden actions of the page; any fails the test. */
  readonly problems: string[];
  /** Addresses of all requests, including blocked ones. */
  readonly requests: string[];
  /** Allows console errors that match; all others are problems. */
  expectError(pattern: RegExp): void;
}

/** @param urls requests to other origins than those of these URLs are problems */
export function watchContext(context: BrowserContext, ...urls: string[]): Watch {
  const origins = urls.map((url) => new URL(url).origin);
  const problems: string[] = [];
  const requests: string[] = [];
  const expected: RegExp[] = [];
  const watched = new WeakSet<Page>();
  function watch(page: Page): void {
    watched.add(page);
    page.on('pageerror', (error) => problems.push(`uncaught: ${error.stack ?? error.message}`));
    page.on('crash', () => problems.push('crashed'));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !expected.some((pattern) => pattern.test(text)))
        problems.push(`console: ${text}`);
    });
    page.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', (popup) => problems.push(`another page: ${popup.url()}`));
    page.on('websocket', (socket) => problems.push(`websocket: ${socket.url()}`));
  }
  for (const page of context.pages()) watch(page);
  context.on('page', watch);
  context.on('request', (request) => {
    requests.push(request.url());
    if (!origins.includes(new URL(request.url()).origin))
      problems.push(`request to another origin: ${request.url()}`);
  });
  return { problems, requests, expectError: (pattern) => void expected.push(pattern) };
}

export interface Visit extends Watch {
  readonly page: Page;
  readonly context: BrowserContext;
}

export interface VisitOptions {
  readonly hash?: string;
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  readonly hasTouch?: boolean;
  readonly expected?: readonly RegExp[];
  /** Other servers that the page may call. */
  readonly others?: readonly string[];
  /** Selector of an element that appears when the page is ready. */
  readonly ready?: string;
}

export async function visit(
  browser: Browser,
  url: string,
  options: VisitOptions = {},
): Promise<Visit> {
  const {
    hash = '',
    width = 1280,
    scheme = 'light',
    hasTouch = false,
    expected = [],
    others = [],
  } = options;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: 800 },
    colorScheme: scheme,
    hasTouch,
    locale: 'en-GB',
  });
  context.setDefaultTimeout(120_000);
  const watch = watchContext(context, url, ...others);
  expected.forEach(watch.expectError);
  onTestFinished(async () => {
    await context.close();
    if (watch.problems.length > 0)
      throw new Error(`forbidden actions of the page:\n${watch.problems.join('\n')}`);
  });
  const page = await context.newPage();
  await page.goto(`/${hash}`);
  await page.locator(options.ready ?? 'main :is(.pane, form.key)').waitFor();
  return { ...watch, page, context };
}

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];

/** Violations of WCAG 2.2 A and AA that axe-core finds. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Inject axe (0.5 MB) once per page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async (tags) => {
    const { violations } = await (globalThis as any).axe.run(document, {
      runOnly: tags,
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, nodes }: any) =>
      nodes.map((node: any) => `${id}: ${node.html.slice(0, 200)} (${node.failureSummary})`),
    );
  }, rules);
}

/** Elements that cause horizontal scrolling. */
const sidewaysFaults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isWide = (element: any) => element.getBoundingClientRect().right > clientWidth + 1;
    return [...document.body.querySelectorAll('*')]
      .filter(isWide)
      .map((element: any) => element.outerHTML.slice(0, 120));
  });

const results = join(root, 'test-results/page');
const images = join(root, 'docs/images');

/**
 * Checks accessibility and layout: wide and narrow, light and dark. With SCREENSHOTS set, saves
 * pictures in `test-results/page`.
 * @param inReadme name of a README picture to save too
 */
export async function look(
  { page }: Pick<Visit, 'page'>,
  name: string,
  { inReadme = '' } = {},
): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  const isPictured = Boolean(process.env['SCREENSHOTS']);
  for (const width of [1280, 390])
    for (const scheme of ['light', 'dark'] as const) {
      // Layout depends on the width, colours on the scheme: two of the four views cover both.
      const isChecked = (width === 1280) === (scheme === 'light');
      if (!isChecked && !isPictured) continue;
      const at = `${name}-${width}-${scheme}`;
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: scheme });
      if (isPictured)
        await page.screenshot({ path: join(results, `${at}.png`), animations: 'disabled' });
      if (!isChecked) continue;
      expect(await accessibilityFaults(page), at).toEqual([]);
      expect(await sidewaysFaults(page), at).toEqual([]);
      if (inReadme !== '' && isPictured && scheme === 'light') await takePicture(page, inReadme);
    }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: 'light' });
}

const maxPictureBytes = 100_000;

async function takePicture(page: Page, name: string): Promise<void> {
  await mkdir(images, { recursive: true });
  await page.setViewportSize({ width: 1040, height: 620 });
  const picture = await page.screenshot({
    path: join(images, `${name}.png`),
    animations: 'disabled',
  });
  expect(picture.length, name).toBeLessThanOrEqual(maxPictureBytes);
}
