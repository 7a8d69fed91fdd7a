import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { listed } from '../../support/listed.ts';
import { nameOfFocused, openPage } from '../../support/page.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const getComputedStyle: any;

const question = 'Within how many days are refunds paid?';
const quote =
  'Refunds are paid within 30 days of purchase. A refund above $500 has to be approved by a manager.';

/** Tabs through the whole page once. @returns accessible names in order */
async function tabThrough(page: Page): Promise<string[]> {
  const names: string[] = [];
  for (let step = 0; step < 200; step++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const { activeElement, body } = document;
      const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
      return {
        isOutside: activeElement === body,
        isVisible:
          // The browser marks the focused part of a date itself.
          /^(date|time|datetime-local)$/.test(activeElement.type) ||
          (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1),
      };
    });
    if (at.isOutside) {
      if (names[0] === 'Knowledge Agent') return names;
      names.length = 0;
      continue;
    }
    const name = await nameOfFocused(page);
    expect(at.isVisible, `the focus on ${name}`).toBe(true);
    names.push(name);
  }
  throw new Error(`the focus never leaves the page: ${names.slice(0, 20).join(', ')}`);
}

/** Headings of documents and answers have an `aria-level`. */
const mainHeading = 'h1:not([aria-level])';

describePage('Keyboard use', () => {
  it('asks, opens a citation and returns the focus to its mark when the document closes', async () => {
    const { page, focus, marked, texts, count } = await openPage();
    await focus().toBe('Question');
    await page.keyboard.type(question);
    // Safari reports a key of an input method like this.
    const composed = (key: string) =>
      page.locator(':focus').dispatchEvent('keydown', { key, keyCode: 229 });
    await composed('Enter');
    await count('.turn').toBe(0);
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.locator('.answer[aria-busy=false]').waitFor();
    const wanted = listed(`
      Knowledge Agent | Ask | Documents | Gaps | Calls | Status | Namespace default | Source 1: Refunds | Helpful | Copy
      Question | Ask
    `);
    const order = await tabThrough(page);
    expect(order.filter((name) => wanted.includes(name))).toEqual(wanted);
    await page.getByRole('button', { name: 'Source 1: Refunds' }).focus();
    await page.keyboard.press('Enter');
    await marked().toBe(quote);
    await texts(mainHeading).toEqual(['Ask']);
    expect(await page.evaluate(() => document.activeElement.className)).toBe('document');
    await composed('Escape');
    await page.locator('.menu summary').click();
    await page.keyboard.press('Escape');
    await count('.menu[open]').toBe(0);
    await count('.reader').toBe(1);
    await page.keyboard.press('Escape');
    await focus().toBe('Source 1: Refunds');
    await count('.reader').toBe(0);

    const loaded = Promise.withResolvers<void>();
    await page.route(/documents\/[^?/]+$/, async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Question', exact: true }).focus();
    loaded.resolve();
    await page.locator('.reader .facts').waitFor();
    await focus().toBe('Question');
  });

  it('reaches every control of the other views with a visible focus; each has one main heading', async () => {
    const { page, go, see, texts } = await openPage();
    for (const [view, heading] of [
      ['documents', 'Documents in default'],
      ['gaps', 'Gaps'],
      ['calls', 'Calls'],
      ['state', 'Status'],
    ] as const) {
      await go(`#/${view}/default`);
      await page.reload();
      await texts(mainHeading).toEqual([heading]);
      await page.locator('footer a').waitFor();
      if (view === 'documents') await see('Refunds', page.locator('.documents'));
      const order = await tabThrough(page);
      expect(order.slice(0, 6), view).toEqual(
        listed('Knowledge Agent | Ask | Documents | Gaps | Calls | Status'),
      );
      expect(order.length, view).toBeGreaterThan(6);
    }
  });

  it('keeps the focus in an open dialog and restores it on close', async () => {
    const { page, focus } = await openPage({ hash: '#/documents/default' });
    await page.getByRole('button', { name: 'Add URL or text' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Add documents' }).waitFor();
    for (let step = 0; step < 20; step++) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(() => {
          const { activeElement, body } = document;
          return activeElement === body || activeElement.closest('dialog') !== null;
        }),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await focus().toBe('Add URL or text');
  });
});

describePage('Phone use', () => {
  it('opens a tapped citation over the answer and returns on close', async () => {
    const { page, ask, marked, count } = await openPage({ width: 390, hasTouch: true });
    const turn = await ask(question);
    await turn.getByRole('button', { name: /^Source 1/ }).tap();
    await marked().toBe(quote);
    const reader = page.getByRole('dialog', { name: 'Document' });
    await expect.poll(async () => (await reader.boundingBox())?.width).toBe(390);
    await count(':is(.bar, .pane, footer)[inert]').toBe(3);
    await reader.getByRole('button', { name: 'Close document' }).tap();
    await turn.getByRole('button', { name: 'Helpful', exact: true }).tap();
    await turn.getByLabel('What did you like?').waitFor();
    await count('[inert]').toBe(0);
    await page.setViewportSize({ width: 320, height: 800 });
    await page.locator('.menu summary').tap();
    const { top, left, right } = await page
      .locator('.menu > div')
      .evaluate((menu: any) => menu.getBoundingClientRect());
    const area = await page.locator('.turns').boundingBox();
    expect(top).toBeGreaterThan(area?.y ?? 0);
    expect([left >= 0, right <= 320]).toEqual([true, true]);
  });
});

describePage('The address', () => {
  it('links to a document or a quote, survives a reload and supports the back button', async () => {
    const paragraphs = Array.from({ length: 2_000 }, (_, at) => `Paragraph ${at} is filler.\n\n`);
    const vault = 'The vault opens at noon.';
    const text = `# Long\n\n${paragraphs.join('')}${vault}\n\nMore follows.\n`;
    const { page, service, base, go, follow, see, marked, count, requests } = await openPage({
      files: { 'default/long.md': text },
    });
    const loaded = () =>
      requests.map((url) => url.slice(base.length).replace(/-[\w-]{8}\./, '-hash.'));
    // Only browsers with a window load the icon.
    await expect
      .poll(() => [...new Set(loaded())].filter((path) => !path.includes('icon')).sort())
      .toEqual([
        '/',
        '/api/namespaces',
        '/api/namespaces/default/documents?perPage=100',
        '/api/namespaces/default/suggestions',
        '/api/state',
        '/page/index-hash.css',
        '/page/index-hash.js',
      ]);
    const { body } = await service.get('/api/namespaces/default/documents');
    const [{ id, revision }] = body.documents;
    await go(`#/documents/default/${id}`);
    await page.locator('.document h1').waitFor();
    await page.reload();
    await page.locator('.document h1').waitFor();
    await follow('Status');
    await see('Limits');
    await page.goBack();
    await page.locator('.document h1').waitFor();
    const open = (quoted: string, known = revision.slice(0, 19)) => {
      const start = text.indexOf(quoted);
      return go(
        `#/documents/default/${id}?start=${start}&end=${start + quoted.length}&revision=${known}`,
      );
    };
    await open(vault);
    await page.reload();
    await marked().toBe(vault);
    await expect
      .poll(() =>
        page.evaluate(() => {
          const [mark, whole] = ['.reader mark', '.reader .document'].map((part) =>
            document.querySelector(part).getBoundingClientRect(),
          );
          return mark.top >= whole.top && mark.bottom <= whole.bottom;
        }),
      )
      .toBe(true);
    await open('Paragraph 7 is');
    await marked().toContain('Paragraph 7 is');
    await open(vault, 'sha256-ffff');
    await see('This document changed after the link was created');
    await count('.reader mark').toBe(0);
  });
});

describePage('A tab that becomes visible', () => {
  it('refetches once, even if it becomes visible many times', async () => {
    const { page, service, base, requests, see } = await openPage({ hash: '#/documents/default' });
    await see(/^1 document$/);
    const countRequests = () => requests.filter((one) => one === `${base}/api/namespaces`).length;
    const before = countRequests();
    await service.ingest({
      namespace: 'default',
      sources: [{ text: 'Lost keys are kept at the reception.' }],
    });
    await page.evaluate(() => {
      for (let times = 0; times < 20; times++)
        document.dispatchEvent(new Event('visibilitychange'));
    });
    await see(/^2 documents$/);
    expect(countRequests() - before).toBeLessThanOrEqual(2);
  });
});
