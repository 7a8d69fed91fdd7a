/**
 * Ingestion measured end to end over HTTP: files, a site, sources that have not changed, and memory over many documents. Prints a
 * table for bench/README.md. Run: npm run bench:ingest
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchServer, startServer } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const rows: string[] = [];
const report = (what: string, value: string, wanted: string) => rows.push(`| ${what} | ${value} | ${wanted} |`);

const words = `refund policy window purchase annual plan customer billing address support agent call audio video group session
  minutes recording participant invoice renewal cancel upgrade seat licence region storage export webhook token limit quota`.split(/\s+/);

/** About `bytes` of Markdown, the same for the same number. */
function markdown(number: number, bytes: number): string {
  let state = number + 1;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  let text = `# Document ${number}\n`;
  while (text.length < bytes) {
    text += `\n## Section ${Math.floor(next() * 1_000)}\n\n`;
    for (let word = 0; word < 60; word++) {
      const end = word % 12 === 11 ? '. ' : ' ';
      text += `${words[Math.floor(next() * words.length)]}${next() < 0.2 ? Math.floor(next() * 5_000) : ''}${end}`;
    }
    text += '\n';
  }
  return text;
}

function writeDocuments(name: string, count: number, bytes: number): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (let number = 0; number < count; number++) writeFileSync(join(path, `d${number}.md`), markdown(number, bytes));
  return path;
}

/** Ingests and waits. @returns milliseconds */
async function ingest(server: BenchServer, source: object, expected: string, count: number): Promise<number> {
  const { ms, body } = await server.post('/api/tools/ingestSources', { namespace: 'bench', sources: [source] });
  if (body[expected] !== count) throw new Error(`expected ${count} ${expected}: ${JSON.stringify({ ...body, results: undefined })}`);
  return ms;
}

async function medianOfThree(measure: () => Promise<number>): Promise<number> {
  const measured = [await measure(), await measure(), await measure()];
  return measured.sort((a, b) => a - b)[1] ?? 0;
}

const settings = (name: string, more: Record<string, string> = {}) => ({
  KNOWLEDGE_DIR: join(folder, `${name}-knowledge`),
  INDEX_DIR: join(folder, `${name}-index`),
  ALLOWED_FILE_ROOTS: folder,
  LOG_LEVEL: 'info',
  ...more,
});
const perSecond = (count: number, ms: number) => `${((count * 1_000) / ms).toFixed(0)}/s`;

async function measureFiles(): Promise<void> {
  const path = writeDocuments('files', 2_000, 10_000);
  const server = await startServer(settings('files'));
  const first = await ingest(server, { path }, 'added', 2_000);
  const median = await medianOfThree(() => ingest(server, { path }, 'unchanged', 2_000));
  report(
    '2,000 Markdown files of 10 kB: parsed, stored, searchable',
    `${(first / 1_000).toFixed(1)} s (${perSecond(2_000, first)})`,
    '≥ 50/s',
  );
  report('the same again, unchanged (median of 3)', `${median.toFixed(0)} ms (${(first / median).toFixed(0)} times faster)`, '≥ 20 times');
  await server.stop();
}

async function measureSite(): Promise<void> {
  const pages = 500;
  const site = createServer((request, response) => {
    const number = Number(/^\/p(\d+)$/.exec(request.url ?? '')?.[1] ?? (request.url === '/' ? 0 : Number.NaN));
    if (!(number < pages)) return response.writeHead(404).end();
    const etag = `"${number}"`;
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
    const links = [number * 2 + 1, number * 2 + 2]
      .filter((next) => next < pages)
      .map((next) => `<a href="/p${next}">Page ${next}</a>`)
      .join('');
    const text = markdown(number, 6_000)
      .replace(/^#+ (.*)$/gm, '<h2>$1</h2>')
      .replace(/\n\n([^<].*)/g, '<p>$1</p>');
    return response
      .writeHead(200, { 'content-type': 'text/html', etag })
      .end(
        `<!doctype html><html><head><title>Page ${number}</title></head><body><nav>${links}</nav><main><h1>Page ${number}</h1>${text}</main></body></html>`,
      );
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  const server = await startServer(settings('site', { ALLOWED_URL_HOSTS: host }));
  const source = { url: `http://${host}/`, crawl: { maxPages: pages, maxDepth: 12 } };
  const first = await ingest(server, source, 'added', pages);
  const again = await medianOfThree(() => ingest(server, source, 'unchanged', pages));
  report(
    'a local site of 500 pages, at the pace of a local host',
    `${(first / 1_000).toFixed(1)} s (${perSecond(pages, first)})`,
    '≥ 10/s',
  );
  report(
    'the same site again, unchanged (median of 3)',
    `${again.toFixed(0)} ms (${(first / again).toFixed(0)} times faster)`,
    '≥ 20 times',
  );
  await server.stop();
  site.closeAllConnections();
  site.close();
}

async function measureMemory(): Promise<void> {
  const count = 20_000;
  const part = count / 4;
  const server = await startServer(settings('memory'));
  const memory = [await server.memoryMb()];
  const paths: string[] = [];
  for (let from = 0; from < 4; from++) {
    const path = join(folder, `memory-${from}`);
    mkdirSync(path);
    for (let number = 0; number < part; number++) writeFileSync(join(path, `d${number}.md`), markdown(from * part + number, 2_000));
    paths.push(path);
    await ingest(server, { path }, 'added', part);
    memory.push(await server.memoryMb());
  }
  report(
    'memory of the server: empty, then each 5,000 of 20,000 documents of 2 kB',
    `${memory.map((mb) => mb.toFixed(0)).join(', ')} MB`,
    'flat',
  );
  for (const path of paths) await ingest(server, { path }, 'unchanged', part);
  report('the same after all of them were read again', `${(await server.memoryMb()).toFixed(0)} MB`, 'flat');
  await server.stop();
}

try {
  await measureFiles();
  await measureSite();
  await measureMemory();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`| what | measured | wanted |\n|---|---|---|\n${rows.join('\n')}`);
