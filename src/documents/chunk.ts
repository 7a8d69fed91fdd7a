/**
 * Splits each section of a document into contiguous slices of the stored file. Only prose is cut
 * inside a block. Small chunks retrieve more: in 1,000 words, chunks of 100 to 200 words contained
 * .89 to .91 of the reference spans; 800-word chunks .71 (field measurement).
 */
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import {
  type Block,
  blocksOf,
  cutWithin,
  type Heading,
  type PageMark,
} from '../../packages/shared/src/markdown/blocks.ts';
import type { Chunk } from './document.ts';

/**
 * Maximum words per chunk, as counted by `countWords`. A single table or code block may exceed it.
 */
export const maxChunkWords = 200;

/** Hard maximum, also for code blocks: a passage must fit into a model's context. UTF-16 units. */
export const maxChunkChars = 8_000;

/**
 * Cuts prose into contiguous segments of at most `maxChars` characters if possible; returns the
 * offsets of the cuts.
 */
export type SplitProse = (text: string, maxChars: number) => Promise<number[]>;

const charsPerWord = 6;
/**
 * A document with this many chunks puts further sections into shared chunks, so that many short
 * sections stay cheap.
 */
const maxSections = 2_000;

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

const firstUnspaced = 0x0e01;

/**
 * Counts words separated by white space; in scripts without spaces, two characters count as a word.
 */
function countWords(text: string, start: number, end: number) {
  let words = 0;
  let isInWord = false;
  let mayBeUnspaced = false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const isSpace = code <= 32 || code === 160;
    if (!isSpace && !isInWord) words++;
    isInWord = !isSpace;
    if (code >= firstUnspaced) mayBeUnspaced = true;
  }
  return mayBeUnspaced ? words + (text.slice(start, end).match(unspaced)?.length ?? 0) / 2 : words;
}

type Segment = Readonly<{
  start: number;
  end: number;
  words: number;
}>;

/**
 * Splits a range at the cuts. Lazy, like `sized`, so that the caller can pause between two
 * segments.
 */
function* cutAt(
  text: string,
  start: number,
  end: number,
  cuts: readonly number[],
): Generator<Segment> {
  let from = start;
  for (const to of [...cuts.filter((cut) => cut > start && cut < end), end]) {
    yield { start: from, end: to, words: countWords(text, from, to) };
    from = to;
  }
}

/** Cuts oversized segments at line ends, or between any two characters if a line is too long. */
function* sized(text: string, segments: Iterable<Segment>) {
  for (const segment of segments) {
    let from = segment.start;
    while (segment.end - from > maxChunkChars) {
      const to = cutWithin(text, from, maxChunkChars, ['\n']);
      yield* cutAt(text, from, to, []);
      from = to;
    }
    if (from === segment.start) yield segment;
    else if (from < segment.end) yield* cutAt(text, from, segment.end, []);
  }
}

async function segmentsOf(
  text: string,
  { kind, start, end, partStarts }: Block,
  splitProse: SplitProse,
): Promise<Iterable<Segment>> {
  if (end - start <= maxChunkChars) {
    const words = countWords(text, start, end);
    if (words <= maxChunkWords || kind === 'whole') return [{ start, end, words }];
  } else if (kind === 'whole') return sized(text, cutAt(text, start, end, []));
  const cuts =
    kind === 'parts'
      ? partStarts
      : (await splitProse(text.slice(start, end), maxChunkWords * charsPerWord)).map(
          (cut) => start + cut,
        );
  return sized(text, cutAt(text, start, end, cuts));
}

export async function chunkDocument(
  splitProse: SplitProse,
  text: string,
  bodyStart: number,
): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  let start = bodyStart;
  let end = bodyStart;
  let words = 0;
  let hasContent = false;
  let place: Pick<Chunk, 'page' | 'pageLabel'> = { page: null };
  let path: Heading[] = [];
  /** Path that all text of the chunk shares. */
  let common: readonly Heading[] = [];

  function close(at = end) {
    const slice = text.slice(start, at);
    const from = start + (slice.length - slice.trimStart().length);
    const to = start + slice.trimEnd().length;
    if (to > from)
      chunks.push({
        start: from,
        end: to,
        headingPath: common.map((heading) => heading.text),
        anchor: common.at(-1)?.anchor ?? null,
        ...place,
      });
    common = path;
    start = end = at;
    words = 0;
    hasContent = false;
  }

  function turnPage({ start: from, end: to, page, pageLabel }: PageMark) {
    close(from);
    start = end = to;
    place = { page, ...(pageLabel !== undefined && { pageLabel }) };
  }

  /** Consecutive headings begin one chunk, because a heading without text answers no question. */
  function addHeading(heading: Heading) {
    const endsSection = hasContent && chunks.length < maxSections;
    if (endsSection || heading.end - start > maxChunkChars) close();
    path = [...path.filter(({ level }) => level < heading.level), heading];
    common = hasContent ? common.filter((one, at) => one === path[at]) : path;
    end = heading.end;
  }

  function add(segment: Segment) {
    const isFull = hasContent && words + segment.words > maxChunkWords;
    if (isFull || (end > start && segment.end - start > maxChunkChars)) close();
    end = segment.end;
    words += segment.words;
    hasContent = true;
  }

  // Reading the document may have blocked the event loop.
  await yieldToEventLoop();
  const slicer = new TimeSlicer();
  for (const block of blocksOf(text, bodyStart)) {
    await slicer.pause();
    if (block.kind === 'page') turnPage(block);
    else if (block.kind === 'heading') addHeading(block);
    else if (block.end > block.start) {
      for (const segment of await segmentsOf(text, block, splitProse)) {
        await slicer.pause();
        add(segment);
      }
    }
  }
  close(text.length);
  return chunks;
}
