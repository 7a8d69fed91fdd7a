import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontMatter } from '../../packages/shared/src/markdown/front-matter.ts';
import { chunkDocument, maxChunkChars } from '../../src/documents/chunk.ts';
import { splitProse } from '../../src/documents/split-prose.ts';
import { markdown } from '../support/documents.ts';

const chunksOf = chunkDocument.bind(undefined, splitProse);
const chunked = async (text: string) => {
  const { bodyStart } = readFrontMatter(text);
  return { bodyStart, chunks: await chunksOf(text, bodyStart) };
};

describe('chunks of any Markdown', () => {
  it('are in order, do not overlap and omit only white space', () =>
    fc.assert(
      fc.asyncProperty(markdown, async (text) => {
        const { bodyStart, chunks } = await chunked(text);
        let from = bodyStart;
        for (const { start, end } of chunks) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          expect(text.slice(from, start).trim()).toBe('');
          from = end;
        }
        expect(text.slice(from).trim()).toBe('');
      }),
    ));

  it('never split a code fence that fits into a chunk', () =>
    fc.assert(
      fc.asyncProperty(
        markdown,
        fc.integer({ min: 1, max: 120 }),
        markdown,
        async (before, lines, after) => {
          const fence = `\`\`\`ts\n${Array.from({ length: lines }, (_, n) => `call(${n});\n\n# comment ${n}`).join('\n')}\n\`\`\``;
          // Removes open fences before it: its first line would close them.
          const text = `${before.replaceAll('~~~', '').replaceAll('```', '')}\n\n${fence}\n\n${after}`;
          const { chunks } = await chunked(text);
          const start = text.indexOf(fence);
          const holders = chunks.filter(
            (chunk) => chunk.start < start + fence.length && chunk.end > start,
          );
          expect(fence.length > maxChunkChars || holders.length === 1).toBe(true);
        },
      ),
    ));

  it('never exceed the maximum size, even for one long line', async () => {
    for (const text of [
      'x'.repeat(100_000),
      '👍'.repeat(30_000),
      `\`\`\`\n${'code line\n'.repeat(20_000)}\`\`\``,
      `- ${'word '.repeat(40_000)}`,
      '# Heading after heading\n'.repeat(5_000),
    ]) {
      const { chunks } = await chunked(text);
      expect(Math.max(...chunks.map((chunk) => chunk.end - chunk.start))).toBeLessThanOrEqual(
        maxChunkChars,
      );
      expect(chunks.every(({ start, end }) => text.slice(start, end).isWellFormed())).toBe(true);
    }
  });
});
