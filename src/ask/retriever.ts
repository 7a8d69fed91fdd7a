/**
 * Searches passages. The text is read from the stored file and compared with the indexed revision,
 * so a passage is always `slice(start, end)` of a file with that hash, even during edits. Duplicate
 * passages are omitted.
 */

import { LRUCache } from 'lru-cache';
import { type ErrorCode, KnowledgeError } from '../../packages/shared/src/errors.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { tableHeaderAt } from '../../packages/shared/src/language/table-header.ts';
import { type Chunk, foundTextOf, type Passage } from '../documents/document.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { Namespace } from '../documents/namespace.ts';
import type { IndexedDocument } from '../documents/namespace-snapshot.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import type { Reranker } from '../models/reranker.ts';
import { fuse } from '../search/fusion.ts';
import type { Hit, QueryTerm } from '../search/search-engine.ts';
import type { SemanticIndexes } from '../search/vectors/semantic-index.ts';
import { inStage } from '../trace.ts';

export type Retrieved = Readonly<{
  passages: readonly Passage[];
  /** How well the documents cover the question, 0 to 1. */
  coverage: number;
  asked: readonly QueryTerm[];
  mode: 'lexical' | 'hybrid';
  degraded: ErrorCode | undefined;
}>;

export type Retriever = ReturnType<typeof createRetriever>;

/** TEI accepts 32 texts by default. */
const maxReranked = 32;
/** Many rerankers read 512 tokens. */
const maxRerankedChars = 2_000;

/** Hits per passage, because many hits are duplicates or parts of one passage. */
const hitsPerPassage = 3;
const minHits = 60;
const maxCachedChars = 16_000_000;
/**
 * If a document changes during a search, it is indexed again and the search is repeated, at most
 * this often. Then its hits are omitted.
 */
const maxRepeats = 2;

type Found = Omit<Retrieved, 'passages'> & { readonly hits: readonly Hit[] };

interface RankedChunks {
  readonly entry: IndexedDocument;
  first: number;
  last: number;
  readonly score: number;
}

const maxJoinedChars = 4_000;
const isSameSection = (a: Chunk, b: Chunk) =>
  a.headingPath === b.headingPath || (a.anchor === b.anchor && a.page === b.page);

function joins(passage: RankedChunks, { documentId, chunk }: Hit) {
  const { chunks, document } = passage.entry;
  if (document.id !== documentId || (chunk !== passage.last + 1 && chunk !== passage.first - 1))
    return false;
  const own = chunks[chunk];
  const first = chunks[passage.first];
  const last = chunks[passage.last];
  if (!own || !first || !last || !isSameSection(first, own)) return false;
  if (Math.max(last.end, own.end) - Math.min(first.start, own.start) > maxJoinedChars) return false;
  if (chunk > passage.last) passage.last = chunk;
  else passage.first = chunk;
  return true;
}

/** Merges adjacent chunks of a section into passages. @param hits best first @returns best first */
export function toPassages(
  hits: readonly Hit[],
  entryOf: (documentId: string) => IndexedDocument | undefined,
): RankedChunks[] {
  const passages: RankedChunks[] = [];
  for (const hit of hits) {
    const entry = entryOf(hit.documentId);
    if (!entry || passages.some((passage) => joins(passage, hit))) continue;
    passages.push({ entry, first: hit.chunk, last: hit.chunk, score: hit.score });
  }
  return passages;
}

/**
 * Passages are extended to this many UTF-16 units, because answers often follow the matching text
 * (bench/README.md: the answer is in the first passage for 28 of 72 questions, without extension
 * for 24).
 */
const minPassageChars = 1_200;

function endOf(passage: RankedChunks, ranked: readonly RankedChunks[]) {
  const { entry, first, last } = passage;
  const start = entry.chunks[first]?.start ?? 0;
  let until = last;
  while ((entry.chunks[until]?.end ?? 0) - start < minPassageChars && entry.chunks[until + 1]) {
    const found = ranked.find(
      (one) => one.entry === entry && one.first <= until + 1 && until + 1 <= one.last,
    );
    if (found && ranked.indexOf(found) < ranked.indexOf(passage)) break;
    const next = found?.last ?? until + 1;
    if ((entry.chunks[next]?.end ?? 0) - start > maxJoinedChars) break;
    until = next;
  }
  return until;
}

