import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseDocx } from '../../../../packages/converters/src/docx/parse-docx.ts';
import {
  p,
  policyDocument,
  r,
  styled,
  type WordParts,
  wordFile,
  zipOf,
} from '../../../support/docx-files.ts';

const refusal = (bytes: Uint8Array) =>
  parseDocx(bytes).then(
    () => 'parsed',
    (error) => `${error.code}: ${error.message}`,
  );
const markdownOf = async (parts: WordParts) => (await parseDocx(await wordFile(parts))).markdown;
const heading = (id: string, name: string, more = '') =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
const tc = (content: string, properties = '') =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
const tr = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const tbl = (...rows: string[]) => `<w:tbl>${rows.join('')}</w:tbl>`;

describe('the DOCX parser', () => {
  it('takes title, language and date from the properties, else from the text', async () => {
    const properties =
      '<dc:title>Terms of sale</dc:title><dc:language>de-DE</dc:language><dcterms:modified>2026-02-03T04:05:06Z</dcterms:modified>';
    expect(await parseDocx(await wordFile({ body: p('Text'), properties }))).toMatchObject({
      title: 'Terms of sale',
      language: 'de-DE',
      lastModified: '2026-02-03T04:05:06.000Z',
    });
    const styles = `${heading('Titel', 'Title')}<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="fr-FR"/></w:rPr></w:rPrDefault></w:docDefaults>`;
    const body = p('Conditions', styled('Titel')) + p('Texte');
    expect(
      await parseDocx(
        await wordFile({
          body,
          styles,
          properties: '<dc:title>Microsoft Word - a.docx</dc:title>',
        }),
      ),
    ).toMatchObject({
      title: 'Conditions',
      language: 'fr-FR',
      markdown: '# Conditions\n\nTexte',
    });
  });

  it('finds headings by style name, base style and outline level in any language', async () => {
    const styles =
      heading('berschrift1', 'heading 1') +
      heading('Firma', 'Firmenkapitel', '<w:basedOn w:val="berschrift1"/>') +
      heading('Ebene', 'Ebene', '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>');
    const body =
      p('A', styled('berschrift1')) +
      p('B', styled('Firma')) +
      p('C', styled('Ebene')) +
      p('D', '<w:outlineLvl w:val="3"/>') +
      p('E');
    expect(await markdownOf({ body, styles })).toBe('# A\n\n# B\n\n### C\n\n#### D\n\nE');
  });

  it('writes computed numbers and restarts lists as Word does', async () => {
    const level = (index: number, format: string, text: string) =>
      `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering = `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '§ %1')}${level(1, 'lowerRoman', '%2)')}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level(0, 'decimal', '%1.')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>`;
    const item = (text: string, id: number, depth = 0) =>
      p(text, `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${id}"/></w:numPr>`);
    const body =
      item('a', 1) +
      item('b', 1) +
      item('c', 1, 1) +
      item('d', 1, 1) +
      p('x') +
      item('e', 2) +
      p('y') +
      item('f', 2) +
      p('z') +
      item('g', 3);
    expect((await markdownOf({ body, numbering })).replace(/\n+/g, '\n')).toBe(
      '- § 1 a\n- § 2 b\n  - i) c\n  - ii) d\nx\n1. e\ny\n2. f\nz\n1. g',
    );
  });

  it('removes hidden text', async () => {
    const styles = `${heading('Hid', 'Hid', '<w:rPr><w:vanish/></w:rPr>')}${heading('TOC1', 'toc 1')}<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/><w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:val="clear" w:fill="123456"/></w:tcPr></w:tblStylePr></w:style>`;
    const white = '<w:color w:val="FFFFFF"/>';
    const body = [
      p('GONE1', styled('Hid')),
      p(r('KEPT1', '<w:vanish w:val="0"/>'), styled('Hid')),
      p('GONE2', styled('TOC1')),
      p(
        r('GONE3', '<w:color w:val="FEFEFE"/>') +
          r('GONE4', '<w:color w:themeColor="background1"/>') +
          r('KEPT2', `${white}<w:highlight w:val="black"/>`),
      ),
      p(
        r('GONE5', '<w:color w:val="000000"/><w:shd w:val="clear" w:fill="000000"/>') +
          r('KEPT3', '<w:color w:val="auto"/>'),
      ),
      p(r('KEPT4', white), '<w:shd w:val="clear" w:fill="003366"/>'),
      tbl(
        '<w:tblPr><w:tblStyle w:val="Dark"/></w:tblPr>',
        tr(tc(p(r('KEPT5', white))), tc(p('b'))),
      ),
      p(
        `<w:del><w:r><w:delText>GONE6</w:delText></w:r></w:del><w:moveFrom>${r('GONE7')}</w:moveFrom><w:moveTo>${r('KEPT6')}</w:moveTo>`,
      ),
      p('pass\u200bword \u202eKEPT7\u{e0041}'),
      `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${p('GONE8')}</w:sdtContent></w:sdt>`,
    ].join('');
    const markdown = await markdownOf({ body, styles });
    expect(markdown.match(/KEPT\d/g)).toEqual([
      'KEPT1',
      'KEPT2',
      'KEPT3',
      'KEPT4',
      'KEPT5',
      'KEPT6',
      'KEPT7',
    ]);
    expect(markdown).not.toContain('GONE');
    expect(markdown).toContain('password KEPT7');
  });

  it('keeps only web links, from elements and fields', async () => {
    const field = (target: string, text: string) =>
      `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPER</w:instrText></w:r><w:r><w:instrText>LINK "${target}"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${r(text)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const body = p(
      `<w:hyperlink r:id="a">${r('one')}</w:hyperlink>${r(' ')}<w:hyperlink r:id="b">${r('two')}</w:hyperlink>${r(' ')}${field('https://example.com/3', 'three')}${r(' ')}${field('javascript:x', 'four')}`,
    );
    const links = { a: 'https://example.com/1', b: 'file:///etc/passwd' };
    expect(await markdownOf({ body, links })).toBe(
      '[one](https://example.com/1) two [three](https://example.com/3) four',
    );
  });

  it('writes each table row on one line and unwraps frames', async () => {
    const nested = tbl(tr(tc(p('n1')), tc(p('n2'))));
    const body =
      tbl(
        tr(tc(p('Plan')), tc(p('Terms'))),
        tr(tc(p('Pro')), tc(p('30 days') + p('no fee.') + nested)),
      ) +
      p('y') +
      tbl(tr(tc(p('In a frame.'))));
    expect(await markdownOf({ body })).toBe(
      '| Plan | Terms |\n| - | - |\n| Pro | 30 days; no fee. n1; n2 |\n\ny\n\nIn a frame.',
    );
  });

  it('keeps the headings of frames, not of tables', async () => {
    const styles = heading('H', 'heading 1') + heading('T', 'Title');
    const title = p('Terms', styled('T'));
    const frame = (...cells: string[]) => tbl(tr(...cells.map((cell) => tc(cell))));
    const body = frame(title + p('A', styled('H')) + p('a')) + frame(p('B', styled('H')), p('b'));
    const parsed = await parseDocx(await wordFile({ body, styles }));
    expect(parsed.title).toBe('Terms');
    expect(parsed.markdown).toBe('# Terms\n\n## A\n\na\n\n| B | b |\n| - | - |');
    expect(
      await markdownOf({ body: frame(title, p('b')) + p('C', styled('H')), styles }),
    ).toContain('\n\n# C');
  });

  it('repeats merged cells in each row and drops deleted rows', async () => {
    const merged = (value: string) => `<w:vMerge w:val="${value}"/>`;
    const body = tbl(
      tr('<w:trPr><w:tblHeader/></w:trPr>', tc(p('Plan')), tc(p('Days')), tc(p('Fee'))),
      tr(tc(p('Pro'), merged('restart')), tc(p('30')), tc(p('5'))),
      tr(tc(p('never shown'), merged('continue')), tc(p('60'), '<w:gridSpan w:val="2"/>')),
      tr('<w:trPr><w:del/></w:trPr>', tc(p('x')), tc(p('y')), tc(p('z'))),
    );
    expect(await markdownOf({ body })).toBe(
      '| Plan | Days | Fee |\n| - | - | - |\n| Pro | 30 | 5 |\n| Pro | 60 | 60 |',
    );
  });

  it('inserts notes at their references', async () => {
    const footnotes = `<w:footnote w:type="separator" w:id="0">${p('-')}</w:footnote><w:footnote w:id="2">${p(r('Net of tax.') + r('SECRET', '<w:vanish/>'))}</w:footnote>`;
    expect(
      await markdownOf({
        body: p(`${r('10 €')}<w:r><w:footnoteReference w:id="2"/></w:r>${r(' each.')}`),
        footnotes,
      }),
    ).toBe('10 € (Net of tax.) each.');
  });
});

/** A ZIP file with one entry, listed `copies` times. */
function handMade(name: string, data: Buffer, copies = 1): Buffer {
  const packed = deflateRawSync(data);
  const header = (signature: number, isCentral: boolean) => {
    const bytes = Buffer.alloc(isCentral ? 46 : 30);
    bytes.writeUInt32LE(signature, 0);
    const at = isCentral ? 6 : 4;
    bytes.writeUInt16LE(20, at);
    bytes.writeUInt16LE(8, at + 4);
    bytes.writeUInt32LE(packed.length, at + 14);
    bytes.writeUInt32LE(data.length, at + 18);
    bytes.writeUInt16LE(name.length, at + 22);
    return Buffer.concat([bytes, Buffer.from(name)]);
  };
  const local = Buffer.concat([header(0x04034b50, false), packed]);
  const central = Buffer.concat(Array.from({ length: copies }, () => header(0x02014b50, true)));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(copies, 8);
  end.writeUInt16LE(copies, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

describe('the DOCX parser, given a hostile file,', () => {
  it('names the actual format', async () => {
    for (const [entry, name] of [
      ['xl/workbook.xml', 'an Excel workbook'],
      ['ppt/presentation.xml', 'a PowerPoint presentation'],
      ['content.xml', 'an OpenDocument file'],
      ['readme.txt', 'a ZIP archive'],
    ] as const)
      expect(await refusal(await zipOf({ [entry]: 'x' }))).toBe(
        `unsupported_media_type: The file is ${name}, not a Word document (DOCX).`,
      );
  });

  it('rejects truncated and random bytes', async () => {
    const bytes = await policyDocument();
    expect(await refusal(bytes.subarray(0, bytes.length / 2))).toBe(
      'unsupported_media_type: The DOCX file is damaged or incomplete.',
    );
    expect(await refusal(Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(5_000)]))).toContain(
      'damaged',
    );
  });

  it('rejects a ZIP bomb, even with false headers', async () => {
    const zeros = Buffer.alloc(70 * 1024 * 1024);
    expect(await refusal(await wordFile({ more: { 'word/media/a.bin': zeros } }))).toContain(
      'payload_too_large',
    );
    expect(await refusal(handMade('word/document.xml', zeros))).toContain('payload_too_large');
    const honest = await wordFile({ body: p('x') });
    const lying = Buffer.from(honest);
    for (let at = honest.indexOf('PK\x01\x02'); at >= 0; at = honest.indexOf('PK\x01\x02', at + 4))
      lying.writeUInt32LE(7, at + 24);
    expect(await refusal(lying)).toContain('damaged');
  });

  it('rejects too many, overlapping, duplicate and escaping entries', async () => {
    expect(await refusal(handMade('word/document.xml', Buffer.from('x'), 20_000))).toContain(
      'more than 10000 files',
    );
    expect(await refusal(handMade('word/document.xml', Buffer.from('x'), 2))).toContain(
      'same name',
    );
    const honest = await wordFile({ body: p('x') });
    const overlapping = Buffer.from(honest);
    const central = honest.indexOf('PK\x01\x02');
    overlapping.writeUInt32LE(0, honest.indexOf('PK\x01\x02', central + 4) + 42);
    expect(await refusal(overlapping)).toContain('damaged');
    const climbing = Buffer.from(
      (await wordFile({ more: { 'xx/evil.xml': 'x' } }))
        .toString('latin1')
        .replaceAll('xx/evil.xml', '../evil.xml'),
      'latin1',
    );
    expect(await refusal(climbing)).toContain('damaged');
  });

  it('rejects entities and document types', async () => {
    const laughs = `<!DOCTYPE lolz [<!ENTITY a "ha">${'bcdefgh'.replace(/./g, (name) => `<!ENTITY ${name} "${`&${String.fromCharCode(name.charCodeAt(0) - 1)};`.repeat(10)}">`)}]><w:document>&h;</w:document>`;
    expect(await refusal(await wordFile({ document: laughs }))).toContain('document type');
    expect(
      await refusal(
        await wordFile({
          body: p('x'),
          more: { 'word/styles.xml': '<!DOCTYPE x SYSTEM "file:///etc/passwd"><w:styles/>' },
        }),
      ),
    ).toContain('document type');
  });

  it('rejects deep nesting and reads broken XML as far as possible', async () => {
    expect(
      await refusal(await wordFile({ body: '<w:tbl><w:tr><w:tc>'.repeat(100_000) })),
    ).toContain('nests elements deeper');
    const document = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${p('Whole')}<w:p><w:r><w:t>Cut`;
    expect(await markdownOf({ document })).toBe('Whole\n\nCut');
  });
});

