/**
 * Scoring formulas, with their constants and measured effects (nDCG@10 on three public collections,
 * one setting for all; tables in bench/README.md). A query is a list of planned terms, one per
 * word. Each has alternatives with weights: 1 for the word itself, less for corrections and
 * synonyms.
 *
 * candidates, every chunk:             S(q, c) = Σ_{p∈q} max_{t∈p} w(t) · idf(t) · f(t,c)·(k1+1) / (f(t,c) + k1·(1 − b + b·|c|/avg))
 * proximity rerank, of the best 100:   S + proximity(q, c)
 *
 * idf(p) = ln(1 + (N − n + .5)/(n + .5))                       Robertson & Spärck Jones, never negative
 * f(t,c) = 5·title + 2·headings + text                          BM25F: fields are added before saturation (Robertson, Zaragoza & Taylor 2004)
 * N: live chunks; n: chunks with the most frequent alternative of the planned term; |c|, avg: terms of the chunk, and their mean.
 */

/** Saturation of a term's frequency. Medical FAQ: +.010 over 1.2; the others within .004. */
const k1 = 1.4;
/** Length normalization, 0 to 1. Abstracts: +.009 over .75; the others within .003. */
const b = 0.6;
/**
 * Title terms, relative to text terms. Against 1: medical FAQ +.033, encyclopedia −.002; product
 * documentation: 9 of 12 first, 7 with 1.
 */
export const titleWeight = 5;
/** Heading terms, relative to text terms. Support questions: 36 of 72 files first, 35 with 1. */
export const headingWeight = 2;

/**
 * Minimum number of reranked chunks. 200 give the same figures on every collection and take a third
 * longer.
 */
export const rerankedChunks = 100;
/** Window in which words count as close together, in terms. */
export const windowTerms = 20;
/**
 * The best window adds `windowWeight` × the query's idf sum × (idf share of the words in the
 * window) ** `windowExponent`. Encyclopedia: +.018 over none, abstracts: +.006, medical FAQ: −.012.
 */
export const windowWeight = 0.6;
export const windowExponent = 3;

export const idfOf = (holders: number, chunks: number) =>
  Math.log(1 + (chunks - holders + 0.5) / (holders + 0.5));

/**
 * Part of the denominator that depends only on the chunk: `base`, plus `perTerm` for each of its
 * terms.
 */
export const normsOf = (averageLength: number) => {
  const base = k1 * (1 - b);
  return { base, perTerm: k1 * (1 - b + b / averageLength) - base };
};

/** Higher frequencies count as this one: the score is saturated long before. */
export const maxFrequency = 255;

/** Upper bound of `saturated`. */
export const maxSaturated = k1 + 1;

export const saturated = (frequency: number, norm: number) =>
  (frequency * (k1 + 1)) / (frequency + norm);

/** Weight of a corrected word. With one typing error in every question: +.06 on each collection. */
export const nearWeight = 0.8;
/**
 * Weight of a synonym. Support questions: 36 of 72 files first, 29 without; encyclopedia: +.004,
 * abstracts: −.007.
 */
export const synonymWeight = 0.6;
/** Weight of a word of the conversation. */
export const backgroundWeight = 0.4;

/**
 * Confidence that a correction or a synonym in a chunk means the query word; used only for
 * coverage.
 */
export const nearCertainty = 0.9;
export const synonymCertainty = 0.85;
