/**
 * Compares stored answers with the current documents. An answer is stale if a document no longer
 * contains one of its quotes. Unchanged documents are not read. After `maxCheckMs`, the list ends
 * early with `isPartial`.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { lazy } from '../../packages/shared/src/concurrency/lazy.ts';
import { TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import { isStorageAway } from '../../packages/shared/src/errors.ts';
import type { Language } from '../../packages/shared/src/language/languages.ts';
import { segments } from '../../packages/shared/src/language/segments.ts';
import { contentWords } from '../../packages/shared/src/language/tokens.ts';
import { isRecordId } from '../calls/user-calls.ts';
import type { Chunk } from '../documents/document.ts';
import type { IndexedDocument } from '../documents/namespace-snapshot.ts';
import { type QuotedSpan, verifyCitation } from '../documents/verify-citation.ts';
import type { Documents, StoredDocument } from '../ingest/documents.ts';
import type { AnswerLog, AnswersRead } from './answer-log.ts';
import { type ListPlace, toCursor } from './cursor.ts';

type LostQuote = Readonly<{ quote: string; start: number; headingPath: readonly string[] }>;

/** Minimum Dice coefficient (Dice 1945) between the words of a quote and its successor. */
const minSimilarity = { ownSection: 0.35, elsewhere: 0.5 };
const maxChunks = 100;
const maxSegments = 10;

const wordsOf = (text: string, language: Language) =>
  new Set(contentWords(text, language).map(({ term }) => term));
const similarityOf = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  (2 * a.intersection(b).size) / (a.size + b.size || 1);
const isSamePath = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((heading, at) => heading === b[at]);

/** Each run of `count` sentences, items or rows in a chunk; the whole chunk if it has fewer. */
function* partsOf(text: string, chunk: Chunk, count: number): Generator<Successor> {
  const found = [...segments(text.slice(chunk.start, chunk.end))];
  for (let at = 0; at === 0 || at + count <= found.length; at++) {
    const first = found[at];
    const last = found[Math.min(at + count, found.length) - 1];
    if (!first || !last) return;
    const start = chunk.start + first.start;
    const end = chunk.start + last.end;
    yield { text: text.slice(start, end), start, end };
  }
}

export async function findSuccessor(
  { quote, start, headingPath }: LostQuote,
  text: string,
  { chunks, document }: IndexedDocument,
  pause: Pause,
): Promise<Successor | null> {
  const words = wordsOf(quote, document.textLanguage);
  const count = Math.min(maxSegments, Math.max(1, [...segments(quote)].length));

  async function mostSimilarIn(candidates: readonly Chunk[], min: number) {
    let mostSimilar: Successor | null = null;
    let most = 0;
    const nearest = candidates
      .toSorted((a, b) => Math.abs(a.start - start) - Math.abs(b.start - start))
      .slice(0, maxChunks);
    for (const part of nearest.values().flatMap((chunk) => partsOf(text, chunk, count))) {
      await pause();
      const similarity = similarityOf(words, wordsOf(part.text, document.textLanguage));
      // A part at the quote's old offset wins: it was probably edited in place.
      const rank = part.start === start ? 1 + similarity : similarity;
      if (similarity >= min && rank > most) {
        mostSimilar = part;
        most = rank;
      }
    }
    return mostSimilar;
  }

  const isOwn = (chunk: Chunk) => isSamePath(chunk.headingPath, headingPath);
  const others = chunks.filter((chunk) => !isOwn(chunk));
  return (
    (await mostSimilarIn(chunks.filter(isOwn), minSimilarity.ownSection)) ??
    (await mostSimilarIn(others, minSimilarity.elsewhere))
  );
}

const offset = z.int().min(0);
const successor = z.object({ text: z.string(), start: offset, end: offset });
type Successor = z.output<typeof successor>;
const changedCitation = z.object({
  index: z.int(),
  documentId: z.string(),
  file: z.string().describe('file at the time of the answer'),
  title: z.string().describe('title at the time of the answer'),
  quote: z.string(),
  now: successor
    .nullable()
    .describe('most similar text of the current document; null if nothing is similar'),
});
const listedAnswer = z.object({
  runId: z.string(),
  namespace: z.string(),
  askedAt: z.iso.datetime(),
  question: z.string().describe('without the mention'),
  text: z.string(),
  state: z
    .enum(['holds', 'moved', 'stale'])
    .describe(
      'holds: unchanged; moved: documents were edited, but still contain every quote; stale: a quote is missing',
    ),
  feedback: z.object({ up: z.int(), down: z.int() }).describe('newest rating of each caller'),
  changed: z.array(changedCitation).describe('citations whose quote is no longer in the document'),
});
export const listedAnswers = z.object({
  answers: z.array(listedAnswer).describe('newest first; omits private answers of other users'),
  lookedAt: z.int().describe('number of checked answers'),
  isPartial: z.boolean().describe('whether older answers were not checked'),
  nextCursor: z.string().optional().describe('cursor of older answers; missing on the last page'),
});
type ListedAnswer = z.output<typeof listedAnswer>;

