/**
 * Second step of a question: searches with its own words, then, if these may not be enough, with
 * queries that a model writes.
 */
import { type Language, languageOf } from '../../packages/shared/src/language/languages.ts';
import { hasUnspaced } from '../../packages/shared/src/language/tokens.ts';
import type { Passage } from '../documents/document.ts';
import { inToolSpan } from '../trace.ts';
import { lastAnswered } from './gate.ts';
import type { ModelRequests } from './model-requests.ts';
import { bytesOf, bytesPerToken, renderHistory } from './prompt.ts';
import { maxContextBytes, type Question, type Search } from './question.ts';
import { doOverlap } from './reply/checked-passage.ts';
import { isListed, listedSources } from './reply/sources.ts';
import type { Retriever } from './retriever.ts';
import { docsRetrieverCard, maxPassages } from './search-docs.ts';

/**
 * Coverage below which a question is refused without a model call, 0 to 1 (bench/README.md:
 * results per threshold). A semantic match may share no word with the question.
 */
export const minCoverage = { lexical: 0.2, hybrid: 0 };

export const isUncovered = ({ coverage, mode }: Search) =>
  coverage < (mode === 'hybrid' ? minCoverage.hybrid : minCoverage.lexical);

export type SearchParts = Readonly<{
  retriever: Retriever;
  /** Languages of the documents of a namespace. */
  languagesOf: (namespace: string) => Promise<ReadonlySet<Language>>;
  /** Undefined: no model writes queries. */
  requests: ModelRequests | undefined;
  /** Of every prompt. */
  contextTokens: number;
}>;

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

/** Joins ranked lists by the sum of weight / (constant + rank). @param lists best first */
export function fusedPassages(
  lists: readonly Readonly<{ passages: readonly Passage[]; weight: number }>[],
) {
  const all: { readonly passage: Passage; score: number }[] = [];
  for (const { passages, weight } of lists)
    for (const [rank, passage] of passages.entries()) {
      const known = all.find((one) => doOverlap(one.passage, passage));
      const score = weight / (rankConstant + rank + 1);
      if (known) known.score += score;
      else all.push({ passage, score });
    }
  const ranked = all.toSorted((a, b) => b.score - a.score).map(({ passage }) => passage);
  const own = lists[0]?.passages.slice(0, ownKept) ?? [];
  const isOwn = (passage: Passage) => own.some((one) => doOverlap(one, passage));
  const others = ranked.filter((passage) => !isOwn(passage)).slice(0, maxFused - own.length);
  return ranked.filter((passage) => isOwn(passage) || others.includes(passage));
}

/** Instructions, labels and fences. */
const promptBytes = 2_500;
/** The reply, which the request to rewrite it repeats. */
const replyBytes = 4_000;
const minContextBytes = 4_000;

/** Earlier messages of a prompt. @param contextTokens of the prompt, with room for passages */
export function historyOf({ text, asked }: Question, contextTokens: number) {
  const others = promptBytes + replyBytes + minContextBytes + Buffer.byteLength(text);
  return renderHistory(asked.earlier, contextTokens * bytesPerToken - others);
}

/** Bytes for passages, without the question and its history. @param contextTokens of a prompt */
function passageBytes(question: Question, contextTokens: number) {
  const history = bytesOf(historyOf(question, contextTokens));
  const used = promptBytes + replyBytes + Buffer.byteLength(question.text) + history;
  return Math.max(minContextBytes, Math.min(maxContextBytes, contextTokens * bytesPerToken - used));
}

/** Passages that the last answer cites, read again. */
async function previousPassages(question: Question, retriever: Retriever) {
  const last = lastAnswered(question.asked.earlier);
  if (!last) return [];
  const listedBy = async (query: string) => {
    const found = await retriever.search(question.namespace, query, maxPassages);
    const { passages } = question.noteSearch(query, found);
    return passages.filter(({ document }) => isListed(document, last.sources));
  };
  const found = await listedBy(last.question);
  // The question may be in another language than the documents.
  const labels = listedSources(last.sources).map(({ label }) => label);
  return found.length > 0 || labels.length === 0 ? found : listedBy(labels.join('\n'));
}

async function mayNeedQueries(question: Question, own: Search, parts: SearchParts) {
  if (isUncovered(own)) return true;
  if (!parts.requests?.isThorough) return false;
  if (question.asked.background !== undefined || own.coverage < minCoverageAlone) return true;
  const { text } = question;
  const isShort = !hasUnspaced(text) && text.split(/\s+/).length < minWordsOfLanguage;
  if (own.mode === 'hybrid' || isShort) return false;
  return !(await parts.languagesOf(question.namespace)).has(languageOf(text));
}

/**
 * @param hasPlace whether the question has a place with the model; queries need one too
 * @throws KnowledgeError `namespace_not_found`, `storage_unavailable`
 */
export async function searchDocuments(
  question: Question,
  parts: SearchParts,
  hasPlace: () => Promise<boolean>,
) {
  const { retriever, requests, languagesOf, contextTokens } = parts;
  const { namespace, text, asked } = question;
  const bytes = passageBytes(question, contextTokens);
  const search = (query: string, background = asked.background) =>
    inToolSpan(docsRetrieverCard.id, () =>
      retriever.search(namespace, query, maxPassages, background),
    );
  const own = question.noteSearch(text, await search(text));
  question.givePassages(own.passages, bytes);
  if (own.passages.length === 0) [question.documentLanguage] = await languagesOf(namespace);
  const isWanted = requests !== undefined && (await mayNeedQueries(question, own, parts));
  if (!isWanted || !(await hasPlace())) return;
  const languages = [...(await languagesOf(namespace))];
  const headings = own.passages.map(({ document, headingPath }) =>
    [document.title, ...headingPath].slice(-2).join(' › '),
  );
  const written = await requests.writeQueries(question, { languages, headings });
  if (written?.isAboutPrevious) {
    const cited = await previousPassages(question, retriever);
    const others = own.passages.filter((one) => !cited.some((known) => doOverlap(known, one)));
    question.givePassages([...cited, ...others].slice(0, maxFused), bytes);
    return;
  }
  const queries = (written?.queries ?? []).filter((query) => query !== text);
  const found = await Promise.all(
    queries.map(async (query) => ({ query, result: await search(query, undefined) })),
  );
  const weight = own.coverage < minCoverageTrusted ? 1 : writtenWeight;
  const more = found.map(({ query, result }) => question.noteSearch(query, result));
  question.givePassages(
    fusedPassages(
      [own, ...more].map(({ passages }, at) => ({ passages, weight: at > 0 ? weight : 1 })),
    ),
    bytes,
  );
}
