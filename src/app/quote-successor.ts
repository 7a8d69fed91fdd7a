/** What stands in a document now where a quote stood that is not in it any more: the part in its place, else that with most of its words. */
import type { Chunk } from '../documents/document.ts';
import type { IndexedDocument } from '../documents/namespace.ts';
import type { Language } from '../language/languages.ts';
import { segments } from '../language/segments.ts';
import { contentWords } from '../language/tokens.ts';

export interface LostQuote {
  readonly quote: string;
  readonly start: number;
  readonly headingPath: readonly string[];
}

export interface Successor {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Words that both have, as a share of all that they have (Dice 1945), from which a part is taken for the same thing said in other words. */
const minLikeness = { ownSection: 0.35, elsewhere: 0.5 };
const maxChunks = 100;
const maxSegments = 10;

const wordsOf = (text: string, language: Language): ReadonlySet<string> => new Set(contentWords(text, language).map(({ term }) => term));
const likeness = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => (2 * a.intersection(b).size) / (a.size + b.size || 1);
const isSamePath = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((heading, at) => heading === b[at]);

/** Parts of a chunk with as many sentences, items or rows as the quote has; the whole where it has fewer. */
function* partsOf(text: string, chunk: Chunk, count: number): Generator<Successor> {
  const found = [...segments(text.slice(chunk.start, chunk.end))];
  for (let at = 0; at === 0 || at + count <= found.length; at++) {
    const [first, last] = [found[at], found[Math.min(at + count, found.length) - 1]];
    if (!first || !last) return;
    const [start, end] = [chunk.start + first.start, chunk.start + last.end];
    yield { text: text.slice(start, end), start, end };
  }
}

export async function findSuccessor(
  { quote, start, headingPath }: LostQuote,
  text: string,
  { chunks, document }: IndexedDocument,
  pause: () => Promise<void> | undefined,
): Promise<Successor | null> {
  const words = wordsOf(quote, document.textLanguage);
  const count = Math.min(maxSegments, Math.max(1, [...segments(quote)].length));

  async function likestIn(some: readonly Chunk[], least: number): Promise<Successor | null> {
    let likest: Successor | null = null;
    let most = 0;
    const nearest = some.toSorted((a, c) => Math.abs(a.start - start) - Math.abs(c.start - start)).slice(0, maxChunks);
    for (const part of nearest.values().flatMap((chunk) => partsOf(text, chunk, count))) {
      await pause();
      const like = likeness(words, wordsOf(part.text, document.textLanguage));
      // What begins there was edited in its place, whatever else is like the quote.
      const worth = part.start === start ? 1 + like : like;
      if (like >= least && worth > most) [likest, most] = [part, worth];
    }
    return likest;
  }

  const isOwn = (chunk: Chunk) => isSamePath(chunk.headingPath, headingPath);
  return (
    (await likestIn(chunks.filter(isOwn), minLikeness.ownSection)) ??
    (await likestIn(
      chunks.filter((chunk) => !isOwn(chunk)),
      minLikeness.elsewhere,
    ))
  );
}
