/** The chat widget by keyboard, on a phone, on hostile pages and with a refused key. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import texts from '../../src/widget/texts.json' with { type: 'json' };
import { attacks, evil } from '../support/attacks.ts';
import { describePage } from '../support/browser.ts';
import {
  answeredWith,
  ask,
  focused,
  launcher,
  openHost,
  openPanel,
  panel,
  plainPage,
  question,
  sentence,
} from '../support/shop.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const window: any;

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
