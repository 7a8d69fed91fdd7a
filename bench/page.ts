/**
 * The page in Chromium: what it weighs, its first paint, a document of 2 MB opened at its highlight, a list of 20,000 documents scrolled.
 * The server is in a process of its own. Prints a table for bench/README.md. Run: npm run bench:page
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { findChromium, launchOptions } from '../test/support/chromium.ts';
import { median } from './retrieval/latency.ts';
import { startServer } from './server.ts';

/** Those of the page: what is evaluated there. */
declare const document: any;
declare const location: any;
declare const performance: any;
declare const PerformanceObserver: any;

const runs = 5;
const documents = 20_000;
if (findChromium() === undefined) throw new Error('There is no Chromium here: apt-get install chromium, or set CHROMIUM_BIN.');

const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const knowledge = join(folder, 'knowledge');
for (const namespace of ['long', 'many']) mkdirSync(join(knowledge, namespace), { recursive: true });
const part = (at: number) =>
  `## Part ${at}\n\nRoom ${at} of the house holds ${1_000 + at} people in summer, and its windows open to the garden of the north.\n\n`;
writeFileSync(join(knowledge, 'long/rooms.md'), `# Rooms\n\n${Array.from({ length: 17_500 }, (_, at) => part(at)).join('')}`);
for (let at = 0; at < documents; at++)
  writeFileSync(join(knowledge, `many/room-${String(at).padStart(5, '0')}.md`), `# Room ${at}\n\nIt holds ${at} people.\n`);

const server = await startServer({ KNOWLEDGE_DIR: knowledge, INDEX_DIR: join(folder, 'index'), MAX_DOCUMENTS_PER_NAMESPACE: '100000' });
const browser = await chromium.launch(launchOptions());
const rows: string[] = [];
const report = (what: string, measured: string, wanted: string) => rows.push(`| ${what} | ${measured} | ${wanted} |`);
const ms = (times: readonly number[]) => `${times.map((time) => time.toFixed(0)).join(', ')} ms (median ${median(times).toFixed(0)})`;

/** A browser that has seen nothing of it. */
async function open(hash: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${server.url}/${hash}`);
  await page.locator('main .pane').waitFor();
  return page;
}

const firstPaint = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const observer = new PerformanceObserver((list: any) => {
          const paint = list.getEntries().find(({ name }: any) => name === 'first-contentful-paint');
          if (paint) resolve(paint.startTime);
        });
        observer.observe({ type: 'paint', buffered: true });
      }),
  );

async function measurePaint(): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const page = await open('');
    times.push(await firstPaint(page));
    await page.context().close();
  }
  report('first contentful paint, empty cache', ms(times), 'under 1,000 ms');
}

/** From the click on a mark until its passage is highlighted on the screen, in the browser's own time. */
async function measureHighlight(): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const page = await open('#/ask/long');
    await page
      .getByRole('textbox', { name: 'Question', exact: true })
      .fill(`How many people does room ${15_000 + run} of the house hold in summer?`);
    await page.keyboard.press('Enter');
    await page.locator('button.mark').first().waitFor();
    times.push(
      await page.evaluate(async () => {
        const started = performance.now();
        document.querySelector('button.mark').click();
        const nextFrame = () => new Promise((resolve) => (globalThis as any).requestAnimationFrame(resolve));
        while (!document.querySelector('.reader mark')) await nextFrame();
        await nextFrame();
        return performance.now() - started;
      }),
    );
    await page.context().close();
  }
  report('a document of 2 MB at its highlight, from the click', ms(times), 'under 1,000 ms');
}

/** A jump to places all over the list, each until its rows stand there. */
async function measureList(): Promise<void> {
  const page = await open('#/documents/many');
  await page.locator('.documents li').first().waitFor();
  const times = await page.evaluate(async () => {
    const section = document.querySelector('.documents-view');
    const nextFrame = () => new Promise((resolve) => (globalThis as any).requestAnimationFrame(resolve));
    const found: number[] = [];
    for (const share of [0.5, 0.1, 0.9, 0.3, 1]) {
      const started = performance.now();
      section.scrollTo(0, section.scrollHeight * share);
      await nextFrame();
      await nextFrame();
      while (document.querySelectorAll('.documents b').length < 10 || document.querySelector('.documents li:nth-child(10) b') === null)
        await nextFrame();
      found.push(performance.now() - started);
    }
    return found;
  });
  report(`a jump within a list of ${documents.toLocaleString('en')} documents, until its rows stand there`, ms(times), '–');
  report('rows of it in the page', String(await page.locator('.documents li').count()), '–');
  await page.context().close();
}

async function measureWeight(): Promise<void> {
  const page = await open('');
  const sizes: [string, number][] = await page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .map((entry: any) => [entry.name, entry.decodedBodySize] as [string, number])
      .filter(([name]) => name === `${location.origin}/` || /\.(js|css)$/.test(name)),
  );
  const sum = sizes.reduce((total, [, size]) => total + size, 0);
  report('page, style and script, uncompressed', `${sum.toLocaleString('en')} bytes`, '150,000 at most');
  await page.context().close();
}

await measureWeight();
await measurePaint();
await measureHighlight();
await measureList();
console.log(`| what | measured | wanted |\n|---|---|---|\n${rows.join('\n')}`);
await browser.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });
