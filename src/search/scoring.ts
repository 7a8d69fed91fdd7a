/**
 * How a chunk is scored for a query: the formulas, their constants with units, and what each was measured to do
 * (bench/README.md has the tables; nDCG@10 on three public collections, one setting for all).
 *
 * A query is a list of planned terms, one for each word worth searching for, each with the terms that may stand for the word and their
 * weights: the word itself 1, a word that it may have been mistyped for, or that means the same, less.
 *
 * candidate scoring, every chunk:      S(q, c) = Σ_{p∈q} max_{t∈p} w(t) · idf(t) · f(t,c)·(k1+1) / (f(t,c) + k1·(1 − b + b·|c|/avg))
 * proximity rerank, of the best 100:   S + proximity(q, c)
 *
 * idf(p) = ln(1 + (N − n + .5)/(n + .5))                       Robertson & Spärck Jones, in the form that is never negative
 * f(t,c) = 5·title + 2·headings + text                          BM25F: fields are added before saturation (Robertson, Zaragoza & Taylor 2004)
 * N: live chunks; n: those that hold the planned term's most frequent alternative; |c|, avg: terms of the chunk, and their mean.
 */

/** Saturation of a term's frequency. Medical FAQ: +.010 over 1.2; the others within .004. */
export const k1 = 1.4;
/** How much a chunk's length counts, 0 to 1. Abstracts: +.009 over .75; the others within .003. */
export const b = 0.6;
/** A term of the title counts as this many of the text. Medical FAQ: +.033 over 1, product documentation: 9 of 12 first, not 7; encyclopedia: −.002. */
export const titleWeight = 5;
/** A term in a heading above the chunk. Support questions: 36 files first of 72, 35 with 1. */
export const headingWeight = 2;

/** Chunks that are reranked, at least. 200 give the same figures on every collection, and take a third longer. */
export const rerankedChunks = 100;
/** Length of the window in which words count as close together, in terms. */
export const windowTerms = 20;
/**
 * What the best window adds: this share of the query's whole idf, times the share of it that stands in the window, cubed.
 * Encyclopedia: +.018 over none, abstracts: +.006, medical FAQ: −.012.
 */
export const windowWeight = 0.6;
export const windowExponent = 3;

export const idfOf = (holders: number, chunks: number): number => Math.log(1 + (chunks - holders + 0.5) / (holders + 0.5));

/** Denominator's part that does not depend on the term: `base`, and `perTerm` for each term of the chunk. */
export const normsOf = (averageLength: number) => {
  const base = k1 * (1 - b);
  return { base, perTerm: k1 * (1 - b + b / averageLength) - base };
};

/** A term that stands more often in a chunk than this is as good as there this often: its score is saturated long before. */
export const maxFrequency = 255;

/** What the saturated frequency of a term stays below. */
export const maxSaturated = k1 + 1;

export const saturated = (frequency: number, norm: number): number => (frequency * (k1 + 1)) / (frequency + norm);

/** What a word one slip away counts, of the word itself. With a slip in every question: +.06 on each collection. */
export const nearWeight = 0.8;
/** What a word counts that means the same, of the word itself. Support questions: 36 files first of 72, 29 without; encyclopedia: +.004, abstracts: −.007. */
export const synonymWeight = 0.6;
/** What a word counts that the conversation was about, of one that is asked for now. */
export const backgroundWeight = 0.4;

/** How surely a chunk speaks of a word that it holds in another form (for coverage alone). */
export const nearCertainty = 0.9;
export const synonymCertainty = 0.85;
