/**
 * A document → chunks: one or more per section, each a contiguous slice of the stored file that carries its heading path. Small on
 * purpose: at a 1,000-word budget, chunks of 100 to 200 words held .89 to .91 of the reference spans, 800 words .71 (field
 * measurement). Code and tables stay whole up to `maxChunkChars`; only prose that is too long for a chunk by itself is cut inside a block.
 */
import { setImmediate } from 'node:timers/promises';
import type { Chunk } from '../types.ts';
import { type Block, blocksOf, type Heading } from './blocks.ts';

/** Words of one chunk, counted as `countWords` does. A single table or code block may exceed it. */
export const maxChunkWords = 200;

/** Nothing is larger, not even a code block: a passage has to fit into a model's context. UTF-16 units. */
export const maxChunkChars = 8_000;

/** Cuts prose into contiguous pieces of at most `maxChars` characters where it can; returns the offsets at which a piece begins, without 0. */
export type SplitProse = (text: string, maxChars: number) => Promise<number[]>;
export type ChunkDocument = (text: string, bodyStart: number) => Promise<Chunk[]>;

const charsPerWord = 6;
/** In a document of more sections than this, those that follow share chunks: a file of empty headings costs no more than its text. */
const maxSections = 2_000;
/** A long document is cut in pieces of this many milliseconds, so that searches are answered meanwhile. */
const maxBusyMs = 20;
/** A longer paragraph is no prose; it is cut by size alone. */
const maxProseChars = 1_000_000;

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Words by white space; scripts without spaces count two characters as a word. */
function countWords(text: string): number {
  let words = 0;
  let isInWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isSpace = code <= 32 || code === 160;
    if (!isSpace && !isInWord) words++;
    isInWord = !isSpace;
  }
  return words + (text.match(unspaced)?.length ?? 0) / 2;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly words: number;
}

export function createChunker(splitProse: SplitProse): ChunkDocument {
  const cutAt = (text: string, start: number, end: number, cuts: readonly number[]): Piece[] => {
    const bounds = [start, ...cuts.filter((cut) => cut > start && cut < end), end];
    return bounds.slice(1).map((to, index) => {
      const from = bounds[index] ?? start;
      return { start: from, end: to, words: countWords(text.slice(from, to)) };
    });
  };

  /** Cuts what is still too large at line ends, or anywhere between two characters where a line has no end. */
  const sized = (text: string, pieces: readonly Piece[]): Piece[] =>
    pieces.flatMap(({ start, end, words }) => {
      const cuts: number[] = [];
      for (let from = start; end - from > maxChunkChars; from = cuts.at(-1) ?? end) {
        const hard = from + maxChunkChars;
        const lineEnd = from + text.slice(from, hard).lastIndexOf('\n') + 1;
        const isInsidePair = /[\uDC00-\uDFFF]/.test(text.charAt(hard));
        cuts.push(lineEnd > from ? lineEnd : isInsidePair ? hard - 1 : hard);
      }
      return cuts.length === 0 ? [{ start, end, words }] : cutAt(text, start, end, cuts);
    });

  /** A block as pieces that each may stand in a chunk of their own. */
  async function piecesOf(text: string, block: Block): Promise<Piece[]> {
    const content = text.slice(block.start, block.end);
    const words = countWords(content);
    if (words <= maxChunkWords || block.kind === 'whole') return sized(text, [{ start: block.start, end: block.end, words }]);
    if (block.kind === 'parts') return sized(text, cutAt(text, block.start, block.end, block.partStarts));
    const cuts = content.length > maxProseChars ? [] : await splitProse(content, maxChunkWords * charsPerWord);
    return sized(
      text,
      cutAt(
        text,
        block.start,
        block.end,
        cuts.map((cut) => block.start + cut),
      ),
    );
  }

  return async (text, bodyStart) => {
    const chunks: Chunk[] = [];
    let path: Heading[] = [];
    /** Of all chunks of a section the same. */
    let headingPath: readonly string[] = [];
    let start = bodyStart;
    let end = bodyStart;
    let words = 0;
    let hasContent = false;
    let page: number | null = null;

    const close = () => {
      const slice = text.slice(start, end);
      const from = start + (slice.length - slice.trimStart().length);
      const to = start + slice.trimEnd().length;
      if (to > from) chunks.push({ start: from, end: to, headingPath, anchor: path.at(-1)?.anchor ?? null, page });
      start = end;
      words = 0;
      hasContent = false;
    };

    let pauseAt = performance.now() + maxBusyMs;
    for (const block of blocksOf(text, bodyStart)) {
      if (performance.now() > pauseAt) {
        await setImmediate();
        pauseAt = performance.now() + maxBusyMs;
      }
      if (block.kind === 'page') {
        end = block.start;
        close();
        start = end = block.end;
        page = block.page;
        continue;
      }
      if (block.kind === 'heading') {
        // Headings that directly follow one another begin one chunk: a bare heading answers nothing.
        const endsSection = hasContent && chunks.length < maxSections;
        if (endsSection || block.end - start > maxChunkChars) close();
        path = [...path.filter((heading) => heading.level < block.level), block];
        headingPath = path.map((heading) => heading.text);
        end = block.end;
        continue;
      }
      for (const piece of await piecesOf(text, block)) {
        const isFull = hasContent && words + piece.words > maxChunkWords;
        if (isFull || (end > start && piece.end - start > maxChunkChars)) close();
        end = piece.end;
        words += piece.words;
        hasContent = true;
      }
    }
    end = text.length;
    close();
    return chunks;
  };
}
