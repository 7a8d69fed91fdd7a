import { PDFDocument } from 'pdf-lib';
import { describe, expect, it } from 'vitest';
import {
  detectFormat,
  type FormatName,
  formats,
  hasFileExtension,
} from '../../../packages/converters/src/formats.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { p, wordFile } from '../../support/docx-files.ts';
import { epubFile } from '../../support/epub-files.ts';

interface Sample {
  /** Contains `Paid within 30 days`. */
  readonly make: () => string | Promise<Uint8Array>;
  /** Recognized whatever its name and media type are. */
  readonly isKnownByContent?: true;
}

async function pdfFile(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.addPage().drawText('Paid within 30 days', { x: 72, y: 700 });
  return document.save();
}

/** One for each format; the type requires all. */
const samples: Readonly<Record<FormatName, Sample>> = {
  html: {
    make: () =>
      '<!doctype html><html><body><p>Paid within 30 days</p><p hidden>secret</p></body></html>',
    isKnownByContent: true,
  },
  pdf: { make: pdfFile, isKnownByContent: true },
  epub: {
    make: () => epubFile(['<p>Paid within 30 days</p><p hidden="hidden">secret</p>']),
    isKnownByContent: true,
  },
  docx: { make: () => wordFile({ body: p('Paid within 30 days') }), isKnownByContent: true },
  markdown: { make: () => '# Refunds\n\nPaid within 30 days<span hidden>secret</span>' },
  mdx: { make: () => 'import A from "a"\n\n<A hidden>secret</A>\n\nPaid within 30 days' },
  text: { make: () => 'Paid within 30 days' },
  csv: { make: () => 'Question,Answer\nWhen is it?,Paid within 30 days <i hidden>secret</i>\n' },
  tsv: { make: () => 'Question\tAnswer\nWhen is it?\tPaid within 30 days <i hidden>secret</i>\n' },
  json: { make: () => '{"when": "Paid within 30 days <i hidden>secret</i>"}' },
};

const bytesOf = async ({ make }: Sample): Promise<Uint8Array> => Buffer.from(await make());
const failureOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe.each(Object.entries(samples) as [FormatName, Sample][])(
  'the %s format',
  (name, sample) => {
    const { mediaTypes, extensions, load, signature } = formats[name];
    const reading = async (bytes: Uint8Array) =>
      (await load())({ bytes, charset: undefined, location: undefined });

    it('is recognized by media type, file name and content', async () => {
      const bytes = await bytesOf(sample);
      for (const mediaType of mediaTypes) expect(detectFormat(bytes, '', mediaType)).toBe(name);
      for (const extension of extensions)
        expect(detectFormat(bytes, `a/B${extension.toUpperCase()}`, undefined)).toBe(name);
      if (sample.isKnownByContent)
        expect(detectFormat(bytes, 'a.md', 'application/octet-stream')).toBe(name);
    });

    it('produces only visible text, and the same on each run', async () => {
      const bytes = await bytesOf(sample);
      const parsed = await reading(bytes);
      expect(parsed.markdown).toContain('Paid within 30 days');
      expect(parsed.markdown).not.toContain('secret');
      expect(await reading(bytes)).toEqual(parsed);
    });

    it('is not assumed if the content differs', async () => {
      const picture = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
      const claims = [
        ...extensions.map((extension) => [`a${extension}`, undefined] as const),
        ...mediaTypes.map((type) => ['', type] as const),
      ];
      for (const [fileName, type] of claims)
        expect(failureOf(() => detectFormat(picture, fileName, type))).toBeInstanceOf(
          KnowledgeError,
        );
      if (signature)
        expect(
          failureOf(() => detectFormat(Buffer.from('text'), '', mediaTypes[0])),
        ).toBeInstanceOf(KnowledgeError);
    });

    it('is read as far as possible or rejected with a code if truncated', async () => {
      const bytes = await bytesOf(sample);
      for (const part of [0, 0.3, 0.6, 0.9]) {
        const outcome = await reading(bytes.subarray(0, Math.floor(part * bytes.length))).catch(
          (error: unknown) => error,
        );
        if (!(outcome instanceof KnowledgeError))
          expect(outcome).toMatchObject({ markdown: expect.any(String) });
      }
    });
  },
);

describe('format detection', () => {
  it('rejects other formats and lists the supported ones', () => {
    expect(() => detectFormat(Buffer.from('GIF89a'), 'a.md', undefined)).toThrow(
      'This is a GIF picture. Supported formats: HTML, PDF, EPUB, DOCX, Markdown, MDX, plain text, CSV, TSV and JSON.',
    );
    expect(() => detectFormat(Buffer.from('x'), 'a.exe', undefined)).toThrow(
      'This is a file of type .exe.',
    );
    expect(() => detectFormat(Buffer.from('x'), 'a.pdf', undefined)).toThrow(
      'This is not a valid PDF file, despite its name or media type.',
    );
    expect(() => detectFormat(Buffer.from('x'), 'a.md', 'image/png')).toThrow(
      'This is content of type image/png.',
    );
  });

  it.each([
    ['prices.csv', 'application/vnd.ms-excel', 'csv'],
    ['README.md', 'text/x-web-markdown', 'markdown'],
    ['', 'application/vnd.api+json', 'json'],
  ])('reads %j of type %s as %s', (name, type, format) =>
    expect(detectFormat(Buffer.from('x'), name, type)).toBe(format),
  );

  it('treats a file without extension as plain text', () =>
    expect(detectFormat(Buffer.from('Free.'), 'LICENSE', undefined)).toBe('text'));
});

it('hasFileExtension recognizes names of supported and unsupported files', () => {
  for (const name of ['a.md', 'Report.PDF', 'x.tar.gz', 'old.doc', 'sheet.xlsx'])
    expect(hasFileExtension(name)).toBe(true);
  for (const text of ['refunds.', 'v1.2', 'example.com', 'md'])
    expect(hasFileExtension(text)).toBe(false);
});

it('names the password of an Office file', () => {
  const ole = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  const reason = (name: string) =>
    failureOf(() =>
      detectFormat(
        Buffer.concat([ole, Buffer.alloc(9_000), Buffer.from(name, 'utf16le')]),
        'plan.docx',
        undefined,
      ),
    );
  expect(reason('EncryptedPackage')).toMatchObject({
    message: expect.stringContaining('password-protected'),
  });
  expect(reason('WordDocument')).toMatchObject({
    message: expect.stringContaining('older Office version'),
  });
});
