import { PDFDocument, PDFName, PDFString } from 'pdf-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { parsePdf } from '../../../../packages/converters/src/pdf/parse-pdf.ts';
import { rowsOf } from '../../../../packages/converters/src/pdf/rows.ts';
import { isSetVertically, turned } from '../../../../packages/converters/src/pdf/vertical.ts';
import type { ParsedSource } from '../../../../packages/converters/src/source.ts';
import { honestPdfs, rawPage, rawPdf, rawStream, sentence } from '../../../support/pdf-files.ts';
import { PdfWriter } from '../../../support/pdf-writer.ts';

const codeOf = (bytes: Uint8Array): Promise<string> =>
  parsePdf(bytes).then(
    () => 'parsed',
    (error) => error.code,
  );
const written = async (write: (writer: PdfWriter) => void): Promise<ParsedSource> => {
  const writer = await PdfWriter.create();
  write(writer);
  return parsePdf(await writer.save());
};
const shown = (text: string, x = 72, y = 700) => `BT /F1 12 Tf ${x} ${y} Td (${text}) Tj ET`;

describe.each(honestPdfs)('a PDF with $name', ({ make, keep, drop }) => {
  let parsed: ParsedSource;
  beforeAll(async () => {
    parsed = await parsePdf(await make());
  });

  it('keeps visible text in one block', () =>
    expect(keep.filter((text) => !parsed.markdown.includes(text))).toEqual([]));
  it('loses running lines and hidden text', () =>
    expect(drop.filter((text) => parsed.markdown.includes(text))).toEqual([]));
  it('becomes clean Markdown', () => {
    expect(parsed.markdown).not.toMatch(/\n{3}|[ \t]\n|<(?!!-- page \d+ -->)/);
    expect(parsed.markdown).toMatch(/^<!-- page 1 -->\n\n\S/);
  });
});

describe('the PDF parser', () => {
  it('marks page starts and keeps a paragraph on its first page', async () => {
    const { markdown } = await written((writer) => {
      for (let number = 1; number < 24; number++)
        writer.text(`${sentence(number)} ${sentence(number + 50)}`);
    });
    const [first = '', second = '', ...others] = markdown.split(/\n*<!-- page \d -->\n\n/).slice(1);
    expect(others).toEqual([]);
    expect(first).toMatch(/\.$/);
    expect(second).toMatch(/^Clause/);
    expect(`${first}\n\n${second}`.split('\n\n')).toEqual(
      Array.from({ length: 23 }, (_, index) => `${sentence(index + 1)} ${sentence(index + 51)}`),
    );
  });

  it('omits the mark of pages without text', async () => {
    const { markdown } = await written((writer) => {
      writer.text('First.');
      writer.newPage();
      writer.newPage();
      writer.text('Third.');
    });
    expect(markdown).toBe('<!-- page 1 -->\n\nFirst.\n\n<!-- page 3 -->\n\nThird.');
  });

  it('repeats the header of a table on the next page', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => [
      `Item ${index}`,
      `${index * 3} EUR`,
      `Shelf ${index % 7}`,
    ]);
    const { markdown } = await written((writer) =>
      writer.table([['Article', 'Price', 'Place'], ...rows], [120, 120, 120]),
    );
    expect(markdown.match(/\| Article \| Price \| Place \|\n\| - \| - \| - \|/g)).toHaveLength(2);
    for (const [article, price, place] of rows)
      expect(markdown).toContain(`| ${article} | ${price} | ${place} |`);
  });
});

describe('the PDF parser, given repeated lines,', () => {
  const pages = (count: number, draw: (writer: PdfWriter, page: number) => void) =>
    written((writer) => {
      for (let page = 1; page <= count; page++) {
        if (page > 1) writer.newPage();
        draw(writer, page);
      }
    });

  it('keeps lines that repeat in the body', async () => {
    const twice = await pages(2, (writer) => {
      writer.line('Acme travel policy', 72, 800, 9);
      writer.text('All expenses are approved.');
    });
    expect(twice.markdown.match(/Acme travel policy/g)).toHaveLength(2);
    const same = await pages(12, (writer, page) => {
      writer.line('Acme travel policy', 72, 800, 9);
      for (let line = 0; line < 8; line++)
        writer.text('The same line on every page of the document, word for word.', { gap: 0 });
      writer.text(`This is page ${page} of the form, and its code is alpha${page}.`, { gap: 0 });
    });
    expect(same.markdown).not.toContain('travel policy');
    expect(same.markdown.match(/The same line/g)).toHaveLength(96);
    expect(same.markdown.match(/its code is alpha/g)).toHaveLength(12);
  });

  it('removes Roman page numbers and keeps numbers of the body', async () => {
    const { markdown } = await pages(4, (writer, page) => {
      writer.text(sentence(page));
      writer.text(['17', '4', '99', '23'][page - 1] ?? '');
      writer.line(['iv', 'v', 'vi', 'vii'][page - 1] ?? '', 290, 30);
    });
    expect(markdown).not.toMatch(/^[ivx]+$/m);
    expect(markdown.match(/^\d+$/gm)).toEqual(['17', '4', '99', '23']);
  });
});

