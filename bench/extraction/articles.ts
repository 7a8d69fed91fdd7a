/**
 * Article pages of a public set against the text that people marked in them: `npm run
 * bench:articles [key …]`. Compares shingles of four words. Precision and recall are means over the
 * pages; F1 is computed from the two. Excludes the first heading, because the marked text has no
 * title. With keys, only pages whose key starts with one, plus our Markdown.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { ours, type Reader, readability } from './readers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(
  process.env['KNOWLEDGE_BENCH_DATA'] ?? join(root, '../shared/data'),
  'articles',
);
const shingleWords = 4;

/** Visible text of Markdown, without its first heading. */
const plainText = (markdown: string): string =>
  markdown
    .replace(/^\s*# .*/, '')
    .replace(/!\[(?:\\.|[^\]\\])*\]\((?:\\.|[^)\\])*\)/g, '')
    .replace(/\[((?:\\.|[^\]\\])*)\]\((?:\\.|[^)\\])*\)/g, '$1')
    .replace(/ \{#[^}\n]*\}$/gm, '')
    .replace(/^\|(?: -+ \|)+$/gm, '')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '');

function shinglesOf(text: string): Map<string, number> {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const shingles = new Map<string, number>();
  for (let at = 0; at < Math.max(1, words.length - shingleWords + 1); at++) {
    const shingle = words.slice(at, at + shingleWords).join(' ');
    if (shingle !== '') shingles.set(shingle, (shingles.get(shingle) ?? 0) + 1);
  }
  return shingles;
}

const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : sumOf(values) / values.length;

interface Score {
  /** Undefined if nothing was extracted. */
  readonly precision: number | undefined;
  readonly recall: number;
}

function score(wanted: string, markdown: string): Score {
  const expected = shinglesOf(wanted);
  const extracted = shinglesOf(plainText(markdown));
  const shared = sumOf(
    [...extracted].map(([shingle, count]) => Math.min(count, expected.get(shingle) ?? 0)),
  );
  const all = sumOf(extracted.values());
  return {
    precision: all === 0 ? undefined : shared / all,
    recall: shared / Math.max(1, sumOf(expected.values())),
  };
}

interface Article {
  readonly key: string;
  readonly text: string;
  readonly url: string;
  readonly html: string;
}

function articlesIn(names: readonly string[]): Article[] {
  const marked: Record<string, { articleBody: string; url: string }> = JSON.parse(
    readFileSync(join(folder, 'ground-truth.json'), 'utf8'),
  );
  return Object.entries(marked)
    .filter(([key]) => names.length === 0 || names.some((name) => key.startsWith(name)))
    .map(([key, { articleBody, url }]) => ({
      key,
      text: articleBody,
      url,
      html: gunzipSync(readFileSync(join(folder, 'html', `${key}.html.gz`))).toString(),
    }));
}

/** Removes the page's declaration that it is an article. */
const undeclared = (html: string): string =>
  html.replace(/og:type/gi, 'x').replace(/application\/ld\+json/gi, 'x');

const readers: readonly (readonly [
  name: string,
  reader: Reader,
  change: (html: string) => string,
])[] = [
  ['ours', ours, (html) => html],
  ['ours, articles not declared', ours, undeclared],
  ['Readability alone', readability, (html) => html],
];

if (!existsSync(join(folder, 'ground-truth.json'))) {
  console.log(
    `No article pages in ${folder}: nothing is measured. Set KNOWLEDGE_BENCH_DATA to the folder of the collections.`,
  );
  process.exit();
}
const names = process.argv.slice(2);
const articles = articlesIn(names);
console.log(`| ${articles.length} pages | precision | recall | F1 |`);
console.log('| --- | ---: | ---: | ---: |');
for (const [name, reader, change] of readers) {
  const scores: Score[] = [];
  for (const { key, text, url, html } of articles) {
    const bytes = Buffer.from(change(html));
    const markdown = await reader({
      bytes,
      fileName: 'page.html',
      mediaType: 'text/html',
      location: url,
    }).catch(() => '');
    scores.push(score(text, markdown));
    if (names.length > 0 && reader === ours) console.log(`\n${key} ${url}\n\n${markdown}\n`);
  }
  const precision = mean(scores.flatMap((one) => one.precision ?? []));
  const recall = mean(scores.map((one) => one.recall));
  const f1 = (2 * precision * recall) / (precision + recall);
  console.log(
    `| ${name} | ${[precision, recall, f1].map((value) => value.toFixed(3)).join(' | ')} |`,
  );
}
process.exit();
