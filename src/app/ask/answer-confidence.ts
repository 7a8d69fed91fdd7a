/**
 * How surely a sentence that was picked without a model answers its question: a logistic curve over what the search and the sentence show.
 * Its weights are data (answer-confidence.json), fitted on questions that people answered or could not answer from a paragraph;
 * bench/retrieval/confidence.ts made them, and prints how many questions are answered, and how many of them rightly, at each threshold.
 */
import weights from './answer-confidence.json' with { type: 'json' };

export const confidenceFeatures = ['share', 'said', 'rank'] as const;

/**
 * share: of the question, by its words' idf, that the sentence says with what stands above it, 0 to 1; said: ln of 1 + how many of its words
 * that comes to, because all of three say more than all of one; rank: 1 over that of its passage.
 */
export type ConfidenceFeatures = Readonly<Record<(typeof confidenceFeatures)[number], number>>;

/** Below it the places that come closest are shown instead of an answer (bench/README.md: what each threshold answers, and how much of it is right). */
export const minConfidence = 0.27;

/** 0 to 1, where half of all questions have an answer. */
export const confidenceOf = (features: ConfidenceFeatures): number =>
  1 / (1 + Math.exp(-confidenceFeatures.reduce((sum, name) => sum + weights[name] * features[name], weights.intercept)));
