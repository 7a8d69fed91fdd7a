/**
 * German and Dutch compounds → their parts, by a fixed dictionary of words that are often parts of others: `Umsatzsteuernummer` is found
 * by `Nummer`, and `Nummer für die Umsatzsteuer` by it. Fixed, so that a word is always taken apart the same way.
 */
import { germanParts } from './lexicon/compound-parts-de.ts';
import { dutchParts } from './lexicon/compound-parts-nl.ts';

const dictionaries: Readonly<Record<string, ReadonlySet<string>>> = {
  de: new Set(germanParts.trim().split(/\s+/)),
  nl: new Set(dutchParts.trim().split(/\s+/)),
};
/** What may stand between two parts. */
const links: Readonly<Record<string, readonly string[]>> = { de: ['', 's', 'es', 'n', 'en', 'er', 'e'], nl: ['', 's', 'en', 'e', 'n'] };

const minWordLength = 7;
const maxWordLength = 40;
const minPartLength = 3;

/** The parts of a compound, the fewest that make it up; none where it is no compound that the dictionary knows. @param word lower case */
export function compoundParts(word: string, language: string): readonly string[] {
  const dictionary = dictionaries[language];
  if (!dictionary || word.length < minWordLength || word.length > maxWordLength) return [];
  /** Per length of a beginning: the fewest parts that make it up. */
  const best: (readonly string[] | undefined)[] = [[]];
  for (let end = minPartLength; end <= word.length; end++) {
    for (let start = 0; start <= end - minPartLength; start++) {
      const before = best[start];
      const part = word.slice(start, end);
      if (!before || part === word || !dictionary.has(part)) continue;
      const parts = [...before, part];
      for (const link of end === word.length ? [''] : (links[language] ?? [])) {
        const to = end + link.length;
        // A word with an ending is no compound.
        if (!word.startsWith(link, end) || to > word.length || (to === word.length && parts.length < 2)) continue;
        if (parts.length < (best[to]?.length ?? Number.POSITIVE_INFINITY)) best[to] = parts;
      }
    }
  }
  return best[word.length] ?? [];
}
