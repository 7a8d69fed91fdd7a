/**
 * Compares stored answers with the current documents. An answer is stale if a document no longer contains its quote. Unchanged documents
 * are not read. The time is limited; the result says if answers were not checked.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { AnswerLog, AnswersRead } from '../answers/answer-log.ts';
import { type QuotedSpan, verifyCitation } from '../answers/verify.ts';
import { lazy } from '../concurrency/lazy.ts';
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import type { Chunk } from '../documents/document.ts';
import type { IndexedDocument } from '../documents/namespace-snapshot.ts';
import { isStorageAway } from '../errors.ts';
import type { Language } from '../language/languages.ts';
import { segments } from '../language/segments.ts';
import { contentWords } from '../language/tokens.ts';
import { isRecordId } from './ask/call-evidence.ts';
import { type ListPlace, toCursor } from './cursor.ts';
import type { Documents, StoredDocument } from './documents.ts';

type LostQuote = Readonly<{ quote: string; start: number; headingPath: readonly string[] }>;

type Successor = Readonly<{ text: string; start: number; end: number }>;

/** Minimum Dice coefficient of the words (Dice 1945) for a text to count as the successor of a quote. */
const minLikeness = { ownSection: 0.35, elsewhere: 0.5 };
const maxChunks = 100;
const maxSegments = 10;

const wordsOf = (text: string, language: Language): ReadonlySet<string> => new Set(contentWords(text, language).map(({ term }) => term));
const likeness = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => (2 * a.intersection(b).size) / (a.size + b.size || 1);
const isSamePath = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((heading, at) => heading === b[at]);

/** Parts of a chunk with `count` sentences, items or rows; the whole chunk if it has fewer. */
function* partsOf(text: string, chunk: Chunk, count: number): Generator<Successor> {
  const found = [...segments(text.slice(chunk.start, chunk.end))];
  for (let at = 0; at === 0 || at + count <= found.length; at++) {
    const [first, last] = [found[at], found[Math.min(at + count, found.length) - 1]];
    if (!first || !last) return;
    const [start, end] = [chunk.start + first.start, chunk.start + last.end];
    yield { text: text.slice(start, end), start, end };
  }
}

export async function findSuccessor(
  { quote, start, headingPath }: LostQuote,
  text: string,
  { chunks, document }: IndexedDocument,
  pause: () => Promise<void> | undefined,
): Promise<Successor | null> {
  const words = wordsOf(quote, document.textLanguage);
  const count = Math.min(maxSegments, Math.max(1, [...segments(quote)].length));

  async function mostSimilarIn(some: readonly Chunk[], min: number): Promise<Successor | null> {
    let mostSimilar: Successor | null = null;
    let most = 0;
    const nearest = some.toSorted((a, c) => Math.abs(a.start - start) - Math.abs(c.start - start)).slice(0, maxChunks);
    for (const part of nearest.values().flatMap((chunk) => partsOf(text, chunk, count))) {
      await pause();
      const similarity = likeness(words, wordsOf(part.text, document.textLanguage));
      // A part at the same offset was edited in place and wins.
      const worth = part.start === start ? 1 + similarity : similarity;
      if (similarity >= min && worth > most) [mostSimilar, most] = [part, worth];
    }
    return mostSimilar;
  }

  const isOwn = (chunk: Chunk) => isSamePath(chunk.headingPath, headingPath);
  return (
    (await mostSimilarIn(chunks.filter(isOwn), minLikeness.ownSection)) ??
    (await mostSimilarIn(
      chunks.filter((chunk) => !isOwn(chunk)),
      minLikeness.elsewhere,
    ))
  );
}

const offset = z.int().min(0);
const successor = z.object({ text: z.string(), start: offset, end: offset });
const changedCitation = z.object({
  index: z.int(),
  documentId: z.string(),
  file: z.string().describe('when the answer was given'),
  title: z.string().describe('when the answer was given'),
  quote: z.string(),
  now: successor.nullable().describe('most similar text of the current document; null if nothing is similar'),
});
const listedAnswer = z.object({
  runId: z.string(),
  namespace: z.string(),
  askedAt: z.iso.datetime(),
  question: z.string().describe('without the mention'),
  text: z.string(),
  state: z
    .enum(['holds', 'moved', 'stale'])
    .describe('holds: unchanged; moved: documents were edited, but contain every quote; stale: a quote is missing'),
  feedback: z.object({ up: z.int(), down: z.int() }).describe('newest rating of each caller'),
  changed: z.array(changedCitation).describe('citations whose quote is no longer in the document'),
});
export const listedAnswers = z.object({
  answers: z.array(listedAnswer).describe('newest first, without private answers of other users'),
  lookedAt: z.int().describe('number of checked answers, newest first'),
  isPartial: z.boolean().describe('whether older answers were not checked'),
  nextCursor: z.string().optional().describe('cursor of older answers; missing on the last page'),
});
export type ListedAnswers = z.infer<typeof listedAnswers>;
export type ListedAnswer = ListedAnswers['answers'][number];

interface KeptCitation extends QuotedSpan, LostQuote {
  readonly index: number;
  readonly documentId: string;
  readonly file: string;
  readonly title: string;
}

interface AnswersQuery extends AnswersRead {
  readonly state: 'stale' | 'all';
  readonly limit: number;
  readonly cursor?: ListPlace | undefined;
  readonly signal?: AbortSignal;
}

