/** Where passages come closest to a question that none of their sentences answers. */

import type { Place } from '../grounding/judge.ts';
import { segments } from '../language/segments.ts';
import { terms } from '../language/tokens.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import type { CheckedPassage } from './checked-passage.ts';

const maxPlaces = 3;

/** The sentence of a passage that says most of what is asked, the first of several. */
function closestIn({ passage, plain }: CheckedPassage, position: number, asked: readonly QueryTerm[]): Place | undefined {
  let best: { readonly place: Place; readonly said: number } | undefined;
  for (const { start, end } of segments(plain.text)) {
    const held = new Set(terms(plain.text.slice(start, end), passage.document.textLanguage));
    const said = asked.reduce((sum, { forms, idf }) => sum + (forms.some(({ term }) => held.has(term)) ? idf : 0), 0);
    if (!best || said > best.said) best = { place: { passage: position, start, end }, said };
  }
  return best?.place;
}

/**
 * At most three, each in a section of its own, in the order of the passages.
 * @param passages best first @param asked the question's words, as the search understood them
 */
export function closestPlaces(passages: readonly CheckedPassage[], asked: readonly QueryTerm[]): Place[] {
  const seen = new Set<string>();
  const places = passages.flatMap((checked, position): Place[] => {
    const { document, anchor, page, isRecord } = checked.passage;
    const section = `${document.id} ${anchor} ${page}`;
    if (isRecord || seen.has(section)) return [];
    seen.add(section);
    const place = closestIn(checked, position, asked);
    return place ? [place] : [];
  });
  return places.slice(0, maxPlaces);
}
