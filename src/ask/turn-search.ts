/**
 * Searches for a turn: first with the question's own words, then, if these may not be enough, with
 * queries that a model writes.
 */
import type { RequestContext } from '@mastra/core/request-context';
import { type Language, languageOf } from '../../packages/shared/src/language/languages.ts';
import type { Passage } from '../documents/document.ts';
import { inToolSpan } from '../trace.ts';
import type { ModelRequests } from './model-requests.ts';
import { isListed } from './reply/sources.ts';
import type { Retriever } from './retriever.ts';
import { docsRetrieverCard, maxPassages } from './search-docs.ts';
import {
  givePassages,
  lastAnswered,
  noteSearch,
  passageBytes,
  type Search,
  searchesOf,
  type Turn,
} from './turn.ts';

export interface TurnSearchOptions {
  readonly retriever: Retriever;
  /** Languages of the documents of a namespace. */
  readonly languagesOf: (namespace: string) => Promise<ReadonlySet<Language>>;
  /** Undefined: no model writes queries. */
  readonly requests: ModelRequests | undefined;
  /** Of every prompt. */
  readonly contextTokens: number;
  /** Whether a search that finds only this is refused. */
  readonly isUncovered: (search: Search) => boolean;
  /** Whether the turn has a place with the model; queries need one too. */
  readonly hasPlace: () => Promise<boolean>;
}

/** Below it, the documents may have an answer in other words (bench/README.md). */
const minCoverageAlone = 0.35;
/** Below it, written queries count as much as the question's own words. */
const minCoverageTrusted = 0.2;
/** Weight of a written query (the question's own words have 1), and constant of the fusion. */
const writtenWeight = 0.5;
const rankConstant = 10;
const maxFused = 8;
/** Best passages of the question's own words, which always stay. */
const ownKept = 3;
/** Shorter questions do not show their language. */
const minWordsOfLanguage = 4;

const isSame = (a: Passage, b: Passage): boolean =>
  a.document.id === b.document.id && a.start < b.end && b.start < a.end;

/** Joins ranked lists by the sum of weight / (constant + rank). @param lists best first */
export function fusedPassages(
  lists: readonly { readonly passages: readonly Passage[]; readonly weight: number }[],
): Passage[] {
  const all: { readonly passage: Passage; score: number }[] = [];
  for (const { passages, weight } of lists)
    for (const [rank, passage] of passages.entries()) {
      const known = all.find((one) => isSame(one.passage, passage));
      const score = weight / (rankConstant + rank + 1);
      if (known) known.score += score;
      else all.push({ passage, score });
    }
  const ranked = all.toSorted((a, b) => b.score - a.score).map(({ passage }) => passage);
  const own = lists[0]?.passages.slice(0, ownKept) ?? [];
  const isOwn = (passage: Passage) => own.some((one) => isSame(one, passage));
  const others = ranked.filter((passage) => !isOwn(passage)).slice(0, maxFused - own.length);
  return ranked.filter((passage) => isOwn(passage) || others.includes(passage));
}

/** Passages of the last answered question that its answer cites, read again. */
async function previousPassages(turn: Turn, { retriever }: TurnSearchOptions): Promise<Passage[]> {
  const last = lastAnswered(turn.earlier);
  if (!last) return [];
  const found = await retriever.search(turn.namespace, last.question, maxPassages);
  const search = noteSearch(turn, last.question, found);
  return search.passages.filter(({ document }) => isListed(document, last.sources));
}

async function mayNeedQueries(turn: Turn, own: Search, options: TurnSearchOptions) {
  if (options.isUncovered(own)) return true;
  if (!options.requests?.isThorough) return false;
  if (turn.background !== undefined || own.coverage < minCoverageAlone) return true;
  if (own.mode === 'hybrid' || turn.question.split(/\s+/).length < minWordsOfLanguage) return false;
  return !(await options.languagesOf(turn.namespace)).has(languageOf(turn.question));
}

/** @throws KnowledgeError `namespace_not_found`, `storage_unavailable` */
export async function searchForTurn(
  turn: Turn,
  options: TurnSearchOptions,
  context: RequestContext | undefined,
): Promise<void> {
  const { retriever, requests, languagesOf, contextTokens } = options;
  const { namespace, question, background } = turn;
  const bytes = passageBytes(turn, contextTokens);
  const search = (query: string, withBackground = background) =>
    inToolSpan(docsRetrieverCard.id, () =>
      retriever.search(namespace, query, maxPassages, withBackground),
    );
  const own = noteSearch(turn, question, await search(question));
  givePassages(turn, own.passages, bytes);
  if (own.passages.length === 0) [turn.documentLanguage] = await languagesOf(namespace);
  const isWanted = requests !== undefined && (await mayNeedQueries(turn, own, options));
  if (!isWanted || !(await options.hasPlace())) return;
  const languages = [...(await languagesOf(namespace))];
  const headings = own.passages.map(({ document, headingPath }) =>
    [document.title, ...headingPath].slice(-2).join(' › '),
  );
  const written = await requests.writeQueries(turn, { languages, headings }, context);
  if (written?.isAboutPrevious) {
    const cited = await previousPassages(turn, options);
    const others = own.passages.filter((one) => !cited.some((known) => isSame(known, one)));
    givePassages(turn, [...cited, ...others].slice(0, maxFused), bytes);
    return;
  }
  const queries = (written?.queries ?? []).filter((query) => query !== question);
  const found = await Promise.all(
    queries.map(async (query) => ({ query, result: await search(query, undefined) })),
  );
  const weight = own.coverage < minCoverageTrusted ? 1 : writtenWeight;
  const more = found.map(({ query, result }) => noteSearch(turn, query, result));
  givePassages(
    turn,
    fusedPassages(
      [own, ...more].map(({ passages }, at) => ({ passages, weight: at > 0 ? weight : 1 })),
    ),
    bytes,
  );
}

export const isNothingFound = (turn: Turn, isUncovered: TurnSearchOptions['isUncovered']) =>
  searchesOf(turn).every(isUncovered);
