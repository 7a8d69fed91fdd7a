/**
 * Hits → the passages that a caller reads: neighbours of one section that touch are one passage, and one that says the same as a better
 * one is left out, so that neither takes the place of something else.
 */
import type { Hit } from './index/search-index.ts';
import type { ShelfEntry } from './shelf.ts';
import { contentWords } from './text/words.ts';
import type { Chunk, Snippet } from './types.ts';

/** One chunk, or several that follow one another; without its text. */
export interface Passage {
  readonly entry: ShelfEntry;
  /** Positions in the document. */
  first: number;
  last: number;
  readonly score: number;
}

/** Neighbours are joined up to this length, in UTF-16 units. */
const maxJoinedChars = 4_000;
/** Share of words (those that only ask or join left out) that two passages have to have in common to say the same, and how alike their lengths have to be. */
const minCommonShare = 0.95;
const minLengthShare = 0.85;

const isSameSection = (a: Chunk, b: Chunk) => a.headingPath === b.headingPath || (a.anchor === b.anchor && a.page === b.page);

/** Takes a hit into a passage that it touches. */
function joins(passage: Passage, { documentId, chunk }: Hit): boolean {
  const { chunks, document } = passage.entry;
  if (document.id !== documentId || (chunk !== passage.last + 1 && chunk !== passage.first - 1)) return false;
  const [own, first, last] = [chunks[chunk], chunks[passage.first], chunks[passage.last]];
  if (!own || !first || !last || !isSameSection(first, own)) return false;
  if (Math.max(last.end, own.end) - Math.min(first.start, own.start) > maxJoinedChars) return false;
  if (chunk > passage.last) passage.last = chunk;
  else passage.first = chunk;
  return true;
}

/** @param hits best first @returns best first */
export function toPassages(hits: readonly Hit[], entryOf: (documentId: string) => ShelfEntry | undefined): Passage[] {
  const passages: Passage[] = [];
  for (const hit of hits) {
    const entry = entryOf(hit.documentId);
    if (!entry || passages.some((passage) => joins(passage, hit))) continue;
    passages.push({ entry, first: hit.chunk, last: hit.chunk, score: hit.score });
  }
  return passages;
}

/** @param text of the whole document */
export function toSnippet({ entry, first, last, score }: Passage, text: string): Snippet | undefined {
  const [from, to] = [entry.chunks[first], entry.chunks[last]];
  if (!from || !to) return undefined;
  const { document } = entry;
  const chunkId = `${document.id}-${first === last ? first : `${first}-${last}`}`;
  return { ...from, end: to.end, chunkId, document, text: text.slice(from.start, to.end), score };
}

/** Figures with the word behind them, and words that deny: where these differ, the same words say something else. */
const telling =
  /[$€£¥]?\p{N}+(?:[.,:/-]\p{N}+)*\s?[\p{L}%]*|\b(?:not|no|never|none|without|cannot|\p{L}+n['’]t|nicht|kein\p{L}*|ohne|nie|ne|pas|jamais|sans|nunca|sin|non|niet|geen|не|нет)\b|ない|不|没/giu;

const wordsOf = ({ text, document }: Snippet) => new Set(contentWords(text, document.textLanguage).map(({ term }) => term));

/** The same text with other figures, units or a `not` (two plans, two versions) says something else. */
export function saysTheSame(a: Snippet, b: Snippet): boolean {
  const [short, long] = a.text.length < b.text.length ? [a, b] : [b, a];
  if (short.text.length < long.text.length * minLengthShare) return false;
  if (a.text === b.text) return true;
  if ((a.text.match(telling) ?? []).join().toLowerCase() !== (b.text.match(telling) ?? []).join().toLowerCase()) return false;
  const words = wordsOf(a);
  const others = wordsOf(b);
  let common = 0;
  for (const word of words) if (others.has(word)) common++;
  return common >= minCommonShare * Math.max(words.size, others.size);
}
