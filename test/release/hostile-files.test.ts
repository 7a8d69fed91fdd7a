/**
 * Parses files in parser processes: honest samples of every format, and files that would exhaust
 * memory.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParserProcess, createSourceParser } from '../../packages/converters/src/parse.ts';
import { samples } from '../support/docx-files.ts';
import { hostilePdfs, rawPage } from '../support/pdf-files.ts';
import { loadedFile } from '../support/sources.ts';

const maxBytes = 20 * 1024 * 1024;
const read = (
  fileName: string,
  bytes: Uint8Array,
  parse: ReturnType<typeof createSourceParser>,
  signal?: AbortSignal,
) =>
  parse({ kind: 'file', namespace: 'docs' }, loadedFile(fileName, bytes), signal).then(
    ({ markdown }) => ({ code: 'parsed', markdown }),
    (error) => ({ code: String(error.code), markdown: '' }),
  );

describe('a sample file', () => {
  const parse = createSourceParser(createParserProcess(), maxBytes);
  it.each(samples.map((sample) => [sample.name, sample] as const))(
    'keeps the visible text and drops the rest: %s',
    async (_, sample) => {
      const { markdown } = await read(sample.fileName, await sample.make(), parse);
      for (const kept of sample.keep) expect(markdown).toContain(kept);
      for (const dropped of sample.drop) expect(markdown).not.toContain(dropped);
      expect(markdown).not.toMatch(/[ \t]$|\n{3}/m);
    },
  );
});

describe('a hostile PDF', () => {
  const guarded = createSourceParser(
    createParserProcess({ maxHeapMb: 160, maxProcesses: 1 }),
    maxBytes,
  );
  let before = 0;
  beforeAll(() => {
    before = process.memoryUsage().rss;
  });
  afterAll(() => expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024));

  it.each(hostilePdfs)(
    'either fails or is parsed, and the next one is parsed: $name',
    async ({ make, text }) => {
      // A PDF that is read in the end may take long on a busy machine.
      const ending = text === undefined ? AbortSignal.timeout(8_000) : undefined;
      const outcome = await read('a.pdf', make(), guarded, ending);
      expect(['parsed', 'ingest_failed', 'payload_too_large', 'timeout', 'empty_source']).toContain(
        outcome.code,
      );
      if (text !== undefined) expect(outcome.markdown).toContain(text);
      expect(outcome.markdown).not.toContain('Attached');
      expect(
        (await read('a.pdf', rawPage('BT /F1 12 Tf 72 700 Td (fine) Tj ET'), guarded)).markdown,
      ).toContain('fine');
    },
  );
});
