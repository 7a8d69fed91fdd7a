/**
 * Questions that were not answered: as lines of a file, as rows (the same words are one row, however they are written), and in groups
 * (the same content words in any order and form are one question). Asked again, a question is another line until the file is rewritten.
 */
import { setImmediate } from 'node:timers/promises';
import { fairShare } from '../concurrency/fair-share.ts';
import { linesOf, parseLine } from '../disk/line-file.ts';
import { fold, isStopWord, languageOf } from '../language/languages.ts';
import { queryWords } from '../language/query-words.ts';
import { rawWords, termsOf } from '../language/tokens.ts';
import type { AnswerEntry, ClosestDocument } from './answer-line.ts';

/** One question, however often it was asked. */
export interface GapRow {
  readonly namespace: string;
  /** As it was asked last. */
  readonly question: string;
  readonly count: number;
  /** ISO 8601. */
  readonly firstAskedAt: string;
  readonly lastAskedAt: string;
  /** The best that a search came to, 0 to 1. */
  readonly coverage: number;
  /** Of that search, best first. */
  readonly closest: readonly Omit<ClosestDocument, 'score'>[];
}

/** Questions with the same content words; `question` is the wording that was asked most. */
export interface GapGroup extends Omit<GapRow, 'closest'> {
  /** Other wordings, most asked first. */
  readonly variants: readonly string[];
  /** What came closest in the search that came to most, best first. */
  readonly closest: readonly { readonly file: string; readonly title: string; readonly source: string }[];
}

/** What is longer is kept by its beginning. */
const maxQuestionChars = 1_000;
const maxNameChars = 300;
/** Other wordings that a group lists. */
const maxVariants = 5;
/** Rows between two pauses of the event loop: some milliseconds of work. */
const sliceLength = 500;
const maxClosest = 3;

export const gapLine = ({ runId, namespace, question, coverage, closest }: AnswerEntry, at: string): string =>
  JSON.stringify({
    line: 'gap',
    runId,
    namespace,
    question: question.slice(0, maxQuestionChars).trim(),
    count: 1,
    firstAskedAt: at,
    lastAskedAt: at,
    coverage,
    closest: distinct(closest)
      .slice(0, maxClosest)
      .map(({ documentId, file, title, source }) => ({
        documentId,
        file: file.slice(0, maxNameChars),
        title: title.slice(0, maxNameChars),
        source: source.slice(0, maxNameChars),
      })),
  });

const distinct = (closest: readonly ClosestDocument[]) => [...new Map(closest.map((one) => [one.documentId, one])).values()];

const isText = (value: unknown): value is string => typeof value === 'string';

function toClosest(value: unknown): GapRow['closest'] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxClosest).flatMap((one) => {
    const { documentId, file, title, source } = (typeof one === 'object' && one !== null ? one : {}) as Record<string, unknown>;
    return isText(documentId) && isText(file) && isText(title) && isText(source) ? [{ documentId, file, title, source }] : [];
  });
}

function toRow(line: Record<string, unknown>): GapRow | undefined {
  const { namespace, question, count, firstAskedAt, lastAskedAt, coverage, closest } = line;
  if (line['line'] !== 'gap' || !isText(namespace) || !isText(question) || !isText(firstAskedAt) || !isText(lastAskedAt)) return undefined;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1) return undefined;
  const known = typeof coverage === 'number' ? coverage : 0;
  return { namespace, question, count, firstAskedAt, lastAskedAt, coverage: known, closest: toClosest(closest) };
}

/** The same for questions that differ in case, accents, punctuation and spaces only. */
const keyOf = ({ namespace, question }: GapRow): string =>
  `${namespace}\n${rawWords(question).map(fold).join(' ') || question.toLowerCase()}`;

const latest = (a: string, b: string) => (a > b ? a : b);
const earliest = (a: string, b: string) => (a < b ? a : b);

function joined(earlier: GapRow, later: GapRow): GapRow {
  const better = later.coverage >= earlier.coverage ? later : earlier;
  return {
    namespace: later.namespace,
    question: later.question,
    count: earlier.count + later.count,
    firstAskedAt: earliest(earlier.firstAskedAt, later.firstAskedAt),
    lastAskedAt: latest(earlier.lastAskedAt, later.lastAskedAt),
    coverage: better.coverage,
    closest: better.closest,
  };
}

/** Each item in turn, with room for other work in between. */
async function* inSlices<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const [position, item] of items.entries()) {
    if (position % sliceLength === sliceLength - 1) await setImmediate();
    yield item;
  }
}

