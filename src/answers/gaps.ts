/** Questions that were not answered: the same words are one row, rows with the same content words, in any order and form, one question. */
import { fold, isPaired, isStopWord, languageOf } from '../language/languages.ts';
import { queryWords } from '../language/query-words.ts';
import { rawWords, termsOf } from '../language/tokens.ts';

export type ClosestDocument = Readonly<{ documentId: string; file: string; title: string; source: string }>;

export interface GapRow {
  readonly namespace: string;
  /** What is the same for questions with the same content words. */
  readonly topic: string;
  readonly question: string;
  readonly count: number;
  /** ISO 8601. */
  readonly firstAskedAt: string;
  readonly lastAskedAt: string;
  /** The best that a search came to, 0 to 1. */
  readonly coverage: number;
  /** JSON of what came closest in that search, best first. */
  readonly closest: string;
}

export interface KeptGap extends GapRow {
  /** What is the same for questions that differ in how they are written. */
  readonly words: string;
}

/** What an answer says of gaps: that there is one, or that what was asked is none any more. */
export type GapChange =
  | { readonly opens: KeptGap }
  /** What was asked up to then, in any wording. */
  | { readonly closes: Pick<GapRow, 'namespace' | 'topic'> & { readonly askedUntil: string } };

export type GapGroup = ReturnType<typeof toGroup>;

type GapOrder = Pick<GapRow, 'count' | 'lastAskedAt' | 'namespace' | 'question'>;

const maxVariants = 5;
const maxQuestionChars = 1_000;

/** The same for questions that differ in case, accents, punctuation and spaces only. */
const wordingOf = (question: string): string => rawWords(question).map(fold).join(' ') || question.toLowerCase();

/**
 * The same for questions with the same content words, in any order and form. A script without spaces gives the pairs that a search would
 * look for; of a question of stop words alone its own words count.
 */
export function topicOf(question: string): string {
  const language = languageOf(question);
  const words = isPaired(language)
    ? queryWords(question, [language], [language]).flatMap(({ isStop, isOptional, terms }) => (isStop || isOptional ? [] : terms))
    : rawWords(question).flatMap((word) => (isStopWord(word, language) ? [] : termsOf(word, language).slice(0, 1)));
  return [...new Set(words)].sort().join(' ') || `\n${wordingOf(question)}`;
}

export function gapOf(said: string): Pick<KeptGap, 'question' | 'words' | 'topic'> {
  const question = said.slice(0, maxQuestionChars).trim();
  return { question, words: wordingOf(question), topic: topicOf(question) };
}

const inOrder = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** The later of those that were asked as often first; ISO 8601 times in UTC sort as text. */
const byCount = (a: GapOrder, b: GapOrder): number =>
  b.count - a.count || inOrder(b.lastAskedAt, a.lastAskedAt) || inOrder(a.namespace, b.namespace) || inOrder(a.question, b.question);

export function closestOf({ closest }: Pick<GapRow, 'closest'>): readonly ClosestDocument[] | undefined {
  try {
    const documents: unknown = JSON.parse(closest);
    const isDocument = (value: unknown): value is ClosestDocument => typeof value === 'object' && value !== null && 'documentId' in value;
    return Array.isArray(documents) && documents.every(isDocument) ? documents : undefined;
  } catch {
    return undefined;
  }
}

function toGroup(rows: readonly GapRow[]) {
  const [{ namespace, question }, ...others] = rows as [GapRow, ...GapRow[]];
  const best = rows.reduce((known, row) => (row.coverage > known.coverage ? row : known));
  const times = rows.flatMap(({ firstAskedAt, lastAskedAt }) => [firstAskedAt, lastAskedAt]).sort();
  return {
    namespace,
    question,
    variants: others.slice(0, maxVariants).map((other) => other.question),
    count: rows.reduce((sum, { count }) => sum + count, 0),
    firstAskedAt: times[0] ?? '',
    lastAskedAt: times.at(-1) ?? '',
    coverage: best.coverage,
    closest: (closestOf(best) ?? []).map(({ documentId, file, title, source }) => ({ documentId, file, title, source })),
  };
}

export const groupGaps = (rows: readonly GapRow[]): GapGroup[] =>
  [...Map.groupBy(rows.toSorted(byCount), ({ namespace, topic }) => `${namespace}\n${topic}`).values()].map(toGroup).sort(byCount);