describe('the PDF parser, given a table of contents,', () => {
  const entry = (writer: PdfWriter, title: string, page: string, depth: number) => {
    writer.y -= 14;
    writer.line(title, 72 + depth * 16, writer.y);
    writer.line('. . . . . . . . . . . . . . .', 300, writer.y);
    writer.line(page, 500 - writer.fonts.plain.widthOfTextAtSize(page, 11), writer.y);
  };
  const entries = [
    ['Preface', 'iv', 0],
    ['1 Travel', '3', 0],
    ['1.1 By train', '3', 1],
    ['1.2 By air', '7', 1],
    ['2 Expenses', '12', 0],
    ['2.1 Receipts', '104', 1],
  ] as const;

  it('writes list items', async () => {
    const { markdown } = await written((writer) => {
      writer.heading('Contents', 16);
      for (const [title, page, depth] of entries) entry(writer, title, page, depth);
    });
    const items = entries.map(
      ([title, page, depth]) => `${'  '.repeat(depth)}- ${title} … ${page}`,
    );
    expect(markdown).toBe(`<!-- page 1 -->\n\n# Contents\n\n${items.join('\n')}`);
  });
});

describe('the PDF parser, given hidden text,', () => {
  it('removes text in hidden layers, masks and clipped areas', async () => {
    const resources =
      '/Properties << /L 6 0 R >> /ExtGState << /G << /SMask << /S /Luminosity /G 7 0 R >> >> >>';
    const root =
      '<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >> >>';
    const mask = rawStream(
      shown('masking', 72, 500),
      '/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency /CS /DeviceGray >> /Resources << /Font << /F1 5 0 R >> >>',
    );
    const content = `${shown('Shown')} /OC /L BDC ${shown('layered', 72, 600)} EMC q /G gs Q q 0 0 50 50 re W n ${shown('clipped', 72, 300)} Q`;
    const { markdown } = await parsePdf(
      rawPage(content, { resources, root, more: ['<< /Type /OCG /Name (L) >>', mask] }),
    );
    expect(markdown).toBe('<!-- page 1 -->\n\nShown');
  });

  it('keeps invisible text only on scanned pages', async () => {
    const picture = rawStream(
      'x',
      '/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray',
    );
    const strips = Array.from({ length: 12 }, (_, at) => `q 612 0 0 66 0 ${at * 66} cm /I Do Q `);
    for (const scanned of ['q 612 0 0 792 0 0 cm /I Do Q ', strips.join('')]) {
      const recognised = `${scanned}3 Tr ${shown('Recognised text of a scan.')}`;
      const scan = await parsePdf(
        rawPage(recognised, { resources: '/XObject << /I 6 0 R >>', more: [picture] }),
      );
      expect(scan.markdown).toContain('Recognised text of a scan.');
    }
    expect(await codeOf(rawPage(`3 Tr ${shown('Nothing is here.')}`))).toBe('empty_source');
  });

  it('removes invisible characters from words', async () => {
    const map =
      'begincmap 1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar <41> <0061> <42> <200B202E> <43> <DB40DC41> endbfchar endcmap';
    const bytes = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>',
      rawStream('BT /F1 12 Tf 72 700 Td <414241434141> Tj ET'),
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 65 /LastChar 67 /Widths [500 0 0] /ToUnicode 6 0 R >>',
      rawStream(map),
    ]);
    expect((await parsePdf(bytes)).markdown).toBe('<!-- page 1 -->\n\naaaa');
  });
});

