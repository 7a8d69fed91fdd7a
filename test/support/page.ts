/** Opens the page on a real service, one per test, and acts like a user. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { type Visit, type VisitOptions, visit } from './browser.ts';
import { serveOnLoopback } from './event-stream.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { whenDone } from './when-done.ts';
import { startService, type TestService } from './workspace.ts';

/** Browser global, for functions that run in the page. */
declare const document: any;

const samples = fileURLToPath(new URL('../../knowledge/default/', import.meta.url));

export async function sampleFiles(): Promise<Record<string, string>> {
  const names = (await readdir(samples)).filter((name) => name.endsWith('.md'));
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [`default/${name}`, await readFile(samples + name, 'utf8')]),
    ),
  );
}

export const refunds = {
  'default/refunds.md': `---
title: Refunds
source: https://help.example.com/refunds
kind: url
fetchedAt: 2026-05-01T10:00:00.000Z
---

# Refunds

## Window

Refunds are paid within 30 days of purchase. A refund above **$500** has to be approved by a manager.

## Shipping

Shipping costs are refunded only if the item arrived damaged.
`,
};

export interface OpenOptions extends VisitOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

export interface OpenPage extends Visit {
  readonly service: TestService;
  readonly url: string;
}

export async function openPage({
  settings = {},
  files = refunds,
  ...options
}: OpenOptions = {}): Promise<OpenPage> {
  const service = await startService(settings, files);
  const url = await serveOnLoopback(service, settings);
  return { ...(await visit(url, options)), service, url };
}

export async function startModel(): Promise<FakeProvider> {
  const model = await startFakeProvider();
  whenDone(() => model.close());
  return model;
}

/** Asks a question by keyboard and waits for the complete answer. */
export async function ask(page: Page, question: string): Promise<Locator> {
  const turns = page.locator('article.turn');
  const before = await turns.count();
  await page.getByRole('textbox', { name: 'Question', exact: true }).fill(question);
  await page.keyboard.press('Enter');
  const turn = turns.nth(before);
  await turn.locator('.answer[aria-busy=false]').waitFor();
  return turn;
}

/** Waits for a highlight in the open document and returns its text. */
export async function markedText(page: Page): Promise<string> {
  const marks = page.locator('.reader mark');
  await marks.first().waitFor();
  return marks.evaluateAll((all) => all.map((mark) => mark.textContent).join(''));
}

/** Accessible name of the focused element. */
export const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    const name =
      activeElement.getAttribute('aria-label') ??
      activeElement.labels?.[0]?.textContent ??
      activeElement.textContent;
    return name.trim().replace(/\s+/g, ' ');
  });
