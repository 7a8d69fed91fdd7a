/**
 * Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009): score(c) = Σ 1 / (k + rank of c), over
 * the lists with c. It uses only ranks, because BM25 scores and cosines cannot be compared.
 */
import type { Hit } from './search-engine.ts';

type RankedChunk = Omit<Hit, 'score'>;

/** As in the paper: larger values flatten the first ranks. */
const k = 60;

/**
 * @param lexical best first; decides ties
 * @param semantic best first
 * @returns best first, at most `limit`, scores above 0 and at most 2 / 61; if one list is empty,
 * the order of the other
 */
export function fuse(
  lexical: readonly RankedChunk[],
  semantic: readonly RankedChunk[],
  limit: number,
): Hit[] {
  const fused = new Map<string, Hit>();
  for (const list of [lexical, semantic]) {
    const ranked = new Map(
      list.map(({ documentId, chunk }) => [`${documentId}/${chunk}`, { documentId, chunk }]),
    );
    for (const [rank, [id, place]] of [...ranked].entries()) {
      fused.set(id, { ...place, score: (fused.get(id)?.score ?? 0) + 1 / (k + rank + 1) });
    }
  }
  // The sort is stable: ties keep the order of insertion.
  return [...fused.values()].sort((a, c) => c.score - a.score).slice(0, Math.max(0, limit));
}
