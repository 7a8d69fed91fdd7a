/** Suggests questions that the documents answer: made from headings, tried without a model, never stored or counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLoopScheduler, createTimeSlicer } from '../../concurrency/time-slicer.ts';
import type { Document } from '../../documents/document.ts';
import type { Namespace } from '../../documents/namespace.ts';
import type { Namespaces } from '../../documents/namespaces.ts';
import { headingQuestion } from '../../language/heading-questions.ts';
import { rawWords } from '../../language/tokens.ts';
import { outOfRequest } from '../../trace.ts';
import type { Retriever } from '../search/retriever.ts';
import { maxPassages } from '../search/search-docs.ts';
import { quotedAnswer } from './extractive-reply.ts';
import { maxAnswerSentences } from './prompt.ts';
import { addSearch, type Turn } from './turn.ts';

type Suggestion = Readonly<{ question: string; documentId: string; title: string }>;
/** @throws KnowledgeError `namespace_not_found` */
export type Suggest = (namespace: string, limit: number) => Promise<Suggestion[]>;

export const maxSuggestions = 6;
const maxTries = 24;
/** Per document, if other documents have some too. */
const maxPerDocument = 2;
/** Documents that are read, evenly distributed, and chunks of each. */
const maxDocuments = 200;
const maxChunks = 100;
/** Maximum share of time spent on one namespace while its documents change, 0 to 1. */
const maxShare = 0.05;
/** A request that waited this long returns the earlier suggestions. */
const maxWaitMs = 5_000;

interface Candidate {
  readonly question: string;
  readonly heading: string;
  readonly document: Document;
  /** Lower is better: its rank, and one more for each better candidate of its document. */
  readonly cost: number;
}

interface State {
  /** Version of the namespace's texts; undefined before the first suggestions and after a failure. */
  textChanges?: number | undefined;
  notBefore: number;
  suggestions: readonly Candidate[];
  making?: Promise<void> | undefined;
}

/** Best first, each question once. */
async function candidatesIn(namespace: Namespace): Promise<Candidate[]> {
  const all = namespace.sortedDocuments();
  const pause = createTimeSlicer();
  const found = new Map<string, Candidate>();
  for (let at = 0; at < all.length; at += Math.max(1, all.length / maxDocuments)) {
    const { document, chunks = [] } = all[Math.floor(at)] ?? {};
    const headings = new Set(chunks.slice(0, maxChunks).flatMap(({ headingPath }) => headingPath.slice(-2)));
    const made = [...headings].map((heading) => ({ heading, ...headingQuestion(heading, document?.textLanguage ?? 'en') }));
    for (const [before, { question = '', heading, rank = 0 }] of made.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0)).entries()) {
      const cost = 2 * rank + before;
      if (document && question !== '' && (found.get(question)?.cost ?? cost + 1) > cost)
        found.set(question, { question, heading, document, cost });
    }
    await pause();
  }
  return [...found.values()].toSorted((a, b) => a.cost - b.cost);
}

/** Whether the answer comes from the section of the heading. */
function isAnswered(turn: Turn, { heading, document }: Candidate): boolean {
  const { reason, citations } = quotedAnswer(turn, maxAnswerSentences);
  const { passage } = citations[0] ?? {};
  return reason === 'answered' && passage?.document.id === document.id && passage.headingPath.includes(heading);
}

/**
 * Writes words of an English heading like the sentences of its document: `Refund Policy` as `refund policy`, but `Microsoft Teams`.
 * @returns undefined if all words have capitals and no sentence writes one without: perhaps a person
 */
function inSentenceCase({ passages }: Turn, { question, heading, document: { id, textLanguage } }: Candidate): string | undefined {
  const own = passages.flatMap(({ document, text }) => (document.id === id ? [text.replace(/^#.*$/gm, '')] : [])).join('\n');
  const words = rawWords(heading);
  const written = new Set(rawWords(own));
  const inSentences = new Set(own.match(/(?<=[\p{Ll},][ -])\p{Lu}\p{Ll}+(?!\p{L})/gu));
  const isTitle = words.length > 1 && words.every((word) => /^\p{Lu}/u.test(word));
  if (textLanguage !== 'de' && isTitle && !words.some((word) => written.has(word.toLowerCase()))) return undefined;
  if (textLanguage !== 'en') return question;
  return question.replace(/(?<!^|\p{L})\p{Lu}\p{Ll}+(?!\p{L})/gu, (word) => (inSentences.has(word) ? word : word.toLowerCase()));
}

export function createSuggest(
  namespaces: Pick<Namespaces, 'get'>,
  retriever: Retriever,
  onWarning: (message: string, error: unknown) => void,
): Suggest {
  const states = new WeakMap<Namespace, State>();
  const takeTurn = createLoopScheduler();

  async function search(name: string, question: string): Promise<Turn> {
    const turn: Turn = { question, earlier: [], background: undefined, smallTalk: undefined, namespace: name, toolUses: [], passages: [] };
    addSearch(turn, 'suggestion', question, await retriever.search(name, question, maxPassages));
    return turn;
  }

  /** @returns the candidate as it is shown, if it is answered */
  async function tried(name: string, candidate: Candidate): Promise<Candidate[]> {
    const first = await search(name, candidate.question);
    const question = inSentenceCase(first, candidate);
    if (question === undefined) return [];
    const turn = question === candidate.question ? first : await search(name, question);
    const isKept = turn.passages.length > 0 && (await takeTurn(name, async () => isAnswered(turn, candidate)));
    return isKept ? [{ ...candidate, question }] : [];
  }

  async function make(name: string, namespace: Namespace, state: State): Promise<void> {
    const started = performance.now();
    const { textChanges } = namespace;
    const left = await candidatesIn(namespace);
    const kept: Candidate[] = [];
    const isSpread = (one: Candidate) => kept.filter(({ document }) => document.id === one.document.id).length < maxPerDocument;
    for (let tries = 0; tries < maxTries && kept.length < maxSuggestions && left.length > 0; tries++) {
      const [candidate] = left.splice(Math.max(0, left.findIndex(isSpread)), 1);
      if (candidate) kept.push(...(await tried(name, candidate)));
    }
    Object.assign(state, { textChanges, suggestions: kept, notBefore: performance.now() + (performance.now() - started) / maxShare });
  }

  function remake(name: string, namespace: Namespace, state: State): Promise<void> {
    state.making ??= outOfRequest(() => make(name, namespace, state))
      .catch((error: unknown) => {
        state.notBefore = performance.now() + maxWaitMs;
        onWarning('Suggested questions could not be made. A later request tries again.', error);
      })
      .finally(() => {
        state.making = undefined;
      });
    return Promise.race([state.making, sleep(maxWaitMs, undefined, { ref: false })]);
  }

  return async (name, limit) => {
    const namespace = await namespaces.get(name);
    const state = states.get(namespace) ?? { notBefore: 0, suggestions: [] };
    states.set(namespace, state);
    if (state.textChanges !== namespace.textChanges && performance.now() >= state.notBefore) await remake(name, namespace, state);
    const current = state.suggestions.flatMap(({ question, document: { id, revision } }) => {
      const now = namespace.document(id)?.document;
      return now?.revision === revision ? [{ question, documentId: id, title: now.title }] : [];
    });
    return current.slice(0, limit);
  };
}
