/**
 * Hits → the passages that a caller reads: neighbours of one section that touch are one passage, and one that says the same as a better
 * one is left out, so that neither takes the place of something else.
 */
import type { Hit } from './index/search-index.ts';
import type { ShelfEntry } from './shelf.ts';
import { writtenAt } from './store/document-store.ts';
import { contentWords, terms } from './text/words.ts';
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
/** Share of words that two passages have to have in common to say the same, and how alike their lengths have to be. */
const minCommonShare = 0.95;
const minLengthShare = 0.85;
/** With as many words that carry meaning, all of them the same, the others do not matter. */
const minContentWords = 6;

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
  const { document, stamp } = entry;
  const asOf = document.lastModified ?? document.fetchedAt ?? writtenAt(stamp);
  const chunkId = `${document.id}-${first === last ? first : `${first}-${last}`}`;
  return { ...from, end: to.end, chunkId, document, text: text.slice(from.start, to.end), score, asOf };
}

/** Figures with the word behind them, and words that deny: where these differ, the same words say something else. */
const telling =
  /[$€£¥]?\p{N}+(?:[.,:/-]\p{N}+)*\s?[\p{L}%]*|\b(?:not|no|never|none|without|cannot|\p{L}+n['’]t|nicht|kein\p{L}*|ohne|nie|ne|pas|jamais|sans|nunca|sin|non|niet|geen|не|нет)\b|ない|不|没/giu;

const allWords = ({ text, document }: Snippet) => new Set(terms(text, document.textLanguage));
const contentOf = ({ text, document }: Snippet) => new Set(contentWords(text, document.textLanguage).map(({ term }) => term));

/** Words of a text that are looked for in another before the two are compared word by word: nearly all passages end there. */
const samples = 8;
const minFoundSamples = 6;

function mayBeAlike(text: string, other: string): boolean {
  const length = Math.floor(text.length / samples);
  if (length < 16) return true;
  let found = 0;
  for (let sample = 0; sample < samples; sample++) {
    const word = /\S{4,}/.exec(text.slice(sample * length, (sample + 1) * length))?.[0];
    if (word === undefined || other.includes(word)) found++;
  }
  return found >= minFoundSamples;
}

/** The same text with other figures, units or a `not` (two plans, two versions) says something else. */
export function saysTheSame(a: Snippet, b: Snippet): boolean {
  const [short, long] = a.text.length < b.text.length ? [a, b] : [b, a];
  if (short.text.length < long.text.length * minLengthShare) return false;
  if (a.text === b.text) return true;
  if (!mayBeAlike(short.text, long.text)) return false;
  if ((a.text.match(telling) ?? []).join().toLowerCase() !== (b.text.match(telling) ?? []).join().toLowerCase()) return false;
  const [words, others] = [allWords(a), allWords(b)];
  if (words.intersection(others).size >= minCommonShare * Math.max(words.size, others.size)) return true;
  // In a short text `this` and `that` may be all the difference.
  const [content, other] = [contentOf(a), contentOf(b)];
  return content.size >= minContentWords && content.size === other.size && content.isSubsetOf(other);
}
