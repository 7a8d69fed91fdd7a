/** A thread of `split-prose.ts`: cuts with @mastra/rag, whose offsets are checked, never trusted. */
import { enableCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';

// Each thread has to ask for it.
enableCompileCache();
const { MDocument } = await import('@mastra/rag');

export interface Cut {
  readonly text: string;
  readonly maxChars: number;
}

const separators = ['\n\n', '\n', '. ', '? ', '! ', '。', '！', '？', '; ', ', ', ' '];

async function startsOf({ text, maxChars }: Cut): Promise<number[]> {
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
}

parentPort?.on('message', async (cut: Cut) => parentPort?.postMessage(await startsOf(cut)));
