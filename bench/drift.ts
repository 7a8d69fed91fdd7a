/**
 * What stands now where a quote stood that is gone (`app/quote-successor.ts`), on documents that people edited: the Markdown of packages, in an
 * earlier version and in the one that is installed here. `diff` (Myers 1986) says which line became which: where one line was replaced by one,
 * that is the right place for every sentence of it that is gone; where lines were taken out and none put in, there is none. Beside it the
 * plain way: the sentence of the same section, else of the document, with most words in common.
 *
 * Usage: npm run bench:drift    (fetches the earlier versions with `npm pack`)
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diff } from 'node:util';
import { verifyCitation } from '../src/answers/verify.ts';
import { findSuccessor, type LostQuote } from '../src/app/quote-successor.ts';
import { createChunker } from '../src/documents/chunk.ts';
import type { Chunk } from '../src/documents/document.ts';
import { segments } from '../src/language/segments.ts';
import { readFrontMatter } from '../src/markdown/front-matter.ts';
import { createProseSplitter } from '../src/mastra/split-prose.ts';

const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
const earlier = [
  ['ai', '7.0.0'],
  ['@mastra/core', '1.30.0'],
  ['undici', '7.0.0'],
] as const;
/** Words of a sentence that an answer may quote. */
const minWords = 5;

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Version {
  readonly text: string;
  readonly chunks: readonly Chunk[];
}

interface Case {
  readonly lost: LostQuote;
  readonly now: Version;
  /** Null: nothing took its place. */
  readonly right: Span | null;
}

type Find = (lost: LostQuote, now: Version) => Promise<Span | null>;

const chunkDocument = createChunker(createProseSplitter());
const read = async (path: string): Promise<Version> => {
  const text = readFileSync(path, 'utf8');
  return { text, chunks: await chunkDocument(text, readFrontMatter(text).bodyStart) };
};

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
const likeness = (a: ReadonlySet<string>, b: ReadonlySet<string>) => (2 * a.intersection(b).size) / (a.size + b.size || 1);
const overlaps = (a: Span, b: Span) => a.start < b.end && b.start < a.end;

const ours: Find = ({ quote, start, headingPath }, { text, chunks }) =>
  findSuccessor({ quote, start, headingPath }, text, { chunks, document: { textLanguage: 'en' } } as never, () => undefined);

/** @param least below which nothing is like the quote */
const plain =
  (least: number): Find =>
  async ({ quote, headingPath }, { text, chunks }) => {
    const own = chunks.filter((chunk) => chunk.headingPath.join('\n') === headingPath.join('\n'));
    const words = wordsOf(quote);
    let best: Span | null = null;
    let most = 0;
    for (const chunk of own.length > 0 ? own : chunks)
      for (const segment of segments(text.slice(chunk.start, chunk.end))) {
        const [start, end] = [chunk.start + segment.start, chunk.start + segment.end];
        const like = likeness(words, wordsOf(text.slice(start, end)));
        if (like >= least && like > most) [best, most] = [{ start, end }, like];
      }
    return best;
  };

/** Lines that say something: between two that do not, any two look alike to `diff`. */
function linesOf(text: string): (Span & { readonly line: string })[] {
  let at = 0;
  const lines = text.split('\n').map((line) => {
    const start = at;
    at += line.length + 1;
    return { line, start, end: start + line.length };
  });
  return lines.filter(({ line }) => line.trim() !== '');
}

/** Runs of lines that only one of the versions has, between lines that both have. */
function* hunksOf(before: string, after: string): Generator<{ readonly old: readonly Span[]; readonly fresh: readonly Span[] }> {
  const [left, right] = [linesOf(before), linesOf(after)];
  const textsOf = (lines: readonly { readonly line: string }[]) => lines.map(({ line }) => line);
  let [old, fresh]: [Span[], Span[]] = [[], []];
  let [i, j] = [0, 0];
  // What `diff` calls inserted is in the first of the two.
  for (const [operation] of diff(textsOf(right), textsOf(left))) {
    if (operation === -1) old.push(left[i++] as Span);
    else if (operation === 1) fresh.push(right[j++] as Span);
    else {
      if (old.length + fresh.length > 0) yield { old, fresh };
      [old, fresh] = [[], []];
      [i, j] = [i + 1, j + 1];
    }
  }
  if (old.length + fresh.length > 0) yield { old, fresh };
}

function* casesOf(before: Version, now: Version): Generator<Case> {
  for (const { old, fresh } of hunksOf(before.text, now.text)) {
    const isReplaced = old.length === 1 && fresh.length === 1;
    const [first, last] = [old[0], old.at(-1)];
    if (!first || !last || (!isReplaced && fresh.length > 0)) continue;
    for (const { start: from, end: to, headingPath } of before.chunks)
      for (const segment of segments(before.text.slice(from, to))) {
        const [start, end] = [from + segment.start, from + segment.end];
        const quote = before.text.slice(start, end);
        if (start < first.start || end > last.end || wordsOf(quote).size < minWords) continue;
        const isGone = verifyCitation(now.text, 'now', { quote, start, end, revision: 'before' }).status === 'gone';
        if (isGone) yield { lost: { quote, start, headingPath }, now, right: fresh[0] ?? null };
      }
  }
}

async function casesOfPackage(name: string, version: string): Promise<Case[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-drift-'));
  try {
    const packed = execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder, encoding: 'utf8' }).trim();
    execFileSync('tar', ['xzf', packed], { cwd: folder });
    const [old, now] = [join(folder, 'package'), join(modules, name)];
    const files = readdirSync(old, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.mdx?$/.test(file) && !/CHANGELOG/i.test(file),
    );
    const cases: Case[] = [];
    for (const file of files.filter((one) => existsSync(join(now, one))).sort())
      cases.push(...casesOf(await read(join(old, file)), await read(join(now, file))));
    return cases;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const percent = (part: number, whole: number) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

async function measure(cases: readonly Case[], find: Find): Promise<string[]> {
  const found = await Promise.all(cases.map(async (one) => ({ ...one, found: await find(one.lost, one.now) })));
  const replaced = found.filter(({ right }) => right !== null);
  const removed = found.filter(({ right }) => right === null);
  const right = replaced.filter((one) => one.found && one.right && overlaps(one.found, one.right)).length;
  const none = replaced.filter((one) => !one.found).length;
  return [
    percent(right, replaced.length),
    percent(replaced.length - right - none, replaced.length),
    percent(none, replaced.length),
    percent(removed.filter((one) => !one.found).length, removed.length),
  ];
}

const ways: readonly (readonly [string, Find])[] = [
  ['ours', ours],
  ['plain', plain(0)],
  ['plain, .35 of the words', plain(0.35)],
  ['plain, half of the words', plain(0.5)],
];
const all: Case[] = [];
console.log('| documents | way | right place | wrong place | nothing said | taken out: nothing said |\n|---|---|---|---|---|---|');
for (const [name, version] of [...earlier, ['all', ''] as const]) {
  const cases = name === 'all' ? all : await casesOfPackage(name, version);
  if (name !== 'all') all.push(...cases);
  const [replaced, removed] = [cases.filter(({ right }) => right).length, cases.filter(({ right }) => !right).length];
  for (const [way, find] of ways) {
    const cells = await measure(cases, find);
    console.log(`| ${name} ${version} (${replaced} edited, ${removed} taken out) | ${way} | ${cells.join(' | ')} |`);
  }
}
process.exit();
