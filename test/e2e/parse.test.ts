/** The parser of sources: concurrency of its processes, formats and encodings. */
import { describe, expect, it } from 'vitest';
import { formats } from '../../packages/converters/src/formats.ts';
import {
  createParserProcess,
  createSourceParser,
  type ParseInProcess,
} from '../../packages/converters/src/parse.ts';

interface Given {
  readonly name?: string;
  readonly mediaType?: string;
  readonly signal?: AbortSignal;
  readonly namespace?: string;
}

const parserOver =
  (parseInProcess: ParseInProcess) =>
  async (content: string | Uint8Array, given: Given = {}) => {
    const { name = '', mediaType, signal, namespace = 'docs' } = given;
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const source = {
      kind: mediaType === undefined ? ('file' as const) : ('url' as const),
      namespace,
    };
    const location = 'https://example.com/docs/page';
    const loaded = {
      bytes,
      fileName: name,
      location,
      mediaType,
      charset: undefined,
      fallbackTitle: 'f',
    };
    return createSourceParser(parseInProcess, 1_000_000)(source, loaded, signal);
  };
const parse = parserOver(createParserProcess({ timeoutMs: 600_000 }));
/** Parses in this process. */
const read = parserOver(async (_, job) => (await formats[job.format].load())(job));
const html = { mediaType: 'text/html' };

describe('a hostile page', () => {
  it('does not repeat a wide cell in every row', async () => {
    const page = `<table><tr><td>${'x'.repeat(50_000)}</td></tr>${'<tr><td>y</td></tr>'.repeat(1_000)}</table>`;
    expect((await read(page, html)).markdown.length).toBeLessThan(70_000);
  });

  it('delays another namespace by one parse at most, however many pages wait', async () => {
    /** Largest allowed page: some seconds of CPU. */
    const largest = `<p>${'<b>x</b> '.repeat(99_000)}`;
    const ended: string[] = [];
    const enough = new AbortController();
    const slow = Array.from({ length: 4 }, async () => {
      await parse(largest, { ...html, signal: enough.signal }).catch(() => undefined);
      ended.push('slow');
    });
    await parse('<p>fine</p>', { ...html, namespace: 'other' });
    ended.push('other');
    enough.abort();
    await Promise.all(slow);
    expect(ended.indexOf('other')).toBeLessThan(3);
  });

  it('does not affect thirty honest pages parsed concurrently', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const numbers = Array.from({ length: 30 }, (_, at) => at);
    const pages = await Promise.all(numbers.map((at) => parse(`<p>page ${at}</p>`, html)));
    process.off('warning', onWarning);
    expect(pages.map(({ markdown }) => markdown)).toEqual(numbers.map((at) => `page ${at}`));
    expect(warnings).toEqual([]);
  });
});

describe('a source', () => {
  it('gets its format from the media type of the server', async () => {
    const name = 'a.md';
    await expect(read('x', { name, mediaType: 'image/png' })).rejects.toMatchObject({
      code: 'unsupported_media_type',
    });
    expect((await read('# T\n\nx', { name, mediaType: 'text/plain' })).title).toBe('T');
    expect((await read('plain', { name: 'a', mediaType: 'text/plain' })).markdown).toBe('plain');
  });

  const page = `${Buffer.from('<html><meta charset="shift_jis"><p>').toString('hex')}93fa`;
  it.each<[string, string, Given]>([
    ['日', page, html],
    ['café', 'fffe630061006600e900', { name: 'a.txt' }],
  ])('in another encoding is decoded: %s, %s', async (markdown, hex, given) =>
    expect((await read(Buffer.from(hex, 'hex'), given)).markdown).toBe(markdown),
  );
});
