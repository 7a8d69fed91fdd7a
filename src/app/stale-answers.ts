/**
 * Answers that were given, against the documents as they are now. One is stale where the stored documents do not hold something that it
 * quotes any more: whoever was told it may be wrong today. Documents that have not changed since are not read, and the look at all of them
 * has an end: what was not looked at is said.
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
import type { Documents } from './documents.ts';

type LostQuote = Readonly<{ quote: string; start: number; headingPath: readonly string[] }>;

type Successor = Readonly<{ text: string; start: number; end: number }>;

/** Words that both have, as a share of all that they have (Dice 1945), from which a part is taken for the same thing said in other words. */
const minLikeness = { ownSection: 0.35, elsewhere: 0.5 };
const maxChunks = 100;
const maxSegments = 10;

const wordsOf = (text: string, language: Language): ReadonlySet<string> => new Set(contentWords(text, language).map(({ term }) => term));
const likeness = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => (2 * a.intersection(b).size) / (a.size + b.size || 1);
const isSamePath = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((heading, at) => heading === b[at]);

/** Parts of a chunk with as many sentences, items or rows as the quote has; the whole where it has fewer. */
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

  async function likestIn(some: readonly Chunk[], least: number): Promise<Successor | null> {
    let likest: Successor | null = null;
    let most = 0;
    const nearest = some.toSorted((a, c) => Math.abs(a.start - start) - Math.abs(c.start - start)).slice(0, maxChunks);
    for (const part of nearest.values().flatMap((chunk) => partsOf(text, chunk, count))) {
      await pause();
      const like = likeness(words, wordsOf(part.text, document.textLanguage));
      // What begins there was edited in its place, whatever else is like the quote.
      const worth = part.start === start ? 1 + like : like;
      if (like >= least && worth > most) [likest, most] = [part, worth];
    }
    return likest;
  }

  const isOwn = (chunk: Chunk) => isSamePath(chunk.headingPath, headingPath);
  return (
    (await likestIn(chunks.filter(isOwn), minLikeness.ownSection)) ??
    (await likestIn(
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
  now: successor.nullable().describe('of the document as it is now, what is most like the quote; null where nothing is'),
});
const listedAnswer = z.object({
  runId: z.string(),
  namespace: z.string(),
  askedAt: z.iso.datetime(),
  question: z.string().describe('without the mention'),
  text: z.string(),
  state: z
    .enum(['holds', 'moved', 'stale'])
    .describe('moved: documents were edited and hold every quote; stale: one does not hold its quote any more'),
  feedback: z.object({ up: z.int(), down: z.int() }).describe('of each caller the newest'),
  changed: z.array(changedCitation).describe('citations whose document does not hold the quote any more'),
});
export const listedAnswers = z.object({
  answers: z.array(listedAnswer).describe('newest first; what a tool told another user alone is not among them'),
  lookedAt: z.int().describe('how many answers were looked at, the newest'),
  isPartial: z.boolean().describe('whether there are older ones that were not looked at'),
  nextCursor: z.string().optional().describe('cursor of the older ones; absent: there are none'),
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

export type StaleAnswers = ReturnType<typeof createStaleAnswers>;

const maxLookMs = 5_000;
/** Texts that are held, because neighbouring answers cite the same documents. */
const maxHeldTexts = 4;

type Verdict = { readonly status: 'holds' | 'moved' } | { readonly status: 'gone'; readonly now: () => Promise<Successor | null> };
type Pause = () => Promise<void> | undefined;

/** One look at many citations: what is asked twice is found out once, and what stands in place of a quote when that is asked. */
function createCitationCheck(documents: Pick<Documents, 'find' | 'readIfThere'>, pause: Pause) {
  const texts = new LRUCache<string, ReturnType<Documents['readIfThere']>>({ max: maxHeldTexts });
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
    let stored: Awaited<ReturnType<typeof read>>;
    try {
      stored = indexed && (await read(namespace, citation.documentId));
    } catch (error) {
      // Nothing shows that the quote is gone from a file that cannot be read now.
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

  return (namespace: string, citation: KeptCitation): Promise<Verdict> => {
    const { documentId, revision, start, end } = citation;
    // The revision and the place tell the quote.
    const key = JSON.stringify([namespace, documentId, revision, start, end]);
    const verdict = verdicts.get(key) ?? find(namespace, citation);
    verdicts.set(key, verdict);
    return verdict;
  };
}

type KeptAnswer = ReturnType<AnswerLog['newest']> extends AsyncIterable<infer Kept> ? Kept : never;

export type LookedAt = Readonly<{ kept: KeptAnswer; state: ListedAnswer['state']; listed: () => Promise<ListedAnswer> }>;

type CheckCitation = ReturnType<typeof createCitationCheck>;

async function lookAt(kept: KeptAnswer, check: CheckCitation): Promise<LookedAt> {
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

export function createStaleAnswers(answers: Pick<AnswerLog, 'newest'>, documents: Pick<Documents, 'find' | 'readIfThere'>) {
  /** Newest first; answers alone, no refusals. @param pause called between two steps, and waited for */
  async function* each(whose: AnswersRead, pause: Pause, before?: string): AsyncGenerator<LookedAt> {
    const check = createCitationCheck(documents, pause);
    for await (const kept of answers.newest(whose, before)) {
      await pause();
      if (kept.answer.reason === 'answered') yield lookAt(kept, check);
    }
  }

  return {
    each,

    async list({ state: wanted, limit, cursor, signal, ...whose }: AnswersQuery): Promise<ListedAnswers> {
      const until = performance.now() + maxLookMs;
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
