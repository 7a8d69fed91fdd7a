/**
 * Whether hostile sources disturb anybody else: they are ingested one after another and side by side, while another client searches
 * and asks. Prints latencies of that client, the memory of the server and of its parser processes, and what became of each
 * source. Run: npm run bench:hostile
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { p as paragraph, wordFile, zipOf } from '../test/support/docx-files.ts';
import { hostilePdfs } from '../test/support/pdf-files.ts';
import { residentMb, startServer } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const files = join(folder, 'files');
mkdirSync(files);

const repeated = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));
const hostile: Record<string, string | Uint8Array> = {
  'nested.html': `<html><body>${'<div>'.repeat(50_000)}`,
  'tags.html': `<html><body>${repeated('<p>x</p>', 5_000_000)}`,
  'formatting.html': `<html><body><div>${'<b a=i>'.repeat(200)}</div>${'<p>x'.repeat(20_000)}`,
  'spans.html': `<html><body><table><tr>${'<td colspan="50" rowspan="50">x</td>'.repeat(2_000)}</tr></table>`,
  'style.html': `<html><head><style>${repeated('.a{display:none}', 5_000_000)}</style></head><body><p>x</p></body></html>`,
  'attribute.html': `<html><body><p title="${repeated('x', 10_000_000)}">x</p></body></html>`,
  'bomb.md.gz': gzipSync(Buffer.alloc(500_000_000)),
  'large.md': repeated('## Heading\n\nSome words of a long text, with a [link](https://example.com) and `code`.\n\n', 19_000_000),
  'line.md': repeated('word ', 19_000_000),
  'quotes.md': `${'>'.repeat(90)} a\n${repeated('b\n', 5_000_000)}`,
  'items.md': repeated('- a\n', 10_000_000),
  'mdx.mdx': repeated('<A b={', 10_000_000),
  'deep.json': repeated('[', 10_000_000),
  'wide.json': `[${repeated('{"a":1},', 10_000_000)}{}]`,
  'wide.csv': repeated(`${'a,'.repeat(2_000)}\n`, 10_000_000),
  'yaml.md': `---\n${'a: &a [1,2]\n'.repeat(500)}b: [${'*a,'.repeat(500)}]\n---\ntext`,
};
for (const [name, content] of Object.entries(hostile)) writeFileSync(join(files, name), content);
for (const [number, { make }] of hostilePdfs.entries()) writeFileSync(join(files, `hostile-${number}.pdf`), make());
const documents: Record<string, Promise<Uint8Array>> = {
  'bomb.docx': zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': Buffer.alloc(400_000_000) }),
  'nested.docx': wordFile({ body: '<w:tbl><w:tr><w:tc>'.repeat(100_000) }),
  'large.docx': wordFile({ body: paragraph('An ordinary paragraph of some words.').repeat(300_000) }),
  'entities.docx': zipOf({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(1_000)}">]><w:document>&b;</w:document>`,
  }),
};
for (const [name, content] of Object.entries(documents)) writeFileSync(join(files, name), await content);

const server = await startServer({
  KNOWLEDGE_DIR: join(folder, 'knowledge'),
  INDEX_DIR: join(folder, 'index'),
  ALLOWED_FILE_ROOTS: files,
});
await server.post('/api/tools/ingestSources', { namespace: 'good', sources: ['Refunds are paid within 30 days of purchase.'] });

/** Children of a process, by the system's own list. */
const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1];
        return Number(parent) === pid ? [Number(name)] : [];
      } catch {
        return [];
      }
    });

let isDone = false;
const latencies: number[] = [];
let maxServerMb = 0;
let maxAllMb = 0;
async function ask(): Promise<void> {
  while (!isDone) {
    latencies.push((await server.post('/api/tools/searchDocs', { namespace: 'good', query: 'refund window' })).ms);
    latencies.push(
      (await server.post('/api/agents/knowledge/generate', { messages: '@agent refunds?', toolParams: { namespace: 'good' } })).ms,
    );
    await sleep(10);
  }
}
async function watchMemory(): Promise<void> {
  while (!isDone) {
    const own = await residentMb(server.pid);
    let all = own;
    for (const child of childrenOf(server.pid)) all += await residentMb(child);
    maxServerMb = Math.max(maxServerMb, own);
    maxAllMb = Math.max(maxAllMb, all);
    await sleep(50);
  }
}

for (let warm = 0; warm < 50; warm++) await server.post('/api/tools/searchDocs', { namespace: 'good', query: 'refund window' });
const beside = Promise.all([ask(), watchMemory()]);
const started = performance.now();
const { body } = await server.post('/api/tools/ingestSources', { namespace: 'bad', sources: [{ path: files, glob: '**/*' }] });
const tookMs = performance.now() - started;
isDone = true;
await beside;
await server.stop();
rmSync(folder, { recursive: true, force: true });

latencies.sort((a, b) => a - b);
const at = (share: number) => (latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0).toFixed(1);
const outcomes = body.results.map(
  (row: { source: string; status: string; error?: { code: string } }) => `${row.source.split('/').at(-1)} ${row.error?.code ?? row.status}`,
);
console.log(`| what | measured | wanted |
|---|---|---|
| ${outcomes.length} hostile sources, each with a row | ${(tookMs / 1_000).toFixed(1)} s | a row each |
| searches and questions of another client meanwhile: number, p50, p99, longest | ${latencies.length}, ${at(0.5)}, ${at(0.99)}, ${at(1)} ms | p99 under 100 ms |
| memory: server; with its parser processes | ${maxServerMb.toFixed(0)} MB; ${maxAllMb.toFixed(0)} MB | server under 1,536 MB |

${outcomes.join('; ')}`);
