/**
 * Questions that were not answered, as lines. Asked again, a question is another line until the file is rewritten; read, the same words
 * are one row, however they are written.
 */
import { fold } from '../text/languages.ts';
import { rawWords } from '../text/words.ts';
import type { AnswerEntry, ClosestDocument } from './answer-line.ts';
import { linesOf, parseLine } from './line-file.ts';

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

/** What is longer is kept by its beginning. */
const maxQuestionChars = 1_000;
const maxNameChars = 300;
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
    if (isText(runId)) runs.add(runId);
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

/** What stays where there are too many: half for those that were asked most, half for those that were asked last. */
export function compactGaps(content: Buffer, { maxRows, maxBytes }: { maxRows: number; maxBytes: number }) {
  const rows = readGaps(content).sort(byCount);
  const rest = rows.splice(Math.ceil(maxRows / 2)).sort(byTime);
  const ranked = [...rows, ...rest.slice(0, maxRows - rows.length)];
  let bytes = 0;
  const kept = ranked.filter((row) => {
    bytes += Buffer.byteLength(lineOf(row));
    return bytes <= maxBytes;
  });
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
