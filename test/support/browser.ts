/**
 * Runs the page in the system's Chromium with playwright-core. A test fails if the page throws,
 * logs a console error (including CSP violations), requests another origin, or opens a dialog or
 * another page.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { findChromium, launchOptions } from './chromium.ts';
import { root } from './repository.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const localStorage: any;
declare const sessionStorage: any;

/** `describe`, skipped if there is no browser. */
export const describePage = describe.skipIf(findChromium() === undefined);

let browser: Promise<Browser> | undefined;

/** Browser that all test files of a worker share; it ends with the worker's process. */
export const startBrowser = (): Promise<Browser> => (browser ??= chromium.launch(launchOptions()));

export interface Watch {
  /** Forbidden actions of the page; any fails the test. */
  readonly problems: string[];
  /** Addresses of all requests, including blocked ones. */
  readonly requests: string[];
  /** Allows console errors that match; all others are problems. */
  expectError(pattern: RegExp): void;
}

/** @returns a function that starts a watch; requests to other origins than its are problems */
export function watchContext(context: BrowserContext): (...urls: string[]) => Watch {
  let watch = { origins: [''], problems: [''], requests: [''], expected: [/^/] };
  function follow(page: Page) {
    const report = (problem: string) => void watch.problems.push(problem);
    page.on('pageerror', (error) => report(`uncaught: ${error.stack ?? error.message}`));
    page.on('crash', () => report('crashed'));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !watch.expected.some((pattern) => pattern.test(text)))
        report(`console: ${text}`);
    });
    page.on('dialog', (dialog) => {
      report(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', (popup) => report(`another page: ${popup.url()}`));
    page.on('websocket', (socket) => report(`websocket: ${socket.url()}`));
  }
  context.pages().forEach(follow);
  context.on('page', follow);
  context.on('request', (request) => {
    watch.requests.push(request.url());
    if (!watch.origins.includes(new URL(request.url()).origin))
      watch.problems.push(`request to another origin: ${request.url()}`);
  });
  return (...urls) => {
    const started = {
      origins: urls.map((url) => new URL(url).origin),
      problems: [],
      requests: [],
      expected: [] as RegExp[],
    };
    watch = started;
    return { ...started, expectError: (pattern) => void started.expected.push(pattern) };
  };
}

type Tab = Readonly<{
  page: Page;
  context: BrowserContext;
  watch: ReturnType<typeof watchContext>;
}>;

const size = { width: 1280, height: 800 };

async function openTab(hasTouch = false): Promise<Tab> {
  const context = await (await startBrowser()).newContext({
    viewport: size,
    colorScheme: 'light',
    hasTouch,
    locale: 'en-GB',
  });
  context.setDefaultTimeout(120_000);
  return { context, watch: watchContext(context), page: await context.newPage() };
}

/** A new page costs three times the CPU of the same page at its next address. */
let shared: Promise<Tab> | undefined;
let emptyPage: Promise<number> | undefined;

/** Starts a server of empty pages: an address of the same site keeps the page's process. */
async function startEmptyPage(): Promise<number> {
  const server = createServer((_, response) => void response.end('<!doctype html>'));
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Makes the shared page like new. */
async function leave({ page, context }: Tab) {
  try {
    emptyPage ??= startEmptyPage();
    for (const other of context.pages()) if (other !== page) await other.close();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.clearPermissions();
    await page.evaluate(() => [sessionStorage, localStorage].map((storage) => storage.clear()));
    await page.goto(`http://${new URL(page.url()).hostname}:${await emptyPage}/`);
    page.removeAllListeners('request');
    await page.setViewportSize(size);
    await page.emulateMedia({ media: null, colorScheme: 'light' });
  } catch {
    shared = undefined;
    await context.close();
  }
}

export interface Visit extends Watch {
  readonly page: Page;
  readonly context: BrowserContext;
}

export type VisitOptions = Readonly<{
  hash?: string;
  width?: number;
  hasTouch?: boolean;
  /** Uses a new context, for tests that change what `leave` does not restore. */
  isAlone?: boolean;
  expected?: readonly RegExp[];
  /** Other servers that the page may call. */
  others?: readonly string[];
  /** Selector of an element that appears when the page is ready. */
  ready?: string;
}>;

/** Opens an address in the page that all tests of a worker share, or in one of its own. */
export async function visit(url: string, options: VisitOptions = {}): Promise<Visit> {
  const { hash = '', hasTouch = false, expected = [], others = [] } = options;
  const isAlone = options.isAlone || hasTouch;
  const opened = (isAlone ? undefined : shared) ?? openTab(hasTouch);
  if (!isAlone) shared = opened;
  const tab = await opened;
  const { page, context } = tab;
  const watch = tab.watch(url, ...others);
  expected.forEach(watch.expectError);
  onTestFinished(async () => {
    const problems = [...watch.problems];
    await (isAlone ? context.close() : leave(tab));
    if (problems.length > 0)
      throw new Error(`forbidden actions of the page:\n${problems.join('\n')}`);
  });
  if (options.width) await page.setViewportSize({ ...size, width: options.width });
  await page.goto(`${url}/${hash}`);
  await page.locator(options.ready ?? 'main :is(.pane, form.key)').waitFor();
  return { ...watch, page, context };
}

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
/** Rules whose results depend on the colours and the width. */
const visualRules = ['color-contrast', 'target-size'];

/** Violations of WCAG 2.2 A and AA that axe-core finds. @param runOnly levels or rules */
async function accessibilityFaults(page: Page, runOnly: readonly string[]) {
  // Inject axe (0.5 MB) once per page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async (only) => {
    const { violations } = await (globalThis as any).axe.run(document, {
      runOnly: only,
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, nodes }: any) =>
      nodes.map((node: any) => `${id}: ${node.html.slice(0, 200)} (${node.failureSummary})`),
    );
  }, runOnly);
}

/** Elements that cause horizontal scrolling. */
const sidewaysFaults = (page: Page) =>
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
export async function look(page: Page, name: string, { inReadme = '' } = {}): Promise<void> {
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
      const checked = scheme === 'light' ? levels : visualRules;
      expect(await accessibilityFaults(page, checked), at).toEqual([]);
      expect(await sidewaysFaults(page), at).toEqual([]);
      if (inReadme !== '' && isPictured && scheme === 'light') await takePicture(page, inReadme);
    }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: 'light' });
}

const maxPictureBytes = 150_000;

async function takePicture(page: Page, name: string) {
  await mkdir(images, { recursive: true });
  await page.setViewportSize({ width: 1040, height: 620 });
  const picture = await page.screenshot({
    path: join(images, `${name}.png`),
    animations: 'disabled',
  });
  expect(picture.length, name).toBeLessThanOrEqual(maxPictureBytes);
}
