/** Suggests questions that the service answers: made from headings of the documents, and tried without a model and without being stored. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLoopScheduler, createTimeSlicer } from '../../concurrency/time-slicer.ts';
import type { Document } from '../../documents/document.ts';
import type { Namespace } from '../../documents/namespace.ts';
import type { IndexedDocument } from '../../documents/namespace-snapshot.ts';
import type { Namespaces } from '../../documents/namespaces.ts';
import { headingQuestion } from '../../language/heading-questions.ts';
import { fold } from '../../language/languages.ts';
import { rawWords } from '../../language/tokens.ts';
import { outOfRequest } from '../../trace.ts';
import type { Retriever } from '../search/retriever.ts';
import { maxPassages } from '../search/search-docs.ts';
import { quotedAnswer } from './extractive-reply.ts';
import { maxAnswerSentences } from './prompt.ts';
import { addSearch, type Turn } from './turn.ts';

export type Suggestion = Readonly<{ question: string; documentId: string; title: string }>;
/** @throws KnowledgeError `namespace_not_found` */
export type Suggest = (namespace: string, limit: number) => Promise<Suggestion[]>;

export const maxSuggestions = 6;
const maxTries = 24;
/** From one document, if others have some too. */
const maxPerDocument = 2;
/** Documents and headings that are examined; of more documents, evenly distributed ones. */
const maxDocuments = 200;
const maxHeadings = 100;
/** Maximum share of time that one namespace takes, 0 to 1, while its documents change. */
const maxShare = 0.05;
/** A caller waits no longer for new suggestions, and gets those of before. */
const maxWaitMs = 5_000;

interface Candidate {
  readonly question: string;
  readonly heading: string;
  readonly document: Document;
  /** Lower is better: its rank, and one more for each better one of its document. */
  readonly cost: number;
}

interface Made {
  /** Version of the texts; undefined if making them failed. */
  readonly textChanges: number | undefined;
  /** Earliest time of the next try. */
  readonly notBefore: number;
  readonly suggestions: readonly Candidate[];
}

function candidatesOf({ document, chunks }: IndexedDocument): Candidate[] {
  const headings = new Set(chunks.slice(0, maxHeadings).flatMap(({ headingPath }) => headingPath.slice(-2)));
  const asked = [...headings].flatMap((heading) => {
    const made = headingQuestion(heading, document.textLanguage);
    return made ? [{ ...made, heading, document }] : [];
  });
  return asked.toSorted((a, b) => a.rank - b.rank).map((one, before) => ({ ...one, cost: one.rank * 2 + before }));
}

/** Best first, each question once. */
async function candidatesIn(namespace: Namespace): Promise<Candidate[]> {
  const all = namespace.sortedDocuments();
  const pause = createTimeSlicer();
  const step = Math.max(1, all.length / maxDocuments);
  const candidates = new Map<string, Candidate>();
  for (let at = 0; at < all.length; at += step) {
    for (const one of candidatesOf(all[Math.floor(at)] as IndexedDocument))
      if ((candidates.get(fold(one.question))?.cost ?? Number.POSITIVE_INFINITY) > one.cost) candidates.set(fold(one.question), one);
    await pause();
  }
  return [...candidates.values()].toSorted((a, b) => a.cost - b.cost);
}

/** Whether an answer comes from the section of the heading. */
function isAnswered(turn: Turn, { heading, document }: Candidate): boolean {
  const { reason, citations } = quotedAnswer(turn, maxAnswerSentences);
  const { passage } = citations[0] ?? {};
  return reason === 'answered' && passage?.document.id === document.id && passage.headingPath.includes(heading);
}

const capitalized = /(?<!^|[\p{L}-])\p{Lu}\p{Ll}+(?!\p{L})/gu;
const occursAfter = (before: string, word: string, text: string) => new RegExp(`(?<=${before})${word}(?!\\p{L})`, 'u').test(text);
const inSentence = String.raw`[\p{Ll},] `;

/**
 * Writes words of an English heading like the sentences of its document: `Refund Policy` as `refund policy`, but `Microsoft Teams`.
 * @returns undefined if all words have capitals and no sentence writes one without: perhaps a person
 */
