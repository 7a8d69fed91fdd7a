/**
 * A document → chunks: one or more per section, each a contiguous slice of the stored file that carries its heading path. Small on
 * purpose: at a 1,000-word budget, chunks of 100 to 200 words held .89 to .91 of the reference spans, 800 words .71 (field
 * measurement). Code and tables are never split; only prose that is too long for a chunk by itself is cut inside a block.
 */
import type { Chunk } from '../types.ts';
import { type Block, blocksOf, type Heading } from './blocks.ts';

/** Words of one chunk, counted as `countWords` does. A single table or code block may exceed it. */
export const maxChunkWords = 200;

/** Cuts prose into contiguous pieces of at most `maxChars` characters where it can; returns the offsets at which a piece begins, without 0. */
export type SplitProse = (text: string, maxChars: number) => Promise<number[]>;
export type ChunkDocument = (text: string, bodyStart: number) => Promise<Chunk[]>;

const charsPerWord = 6;

/** Words by white space; scripts without spaces count two characters as a word. */
const countWords = (text: string): number => {
  const unspaced = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0;
  return (text.match(/\S+/g)?.length ?? 0) + unspaced / 2;
};

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

  /** A block as pieces that each may stand in a chunk of their own. */
  async function piecesOf(text: string, block: Block): Promise<Piece[]> {
    const content = text.slice(block.start, block.end);
    const words = countWords(content);
    if (words <= maxChunkWords || block.kind === 'whole') return [{ start: block.start, end: block.end, words }];
    if (block.kind === 'parts') return cutAt(text, block.start, block.end, block.partStarts);
    const meanWordLength = content.length / words;
    const cuts = await splitProse(content, Math.ceil(maxChunkWords * Math.min(charsPerWord, meanWordLength)));
    return cutAt(text, block.start, block.end, cuts.map((cut) => block.start + cut));
  }

  return async (text, bodyStart) => {
    const chunks: Chunk[] = [];
    let path: Heading[] = [];
    let start = bodyStart;
    let end = bodyStart;
    let words = 0;
    let hasContent = false;

    const close = () => {
      const slice = text.slice(start, end);
      const from = start + (slice.length - slice.trimStart().length);
      const to = start + slice.trimEnd().length;
      if (to > from) chunks.push({ start: from, end: to, headingPath: path.map((heading) => heading.text), anchor: path.at(-1)?.anchor ?? null });
      start = end;
      words = 0;
      hasContent = false;
    };

    for (const block of blocksOf(text, bodyStart)) {
      if (block.kind === 'heading') {
        // Headings that directly follow one another begin one chunk: a bare heading answers nothing.
        if (hasContent) close();
        path = [...path.filter((heading) => heading.level < block.level), block];
        end = block.end;
        continue;
      }
      for (const piece of await piecesOf(text, block)) {
        if (hasContent && words + piece.words > maxChunkWords) close();
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