export interface StaleAnswers {
  /** Yields answers, but no refusals, newest first. @param pause awaited between two steps */
  each(whose: AnswersRead, pause: Pause, before?: string): AsyncGenerator<CheckedAnswer>;
  list(query: AnswersQuery): Promise<ListedAnswers>;
}

const maxCheckMs = 5_000;
/** Cached texts; adjacent answers often cite the same documents. */
const maxCachedTexts = 4;

type Verdict = { readonly status: 'holds' | 'moved' } | { readonly status: 'gone'; readonly now: () => Promise<Successor | null> };
type Pause = () => Promise<void> | undefined;
type CheckCitation = (namespace: string, citation: KeptCitation) => Promise<Verdict>;

/** Checks citations, each once. Searches the successor of a quote only on demand. */
function createCitationCheck(documents: Pick<Documents, 'find' | 'readIfThere'>, pause: Pause): CheckCitation {
  const texts = new LRUCache<string, Promise<StoredDocument | undefined>>({ max: maxCachedTexts });
  const verdicts = new Map<string, Promise<Verdict>>();

  function read(namespace: string, documentId: string) {
    const key = `${namespace}/${documentId}`;
    const text = texts.get(key) ?? documents.readIfThere(namespace, documentId);
    texts.set(key, text);
    return text;
  }

  async function find(namespace: string, citation: KeptCitation): Promise<Verdict> {
    const indexed = await documents.find(namespace, citation.documentId);
    if (indexed?.document.revision === citation.revision) return { status: 'holds' };
    let stored: StoredDocument | undefined;
    try {
      stored = indexed && (await read(namespace, citation.documentId));
    } catch (error) {
      // An unreadable file is no proof that the quote is missing.
      if (isStorageAway(error)) return { status: 'holds' };
      throw error;
    }
    await pause();
    const { status } = verifyCitation(stored?.text, stored?.entry.document.revision, citation);
    if (status !== 'gone') return { status };
    const now = async () => {
      const current = indexed && (await read(namespace, citation.documentId));
      return current ? findSuccessor(citation, current.text, current.entry, pause) : null;
    };
    return { status, now: lazy(now) };
  }

  return (namespace, citation) => {
    const { documentId, revision, start, end } = citation;
    const key = JSON.stringify([namespace, documentId, revision, start, end]);
    const verdict = verdicts.get(key) ?? find(namespace, citation);
    verdicts.set(key, verdict);
    return verdict;
  };
}

type KeptAnswer = ReturnType<AnswerLog['newest']> extends AsyncIterable<infer Kept> ? Kept : never;

export type CheckedAnswer = Readonly<{ kept: KeptAnswer; state: ListedAnswer['state']; listed: () => Promise<ListedAnswer> }>;

async function checkAnswer(kept: KeptAnswer, check: CheckCitation): Promise<CheckedAnswer> {
  const citations = ((kept.answer['citations'] ?? []) as KeptCitation[]).filter(({ documentId }) => !isRecordId(documentId));
  const gone: { readonly citation: KeptCitation; readonly now: () => Promise<Successor | null> }[] = [];
  let isMoved = false;
  for (const citation of citations) {
    const verdict = await check(kept.namespace, citation);
    if (verdict.status === 'gone') gone.push({ citation, now: verdict.now });
    isMoved ||= verdict.status === 'moved';
  }
  const state = gone.length > 0 ? 'stale' : isMoved ? 'moved' : 'holds';
  return { kept, state, listed: () => toListed(kept, state, gone) };
}

async function toListed(
  { runId, namespace, askedAt, question, answer, up, down }: KeptAnswer,
  state: ListedAnswer['state'],
  gone: readonly { readonly citation: KeptCitation; readonly now: () => Promise<Successor | null> }[],
): Promise<ListedAnswer> {
  const changed: ListedAnswer['changed'] = [];
  for (const { citation, now } of gone) {
    const { index, documentId, file, title, quote } = citation;
    changed.push({ index, documentId, file, title, quote, now: await now() });
  }
  return { runId, namespace, askedAt, question, text: String(answer['text']), state, feedback: { up, down }, changed };
}

export function createStaleAnswers(answers: Pick<AnswerLog, 'newest'>, documents: Pick<Documents, 'find' | 'readIfThere'>): StaleAnswers {
  async function* each(whose: AnswersRead, pause: Pause, before?: string): AsyncGenerator<CheckedAnswer> {
    const check = createCitationCheck(documents, pause);
    for await (const kept of answers.newest(whose, before)) {
      await pause();
      if (kept.answer.reason === 'answered') yield checkAnswer(kept, check);
    }
  }

  return {
    each,

    async list({ state: wanted, limit, cursor, signal, ...whose }) {
      const until = performance.now() + maxCheckMs;
      const listed: ListedAnswer[] = [];
      let lookedAt = 0;
      let last = cursor?.[0]?.toString();
      for await (const one of each(whose, createTimeSlicer(), last)) {
        if (listed.length === limit || performance.now() > until || signal?.aborted)
          return { answers: listed, lookedAt, isPartial: true, ...(last && { nextCursor: toCursor('listAnswers', [last]) }) };
        lookedAt++;
        last = one.kept.place;
        if (wanted === 'all' || one.state === 'stale') listed.push(await one.listed());
      }
      return { answers: listed, lookedAt, isPartial: false };
    },
  };
}