/** Each question once. */
export function readGaps(content: Buffer): GapRow[] {
  const rows = new Map<string, GapRow>();
  const runs = new Set<unknown>();
  for (const raw of linesOf(content)) {
    const line = parseLine(raw);
    const row = line && toRow(line);
    if (!row) continue;
    const { runId } = line;
    // A line may stand there twice; one that stands for many names no run.
    if (isText(runId) && runs.has(runId)) continue;
    runs.add(runId);
    const key = keyOf(row);
    const known = rows.get(key);
    rows.set(key, known ? joined(known, row) : row);
  }
  return [...rows.values()];
}

/** Newest first; ISO 8601 times in UTC sort as text. */
const byTime = (a: Pick<GapRow, 'lastAskedAt'>, b: Pick<GapRow, 'lastAskedAt'>) =>
  a.lastAskedAt === b.lastAskedAt ? 0 : a.lastAskedAt < b.lastAskedAt ? 1 : -1;

/** Newest first among those that were asked as often. */
export const byCount = (a: Pick<GapRow, 'count' | 'lastAskedAt'>, b: Pick<GapRow, 'count' | 'lastAskedAt'>): number =>
  b.count - a.count || byTime(a, b);

const lineOf = (row: GapRow): string => `${JSON.stringify({ line: 'gap', ...row })}\n`;
const write = (rows: readonly GapRow[]): Buffer => Buffer.from(rows.map(lineOf).join(''));

/** What stays where there are too many: of each namespace a fair share, in turns of what was asked most and what was asked last. */
export function compactGaps(content: Buffer, { maxRows, maxBytes }: { maxRows: number; maxBytes: number }) {
  const rows = readGaps(content).sort(byCount);
  const latest = rows.toSorted(byTime);
  const ranked = [...new Set(rows.flatMap((row, index) => [row, latest[index] ?? row]))];
  const ofNamespace = ({ namespace }: GapRow) => namespace;
  const kept = fairShare(fairShare(ranked, maxRows, ofNamespace), maxBytes, ofNamespace, (row) => Buffer.byteLength(lineOf(row)));
  return { content: write(kept.sort(byTime).reverse()), lines: kept.length };
}

/** Without a document among the closest; undefined where it is not. */
export function withoutDocument(content: Buffer, documentId: string): Buffer | undefined {
  if (!content.includes(`"documentId":${JSON.stringify(documentId)}`)) return undefined;
  return write(readGaps(content).map((row) => ({ ...row, closest: row.closest.filter((one) => one.documentId !== documentId) })));
}

/** Without a namespace; undefined where there is nothing of it. */
export function withoutNamespace(content: Buffer, namespace: string): Buffer | undefined {
  const rows = readGaps(content);
  const others = rows.filter((row) => row.namespace !== namespace);
  return others.length === rows.length ? undefined : write(others);
}

/**
 * The same for questions with the same content words, in any order and form. A script without spaces gives the pairs that a search would
 * look for; of a question of stop words alone its own words count.
 */
function groupKeyOf(row: GapRow): string {
  const { namespace, question } = row;
  const language = languageOf(question);
  const isUnspaced = language === 'zh' || language === 'ja' || language === 'ko';
  const words = isUnspaced
    ? queryWords(question, [language], [language]).flatMap(({ isStop, isWhole, terms }) => (isStop || isWhole ? [] : terms))
    : rawWords(question).flatMap((word) => (isStopWord(word, language) ? [] : termsOf(word, language).slice(0, 1)));
  return words.length === 0 ? keyOf(row) : `${namespace}\n${[...new Set(words)].sort().join(' ')}`;
}

/** @param rows of one question, most asked first */
function toGroup(rows: readonly [GapRow, ...GapRow[]]): GapGroup {
  const [first, ...others] = rows;
  const { closest, ...all } = others.reduce((group, row) => joined(row, group), first);
  return {
    ...all,
    variants: others.slice(0, maxVariants).map(({ question }) => question),
    closest: closest.slice(0, maxClosest).map(({ file, title, source }) => ({ file, title, source })),
  };
}

/** @param rows each question once. @returns most asked first, then the latest */
export async function groupGaps(rows: readonly GapRow[]): Promise<GapGroup[]> {
  const groups = new Map<string, [GapRow, ...GapRow[]]>();
  for await (const row of inSlices([...rows].sort(byCount))) {
    const key = groupKeyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].map(toGroup).sort(byCount);
}
