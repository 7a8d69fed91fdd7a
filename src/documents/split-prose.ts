/** Splits long prose at paragraph, line and sentence ends with @mastra/rag's recursive splitter. */
import { lazy } from '../../packages/shared/src/concurrency/lazy.ts';
import type { SplitProse } from './chunk.ts';

const separators = ['\n\n', '\n', '. ', '? ', '! ', '。', '！', '？', '; ', ', ', ' '];

/** Cached, because repeating the import costs more than splitting. */
const splitter = lazy(() => import('@mastra/rag'));

/** Blocks the thread, the first time for most of a second. Verifies the splitter's offsets. */
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
