/**
 * The chat widget on a page of another origin, with a publishable key. A test fails on any console
 * error, also of a content policy.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { hashKey } from '../../src/keys.ts';
import texts from '../../src/widget/texts.json' with { type: 'json' };
import { attacks, evil } from '../support/attacks.ts';
import { describePage, look, type VisitOptions, visit } from '../support/browser.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { refunds, sampleFiles } from '../support/page.ts';
import { startSite } from '../support/site.ts';
import { forFile } from '../support/when-done.ts';
import { startService, temporaryFolder } from '../support/workspace.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const window: any;

const anyOrigin = { 'access-control-allow-origin': '*' };
const key = 'pk_widget';
const operator = { 'x-api-key': 'operator' };
const question = 'Within how many days are refunds paid?';
const sentence = 'Refunds are paid within 30 days of purchase.';

interface HostPage {
  readonly html: (script: string) => string;
  readonly headers?: (server: string) => Readonly<Record<string, string>>;
}

const plainPage: HostPage = {
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

let plainShop: ReturnType<typeof startShop> | undefined;

/** Opens a page with the widget. Tests without settings and files share one service. */
async function openHost({
  host = {},
  settings,
  files = refunds,
  origins,
  attributes = '',
  ...options
}: HostOptions = {}) {
  const isPlain = !settings && !origins && files === refunds;
  if (isPlain) plainShop ??= forFile(() => startShop({}, files));
  const shop = (isPlain && plainShop) || startShop(settings ?? {}, files, origins);
  const { pages, service, server, origin } = await shop;
  const name = `page-${pages.size}`;
  pages.set(`/${name}/`, { ...plainPage, ...host, attributes });
  const visited = await visit(`${origin}/${name}`, {
    ready: 'knowledge-chat .launcher',
    ...options,
    others: [server],
  });
  return { ...visited, service, server };
}

const launcher = (page: Page) => page.locator('knowledge-chat .launcher');
const panel = (page: Page) => page.locator('knowledge-chat dialog[open]');
const answers = (page: Page) => page.locator('knowledge-chat article');

async function openPanel(page: Page): Promise<void> {
  await launcher(page).click();
  await panel(page).waitFor();
}

async function ask(page: Page, text = question) {
  const before = await answers(page).count();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  const answer = answers(page).nth(before);
  await answer.and(page.locator('[aria-busy=false]')).waitFor();
  return answer;
}

/** Asks a question whose answer is this text. */
async function answeredWith(page: Page, server: string, delta: string, value: object[] = []) {
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
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document.querySelector('knowledge-chat').shadowRoot;
    return activeElement?.className || activeElement?.tagName || '';
  });

