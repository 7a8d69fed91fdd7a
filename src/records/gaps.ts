/**
 * Groups unanswered questions. Equal wordings share a row; rows with the same content words, in any
 * order and form, share a group.
 */
import { parseLine } from '../../packages/shared/src/disk/line-file.ts';
import {
  fold,
  isPaired,
  isStopWord,
  languageOf,
} from '../../packages/shared/src/language/languages.ts';
import { queryWords } from '../../packages/shared/src/language/query-words.ts';
import { rawWords, termsOf } from '../../packages/shared/src/language/tokens.ts';

export type ClosestDocument = Readonly<{
  documentId: string;
  file: string;
  title: string;
  source: string;
}>;

/** Without other fields, such as those of search results and old rows. */
export const closestDocument = ({
  documentId,
  file,
  title,
  source,
}: ClosestDocument): ClosestDocument => ({ documentId, file, title, source });

export type GapRow = Readonly<{
  namespace: string;
  /** Key shared by questions with the same content words. */
  topic: string;
  question: string;
  count: number;
  /** ISO 8601. */
  firstAskedAt: string;
  lastAskedAt: string;
  /** Coverage of the best search, 0 to 1. */
  coverage: number;
  /** JSON of the closest documents of that search, best first. */
  closest: string;
  /**
   * Newest answer to it that a caller rated as not helpful: its run, and its JSON unless it is
   * personal.
   */
  runId?: string | null;
  answer?: string | null;
  /** Id of its group of similar questions, and the group's state. */
  group?: string | null;
  state?: GapState | null;
}>;

/** `drafted`: open, with a draft that no reviewer has approved yet. */
export const gapStates = ['open', 'drafted', 'answered', 'dismissed'] as const;
export type GapState = (typeof gapStates)[number];

/** Questions that came by an entry point. */
export type GapWay = Readonly<{ entryPoint: string; count: number }>;

/** A person's answer. `document`: what a reviewer made of it; null: not approved. */
export type GapDraft = Readonly<{
  id: string;
  text: string;
  author: string;
  createdAt: string;
  document: string | null;
  /** Mail addresses, phone numbers and names of the thread's users in its text. */
  personal: readonly string[];
}>;

/** By id of the group. */
type GapDetails = Readonly<{
  ways: ReadonlyMap<string, readonly GapWay[]>;
  drafts: ReadonlyMap<string, readonly GapDraft[]>;
}>;

export type KeptGap = GapRow &
  Readonly<{
    /** Key shared by questions that differ only in case, accents, punctuation and spaces. */
    words: string;
    entryPoint?: string | undefined;
  }>;

/** Closes the gaps of a topic that were last asked by `askedUntil`. */
export type ClosedGap = Pick<GapRow, 'namespace' | 'topic'> &
  Readonly<{
    askedUntil: string;
    revisions: readonly string[];
  }>;

/** Effect of an answer. */
export type GapChange = Readonly<{ opens?: KeptGap; closes?: ClosedGap }>;

export type GapGroup = Omit<GapRow, 'topic' | 'closest' | 'runId' | 'answer' | 'group' | 'state'> &
  Readonly<{
    id: string;
    state: GapState;
    ways: readonly GapWay[];
    drafts: readonly GapDraft[];
    /**
     * Newest answer that was rated as not helpful; `answer` is its text, omitted if it is personal.
     */
    runId?: string;
    answer?: string;
    /** Other wordings of the question, at most 5. */
    variants: readonly string[];
    closest: readonly ClosestDocument[];
  }>;

type GapOrder = Pick<GapRow, 'count' | 'lastAskedAt' | 'namespace' | 'question'>;

const maxVariants = 5;
const maxQuestionChars = 1_000;

const wordingOf = (question: string) =>
  rawWords(question).map(fold).join(' ') || question.toLowerCase();

/**
 * Returns the `topic` of a question. For scripts without spaces it uses character pairs instead of
 * words, as the search does. A question with only stop words keeps its own wording.
 */
