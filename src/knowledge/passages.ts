/**
 * Hits → the passages that a caller reads: one that says the same as a better one is left out, and neighbours of one section that touch
 * are one passage, so that neither takes the place of something else.
 */
import { terms } from './text/words.ts';
import type { Chunk, Document, Snippet } from './types.ts';

/** A hit with the text that it is a slice of. */
export interface ChunkSnippet extends Chunk {
  readonly document: Document;
  /** Position in the document, from 0. */
  readonly ordinal: number;
  readonly fullText: string;
  readonly score: number;
}

/** Neighbours are joined up to this length, in UTF-16 units. */
const maxJoinedChars = 2_400;
/** Share of words that two passages have to have in common to say the same, and how alike their lengths have to be. */
const minCommonShare = 0.9;
const minLengthShare = 0.85;

interface Passage {
  readonly best: ChunkSnippet;
  first: ChunkSnippet;
  last: ChunkSnippet;
}

const textOf = ({ fullText, start, end }: ChunkSnippet) => fullText.slice(start, end);

const figures = /\p{N}+(?:[.,:/-]\p{N}+)*/gu;

/** The same text with other figures (two plans, two versions) says something else. */
function saysTheSame(a: ChunkSnippet, b: ChunkSnippet): boolean {
  const [short, long] = [a.end - a.start, b.end - b.start].sort((c, d) => c - d) as [number, number];
  if (short < long * minLengthShare) return false;
  const [one, other] = [textOf(a), textOf(b)];
  if (one === other) return true;
  if ((one.match(figures) ?? []).join() !== (other.match(figures) ?? []).join()) return false;
  const words = new Set(terms(one, a.document.textLanguage));
  const others = new Set(terms(other, b.document.textLanguage));
  let common = 0;
  for (const word of words) if (others.has(word)) common++;
  return common >= minCommonShare * Math.max(words.size, others.size);
}

const isSameSection = (a: ChunkSnippet, b: ChunkSnippet) =>
  a.document.id === b.document.id && a.anchor === b.anchor && a.page === b.page && a.headingPath.join('\n') === b.headingPath.join('\n');

/** Takes a hit into a passage that it touches. */
function joins(passage: Passage, hit: ChunkSnippet): boolean {
  const { first, last } = passage;
  if (!isSameSection(first, hit)) return false;
  const length = Math.max(last.end, hit.end) - Math.min(first.start, hit.start);
  if (length > maxJoinedChars) return false;
  if (hit.ordinal === last.ordinal + 1) passage.last = hit;
  else if (hit.ordinal === first.ordinal - 1) passage.first = hit;
  else return false;
  return true;
}

function toSnippet({ best, first, last }: Passage): Snippet {
  const { document, headingPath, anchor, page, fullText, score } = best;
  const name = first === last ? `${first.ordinal}` : `${first.ordinal}-${last.ordinal}`;
  const place = { start: first.start, end: last.end, headingPath, anchor, page };
  return { ...place, chunkId: `${document.id}-${name}`, document, text: fullText.slice(first.start, last.end), score };
}

/** @param hits best first @returns at most `limit`, best first */
export function chooseSnippets(hits: readonly ChunkSnippet[], limit: number): Snippet[] {
  const passages: Passage[] = [];
  for (const hit of hits) {
    if (passages.some((passage) => joins(passage, hit))) continue;
    if (passages.length === limit) continue;
    if (passages.some(({ best }) => saysTheSame(best, hit))) continue;
    passages.push({ best: hit, first: hit, last: hit });
  }
  return passages.map(toSnippet);
}
