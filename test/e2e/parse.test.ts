import { describe, expect, it } from 'vitest';
import { formats } from '../../packages/converters/src/formats.ts';
import {
  createParserProcess,
  createSourceParser,
  type ParseInProcess,
  type ParserProcessOptions,
} from '../../packages/converters/src/parse.ts';
import type { ParsedSource } from '../../packages/converters/src/source.ts';
import type { LoadedSource, Source } from '../../src/ingest/source.ts';

type Parse = (
  source: Source,
  content: LoadedSource,
  signal?: AbortSignal,
  namespace?: string,
) => Promise<ParsedSource>;
const nameOf = (source: Source) =>
  'path' in source ? source.path : 'url' in source ? new URL(source.url).pathname : '';
const parserOver =
  (parseInProcess: ParseInProcess, maxBytes = 1_000_000): Parse =>
  (source, content, signal, namespace = 'docs') =>
    createSourceParser(parseInProcess, maxBytes)(
      { kind: source.kind, namespace },
      { ...content, fileName: nameOf(source) },
      signal,
    );
const parserWith = (maxBytes: number, options: ParserProcessOptions = {}): Parse =>
  parserOver(createParserProcess({ timeoutMs: 600_000, ...options }), maxBytes);
const parseSource = parserWith(1_000_000);
/** Parses in this process. */
const read = parserOver(async (_, job) => (await formats[job.format].load())(job));

const url = (address: string): Source => ({ kind: 'url', url: address, label: address });
const file = (path: string): Source => ({ kind: 'file', path, label: path });
const loaded = (
  content: string | Uint8Array,
  mediaType?: string,
  charset?: string,
): LoadedSource => ({
  fileName: '',
  version: { hash: '' },
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
  identity: 'i',
  origin: 'https://example.com/docs/page',
  location: 'https://example.com/docs/page',
  mediaType,
  charset,
  fallbackTitle: 'f',
});
const code = (source: Source, content: LoadedSource) =>
  read(source, content).then(
    () => 'parsed',
    (error) => error.code,
  );

describe('a hostile page', () => {
  it('does not repeat a wide cell in every row', async () => {
    const { markdown } = await read(
      url('https://example.com/x'),
      loaded(
        `<table><tr><td>${'x'.repeat(50_000)}</td></tr>${'<tr><td>y</td></tr>'.repeat(1_000)}</table>`,
        'text/html',
      ),
    );
    expect(markdown.length).toBeLessThan(70_000);
  });

  /** Largest allowed page: some seconds of CPU and 150 MB. */
  const largest = `<p>${'<b>x</b> '.repeat(99_000)}`;

  it('fails if it exceeds the heap limit, and the next page is parsed', async () => {
    const parse = parserWith(1_000_000, { maxHeapMb: 64 });
    await expect(
      parse(url('https://example.com/x'), loaded(largest, 'text/html')),
    ).rejects.toMatchObject({ code: 'ingest_failed' });
    expect(
      (await parse(url('https://example.com/x'), loaded('<p>fine</p>', 'text/html'))).markdown,
    ).toBe('fine');
  });

  it('times out', async () => {
    const parse = parserWith(1_000_000, { timeoutMs: 10 });
    await expect(
      parse(url('https://example.com/x'), loaded(largest, 'text/html')),
    ).rejects.toMatchObject({ code: 'timeout' });
  });

  it('fails when its request is aborted', async () => {
    const parse = parserWith(1_000_000);
    await expect(
      parse(url('https://example.com/x'), loaded(largest, 'text/html'), AbortSignal.timeout(100)),
    ).rejects.toMatchObject({
      code: 'ingest_failed',
    });
  });

  it('delays another namespace by one parse at most, however many pages wait', async () => {
    const parse = parserWith(1_000_000);
    const ended: string[] = [];
    const enough = new AbortController();
    const slow = Array.from({ length: 4 }, async () => {
      await parse(url('https://example.com/x'), loaded(largest, 'text/html'), enough.signal).catch(
        () => undefined,
      );
      ended.push('slow');
    });
    await parse(
      url('https://example.com/x'),
      loaded('<p>fine</p>', 'text/html'),
      undefined,
      'other',
    );
    ended.push('other');
    enough.abort();
    await Promise.all(slow);
    expect(ended.indexOf('other')).toBeLessThan(3);
  });

  it('does not affect thirty honest pages parsed concurrently', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const pages = await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        parseSource(url('https://example.com/x'), loaded(`<p>page ${number}</p>`, 'text/html')),
      ),
    );
    process.off('warning', onWarning);
    expect(pages.map((parsed) => parsed.markdown)).toEqual(
      Array.from({ length: 30 }, (_, number) => `page ${number}`),
    );
    expect(warnings).toEqual([]);
  });

  it('is rejected if its Markdown exceeds the size limit', async () => {
    const parse = parserWith(1_000);
    await expect(
      parse(url('https://example.com/x'), loaded(`<p>${'[*_'.repeat(400)}</p>`, 'text/html')),
    ).rejects.toMatchObject({
      code: 'payload_too_large',
    });
  });
});

describe('a source', () => {
  it('gets its format from the media type of the server', async () => {
    expect(await code(url('https://example.com/a.md'), loaded('x', 'image/png'))).toBe(
      'unsupported_media_type',
    );
    expect(
      (await read(url('https://example.com/a.md'), loaded('# T\n\nx', 'text/plain'))).title,
    ).toBe('T');
    expect((await read(url('https://example.com/a'), loaded('plain', 'text/plain'))).markdown).toBe(
      'plain',
    );
  });
  it('without text fails with empty_source', async () =>
    expect(await code(file('a.md'), loaded(' \n'))).toBe('empty_source'));
  it('in another encoding is decoded', async () => {
    expect(
      (
        await read(
          url('https://example.com/a'),
          loaded(
            Buffer.concat([
              Buffer.from('<html><meta charset="shift_jis"><p>'),
              Buffer.from([0x93, 0xfa]),
            ]),
            'text/html',
          ),
        )
      ).markdown,
    ).toBe('日');
    expect(
      (
        await read(
          url('https://example.com/a'),
          loaded(Buffer.from('café', 'utf16le'), 'text/plain', 'utf-16le'),
        )
      ).markdown,
    ).toBe('café');
    expect(
      (await read(file('a.txt'), loaded(Buffer.from([0x63, 0x61, 0x66, 0xe9])))).markdown,
    ).toBe('café');
    const shiftJis = Buffer.from('82b182ea82cd95d4956982c582b7', 'hex');
    expect((await read(file('a.txt'), loaded(shiftJis))).markdown).toBe('これは返品です');
    const cyrillic = Buffer.from([
      0xc2, 0xee, 0xe7, 0xe2, 0xf0, 0xe0, 0xf2, 0x20, 0xe4, 0xe5, 0xed, 0xe5, 0xe3,
    ]);
    expect((await read(file('a.txt'), loaded(cyrillic))).markdown).toBe('Возврат денег');
    expect((await read(file('a.txt'), loaded(Buffer.from('\uFEFFcafé', 'utf16le')))).markdown).toBe(
      'café',
    );
    expect(
      (
        await read(
          url('https://example.com/a'),
          loaded(Buffer.from([0x93, 0xfa]), 'text/plain', 'shift_jis'),
        )
      ).markdown,
    ).toBe('日');
  });
});
