/** Prose that is too long for one chunk, cut by @mastra/rag's recursive splitter at paragraph, line and sentence ends. */
import { lazy } from '../concurrency/lazy.ts';
import type { SplitProse } from '../documents/chunk.ts';

const separators = ['\n\n', '\n', '. ', '? ', '! ', '。', '！', '？', '; ', ', ', ' '];

/** Loaded when it is first used; asking for a module again each time costs more than to cut. */
const splitter = lazy(() => import('@mastra/rag'));

/** Holds the thread, and the first time for most of a second. The offsets are checked, never trusted. */
export const splitProse: SplitProse = async (text, maxChars) => {
  const { MDocument } = await splitter();
  const pieces = await MDocument.fromText(text).chunk({
    strategy: 'recursive',
    maxSize: maxChars,
    overlap: 0,
    separators,
    separatorPosition: 'end',
    addStartIndex: true,
  });
  const starts: number[] = [];
  for (const piece of pieces) {
    const start: unknown = piece.metadata['startIndex'];
    if (typeof start !== 'number' || start <= 0 || start <= (starts.at(-1) ?? 0)) continue;
    if (text.startsWith(piece.text.slice(0, 40), start)) starts.push(start);
  }
  return starts;
};
