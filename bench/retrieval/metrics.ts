/**
 * Ranking quality over ten passages. The gain is linear, gain / log₂(rank + 1), as in the
 * collections' README, not 2^gain − 1.
 */
import type { Collection } from './collections.ts';

export const depth = 10;

export interface Quality {
  readonly ndcg: number;
  readonly recall: number;
  readonly mrr: number;
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const discounted = (gains: readonly number[]) =>
  gains.slice(0, depth).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);

/**
 * Means over the questions. Recall and reciprocal rank exclude questions without a passage of at
 * least `minRelevantGain`.
 * @param rankings question → passage ids, best first
 */
export function qualityOf(
  { questions, gains, minRelevantGain }: Collection,
  rankings: ReadonlyMap<string, readonly string[]>,
): Quality {
  const ndcg: number[] = [];
  const recall: number[] = [];
  const reciprocal: number[] = [];
  for (const { id } of questions) {
    const judged = gains.get(id) ?? new Map<string, number>();
    const found = (rankings.get(id) ?? [])
      .slice(0, depth)
      .map((passage) => judged.get(passage) ?? 0);
    ndcg.push(discounted(found) / discounted([...judged.values()].sort((a, b) => b - a)));
    const isRelevant = (gain: number) => gain >= minRelevantGain;
    const relevant = [...judged.values()].filter(isRelevant).length;
    if (relevant === 0) continue;
    recall.push(found.filter(isRelevant).length / relevant);
    const first = found.findIndex(isRelevant);
    reciprocal.push(first < 0 ? 0 : 1 / (first + 1));
  }
  return { ndcg: mean(ndcg), recall: mean(recall), mrr: mean(reciprocal) };
}
