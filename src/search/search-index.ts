/** A namespace as it is searched: query → planned terms → the engine's hits, and how surely they cover it. */
import type { Thesaurus } from '../language/synonyms.ts';
import { surprisalOf } from '../language/word-frequency.ts';
import { type PlannedTerm, planConversation } from './query-plan.ts';
import { rerankedChunks } from './scoring.ts';
import type { EngineHit, EngineIndex, SearchOutcome, TermStatistics } from './search-engine.ts';

export type SearchIndex = ReturnType<typeof createSearchIndex>;

/**
 * Coverage: how surely the documents speak of what is asked. Three signals of the best chunks, put together by a logistic curve that was fitted
 * on public collections and on support questions over three sets of documents (bench/README.md: kept and turned away at each threshold):
 *
 * share    of the query's words that one chunk holds, each by what it says: its idf in the documents times how seldom people
 *          say it at all. That `Mongolia` is missing says more than that `nicked` is.
 * strength the best chunk's score over what a chunk that is all about the query would have
 * matched  how many words it holds, up to four: one word may be there by chance, four hardly
 */
const intercept = -4.3;
const shareWeight = 3.6;
const strengthWeight = 2.7;
const matchedWeight = 4;
const enoughWords = 4;

/** Added to each idf: among few chunks the idf of all words is small, and says little. */
const priorIdf = 2;

/** Words below this many bits say little wherever they stand, those above the other say all that a word can. */
const minBits = 8;
const maxBits = 18;
const minInformation = 0.2;
/** The best chunks among which one may hold more than the first. */
const judgedChunks = 5;
/** Score of a chunk that is all about the query, over the sum of the idf. */
const idealScore = 3;

/** How much a word says by itself, whatever the documents are; words that are not English say as much as any. */
const informationOf = (word: string): number => Math.min(1, Math.max(minInformation, (surprisalOf(word) - minBits) / (maxBits - minBits)));

/**
 * @param best of each of the best chunks, the first first: per planned term how surely it speaks of the word, 0 to 1
 * @param score of the first of them
 * @returns 0 to 1
 */
function coverageOf(planned: readonly PlannedTerm[], best: readonly ArrayLike<number>[], score: number): number {
  const [first] = best;
  if (!first || planned.length === 0) return 0;
  // A compound whose parts are asked for as well need not be found as a whole.
  const worths = planned.map(({ idf, word }) => (word.isWhole ? 0 : (idf + priorIdf) * informationOf(word.word)));
  const whole = worths.reduce((sum, worth) => sum + worth, 0);
  const ideal = idealScore * planned.reduce((sum, { idf }) => sum + idf, 0);
  const worthOf = (chunk: ArrayLike<number>) => worths.reduce((sum, worth, at) => sum + worth * (chunk[at] as number), 0);
  const share = whole === 0 ? 1 : Math.max(...best.map(worthOf)) / whole;
  const matched = Math.min(enoughWords, Array.from(first).filter((weight) => weight > 0).length) / enoughWords;
  const evidence = intercept + shareWeight * share + (strengthWeight * score) / ideal + matchedWeight * matched;
  return 1 / (1 + Math.exp(-evidence));
}

/** Of each hit: per planned term how surely the chunk speaks of it, 0 to 1. A term that may stand for two words stands for the one for which it is worth more. */
function certaintiesOf(planned: readonly PlannedTerm[], hits: readonly EngineHit[]): Float64Array[] {
  const alternatives = planned.flatMap((term, position) => term.alternatives.map((one) => ({ ...one, position })));
  alternatives.sort((a, c) => a.impact - c.impact);
  const meant = new Map(alternatives.map((one) => [one.term, one]));
  return hits.map(({ matched }) => {
    const certainties = new Float64Array(planned.length);
    for (const term of matched) {
      const found = meant.get(term);
      if (found) certainties[found.position] = Math.max(certainties[found.position] as number, found.certainty);
    }
    return certainties;
  });
}

/** @param synonyms an operator's own, as they are at the moment of a search */
export function createSearchIndex(index: TermStatistics & Pick<EngineIndex, 'search'>, synonyms?: () => Thesaurus | undefined) {
  return {
    /**
     * At most `limit` hits. No match is an empty list.
     * @param background what the conversation was about: it counts less, and for coverage only where the query has no words of its own
     */
    async search(query: string, limit: number, background = '', signal?: AbortSignal): Promise<SearchOutcome> {
      const planned = await planConversation(query, background, { index, synonyms: synonyms?.() });
      const found = await index.search({ terms: planned, limit: Math.max(rerankedChunks, limit), signal });
      const certainties = certaintiesOf(planned, found.slice(0, judgedChunks));
      // What was asked before is no evidence for what is asked now.
      const own = planned.map((_, position) => position).filter((position) => !planned[position]?.isBackground);
      const ownOf = <Item>(of: ArrayLike<Item>) => own.map((position) => of[position] as Item);
      return {
        hits: found.slice(0, limit).map(({ documentId, chunk, score }) => ({ documentId, chunk, score })),
        coverage: coverageOf(ownOf(planned), certainties.map(ownOf), found[0]?.score ?? 0),
        asked: planned.map(({ word, alternatives, idf, isBackground = false }) => ({
          word: word.word,
          forms: alternatives.map(({ term, weight }) => ({ term, weight })),
          idf,
          isName: word.isName,
          isBackground,
        })),
      };
    },
  };
}
