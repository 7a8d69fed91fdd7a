/**
 * Answers that were given, against the documents as they are now. One is stale where the stored documents do not hold something that it
 * quotes any more: whoever was told it may be wrong today. Documents that have not changed since are not read, and the look at all of them
 * has an end: what was not looked at is said.
 */
import type { AnswerLog, AnswersRead } from '../answers/answer-log.ts';
import { type QuotedSpan, verifyCitation } from '../answers/verify.ts';
import { createPauses } from '../concurrency/pauses.ts';
import { isRecordId } from './ask/call-evidence.ts';
import type { Documents } from './documents.ts';
import { findSuccessor, type LostQuote, type Successor } from './quote-successor.ts';

/** `moved`: the documents were edited, and hold every quote. */
export type AnswerState = 'holds' | 'moved' | 'stale';

/** A citation of an answer, as `generate` gave it. */
interface KeptCitation extends QuotedSpan, LostQuote {
  readonly index: number;
  readonly documentId: string;
  readonly file: string;
  readonly title: string;
}

/** A quote that its document does not hold any more, and what stands there in its place. */
type ChangedCitation = Pick<KeptCitation, 'index' | 'documentId' | 'file' | 'title' | 'quote'> & { readonly now: Successor | null };

export interface AnswersQuery extends AnswersRead {
  /** `stale`: no others. */
  readonly state: 'stale' | 'all';
  /** Of answers. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

export type StaleAnswers = ReturnType<typeof createStaleAnswers>;

/** Of one look. */
const maxLookMs = 5_000;
const maxBusyMs = 20;
/** Texts that are held, because neighbouring answers cite the same documents. */
const maxHeldTexts = 4;

type Verdict = { readonly status: 'holds' | 'moved' } | { readonly status: 'gone'; readonly now: Successor | null };

/** One look at many citations: what is asked twice is found out once. */
function createCitationCheck(documents: Pick<Documents, 'find' | 'readIfThere'>, pause: () => Promise<void> | undefined) {
  const texts = new Map<string, ReturnType<Documents['readIfThere']>>();
  const verdicts = new Map<string, Promise<Verdict>>();

  function read(namespace: string, documentId: string) {
    const key = `${namespace}/${documentId}`;
    const text = texts.get(key) ?? documents.readIfThere(namespace, documentId);
    texts.delete(key);
    texts.set(key, text);
    const [oldest] = texts.keys();
    if (texts.size > maxHeldTexts && oldest !== undefined) texts.delete(oldest);
    return text;
  }

  async function find(namespace: string, citation: KeptCitation): Promise<Verdict> {
    const indexed = await documents.find(namespace, citation.documentId);
    if (indexed?.document.revision === citation.revision) return { status: 'holds' };
    const stored = indexed && (await read(namespace, citation.documentId));
    await pause();
    const { status } = verifyCitation(stored?.text, stored?.entry.document.revision, citation);
    if (status !== 'gone') return { status };
    return { status, now: stored ? await findSuccessor(citation, stored.text, stored.entry, pause) : null };
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

export function createStaleAnswers(answers: Pick<AnswerLog, 'newest'>, documents: Pick<Documents, 'find' | 'readIfThere'>) {
  return {
    /**
     * Newest first; answers alone, no refusals.
     * @returns `lookedAt`: how many answers were looked at, the newest; `isPartial`: whether there are older ones
     */
    async list({ state: wanted, limit, signal, ...whose }: AnswersQuery) {
      const until = performance.now() + maxLookMs;
      const pause = createPauses(maxBusyMs);
      const check = createCitationCheck(documents, pause);
      const listed: ListedAnswer[] = [];
      let lookedAt = 0;
      for await (const kept of answers.newest(whose)) {
        await pause();
        if (kept.answer.reason !== 'answered') continue;
        if (listed.length === limit || performance.now() > until || signal?.aborted) return { answers: listed, lookedAt, isPartial: true };
        lookedAt++;
        const answer = await toListed(kept, check);
        if (wanted === 'all' || answer.state === 'stale') listed.push(answer);
      }
      return { answers: listed, lookedAt, isPartial: false };
    },
  };
}

type KeptAnswer = ReturnType<AnswerLog['newest']> extends AsyncIterable<infer Kept> ? Kept : never;
type ListedAnswer = Awaited<ReturnType<typeof toListed>>;

async function toListed(
  { runId, namespace, askedAt, question, answer, up, down }: KeptAnswer,
  check: ReturnType<typeof createCitationCheck>,
) {
  const citations = ((answer['citations'] ?? []) as KeptCitation[]).filter(({ documentId }) => !isRecordId(documentId));
  const changed: ChangedCitation[] = [];
  let state: AnswerState = 'holds';
  for (const citation of citations) {
    const verdict = await check(namespace, citation);
    if (verdict.status === 'moved' && state === 'holds') state = 'moved';
    if (verdict.status !== 'gone') continue;
    const { index, documentId, file, title, quote } = citation;
    state = 'stale';
    changed.push({ index, documentId, file, title, quote, now: verdict.now });
  }
  return { runId, namespace, askedAt, question, text: String(answer['text']), state, feedback: { up, down }, changed };
}
