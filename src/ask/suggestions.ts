/**
 * Suggests questions that the documents answer: made from headings, tried without a model, never
 * stored or counted.
 */
import { LoopScheduler, TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import { rawWords } from '../../packages/shared/src/language/tokens.ts';
import type { Document } from '../documents/document.ts';
import type { Namespace } from '../documents/namespace.ts';
import type { IndexedDocument } from '../documents/namespace-snapshot.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import { outOfRequest } from '../trace.ts';
import { headingQuestion } from './heading-questions.ts';
import { Question } from './question.ts';
import { quotedAnswer } from './quoted-answer.ts';
import type { Retriever } from './retriever.ts';
import { maxPassages } from './search-docs.ts';

/** @throws KnowledgeError `namespace_not_found` */
export type Suggest = ReturnType<typeof createSuggest>;

export const maxSuggestions = 6;
const maxTries = 24;
/** Documents that are read, evenly distributed, and chunks of each. */
const maxDocuments = 200;
const maxChunks = 100;
/** Maximum share of time spent on one namespace while its documents change, 0 to 1. */
const maxShare = 0.05;
const minPauseMs = 1_000;

type Candidate = Readonly<{
  question: string;
  heading: string;
  document: Document;
  /** Lower is better: its rank, and one more for each better candidate of its document. */
  cost: number;
}>;

interface Made {
  readonly candidates: Promise<readonly Candidate[]>;
  /** False after a text has changed, and after a failure. */
  isCurrent: boolean;
  /** When new ones may be made; infinite until these are ready. */
  notBefore: number;
}

/** Best first, each question once. */
async function candidatesIn(namespace: Namespace) {
  const all = namespace.sortedDocuments();
  const slicer = new TimeSlicer();
  const found: Candidate[] = [];
  for (let at = 0; at < all.length; at += Math.max(1, all.length / maxDocuments)) {
    const { document, chunks } = all[Math.floor(at)] as IndexedDocument;
    const headings = new Set(
      chunks.slice(0, maxChunks).flatMap(({ headingPath }) => headingPath.slice(-2)),
    );
    const made = [...headings].flatMap((heading) => {
      const asked = headingQuestion(heading, document.textLanguage);
      return asked ? [{ ...asked, heading, document }] : [];
    });
    made.sort((a, b) => a.rank - b.rank);
    found.push(...made.map((one, better) => ({ ...one, cost: 2 * one.rank + better })));
    await slicer.pause();
  }
  const bestFirst = found.toSorted((a, b) => a.cost - b.cost);
  return [...Map.groupBy(bestFirst, ({ question }) => question).values()].flatMap(
    ([best]) => best ?? [],
  );
}

/** Whether the answer comes from the section of the heading. Persons are not suggested. */
function isAnswered(asked: Question, candidate: Candidate) {
  const { heading, document } = candidate;
  if (isPerhapsPerson(asked, candidate)) return false;
  const { reason, citations } = quotedAnswer(asked);
  const { passage } = citations[0] ?? {};
  return (
    reason !== 'no_context' &&
    passage?.document.id === document.id &&
    passage.headingPath.at(-1) === heading
  );
}

/**
 * Whether all words of a heading have capitals, and no sentence of its document writes one without.
 */
function isPerhapsPerson(
  { passages }: Question,
  { heading, document: { id, textLanguage } }: Candidate,
) {
  const own = passages
    .flatMap(({ document, text }) => (document.id === id ? [text.replace(/^#.*$/gm, '')] : []))
    .join('\n');
  const written = new Set(rawWords(own));
  const isName = (word: string) => /^\p{Lu}/u.test(word) && !written.has(word.toLowerCase());
  const words = rawWords(heading);
  return textLanguage !== 'de' && words.length > 1 && words.every(isName);
}

export function createSuggest(
  namespaces: Pick<Namespaces, 'get' | 'follow'>,
  retriever: Retriever,
  onWarning: (message: string, error: unknown) => void,
) {
  const made = new Map<string, Made>();
  const scheduler = new LoopScheduler();
  namespaces.follow((name) => {
    const before = made.get(name);
    if (before) before.isCurrent = false;
  });

  async function make(name: string, namespace: Namespace) {
    const kept: Candidate[] = [];
    for (const candidate of (await candidatesIn(namespace)).slice(0, maxTries)) {
      const asked = Question.of(candidate.question, name);
      asked.addSearch(asked.text, await retriever.search(name, asked.text, maxPassages));
      if (await scheduler.run(name, async () => isAnswered(asked, candidate))) kept.push(candidate);
      if (kept.length === maxSuggestions) break;
    }
    return kept;
  }

  function startMaking(name: string, namespace: Namespace) {
    const started = performance.now();
    const candidates = outOfRequest(() => make(name, namespace))
      .catch((error: unknown) => {
        onWarning('Suggested questions could not be made. A later request tries again.', error);
        begun.isCurrent = false;
        return [];
      })
      .finally(() => {
        const now = performance.now();
        begun.notBefore = now + Math.max(minPauseMs, (now - started) / maxShare);
      });
    const begun: Made = { candidates, isCurrent: true, notBefore: Number.POSITIVE_INFINITY };
    return begun;
  }

  return async (name: string, limit: number) => {
    const namespace = await namespaces.get(name);
    const before = made.get(name);
    const isKept = before && (before.isCurrent || performance.now() < before.notBefore);
    const current = isKept ? before : startMaking(name, namespace);
    made.set(name, current);
    const kept = (await current.candidates).flatMap(({ question, document: { id, revision } }) => {
      const now = namespace.document(id)?.document;
      return now?.revision === revision ? [{ question, documentId: id, title: now.title }] : [];
    });
    return kept.slice(0, limit);
  };
}