describePage('The chat widget', () => {
  it('asks from another origin, streams the answer, shows its source and rates it', async () => {
    const model = await startFakeProvider();
    const settings = { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'k', LLM_MODEL: 'm' };
    const visited = await openHost({
      settings,
      attributes: 'data-agent-name="Shop help" data-position="left"',
    });
    const { page, service, server, expectError } = visited;
    await openPanel(page);
    await page.getByRole('dialog', { name: 'Shop help' }).waitFor();
    await look(page, 'widget-open');
    const live = model.nextLive();
    await page.keyboard.type(question);
    await page.keyboard.press('Enter');
    const reply = await live;
    reply.say(`${sentence} [1]\n\nShipping costs are`);
    const answer = answers(page).first();
    await expect.poll(() => answer.textContent()).toContain(sentence);
    expect(await answer.getAttribute('aria-busy')).toBe('true');
    reply.say(' refunded only if the item arrived damaged. [1]');
    reply.finish();
    await page.locator('knowledge-chat article[aria-busy=false]').waitFor();
    await answer.getByRole('button', { name: 'Source 1: Refunds' }).first().click();
    await expect.poll(() => answer.locator('.sources blockquote').first().isVisible()).toBe(true);
    expect(await focused(page)).toBe('SUMMARY');
    const link = answer.locator('.sources a').first();
    expect(await link.evaluate((a: any) => [a.href, a.target, a.rel])).toEqual([
      'https://help.example.com/refunds',
      '_blank',
      'noopener noreferrer nofollow',
    ]);
    await look(page, 'widget-answered');
    await answer.getByRole('button', { name: texts.en.down }).click();
    const pressed = () =>
      answer.locator('.thumb').evaluateAll((all) => all.map((one) => one.ariaPressed));
    await expect.poll(pressed).toEqual(['false', 'true']);
    expect(await focused(page)).toBe('thumb down');
    const { gaps } = (await service.get('/api/gaps', operator)).body;
    expect(gaps).toMatchObject([{ question, runId: expect.any(String) }]);
    const { body } = await service.get(`/api/answers/${gaps[0].runId}`, operator);
    expect(body.feedback).toMatchObject([{ rating: 'down', comment: null }]);
    await look(page, 'widget-rated');
    await page.reload();
    await openPanel(page);
    await expect.poll(pressed).toEqual(['false', 'true']);
    await page.route(`${server}/api/answers/**`, (route) =>
      route.fulfill({ json: { handedOff: 'A person gets your question.' }, headers: anyOrigin }),
    );
    await answer.getByRole('button', { name: texts.en.up, exact: true }).click();
    await expect.poll(pressed).toEqual(['true', 'false']);
    expect(await answer.getByRole('status').textContent()).toBe('A person gets your question.');
    await page.unroute(`${server}/api/answers/**`);
    await page.route(`${server}/api/answers/**`, (route) => route.abort());
    expectError(/Failed to load resource/);
    await answer.getByRole('button', { name: texts.en.down }).click();
    await expect.poll(() => answer.getByRole('status').textContent()).toBe(texts.en.unrated);
    expect(await pressed()).toEqual(['true', 'false']);
  });

  it('sends the earlier turns with a follow-up, keeps them after a reload, and answers in order', async () => {
    const { page } = await openHost();
    const bodies: any[] = [];
    page.on(
      'request',
      (request) => void (request.method() === 'POST' && bodies.push(request.postDataJSON())),
    );
    await openPanel(page);
    await ask(page);
    await ask(page, 'What about shipping costs?');
    expect(bodies[1].messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
    expect(bodies[1].threadId).toMatch(/^[0-9a-f]{32}$/);
    // The server chooses the namespace of the key.
    expect(bodies[1].forwardedProps).toEqual({});
    await page.reload();
    await openPanel(page);
    await expect.poll(() => answers(page).count()).toBe(2);
    await expect.poll(() => answers(page).first().textContent()).toContain(sentence);
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => answers(page).count()).toBe(0);
    await ask(page);
    expect(bodies[2].messages).toHaveLength(1);
    expect(bodies[2].threadId).not.toBe(bodies[1].threadId);
    for (const text of [question, 'When are shipping costs refunded?']) {
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    }
    await expect
      .poll(() => page.locator('knowledge-chat article[aria-busy=false]').count())
      .toBe(3);
    await expect.poll(() => answers(page).nth(1).textContent()).toContain('30 days');
    await expect.poll(() => answers(page).nth(2).textContent()).toContain('damaged');
  });

  it('says a refusal, and a failure with a way to repeat the question', async () => {
    const { page, server } = await openHost({ expected: [/Failed to load resource/] });
    await openPanel(page);
    const refusal = await ask(page, 'How do I cook pasta?');
    expect(await refusal.textContent()).toContain('could not find');
    await page.route(`${server}/api/agents/**`, (route) => route.abort());
    const failed = await ask(page);
    expect(await failed.textContent()).toContain(texts.en.failed);
    await page.unroute(`${server}/api/agents/**`);
    await failed.getByRole('button', { name: texts.en.retry }).click();
    expect(await focused(page)).toBe('log');
    await expect.poll(() => failed.textContent()).toContain(sentence);
  });

  it('stops the answer when the panel closes', async () => {
    const model = await startFakeProvider();
    const { page } = await openHost({
      settings: { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'k', LLM_MODEL: 'm' },
    });
    await openPanel(page);
    const live = model.nextLive();
    await page.keyboard.type(question);
    await page.keyboard.press('Enter');
    const reply = await live;
    await page.keyboard.press('Escape');
    await reply.closed;
    await expect.poll(() => focused(page)).toBe('launcher');
    await launcher(page).click();
    await expect.poll(() => answers(page).first().textContent()).toContain(texts.en.stopped);
  });

  it('shows example questions and asks a chosen one', async () => {
    const { page: own } = await openHost({ files: await sampleFiles() });
    await openPanel(own);
    await own.getByRole('group', { name: texts.en.examples }).getByRole('button').first().waitFor();
    const { page, server } = await openHost();
    const json = { suggestions: [{ question }, { question: '<img src=x onerror=pwned()>' }] };
    await page.route(`${server}/api/namespaces/default/suggestions`, (route) =>
      route.fulfill({ json, headers: anyOrigin }),
    );
    await openPanel(page);
    await page.getByRole('button', { name: question }).click();
    expect(await focused(page)).toBe('log');
    await expect.poll(() => answers(page).first().textContent()).toContain(sentence);
  });

  it('shows escaped pipes in tables, and links to addresses of all forms, on a right-to-left page', async () => {
    const { page, server } = await openHost({
      host: { html: (script) => plainPage.html(script).replace('<html', '<html dir="rtl"') },
    });
    await openPanel(page);
    const table = '| a | x \\| y |\n|-|-|\n| `p\\|q` | b |';
    const links =
      '[mail](mailto:help@a.example) [n](https://a.example/F_(b)) https://a.example/Возврат. 見るhttps://a.example/xを見る';
    const answer = await answeredWith(page, server, `${table}\n\n${links}`);
    expect(await answer.locator('th, td').allTextContents()).toEqual(['a', 'x | y', 'p|q', 'b']);
    expect(
      await answer.locator('a').evaluateAll((all) => all.map(({ href }: any) => href)),
    ).toEqual([
      'mailto:help@a.example',
      'https://a.example/F_(b)',
      encodeURI('https://a.example/Возврат'),
      'https://a.example/x',
    ]);
    expect(
      await panel(page).evaluate((dialog: any) => window.getComputedStyle(dialog).direction),
    ).toBe('ltr');
  });

  it('has all texts in each language', () => {
    for (const [language, own] of Object.entries(texts))
      expect([language, Object.keys(own)]).toEqual([language, Object.keys(texts.en)]);
    expect(Object.keys(texts)).toEqual(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ja']);
  });
});

describePage('The chat widget by keyboard and on a phone', () => {
  it('reaches each control by Tab and returns the focus to the launcher', async () => {
    const { page } = await openHost();
    await launcher(page).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('TEXTAREA');
    const field = panel(page).getByRole('textbox');
    await field.fill(question);
    // Safari reports the keys of an input method like this.
    for (const key of ['Enter', 'Escape'])
      await field.dispatchEvent('keydown', { key, keyCode: 229 });
    expect(await field.inputValue()).toBe(question);
    await ask(page, ' ');
    const order: string[] = [];
    while (order.length < 16 && order.at(-1) !== 'TEXTAREA') {
      await page.keyboard.press('Tab');
      order.push(await focused(page));
    }
    for (const name of [
      'send',
      'tool',
      'log',
      'mark',
      'SUMMARY',
      'thumb up',
      'thumb down',
      'TEXTAREA',
    ])
      expect(order).toContain(name);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('launcher');
    expect(await panel(page).count()).toBe(0);
  });

  it('fills the screen at 390 px and keeps the focus inside', async () => {
    const { page } = await openHost({
      width: 390,
      hasTouch: true,
      attributes: 'data-position="left"',
    });
    await launcher(page).tap();
    expect(await panel(page).boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 800 });
    expect(await panel(page).evaluate((dialog: any) => dialog.matches(':modal'))).toBe(true);
    await page.getByRole('button', { name: 'Close chat' }).tap();
    await expect.poll(() => focused(page)).toBe('launcher');
  });
});

