/**
 * What the search knows of a question, sent beside the prompt for the model that answers without a key. Providers read only the
 * options under their own name, so nothing of this leaves the process.
 */
import type { JSONObject } from '@ai-sdk/provider';
import type { Language } from '../knowledge/text/languages.ts';
import type { AskedWord } from '../knowledge/types.ts';
import { searchesOf, type Turn } from './turn.ts';

export const hintsKey = 'knowledge';

export interface SearchHints {
  readonly asked: readonly AskedWord[];
  /** Of each passage, in the order of the prompt. */
  readonly languages: readonly Language[];
  readonly scores: readonly number[];
  /** Positions of what tools found outside of the documents. */
  readonly records: readonly number[];
  /** Whether the documents speak of what is asked. */
  readonly isCovered: boolean;
}

/** @param isCovered whether the documents speak of what is asked */
export function hintsOf(turn: Turn, isCovered: boolean): JSONObject {
  const { passages } = turn;
  const hints: SearchHints = {
    asked: searchesOf(turn)[0]?.asked ?? [],
    languages: passages.map(({ document }) => document.textLanguage),
    scores: passages.map(({ score }) => score),
    records: passages.flatMap(({ isRecord }, position) => (isRecord ? [position] : [])),
    isCovered,
  };
  return hints as unknown as JSONObject;
}

export const readHints = (options: JSONObject | undefined): SearchHints | undefined => options as SearchHints | undefined;