export function topicOf(question: string) {
  const language = languageOf(question);
  const words = isPaired(language)
    ? queryWords(question, [language], [language]).flatMap(({ isStop, isOptional, terms }) =>
        isStop || isOptional ? [] : terms,
      )
    : rawWords(question).flatMap((word) =>
        isStopWord(word, language) ? [] : termsOf(word, language).slice(0, 1),
      );
  return [...new Set(words)].sort().join(' ') || `\n${wordingOf(question)}`;
}

export function gapOf(text: string) {
  const question = text.slice(0, maxQuestionChars).trim();
  return { question, words: wordingOf(question), topic: topicOf(question) };
}

const compareStrings = (a: string, b: string) => Number(a > b) - Number(a < b);

/** Highest count first, then latest first. ISO 8601 times in UTC sort as text. */
const byCount = (a: GapOrder, b: GapOrder) =>
  b.count - a.count ||
  compareStrings(b.lastAskedAt, a.lastAskedAt) ||
  compareStrings(a.namespace, b.namespace) ||
  compareStrings(a.question, b.question);

export function closestOf({
  closest,
}: Pick<GapRow, 'closest'>): readonly ClosestDocument[] | undefined {
  try {
    const documents: unknown = JSON.parse(closest);
    const isDocument = (value: unknown): value is ClosestDocument =>
      typeof value === 'object' && value !== null && 'documentId' in value;
    return Array.isArray(documents) && documents.every(isDocument) ? documents : undefined;
  } catch {
    return undefined;
  }
}

const maxAnswerChars = 2_000;
/** Stored per question. */
export const maxClosest = 3;

/**
 * Revisions of the documents that an answer cites: a disliked answer stays a gap while the
 * documents are unchanged.
 */
export const citedRevisions = (answer: Readonly<Record<string, unknown>> | undefined) =>
  ((answer?.['citations'] ?? []) as readonly { readonly revision?: string }[]).flatMap(
    ({ revision }) => revision ?? [],
  );

function ratedAnswerOf(rows: readonly GapRow[]): Pick<GapGroup, 'runId' | 'answer'> {
  const { runId, answer } = rows.find((row) => row.runId) ?? {};
  const text = parseLine(answer ?? '')?.['text'];
  return {
    ...(runId && { runId }),
    ...(typeof text === 'string' && { answer: text.slice(0, maxAnswerChars).toWellFormed() }),
  };
}

function toGroup(rows: readonly GapRow[], { ways, drafts }: GapDetails): GapGroup {
  const [first, ...others] = rows as [GapRow, ...GapRow[]];
  const { namespace, question, group, state } = first;
  const id = group ?? '';
  const own = drafts.get(id) ?? [];
  const isDrafted = own.some(({ document }) => document === null);
  const best = rows.reduce((top, row) => (row.coverage > top.coverage ? row : top));
  const times = rows.flatMap(({ firstAskedAt, lastAskedAt }) => [firstAskedAt, lastAskedAt]).sort();
  return {
    id,
    namespace,
    question,
    state: state && state !== 'open' ? state : isDrafted ? 'drafted' : 'open',
    ways: ways.get(id) ?? [],
    drafts: own,
    variants: others.slice(0, maxVariants).map((other) => other.question),
    count: rows.reduce((sum, { count }) => sum + count, 0),
    firstAskedAt: times[0] ?? '',
    lastAskedAt: times.at(-1) ?? '',
    coverage: best.coverage,
    closest: (closestOf(best) ?? []).map(closestDocument),
    ...ratedAnswerOf(rows),
  };
}

const noDetails: GapDetails = { ways: new Map(), drafts: new Map() };

/** Most asked first, so that the first answers help most people. */
export const groupGaps = (rows: readonly GapRow[], details = noDetails) =>
  [
    ...Map.groupBy(
      rows.toSorted(byCount),
      ({ namespace, topic, group }) => `${namespace}\n${group ?? topic}`,
    ).values(),
  ]
    .map((group) => toGroup(group, details))
    .sort(byCount);