describe('a Word document that Word shows otherwise than it is written', () => {
  const m = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
  const raised = (text: string) => r(text, '<w:vertAlign w:val="superscript"/>');

  it('loses struck text', async () => {
    const body = `<w:p>${r('Free ', '<w:strike/>')}${r('old ', '<w:dstrike/>')}${r('kept', '<w:strike w:val="0"/>')}</w:p>`;
    expect(await markdownOf({ body })).toBe('kept');
  });

  it('writes raised figures apart from the figure before', async () => {
    const body = `<w:p>${r('7') + raised('-4') + r(' or 7') + raised('1/3') + r(' on the 7') + raised('th')}</w:p>`;
    expect(await markdownOf({ body })).toBe('7⁻⁴ or 7^(1/3) on the 7th');
  });

  it.each([
    [
      `<m:func><m:fName><m:sSup><m:e>${m('cos')}</m:e><m:sup>${m('-1')}</m:sup></m:sSup></m:fName><m:e>${m('4.5')}</m:e></m:func>`,
      'cos⁻¹ 4.5',
    ],
    [`${m('3')}<m:f><m:num>${m('1')}</m:num><m:den>${m('8')}</m:den></m:f>`, '3 1/8'],
    [
      `<m:sSup><m:e><m:d><m:e>${m('a+b')}</m:e></m:d></m:e><m:sup>${m('2')}</m:sup></m:sSup>`,
      '(a+b)²',
    ],
    [`<m:rad><m:deg>${m('3')}</m:deg><m:e>${m('x+1')}</m:e></m:rad>`, '³√(x+1)'],
  ])('writes a formula on one line: %s', async (math, text) =>
    expect(await markdownOf({ body: `<w:p><m:oMath>${math}</m:oMath></w:p>` })).toBe(text),
  );
});

describe('a Word document with parts in other formats', () => {
  it('reads imported pages, texts and documents where Word shows them', async () => {
    const targets = { c1: 'a.htm', c2: 'b.txt', c3: 'c.docx', c4: 'd.mht' };
    const chunk = (id: string) => `<w:altChunk r:id="${id}"/>`;
    const more = {
      'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(
        targets,
      )
        .map(
          ([id, target]) =>
            `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk" Target="${target}"/>`,
        )
        .join('')}</Relationships>`,
      'word/a.htm': '<html><body><p>A <i>page</i>.</p></body></html>',
      'word/b.txt': 'A <text>.',
      'word/c.docx': await wordFile({ body: p('A document.') }),
      'word/d.mht':
        'MIME-Version: 1.0\n\n--x\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>An arch=\nive f=C3=BCr.</p>\n--x--\n',
    };
    const body = p('First.') + Object.keys(targets).map(chunk).join('') + p('Last.');
    expect(await markdownOf({ body, more })).toBe(
      'First.\n\nA *page*.\n\nA `<text>`.\n\nA document.\n\nAn archive für.\n\nLast.',
    );
  });
});