export function toPassage(
  { entry, first, last, score }: RankedChunks,
  text: string,
  until = last,
): Passage | undefined {
  const from = entry.chunks[first];
  const found = entry.chunks[last];
  const to = entry.chunks[until];
  if (!from || !found || !to) return undefined;
  const { document } = entry;
  const chunkId = `${document.id}-${first === last ? first : `${first}-${last}`}`;
  const sections = entry.chunks.slice(first, until + 1).filter((chunk, at, all) => {
    const before = all[at - 1];
    return !before || !isSameSection(before, chunk);
  });
  const tableHeader = tableHeaderAt(text, from.start);
  return {
    ...from,
    ...(until !== last && {
      foundEnd: found.end,
      sections: sections.map(({ end: _, ...section }) => section),
    }),
    ...(tableHeader && { tableHeader }),
    ...(first === 0 && entry.about && { about: entry.about }),
    end: to.end,
    chunkId,
    document,
    text: text.slice(from.start, to.end),
    score,
  };
}

/**
 * If an extended passage already contains these chunks, moves its `foundEnd` to include them.
 * @returns whether there is one
 */
function mergeIntoPassage(passages: Passage[], { entry, first, last }: RankedChunks) {
  const from = entry.chunks[first];
  const to = entry.chunks[last];
  const at = passages.findIndex(
    ({ document, start, end }) =>
      from && to && document.id === entry.document.id && start <= from.start && to.end <= end,
  );
  const passage = passages[at];
  if (!passage || !to) return false;
  passages[at] = { ...passage, foundEnd: Math.max(passage.foundEnd ?? passage.end, to.end) };
  return true;
}

/**
 * Returns equal texts for passages that differ only in case, spaces and emphasis, but not in a
 * figure, unit or word.
 */
