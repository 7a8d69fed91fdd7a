/**
 * Searches a namespace by words: plans the query, searches the engine, and measures how well the
 * hits cover the query.
 */
import type { Thesaurus } from '../../packages/shared/src/language/synonyms.ts';
import { type PlannedTerm, planConversation } from './query-plan.ts';
import { rerankedChunks } from './scoring.ts';
import type { EngineHit, EngineIndex, Hit, QueryTerm, TermStatistics } from './search-engine.ts';
import { informationOf } from './word-frequency.ts';

/**
 * Coverage: how well the documents cover the question. A logistic regression over three signals of
 * the best chunks, fitted on public collections and support questions (bench/README.md):
 *
 * share    share of the query's words in one chunk, weighted by idf and by rarity in English: a missing `Mongolia` counts more than a
 *          missing `nicked`
 * strength score of the best chunk, relative to an ideal chunk
 * matched  number of words in the best chunk, up to four: one word may match by chance
 */
const intercept = -4.3;
const shareWeight = 3.6;
const strengthWeight = 2.7;
const matchedWeight = 4;
const enoughWords = 4;

/** Added to each idf, because with few chunks the idf of all words is small. */
const priorIdf = 2;

/** Number of best chunks in which `share` is measured. */
const judgedChunks = 5;
/** Score of an ideal chunk, relative to the sum of the idf. */
const idealScore = 3;

/**
 * @param best for each of the best chunks, best first, the certainty per planned term, 0 to 1
 * @param score score of the best chunk
 * @returns 0 to 1
 */
function coverageOf(
  planned: readonly PlannedTerm[],
  best: readonly ArrayLike<number>[],
  score: number,
) {
  const [first] = best;
  if (!first || planned.length === 0) return 0;
  // Optional words, such as a compound whose parts follow, do not count.
  const worths = planned.map(({ idf, word }) =>
    word.isOptional ? 0 : (idf + priorIdf) * informationOf(word.word),
  );
  const whole = worths.reduce((sum, worth) => sum + worth, 0);
  const ideal = idealScore * planned.reduce((sum, { idf }) => sum + idf, 0);
  const worthOf = (chunk: ArrayLike<number>) =>
    worths.reduce((sum, worth, at) => sum + worth * (chunk[at] as number), 0);
  const share = whole === 0 ? 1 : Math.max(...best.map(worthOf)) / whole;
  const matched =
    Math.min(enoughWords, Array.from(first).filter((weight) => weight > 0).length) / enoughWords;
  const evidence =
    intercept + shareWeight * share + (strengthWeight * score) / ideal + matchedWeight * matched;
  return 1 / (1 + Math.exp(-evidence));
}

/**
 * Returns the certainty, 0 to 1, per hit and planned word. A term that two words have counts for the
 * one with the higher impact, unless it stands for both (`login` for `log` and `in`).
 */
function certaintiesOf(planned: readonly PlannedTerm[], hits: readonly EngineHit[]) {
  const alternatives = planned.flatMap((term, position) =>
    term.alternatives.map((one) => ({ ...one, position })),
  );
  alternatives.sort((a, c) => c.impact - a.impact);
  const meant = Map.groupBy(alternatives, ({ term }) => term);
  return hits.map(({ matched }) => {
    const certainties = new Float64Array(planned.length);
    for (const term of matched) {
      const [first, ...others] = meant.get(term) ?? [];
      for (const { position, certainty } of first
        ? [first, ...others.filter(({ isShared }) => isShared)]
        : [])
        certainties[position] = Math.max(certainties[position] as number, certainty);
    }
    return certainties;
  });
}
export class SearchIndex {
  readonly #index;
  readonly #synonyms;

  /** @param synonyms returns the operator's current synonyms */
  constructor(
    index: TermStatistics & Pick<EngineIndex, 'search'>,
    synonyms: () => Thesaurus | undefined = () => undefined,
  ) {
    this.#index = index;
    this.#synonyms = synonyms;
  }

  /**
   * Returns at most `limit` hits, best first; equal scores by document id and chunk. `coverage`: how
   * well the documents cover the question, 0 to 1; 0 without hits.
   * @param background topic of the conversation: it weighs less, and adds to coverage only if the
   * query has no words of its own
   */
  async search(query: string, limit: number, background = '') {
    const planned = await planConversation(query, background, this.#index, this.#synonyms());
    const found = await this.#index.search({
      terms: planned,
      limit: Math.max(rerankedChunks, limit),
    });
    const certainties = certaintiesOf(planned, found.slice(0, judgedChunks));
    // Words of earlier questions do not count for coverage.
    const isOwn = (_: unknown, position: number) => !planned[position]?.isBackground;
    const ownCertainties = certainties.map((one) => one.filter(isOwn));
    return {
      hits: found
        .slice(0, limit)
        .map(({ documentId, chunk, score }): Hit => ({ documentId, chunk, score })),
      coverage: coverageOf(planned.filter(isOwn), ownCertainties, found[0]?.score ?? 0),
      asked: planned.map(
        ({ word, alternatives, idf, isBackground = false }): QueryTerm => ({
          word: word.word,
          forms: alternatives.map(({ term, weight }) => ({ term, weight })),
          idf,
          isName: word.isName,
          isBackground,
          isOptional: word.isOptional,
        }),
      ),
    };
  }
}
