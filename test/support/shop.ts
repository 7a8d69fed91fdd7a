/** The chat widget on a page of another origin, with a publishable key. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { hashKey } from '../../src/keys.ts';
import { type VisitOptions, visit } from './browser.ts';
import { serveOnLoopback } from './event-stream.ts';
import { refunds } from './page.ts';
import { startSite } from './site.ts';
import { sharedBy, startService, temporaryFolder } from './workspace.ts';

/** Browser global, for functions that run in the page. */
declare const document: any;

export const anyOrigin = { 'access-control-allow-origin': '*' };
const key = 'pk_widget';
export const operator = { 'x-api-key': 'operator' };
export const question = 'Within how many days are refunds paid?';
export const sentence = 'Refunds are paid within 30 days of purchase.';

interface HostPage {
  readonly html: (script: string) => string;
  readonly headers?: (server: string) => Readonly<Record<string, string>>;
}

export const plainPage: HostPage = {
  html: (script) =>
    `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1><p>Text</p></main>${script}</html>`,
};

interface HostOptions extends VisitOptions {
  readonly host?: Partial<HostPage>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Origins of the key; default: the origin of the page. */
  readonly origins?: readonly string[];
  readonly attributes?: string;
}

/** Starts a service, and a site of another origin that shows the pages by path. */
async function startShop(
  settings: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
  origins?: readonly string[],
) {
  const pages = new Map<string, HostPage & { readonly attributes: string }>();
  let server = '';
  const { url } = await startSite({}, (path) => {
    const {
      html,
      headers = () => ({}),
      attributes,
    } = pages.get(path) ?? { ...plainPage, attributes: '' };
    const script = `<script nonce="n1" src="${server}/widget.js" data-key="${key}" ${attributes}></script>`;
    return { headers: headers(server), body: html(script) };
  });
  const origin = url.replace('127.0.0.1', 'localhost');
  const stored = {
    id: 'shop',
    name: 'shop',
    sha256: hashKey(key),
    namespaces: ['default'],
    rights: ['ask'],
    origins: origins ?? [origin],
  };
  const file = join(await temporaryFolder(), 'keys.jsonl');
  await writeFile(file, JSON.stringify({ ...stored, createdAt: new Date().toISOString() }));
  const all = { API_KEYS_FILE: file, API_KEYS: operator['x-api-key'], ...settings };
  const service = await startService(all, files);
  server = await serveOnLoopback(service, all);
  return { pages, service, server, origin };
}

/** Opens a page with the widget. Tests of a file without settings and files share one service. */
export async function openHost({
  host = {},
  settings,
  files = refunds,
  origins,
  attributes = '',
  ...options
}: HostOptions = {}) {
  const isPlain = !settings && !origins && files === refunds;
  const start = () => startShop(settings ?? {}, files, origins);
  const { pages, service, server, origin } = await (isPlain ? sharedBy('shop', start) : start());
  const name = `page-${pages.size}`;
  pages.set(`/${name}/`, { ...plainPage, ...host, attributes });
  const visited = await visit(`${origin}/${name}`, {
    ready: 'knowledge-chat .launcher',
    ...options,
    others: [server],
  });
  return { ...visited, service, server };
}

export const launcher = (page: Page) => page.locator('knowledge-chat .launcher');
export const panel = (page: Page) => page.locator('knowledge-chat dialog[open]');
export const answers = (page: Page) => page.locator('knowledge-chat article');

export async function openPanel(page: Page): Promise<void> {
  await launcher(page).click();
  await panel(page).waitFor();
}

export async function ask(page: Page, text = question) {
  const before = await answers(page).count();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  const answer = answers(page).nth(before);
  await answer.and(page.locator('[aria-busy=false]')).waitFor();
  return answer;
}

/** Asks a question whose answer is this text. */
export async function answeredWith(
  page: Page,
  server: string,
  delta: string,
  value: object[] = [],
) {
  const events = [
    { type: 'TEXT_MESSAGE_CONTENT', delta },
    { type: 'CUSTOM', name: 'citations', value },
    { type: 'RUN_FINISHED' },
  ];
  await page.route(`${server}/api/agents/**`, (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
      headers: anyOrigin,
    }),
  );
  return ask(page);
}

/** Class or tag of the focused element inside the widget. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document.querySelector('knowledge-chat').shadowRoot;
    return activeElement?.className || activeElement?.tagName || '';
  });
