/**
 * Compares kept and dropped text of ours, Readability and Defuddle: `node bench/extraction/run.ts
 * [name …]`. With names, runs only rows that contain one of them and lists missing and leftover
 * text. `--markdown` prints our Markdown.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSites, builtSites, sourcesOfSites } from './build-sites.ts';
import { defuddle, ours, type Reader, readability } from './readers.ts';
import type { Row, SitePage } from './row.ts';

const here = dirname(fileURLToPath(import.meta.url));

async function rowsOfSites(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const site of buildSites()) {
    const { pages }: { pages: readonly SitePage[] } = await import(
      join(sourcesOfSites, `${site}.ts`)
    );
    for (const page of pages) {
      const bytes = readFileSync(join(builtSites, site, page.built));
      const source = { bytes, fileName: 'page.html', mediaType: 'text/html', location: page.url };
      rows.push({ ...page, group: 'built', source: async () => source });
    }
  }
  return rows;
}

/** Rows of other formats: modules `rows-*.ts` of this folder export `rows`. */
async function rowsOfFormats(): Promise<Row[]> {
  const files = readdirSync(here).filter((file) => /^rows-.*\.ts$/.test(file));
  const modules: { rows: readonly Row[] }[] = await Promise.all(
    files.sort().map((file) => import(join(here, file))),
  );
  return modules.flatMap(({ rows }) => rows);
}

/** Text for comparison: without Markdown syntax, link addresses, case and white space. */
const plain = (markdown: string): string =>
  markdown
    .replace(/^<!-- page \d+ -->$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)\s]*(?:\s"[^"]*")?\)/g, '$1')
    .replace(/\s\{#[^}]*\}$/gm, '')
    .replace(/^[ \t]*(?:>[ \t]?)*(?:#{1,6}|[-*+]|\d+[.)]|`{3,}.*)(?=[ \t]|$)/gm, ' ')
    .replace(/[\\`*_~|]/g, '')
    .replace(/[“”]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, '')
    .toLowerCase();

interface Score {
  readonly kept: number;
  readonly dropped: number;
  readonly keep: number;
  readonly drop: number;
  readonly problems: readonly string[];
}

function score({ keep, drop, keepMarkdown = [] }: Row, markdown: string, isOurs: boolean): Score {
  const text = plain(markdown);
  const wanted = isOurs ? keepMarkdown : [];
  const missing = [
    ...keep.filter((part) => !text.includes(plain(part))),
    ...wanted.filter((part) => !`${markdown}\n`.includes(part)),
  ];
  // Text that consists of Markdown syntax is compared unchanged.
  const isMarked = (part: string) =>
    plain(part) === '' || plain(part) !== part.replace(/\s+/g, '').toLowerCase();
  const left = drop.filter((part) =>
    isMarked(part) ? markdown.includes(part) : text.includes(plain(part)),
  );
  return {
    keep: keep.length + wanted.length,
    kept: keep.length + wanted.length - missing.length,
    drop: drop.length,
    dropped: drop.length - left.length,
    problems: [
      ...missing.map((part) => `missing: ${JSON.stringify(part)}`),
      ...left.map((part) => `left: ${JSON.stringify(part)}`),
    ],
  };
}

const readers: readonly (readonly [name: string, reader: Reader])[] = [
  ['ours', ours],
  ['Readability', readability],
  ['Defuddle', defuddle],
];

const percent = (part: number, whole: number) =>
  whole === 0 ? '–' : `${((part / whole) * 100).toFixed(1)} %`;
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

const options = process.argv.slice(2);
const names = options.filter((option) => !option.startsWith('--'));
const all = [...(await rowsOfSites()), ...(await rowsOfFormats())];
const rows = all.filter(
  (row) =>
    names.length === 0 || names.some((name) => row.name.toLowerCase().includes(name.toLowerCase())),
);
const totals = readers.map(() => ({ kept: 0, keep: 0, dropped: 0, drop: 0 }));
console.log(line(['page', ...readers.flatMap(([name]) => [`${name}: kept`, 'dropped'])]));
console.log(line(['---', ...readers.flatMap(() => ['---:', '---:'])]));

for (const row of rows) {
  const source = await row.source();
  const cells: string[] = [];
  const problems: string[] = [];
  for (const [index, [name, reader]] of readers.entries()) {
    const total = totals[index];
    const isRead = name === 'ours' || source.mediaType === 'text/html';
    if (total === undefined || !isRead) {
      cells.push('–', '–');
      continue;
    }
    const markdown = await reader(source).catch((error: unknown) => `failed: ${error}`);
    const { kept, keep, dropped, drop, problems: found } = score(row, markdown, name === 'ours');
    total.kept += kept;
    total.keep += keep;
    total.dropped += dropped;
    total.drop += drop;
    cells.push(percent(kept, keep), percent(dropped, drop));
    if (name === 'ours') problems.push(...found);
    if (name === 'ours' && options.includes('--markdown')) console.log(`\n${markdown}\n`);
  }
  console.log(line([`${row.group}: ${row.name}`, ...cells]));
  for (const problem of problems) console.log(`<!-- ${problem} -->`);
}
console.log(
  line([
    `**all ${rows.length}**`,
    ...totals.flatMap(({ kept, keep, dropped, drop }) => [
      `**${percent(kept, keep)}**`,
      `**${percent(dropped, drop)}**`,
    ]),
  ]),
);
process.exit();