describe('the PDF parser, given text,', () => {
  it('finds spaces between single letters and joins spaced-out letters', async () => {
    // All letters of Courier are 0.6 of the font size wide.
    const placed = (words: readonly string[], y: number) => {
      let x = 72;
      return words
        .map((word) => {
          const letters = [...word].map(
            (letter, index) => `1 0 0 1 ${x + index * 6} ${y} Tm (${letter}) Tj`,
          );
          x += word.length * 6 + 2;
          return letters.join(' ');
        })
        .join(' ');
    };
    const { markdown } = await parsePdf(
      rawPage(
        `BT /F2 10 Tf ${placed(['one', 'two', 'three'], 700)} /F1 10 Tf 4 Tc 1 0 0 1 72 600 Tm (Spread) Tj ET`,
        {
          resources: '/Font << /F1 5 0 R /F2 6 0 R >>',
          more: ['<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>'],
        },
      ),
    );
    expect(markdown).toBe('<!-- page 1 -->\n\none two three\n\nSpread');
  });

  it('puts right-to-left text into reading order, with Latin words in theirs', async () => {
    const map =
      'begincmap 1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar <41> <05D0> <42> <05D1> <43> <05D2> endbfchar endcmap';
    const more = [
      `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>`,
      rawStream(map),
    ];
    // In visual order: the last letter first, Latin words and figures in their own order.
    const content = 'BT /F2 12 Tf 72 700 Td (CBA) Tj /F1 12 Tf ( Type 30 ) Tj /F2 12 Tf (BA) Tj ET';
    const { markdown } = await parsePdf(
      rawPage(content, { resources: '/Font << /F1 5 0 R /F2 6 0 R >>', more }),
    );
    expect(markdown).toBe('<!-- page 1 -->\n\nאב Type 30 אבג');
  });

  it('keeps superscripts and subscripts', async () => {
    const { markdown } = await parsePdf(
      rawPage(
        'BT /F1 12 Tf 72 700 Td (A room of 20 m) Tj /F1 7 Tf 5 Ts (-2) Tj /F1 12 Tf 0 Ts ( and less CO) Tj /F1 7 Tf -3 Ts (2) Tj ET',
      ),
    );
    expect(markdown).toBe('<!-- page 1 -->\n\nA room of 20 m⁻² and less CO₂');
  });

  it.each([
    [
      'URLs and divided words, but keeps compounds',
      [
        'This well-known guide, a long one, is at https://docs.example.com/guides/',
        'getting-started/index.html and is kept by the inter-',
        'national team and by the well-',
        'known authors.',
      ],
      'https://docs.example.com/guides/getting-started/index.html and is kept by the international team and by the well-known authors.',
    ],
    [
      'a code that is divided at its hyphen',
      [
        'The spare part that is needed for this is the gasket ZR-',
        '2207 of the same maker, which is kept in the third room.',
      ],
      'gasket ZR-2207 of',
    ],
  ])('joins %s', async (_, lines, joined) => {
    const { markdown } = await written((writer) => {
      for (const [index, line] of lines.entries()) writer.line(line, 72, 700 - index * 14);
    });
    expect(markdown).toContain(joined);
  });

  it('escapes Markdown syntax only at the start of a line', async () => {
    const { markdown } = await written((writer) => {
      writer.text('# is the sign for a number, and a_b * c stays.', { gap: 20 });
      writer.text('<b> is a tag.', { gap: 20 });
    });
    expect(markdown).toBe(
      '<!-- page 1 -->\n\n\\# is the sign for a number, and a_b * c stays.\n\n\\<b> is a tag.',
    );
  });
});

describe('the metadata of a PDF', () => {
  const described = (title: string) =>
    written((writer) => {
      writer.document.setTitle(title);
      writer.text('Body text without a heading.');
    });

  it.each(['Untitled 3', 'report_final.docx', 'http://localhost/print'])(
    'does not provide a placeholder as title: %s',
    async (title) => expect((await described(title)).title).toBeUndefined(),
  );
  it('provides a meaningful title', async () =>
    expect((await described('Travel policy 2025')).title).toBe('Travel policy 2025'));

  it('provides language and date only if valid', async () => {
    const { language, lastModified } = await parsePdf(
      rawPage(shown('Hi'), { root: '<< /Type /Catalog /Pages 2 0 R /Lang (not a tag) >>' }),
    );
    expect([language, lastModified]).toEqual([undefined, undefined]);
    const dated = await written((writer) => {
      writer.document.setModificationDate(new Date('2024-01-31T21:59:00Z'));
      writer.text('Text.');
    });
    expect(dated.lastModified).toBe('2024-01-31T21:59:00.000Z');
  });
});

describe('the PDF parser, given an unreadable file,', () => {
  it('reports that it needs a password', async () => {
    const encrypted = rawPdf(
      [
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [] /Count 0 >>',
        `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`,
      ],
      `/Encrypt 3 0 R /ID [<${'43'.repeat(16)}> <${'43'.repeat(16)}>]`,
    );
    await expect(parsePdf(encrypted)).rejects.toMatchObject({
      code: 'unsupported_media_type',
      message: 'The PDF is password-protected. Remove the password.',
    });
  });
  it('reports that it contains no text', async () =>
    expect(parsePdf(rawPage('0 0 m 9 9 l S'))).rejects.toMatchObject({
      code: 'empty_source',
      message: 'The PDF contains no text. Run text recognition (OCR) on scanned pages first.',
    }));
  it('reports that it is damaged', async () =>
    expect(await codeOf(Buffer.from('%PDF-1.4 nothing more'))).toBe('ingest_failed'));
});

