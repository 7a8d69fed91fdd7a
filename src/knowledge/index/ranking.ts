/** Slots of a query → the best chunks, how surely they speak of it, and what the search made of its words. */
import { coverageOf, judgedChunks } from './coverage.ts';
import { createFirstLook, type SearchedLists } from './first-look.ts';
import { bestWindow, Occurrences, proximityOf } from './proximity.ts';
import type { Slot } from './query-plan.ts';
import { sameDocumentDecay, secondLook } from './scoring.ts';
import type { Hit, SearchOutcome } from './search-index.ts';

export interface RankedLists extends SearchedLists {
  /** Number of a document → its id. */
  readonly documentIds: readonly string[];
  /** Number of terms, dead ones included. */
  readonly terms: number;
}

export type Rank = (slots: readonly Slot[], limit: number, lists: RankedLists) => SearchOutcome;

const byPlace = (a: Hit, c: Hit) =>
  c.score - a.score || (a.documentId < c.documentId ? -1 : a.documentId > c.documentId ? 1 : a.chunk - c.chunk);

/**
 * Each further chunk of a document has to be that much better than one of another: what several documents say is worth more than the
 * same document five times. The order stays that of the scores.
 * @param hits best first
 */
function diverse<Item extends Hit>(hits: readonly Item[], limit: number): Item[] {
  const taken = new Map<string, number>();
  const left = [...hits];
  const chosen: Item[] = [];
  while (chosen.length < limit && left.length > 0) {
    let at = 0;
    let most = -1;
    for (let index = 0; index < left.length; index++) {
      const hit = left[index] as Item;
      if (hit.score <= most) break;
      const worth = hit.score * sameDocumentDecay ** (taken.get(hit.documentId) ?? 0);
      if (worth > most) [most, at] = [worth, index];
    }
    const [hit] = left.splice(at, 1) as [Item];
    taken.set(hit.documentId, (taken.get(hit.documentId) ?? 0) + 1);
    chosen.push(hit);
  }
  return chosen.sort(byPlace);
}

/** Of a longer query's alternatives the second look looks for those that are worth most. */
const maxMeanings = 255;

export function createRanking(): Rank {
  const firstLook = createFirstLook();
  /** Per term: which of the query's alternatives it is, from 1; all zero between two searches. */
  let meaningOf = new Uint8Array(0);
  const occurrences = new Occurrences();

  return (slots, limit, lists) => {
    const { chunks, documentIds } = lists;
    if (meaningOf.length < lists.terms) meaningOf = new Uint8Array(Math.ceil(lists.terms * 1.2));
    const candidates = firstLook(slots, Math.max(secondLook, limit), lists);
    const meanings = slots.flatMap(({ alternatives }, slot) =>
      alternatives.map(({ id, impact, certainty }) => ({ id, slot, impact, certainty })),
    );
    // Of a term that may stand for two words, the one for which it is worth more.
    meanings.sort((a, c) => a.impact - c.impact);
    meanings.splice(0, Math.max(0, meanings.length - maxMeanings));
    for (const [index, { id }] of meanings.entries()) meaningOf[id] = index + 1;

    const whole = slots.reduce((sum, { idf }) => sum + idf, 0);
    const find = (chunk: number): Occurrences => {
      occurrences.clear();
      const terms = chunks.terms.values;
      const start = chunks.starts.values[chunk] as number;
      const end = chunks.starts.values[chunk + 1] as number;
      for (let at = start; at < end; at++) {
        const meaning = meaningOf[terms[at] as number] as number;
        if (meaning !== 0) occurrences.add(at, meaning - 1);
      }
      return occurrences;
    };
    const worths = Float64Array.from(meanings, ({ impact }) => impact);
    const slotOf = Uint16Array.from(meanings, ({ slot }) => slot);

    const looked = candidates.map(({ chunk, score }) => {
      const share = whole === 0 ? 0 : bestWindow(find(chunk), worths, slotOf, slots.length, chunks.textStartOf(chunk)) / whole;
      return {
        number: chunk,
        documentId: documentIds[chunks.documents.values[chunk] as number] as string,
        chunk: chunks.ordinals.values[chunk] as number,
        score: score + proximityOf(share, whole),
      };
    });
    looked.sort(byPlace);

    const certaintiesIn = (chunk: number): Float64Array => {
      const certainties = new Float64Array(slots.length);
      const found = find(chunk);
      for (let index = 0; index < found.count; index++) {
        const { slot, certainty } = meanings[found.meanings[index] as number] as (typeof meanings)[number];
        certainties[slot] = Math.max(certainties[slot] as number, certainty);
      }
      return certainties;
    };
    const judged = looked.slice(0, judgedChunks).map(({ number }) => certaintiesIn(number));
    for (const { id } of meanings) meaningOf[id] = 0;

    const hits = diverse(looked, limit).map(({ documentId, chunk, score }): Hit => ({ documentId, chunk, score }));
    const asked = slots.map(({ word, alternatives, idf, isBackground = false }) => ({
      word: word.word,
      forms: alternatives.map(({ term, weight }) => ({ term, weight })),
      idf,
      isName: word.isName,
      isBackground,
    }));
    // What was asked before is no evidence for what is asked now.
    const ownSlots = slots.map((_, slot) => slot).filter((slot) => !slots[slot]?.isBackground);
    const own = <Item>(of: ArrayLike<Item>) => ownSlots.map((slot) => of[slot] as Item);
    const coverage = coverageOf(own(slots), judged.map(own), looked[0]?.score ?? 0);
    return { hits, coverage, asked };
  };
}
