/** Opens the page on a real service, one per test, and acts like a user. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { look, type VisitOptions, visit } from './browser.ts';
import { serveOnLoopback } from './event-stream.ts';
import { startService } from './workspace.ts';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const location: any;

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

/** What a user does and sees. Names of buttons and links are exact; texts are parts. */
export function actOn(page: Page) {
  const find = (selector: string) => page.locator(selector);
  return {
    page,
    find,
    see: (text: string | RegExp, within: Page | Locator = page) =>
      within.getByText(text).first().waitFor(),
    press: (name: string | RegExp, within: Page | Locator = page) =>
      within.getByRole('button', { name, exact: true }).first().click(),
    /** Presses a button of the menu below an answer. */
    more: async (name: string | RegExp, within: Page | Locator = page) => {
      await within.locator('.menu summary').first().click();
      await within.getByRole('button', { name, exact: true }).first().click();
    },
    follow: (name: string, within: Page | Locator = page) =>
      within.getByRole('link', { name, exact: true }).first().click(),
    fill: (label: string | RegExp, text: string, within: Page | Locator = page) =>
      within.getByLabel(label).first().fill(text),
    enterKey: async (key: string) => {
      await page.getByLabel('API key or token').fill(key);
      await page.keyboard.press('Enter');
    },
    ask: (question: string) => ask(page, question),
    look: (name: string, options = {}) => look(page, name, options),
    url: () => expect.poll(() => page.url()),
    title: () => expect.poll(() => page.title()),
    count: (selector: string) => expect.poll(() => find(selector).count()),
    texts: (selector: string) => expect.poll(() => find(selector).allTextContents()),
    text: (selector: string | Locator) =>
      expect.poll(async () => {
        const part = typeof selector === 'string' ? find(selector).first() : selector;
        return (await part.textContent())?.replace(/\s+/g, ' ').trim();
      }),
    focus: () => expect.poll(() => nameOfFocused(page)),
    marked: () => expect.poll(() => markedText(page)),
    jump: (hash: string) =>
      page.evaluate((to) => {
        location.hash = to;
      }, hash),
  };
}

export interface OpenOptions extends VisitOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts a service of its own and opens its page. */
export async function openPage({ settings = {}, files = refunds, ...options }: OpenOptions = {}) {
  const service = await startService(settings, files);
  const base = await serveOnLoopback(service, settings);
  const visited = await visit(base, options);
  const go = (hash: string) => visited.page.goto(`${base}/${hash}`);
  return { ...visited, ...actOn(visited.page), service, base, go };
}

/** A stream of an answer. */
export const eventsOf = (text: string, payload: object): string =>
  [
    { type: 'start', runId: 'run', payload: {} },
    { type: 'text-delta', runId: 'run', payload: { text } },
    { type: 'finish', runId: 'run', payload },
  ]
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat('data: [DONE]\n\n')
    .join('');

/** Asks a question by keyboard and waits for the complete answer. */
async function ask(page: Page, question: string): Promise<Locator> {
  const turns = page.locator('article.turn');
  const before = await turns.count();
  await page.getByRole('textbox', { name: 'Question', exact: true }).fill(question);
  await page.keyboard.press('Enter');
  const turn = turns.nth(before);
  await turn.locator('.answer[aria-busy=false]').waitFor();
  return turn;
}

/** Waits for a highlight in the open document and returns its text. */
async function markedText(page: Page): Promise<string> {
  const marks = page.locator('.reader mark');
  await marks.first().waitFor();
  return marks.evaluateAll((all) => all.map((mark) => mark.textContent).join(''));
}

/** Accessible name of the focused element. */
export const nameOfFocused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    const name =
      activeElement.getAttribute('aria-label') ??
      activeElement.labels?.[0]?.textContent ??
      activeElement.textContent;
    return name.trim().replace(/\s+/g, ' ');
  });