describePage('The chat widget on hostile pages', () => {
  const works = async (page: Page) => {
    await openPanel(page);
    await expect.poll(async () => (await ask(page)).textContent()).toContain(sentence);
    expect(await page.evaluate(() => document.querySelectorAll('knowledge-chat').length)).toBe(1);
  };

  it('works under a strict content policy with a nonce and Trusted Types, in the language of the page', async () => {
    const policy = (server: string) =>
      `default-src 'none'; script-src 'nonce-n1'; style-src 'none'; connect-src ${server}; require-trusted-types-for 'script'; trusted-types 'none'`;
    const { page } = await openHost({
      host: {
        html: (script) => plainPage.html(script).replace('lang="en"', 'lang="de-CH"'),
        headers: (server) => ({ 'content-security-policy': policy(server) }),
      },
    });
    await works(page);
    await page
      .getByRole('dialog', { name: texts.de.title })
      .getByRole('textbox', { name: texts.de.field })
      .waitFor();
  });

  it('works twice in a head, with changed built-in objects and hostile styles, without storage, and keeps its keys from shortcuts', async () => {
    const changes = `Array.prototype.extra = 1; Object.prototype.extra = 2; String.prototype.extra = 3;
      Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });
      for (const type of ['keydown', 'keypress', 'keyup']) addEventListener(type, () => { window.pressed = true; });`;
    const css =
      'body *, knowledge-chat { display: none !important; visibility: hidden !important; font-size: 1px !important; opacity: 0 !important; position: static !important; --text: red; color: red } html { font-size: 4px }';
    const html = (script: string) =>
      `<!doctype html><html lang="en"><head><title>x</title><style>${css}</style><script>${changes}</script>${script}${script}</head><body><p>Text</p></body></html>`;
    const { page } = await openHost({ host: { html } });
    await works(page);
    expect(await page.evaluate(() => window.pressed)).toBeUndefined();
    const style = await panel(page).evaluate((dialog: any) => {
      const { fontSize, color, visibility } = window.getComputedStyle(dialog);
      return [
        fontSize,
        color,
        visibility,
        window.getComputedStyle(dialog.getRootNode().host).opacity,
      ];
    });
    expect(style).toEqual(['15px', 'rgb(26, 34, 38)', 'visible', '1']);
  });

  it('shows hostile text as text', async () => {
    const canary = `<script>window.pwned = () => { window.isPwned = true; };</script>`;
    const { page, server, requests } = await openHost({
      host: { html: (script) => plainPage.html(canary + script) },
    });
    const hostile = Object.values(attacks).map(
      (attack, at) => `${attack}\n\n- ${attack}\n\n| ${attack} |\n\n> ${attack}\n\n${at} ends [1]`,
    );
    const cited = (attack: string, at: number) => ({
      index: at + 1,
      documentId: String(at),
      title: attack,
      headingPath: [attack],
      source: attack,
      page: null,
      quote: attack,
    });
    const sources = [
      'javascript:pwned()',
      'data:text/html,<script>pwned()</script>',
      ' https://a.example',
      'https://a.example/"onclick=x',
      ...Object.values(attacks),
    ];
    await openPanel(page);
    const answer = await answeredWith(page, server, hostile.join('\n\n'), sources.map(cited));
    await answer.locator('details').evaluateAll((all) => {
      for (const details of all as any[]) details.open = true;
    });
    const faults = await answer.evaluate((article: any) => {
      const tags = new Set(
        'P DIV A SPAN STRONG CODE PRE UL OL LI BLOCKQUOTE TABLE TBODY TR TH TD BUTTON DETAILS SUMMARY'.split(
          ' ',
        ),
      );
      const names = new Set(
        'class href target rel tabindex value start type aria-label title disabled open'.split(' '),
      );
      return [...article.querySelectorAll('*')].flatMap((element: any) => [
        ...(tags.has(element.tagName) ? [] : [`element ${element.tagName}`]),
        ...[...element.attributes].flatMap(({ name, value }: any) =>
          names.has(name) && (name !== 'href' || /^https?:\/\//.test(value))
            ? []
            : [`attribute ${name}=${value}`],
        ),
      ]);
    });
    expect(faults).toEqual([]);
    expect(await answer.locator('.sources > li').count()).toBe(sources.length);
    expect(await page.evaluate(() => window.isPwned)).toBeUndefined();
    expect(requests.filter((url) => url.includes(evil))).toEqual([]);
  });
});

describePage('The chat widget of another site', () => {
  it('is refused if its key names other origins', async () => {
    const { page, server } = await openHost({
      origins: ['https://example.com'],
      expected: [/blocked by CORS|Failed to load resource/],
    });
    await openPanel(page);
    const answer = await ask(page);
    expect(await answer.textContent()).not.toContain(sentence);
    const direct = (path: string) =>
      page.evaluate(
        (url) =>
          window.fetch(url).then(
            () => 'read',
            () => 'blocked',
          ),
        server + path,
      );
    expect([await direct('/api/namespaces'), await direct('/api/state')]).toEqual([
      'blocked',
      'blocked',
    ]);
  });
});
