/**
 * Measures the whole road on this machine: start to ready, the README's calls, and some 400 real
 * Markdown files (those of @mastra/core). Prints a table for bench/README.md. Run: npm run bench
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, startServer as start } from './server.ts';

const documents = join(root, 'node_modules/@mastra/core/dist/docs/references');
const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const rows: string[] = [];
const report = (what: string, value: string, wanted: string) =>
  rows.push(`| ${what} | ${value} | ${wanted} |`);
const ms = (values: number[]) => `${values.map((value) => value.toFixed(0)).join(', ')} ms`;

const samples = { KNOWLEDGE_DIR: join(root, 'knowledge'), INDEX_DIR: join(folder, 'samples') };
const cold: number[] = [];
for (let run = 0; run < 5; run++) {
  const server = await start(samples);
  cold.push(server.readyMs);
  await server.stop();
}
report('start to ready, sample documents, 5 starts', ms(cold), 'under 2,500 ms');

const readme = { KNOWLEDGE_DIR: join(folder, 'readme'), INDEX_DIR: join(folder, 'readme-index') };
const server = await start(readme);
for (const [path, body] of [
  [
    '/api/tools/ingestSources',
    {
      namespace: 'docs',
      sources: ['Refunds are paid within 30 days of purchase. Write to billing@example.com.'],
    },
  ],
  ['/api/tools/searchDocs', { namespace: 'docs', query: 'refund window' }],
  [
    '/api/agents/knowledge/generate',
    {
      messages: [{ role: 'user', content: '@agent how long do refunds take?' }],
      toolParams: { namespace: 'docs' },
    },
  ],
] as const) {
  const [first, second] = [await server.post(path, body), await server.post(path, body)];
  report(
    `${path}, first and second call`,
    `${first.ms.toFixed(1)}, ${second.ms.toFixed(1)} ms`,
    'second under 300 ms',
  );
}
report('server memory afterwards', `${(await server.memoryMb()).toFixed(0)} MB`, '–');
await server.stop();

const real = {
  KNOWLEDGE_DIR: join(folder, 'real'),
  INDEX_DIR: join(folder, 'real-index'),
  ALLOWED_FILE_ROOTS: documents,
};
const ingesting = await start(real);
const names = readdirSync(documents).filter((name) => name.endsWith('.md'));
const ingestedAt = performance.now();
for (let from = 0; from < names.length; from += 100)
  await ingesting.post('/api/tools/ingestSources', {
    files: names.slice(from, from + 100).map((name) => join(documents, name)),
  });
const ingestMs = performance.now() - ingestedAt;
report(
  `ingest of ${names.length} files, searchable`,
  `${ingestMs.toFixed(0)} ms (${((names.length * 1000) / ingestMs).toFixed(0)}/s)`,
  '–',
);
const again = performance.now();
for (let from = 0; from < names.length; from += 100)
  await ingesting.post('/api/tools/ingestSources', {
    files: names.slice(from, from + 100).map((name) => join(documents, name)),
  });
report('second ingest, unchanged', `${(performance.now() - again).toFixed(0)} ms`, '–');
const searches: number[] = [];
for (let turn = 0; turn < 60; turn++)
  searches.push(
    (
      await ingesting.post('/api/tools/searchDocs', {
        query: ['agent memory', 'stream chunks', 'tool input schema'][turn % 3],
      })
    ).ms,
  );
searches.sort((a, b) => a - b);
report(
  'searchDocs over them, p50 / p95',
  `${searches[30]?.toFixed(1)} / ${searches[57]?.toFixed(1)} ms`,
  '–',
);
report('server memory then', `${(await ingesting.memoryMb()).toFixed(0)} MB`, '–');
await ingesting.stop();

const warm: number[] = [];
for (let run = 0; run < 5; run++) {
  const restarted = await start(real);
  warm.push(restarted.readyMs);
  await restarted.stop();
}
report('start to ready, those files, warm INDEX_DIR, 5 starts', ms(warm), 'under 4,000 ms');
const rebuilt: number[] = [];
for (let run = 0; run < 3; run++) {
  rmSync(real.INDEX_DIR, { recursive: true });
  const restarted = await start(real);
  rebuilt.push(restarted.readyMs);
  await restarted.stop();
}
report('start to ready, those files, without INDEX_DIR, 3 starts', ms(rebuilt), '–');

rmSync(folder, { recursive: true, force: true });
console.log(`| what | measured | wanted |\n|---|---|---|\n${rows.join('\n')}`);