function inSentenceCase({ passages }: Turn, { question, heading, document }: Candidate): string | undefined {
  const own = passages.flatMap((passage) => (passage.document.id === document.id ? [passage.text] : []));
  const text = own.join('\n').replace(/^#.*$/gm, '');
  const words = rawWords(heading);
  const isTitle = words.length > 1 && words.every((word) => /^\p{Lu}/u.test(word));
  if (document.textLanguage !== 'de' && isTitle && !words.some((word) => occursAfter('\\P{L}', word.toLowerCase(), text))) return undefined;
  if (document.textLanguage !== 'en') return question;
  return question.replace(capitalized, (word, at: number) => {
    const before = /\S+ $/.exec(question.slice(0, at))?.[0];
    const isKept = before !== undefined && /^\p{Lu}/u.test(before) && text.includes(before + word);
    const lower = word.toLowerCase();
    return isKept || (occursAfter(inSentence, word, text) && !occursAfter(inSentence, lower, text)) ? word : lower;
  });
}

/** @param onWarning receives a failed search or check; other namespaces are not affected */
export function createSuggest(
  namespaces: Pick<Namespaces, 'get'>,
  retriever: Retriever,
  onWarning: (message: string, error: unknown) => void,
): Suggest {
  const known = new WeakMap<Namespace, Made>();
  const making = new WeakMap<Namespace, Promise<void>>();
  const takeTurn = createLoopScheduler();

  async function search(name: string, question: string): Promise<Turn> {
    const turn: Turn = { question, earlier: [], background: undefined, smallTalk: undefined, namespace: name, toolUses: [], passages: [] };
    addSearch(turn, 'suggestion', question, await retriever.search(name, question, maxPassages));
    return turn;
  }

  /** @returns the candidate as it is shown, if it is answered */
  async function tried(name: string, candidate: Candidate): Promise<Candidate | undefined> {
    const turn = await search(name, candidate.question);
    const isSure = (of: Turn) => of.passages.length > 0 && takeTurn(name, async () => isAnswered(of, candidate));
    if (!(await isSure(turn))) return undefined;
    const question = inSentenceCase(turn, candidate);
    if (question === undefined) return undefined;
    if (question !== candidate.question && !(await isSure(await search(name, question)))) return candidate;
    return { ...candidate, question };
  }

  async function keptOf(name: string, namespace: Namespace): Promise<Candidate[]> {
    const left = new Set(await candidatesIn(namespace));
    const kept: Candidate[] = [];
    const mayKeep = ({ document: { id } }: Candidate, most: number) => kept.filter(({ document }) => document.id === id).length < most;
    const next = () => {
      const all = [...left];
      return all.find((one) => mayKeep(one, maxPerDocument)) ?? all[0];
    };
    for (let tries = 0; tries < maxTries && kept.length < maxSuggestions; tries++) {
      const candidate = next();
      if (!candidate) break;
      left.delete(candidate);
      const found = await tried(name, candidate);
      if (found) kept.push(found);
    }
    return kept;
  }

  async function make(name: string, namespace: Namespace): Promise<void> {
    const { textChanges } = namespace;
    const started = performance.now();
    const suggestions = await keptOf(name, namespace).catch((error: unknown) => {
      onWarning('Suggested questions could not be made. A later request tries again.', error);
      return undefined;
    });
    const ended = performance.now();
    const made = suggestions
      ? { textChanges, suggestions }
      : { textChanges: undefined, suggestions: known.get(namespace)?.suggestions ?? [] };
    known.set(namespace, { ...made, notBefore: ended + (ended - started) / maxShare });
    making.delete(namespace);
  }

  return async (name, limit) => {
    const namespace = await namespaces.get(name);
    const { textChanges, notBefore = 0 } = known.get(namespace) ?? {};
    if (textChanges !== namespace.textChanges && performance.now() >= notBefore) {
      const made = making.get(namespace) ?? outOfRequest(() => make(name, namespace));
      making.set(namespace, made);
      await Promise.race([made, sleep(maxWaitMs, undefined, { ref: false })]);
    }
    const current = (known.get(namespace)?.suggestions ?? []).flatMap(({ question, document: { id, revision } }) => {
      const now = namespace.document(id)?.document;
      return now?.revision === revision ? [{ question, documentId: id, title: now.title }] : [];
    });
    return current.slice(0, limit);
  };
}