describe('a PDF that a reader sees otherwise than it is written', () => {
  const pageOf = (content: string) => parsePdf(rawPage(content)).then(({ markdown }) => markdown);

  it('reads values of fields beside their labels, and no password', async () => {
    const document = await PDFDocument.create();
    const sheet = document.addPage();
    const form = document.getForm();
    const boat = form.createTextField('boat');
    boat.setText('Albatross');
    const berth = form.createDropdown('berth');
    berth.setOptions(['North 4', 'South 2']);
    berth.select('South 2');
    const paid = form.createCheckBox('paid');
    const code = form.createTextField('code');
    code.setText('sesame');
    code.enablePassword();
    const fields = { Boat: boat, Berth: berth, Paid: paid, Code: code };
    for (const [index, [label, field]] of Object.entries(fields).entries()) {
      const y = 700 - index * 40;
      sheet.drawText(label, { x: 72, y, size: 12 });
      field.addToPage(sheet, { x: 200, y: y - 6, width: 200, height: 20 });
    }
    paid.check();
    const { markdown } = await parsePdf(await document.save());
    expect(markdown).toMatch(/Boat.{1,3}Albatross[\s\S]*Berth.{1,3}South 2[\s\S]*Paid.{1,3}☒/);
    expect(markdown).not.toContain('sesame');
  });

  it('reads typed notes and drops text under a line or a strike-out mark', async () => {
    const document = await PDFDocument.create();
    const sheet = document.addPage();
    for (const [index, line] of ['Entry is free.', 'Entry is paid.', 'Dogs may enter.'].entries())
      sheet.drawText(line, { x: 72, y: 700 - index * 40, size: 12 });
    sheet.drawLine({ start: { x: 72, y: 704 }, end: { x: 146, y: 704 } });
    const note = (entries: Record<string, string | number[] | PDFString>) =>
      document.context.register(document.context.obj(entries));
    sheet.node.addAnnot(
      note({
        Type: 'Annot',
        Subtype: 'StrikeOut',
        Rect: [70, 614, 165, 632],
        QuadPoints: [70, 632, 165, 632, 70, 614, 165, 614],
      }),
    );
    sheet.node.addAnnot(
      note({
        Type: 'Annot',
        Subtype: 'FreeText',
        Rect: [72, 500, 300, 520],
        DA: PDFString.of('/Helv 12 Tf'),
        Contents: PDFString.of('Closed in May.'),
      }),
    );
    const { markdown } = await parsePdf(await document.save());
    expect(markdown).toContain('Entry is paid.');
    expect(markdown).toContain('Closed in May.');
    expect(markdown).not.toMatch(/free|Dogs/);
  });

  it('names pages by the printed number', async () => {
    const document = await PDFDocument.create();
    for (const text of ['Foreword.', 'Chapter.']) document.addPage().drawText(text);
    document.catalog.set(
      PDFName.of('PageLabels'),
      document.context.obj({ Nums: [0, { S: 'r' }, 1, { S: 'D' }] }),
    );
    const { markdown } = await parsePdf(await document.save());
    expect(markdown).toBe('<!-- page 1 (i) -->\n\nForeword.\n\n<!-- page 2 (1) -->\n\nChapter.');
  });

  it('joins spaced letters of short words', async () =>
    expect(
      await pageOf(`BT /F1 11 Tf 4 Tc 72 700 Td (It has 48 berths for members) Tj ET`),
    ).toContain('It has 48 berths for members'));

  it('reads upright columns from the right', () => {
    const column = (text: string, x: number) =>
      [...text].map((character, index) => glyph(character, x, 100 + index * 12));
    const glyph = (text: string, x0: number, y: number) => ({
      ...{ text, x0, x1: x0 + 12, y, size: 12 },
      ...{ isBold: false, isMono: false, isAfterSpace: false, isArtifact: false },
    });
    const glyphs = [...column('船は港にある', 300), ...column('鍵は事務所', 280)];
    expect(isSetVertically(glyphs)).toBe(true);
    const rulings = { horizontal: [], vertical: [] };
    const rows = rowsOf(turned({ width: 600, height: 800, glyphs, rulings }).glyphs, rulings);
    expect(rows.map((row) => row.map(({ text }) => text).join(''))).toEqual([
      '船は港にある',
      '鍵は事務所',
    ]);
  });
});