export const normalizeForComparison = (text: string) =>
  text
    .toLowerCase()
    .replace(/[\s*`]+/g, ' ')
    .replace(/^ | ?\.? ?$/g, '');

interface Missed {
  isStale: boolean;
  failure: unknown;
}

function createTextReader(store: Pick<DocumentStore, 'stampNow'>) {
  const texts = new LRUCache<string, Readonly<{ stamp: string; text: string }>>({
    maxSize: maxCachedChars,
    sizeCalculation: ({ text }) => Math.min(text.length + 1, maxCachedChars),
  });

  return async ({ document, stamp }: IndexedDocument, namespace: Namespace, missed: Missed) => {
    const { file, id, revision } = document;
    try {
      const cached = texts.get(id);
      if (cached?.stamp === stamp && store.stampNow(document.namespace, file) === stamp)
        return cached.text;
      const stored = await namespace.read(file);
      if (stored?.revision === revision) {
        if (stored.stamp === stamp) texts.set(id, { stamp, text: stored.text });
        return stored.text;
      }
      missed.isStale = true;
      await namespace.refresh(file);
    } catch (error) {
      missed.failure = error;
    }
    return undefined;
  };
}

export interface Background {
  readonly text: string;
  /**
   * Whether the query is incomplete without the background. If false, it is short but may be
   * complete.
   */
  readonly isNeeded: boolean;
}

/**
 * Puts the best hit of the query itself first, so that hits of the background do not displace an
 * answer.
 */
function ownFirst([own]: readonly Hit[], hits: readonly Hit[]) {
  if (!own) return hits;
  const others = hits.filter(
    ({ documentId, chunk }) => documentId !== own.documentId || chunk !== own.chunk,
  );
  return [{ ...own, score: Math.max(own.score, hits[0]?.score ?? 0) }, ...others];
}

/**
 * For a query that may be complete, coverage counts only its own words; the background adds
 * passages.
 */
async function searchWords(
  { index }: Namespace,
  query: string,
  depth: number,
  background: Background | undefined,
) {
  const found = await index.search(query, depth, background?.text);
  if (!background || background.isNeeded) return found;
  const own = await index.search(query, 1);
  return { ...own, hits: ownFirst(own.hits, found.hits) };
}

function toRankedText({ document, headingPath, text }: Passage) {
  const above = headingPath[0] === document.title ? headingPath : [document.title, ...headingPath];
  return `${above.join(' > ')}\n\n${text}`.slice(0, maxRerankedChars).toWellFormed();
}

/**
 * Passages keep their text and offsets; the scores stay with the ranks, because other parts compare
 * them with the best.
 */
async function inNewOrder(
  reranker: Pick<Reranker, 'order'> | undefined,
  passages: readonly Passage[],
  query: string,
  background: Background | undefined,
) {
  const ranked = passages.slice(0, maxReranked);
  if (!reranker || ranked.length < 2) return passages;
  const whole = background?.isNeeded ? `${background.text} ${query}` : query;
  const asked = withoutInvisible(whole).slice(0, maxRerankedChars).toWellFormed();
  const order = await reranker.order(asked, ranked.map(toRankedText));
  if (!order) return passages;
  const reordered = [...order.flatMap((at) => ranked[at] ?? []), ...passages.slice(maxReranked)];
  return reordered.map((passage, at) => ({
    ...passage,
    score: passages[at]?.score ?? passage.score,
  }));
}

export function createRetriever(
  namespaces: Namespaces,
  store: Pick<DocumentStore, 'stampNow'>,
  semantic?: Pick<SemanticIndexes, 'of'>,
  reranker?: Pick<Reranker, 'order'>,
) {
  const textOf = createTextReader(store);

  /**
   * Fuses the hits of both searches. Returns only lexical hits if vectors are not configured or not
   * available.
   */
  async function find(
    name: string,
    namespace: Namespace,
    query: string,
    limit: number,
    background: Background | undefined,
  ): Promise<Found> {
    const depth = Math.max(minHits, limit * hitsPerPassage);
    const asking = semantic
      ?.of(name)
      .search(withoutInvisible(query), depth)
      .then(
        (found) => ({ ...found, degraded: undefined }),
        (error: unknown) => ({
          hits: [],
          share: 0,
          degraded: error instanceof KnowledgeError ? error.code : ('model_failed' as const),
        }),
      );
    const outcome = await searchWords(namespace, query, depth, background);
    const near = await asking;
    if (!near || near.share === 0) return { ...outcome, mode: 'lexical', degraded: near?.degraded };
    const hits = fuse(outcome.hits, near.hits, depth);
    return { ...outcome, hits, mode: 'hybrid', degraded: undefined };
  }

  /** @returns also why files of the hits were not read */
  async function read(hits: readonly Hit[], namespace: Namespace, limit: number) {
    const passages: Passage[] = [];
    const said = new Set<string>();
    const missed: Missed = { isStale: false, failure: undefined };
    const all = toPassages(hits, (id) => namespace.document(id));
    for (const ranked of all) {
      if (mergeIntoPassage(passages, ranked)) continue;
      if (passages.length === limit) break;
      const text = await textOf(ranked.entry, namespace, missed);
      if (text === undefined) continue;
      const passage = toPassage(ranked, text, endOf(ranked, all));
      if (!passage || said.has(normalizeForComparison(foundTextOf(passage)))) continue;
      said.add(normalizeForComparison(foundTextOf(passage)));
      passages.push(passage);
    }
    return { passages, ...missed };
  }

  const minRead = reranker ? maxReranked : 0;

  async function search(
    name: string,
    query: string,
    limit: number,
    background?: Background,
  ): Promise<Retrieved> {
    const namespace = await namespaces.get(name);
    for (let repeat = 0; ; repeat++) {
      const { hits, coverage, ...found } = await find(name, namespace, query, limit, background);
      const most = Math.max(limit, minRead);
      const { passages, isStale, failure } = await read(hits, namespace, most);
      if (isStale && repeat < maxRepeats) continue;
      if (passages.length === 0 && failure !== undefined && !isStale) throw failure;
      const ordered = await inNewOrder(reranker, passages, query, background);
      const best = ordered.slice(0, limit);
      return { passages: best, coverage: best.length === 0 ? 0 : coverage, ...found };
    }
  }

  return {
    /**
     * @param limit maximum number of passages @throws KnowledgeError `namespace_not_found`,
     * `storage_unavailable`
     */
    search: (...asked: Parameters<typeof search>) => inStage('search', () => search(...asked)),
  };
}
