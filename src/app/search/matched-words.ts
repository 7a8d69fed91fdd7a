/** What of a passage a query found: its words as they stand there, by the terms that the query came to. */
import type { Passage } from '../../documents/document.ts';
import { fold, isStopWord, type Language } from '../../language/languages.ts';
import { scriptRuns, termsOf, wordMatches } from '../../language/tokens.ts';
import type { QueryTerm } from '../../search/search-engine.ts';

const maxMatched = 50;
/** A dictionary knows few longer words of a script without spaces. */
const maxTermCharacters = 12;

/**
 * The longest pieces of a run without spaces that the terms cover: neighbouring pairs of characters are one piece.
 * @param run as it stands there
 */
function* coveredIn(run: string, terms: ReadonlySet<string>): Generator<string> {
  const characters = [...run];
  const folded = characters.map(fold);
  const isCovered = characters.map(() => false);
  for (let at = 0; at < characters.length; at++) {
    for (let end = at + 1; end <= characters.length && end - at <= maxTermCharacters; end++)
      if (terms.has(folded.slice(at, end).join(''))) isCovered.fill(true, at, end);
  }
  let piece = '';
  for (const [at, character] of characters.entries()) {
    if (isCovered[at]) piece += character;
    if (piece !== '' && !isCovered[at + 1]) {
      yield piece;
      piece = '';
    }
  }
}

function* matchesIn(text: string, terms: ReadonlySet<string>, language: Language): Generator<string> {
  for (const [word] of wordMatches(text)) {
    for (const [index, part] of scriptRuns(word).entries()) {
      if (index % 2 === 1) yield* coveredIn(part, terms);
      else if (!isStopWord(part, language) && termsOf(part, language).some((term) => terms.has(term))) yield part;
    }
  }
}

export const termsOfQuery = (asked: readonly QueryTerm[]): ReadonlySet<string> =>
  new Set(asked.flatMap(({ forms }) => forms.map(({ term }) => term)));

export function matchedWords({ text, document }: Passage, terms: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const word of matchesIn(text, terms, document.textLanguage)) if (found.size < maxMatched) found.add(word);
  return [...found];
}