type StoredCitation = QuotedSpan & LostQuote & Omit<z.output<typeof changedCitation>, 'now'>;

type AnswersQuery = AnswersRead &
  Readonly<{
    state: 'stale' | 'all';
    /** Id of a document that the answers quote. */
    document?: string | undefined;
    limit: number;
    cursor?: ListPlace | undefined;
    signal?: AbortSignal;
  }>;

const maxCheckMs = 5_000;
/** Maximum cached texts. Consecutive answers often cite the same documents. */
const maxCachedTexts = 4;

type Lost = Readonly<{ status: 'gone'; findNow: () => Promise<Successor | null> }>;
type Verdict = Readonly<{ status: 'holds' | 'moved' }> | Lost;
type Pause = () => Promise<void> | undefined;
type CheckCitation = (namespace: string, citation: StoredCitation) => Promise<Verdict>;

/** Checks each distinct citation once. Searches for the successor of a quote only on demand. */
function createCitationCheck(
  documents: Pick<Documents, 'find' | 'readIfThere'>,
  pause: Pause,
): CheckCitation {
  const texts = new LRUCache<string, Promise<StoredDocument | undefined>>({ max: maxCachedTexts });
  const verdicts = new Map<string, Promise<Verdict>>();

  function read(namespace: string, documentId: string) {
    const key = `${namespace}/${documentId}`;
    const text = texts.get(key) ?? documents.readIfThere(namespace, documentId);
    texts.set(key, text);
    return text;
  }

  async function find(namespace: string, citation: StoredCitation): Promise<Verdict> {
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
    const findNow = async () => {
      const current = indexed && (await read(namespace, citation.documentId));
      return current ? findSuccessor(citation, current.text, current.entry, pause) : null;
    };
    return { status, findNow: lazy(findNow) };
  }

  return (namespace, citation) => {
    const { documentId, revision, start, end } = citation;
    const key = JSON.stringify([namespace, documentId, revision, start, end]);
    const verdict = verdicts.get(key) ?? find(namespace, citation);
    verdicts.set(key, verdict);
    return verdict;
  };
}

type Kept = ReturnType<AnswerLog['newest']> extends AsyncIterable<infer One> ? One : never;

const citationsOf = ({ answer }: Kept) => (answer['citations'] ?? []) as StoredCitation[];

function isListed(kept: Kept, document: string | undefined) {
  const { reason } = kept.answer;
  const isQuoting = ({ documentId }: StoredCitation) => documentId === document;
  return (
    (reason === 'answered' || reason === 'closest') &&
    (document === undefined || citationsOf(kept).some(isQuoting))
  );
}

/** @returns undefined if another state is wanted */
async function listedOf(kept: Kept, check: CheckCitation, isStaleOnly: boolean) {
  const { runId, namespace, askedAt, question, answer, up, down } = kept;
  const gone: [StoredCitation, Lost][] = [];
  let isMoved = false;
  for (const citation of citationsOf(kept)) {
    const verdict = isRecordId(citation.documentId) ? undefined : await check(namespace, citation);
    if (verdict?.status === 'gone') gone.push([citation, verdict]);
    isMoved ||= verdict?.status === 'moved';
  }
  if (isStaleOnly && gone.length === 0) return undefined;
  const changed: ListedAnswer['changed'] = [];
  for (const [{ index, documentId, file, title, quote }, { findNow }] of gone)
    changed.push({ index, documentId, file, title, quote, now: await findNow() });
  const state: ListedAnswer['state'] = gone.length > 0 ? 'stale' : isMoved ? 'moved' : 'holds';
  const asked = { runId, namespace, askedAt, question, text: String(answer['text']) };
  return { ...asked, state, feedback: { up, down }, changed };
}

export class StaleAnswers {
  readonly #answers;
  readonly #documents;

  constructor(
    answers: Pick<AnswerLog, 'newest'>,
    documents: Pick<Documents, 'find' | 'readIfThere'>,
  ) {
    this.#answers = answers;
    this.#documents = documents;
  }

  /** Lists answers without refusals, newest first. */
  async list({ state: wanted, limit, cursor, signal, document, ...filter }: AnswersQuery) {
    const deadline = performance.now() + maxCheckMs;
    const slicer = new TimeSlicer();
    const check = createCitationCheck(this.#documents, () => slicer.pause());
    const answers: ListedAnswer[] = [];
    let lookedAt = 0;
    let last = cursor?.[0]?.toString();
    for await (const kept of this.#answers.newest(filter, last)) {
      await slicer.pause();
      const isNext = isListed(kept, document);
      const isFull = isNext && answers.length === limit;
      if (isFull || performance.now() > deadline || signal?.aborted) {
        const next = last && { nextCursor: toCursor('listAnswers', [last]) };
        return { answers, lookedAt, isPartial: true, ...next };
      }
      last = kept.place;
      if (!isNext) continue;
      lookedAt++;
      answers.push(...[(await listedOf(kept, check, wanted === 'stale')) ?? []].flat());
    }
    return { answers, lookedAt, isPartial: false };
  }
}
