import { describe, expect, it } from 'vitest';
import { parseEpub } from '../../../../packages/converters/src/epub/parse-epub.ts';
import { wordFile } from '../../../support/docx-files.ts';
import { type BookParts, epubFile } from '../../../support/epub-files.ts';

const markdownOf = async (chapters: readonly string[], parts?: BookParts) =>
  (await parseEpub(await epubFile(chapters, parts))).markdown;
const refusal = async (bytes: Uint8Array) =>
  parseEpub(bytes).then(
    () => 'parsed',
    (error) => `${error.code}: ${error.message}`,
  );

describe('the EPUB parser', () => {
  it('follows the spine and skips contents and pictures', async () => {
    const spine = ['nav', 'c2', 'c1', 'cover', 'c2', 'lost']
      .map((id) => `<itemref idref="${id}"/>`)
      .join('');
    const items =
      '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/><item id="cover" href="cover.png" media-type="image/png"/><item id="lost" href="lost.xhtml" media-type="application/xhtml+xml"/>';
    const more = {
      'OEBPS/nav.xhtml':
        '<html><body><nav><a href="text/c1.xhtml">Contents</a></nav></body></html>',
      'OEBPS/cover.png': 'x',
    };
    expect(
      await markdownOf(['<h1>One</h1><p>First.</p>', '<h1>Two</h1><p>Second.</p>'], {
        spine,
        items,
        more,
      }),
    ).toBe('# Two\n\nSecond.\n\n# One\n\nFirst.');
  });

  it('reads title, language and date', async () => {
    const metadata =
      '<dc:title id="t">The  \u200bHandbook</dc:title><dc:title>Subtitle</dc:title><dc:language>de-at</dc:language><dc:date>2020</dc:date><meta property="dcterms:modified">2026-03-04T05:06:07Z</meta>';
    expect(await parseEpub(await epubFile(['<p>Text</p>'], { metadata }))).toEqual({
      title: 'The Handbook',
      markdown: 'Text',
      language: 'de-AT',
      lastModified: '2026-03-04T05:06:07.000Z',
    });
    expect(await parseEpub(await epubFile(['<h1>Only <i>this</i></h1><p>Text</p>']))).toEqual({
      title: 'Only this',
      markdown: '# Only this\n\nText',
    });
  });

  it('removes text hidden by style sheets of the book', async () => {
    const head = '<link rel="stylesheet" type="text/css" href="../css/book%201.css"/>';
    const more = { 'OEBPS/css/book 1.css': '.note { display: none } </style><p>x</p>' };
    const chapter = '<p>Shown.</p><p class="note">one</p><script>two</script>';
    expect(await markdownOf([chapter, chapter], { head, more })).toBe('Shown.\n\nShown.');
  });

  it('closes empty elements, as XHTML requires', async () => {
    expect(
      await markdownOf([
        '<a id="p1"/><div class="a>b"/><script src="x.js"/><h2 id="h">Head</h2><p>a<br/>b <i/>c</p>',
      ]),
    ).toContain('## Head');
    expect(await markdownOf(['<script/><p>after</p>'])).toBe('after');
  });
});

describe('the EPUB parser, given a hostile file,', () => {
  it('reports the reason for rejecting another format', async () => {
    expect(await refusal(await wordFile({}))).toBe(
      'unsupported_media_type: The file is a Word document, not an EPUB book.',
    );
    expect(await refusal(Buffer.from('PK\x03\x04'))).toBe(
      'unsupported_media_type: The EPUB file is damaged or incomplete.',
    );
    expect(await refusal(await epubFile([], { container: '<container/>' }))).toContain(
      'no package document',
    );
  });

  it('rejects encrypted chapters and accepts encrypted fonts', async () => {
    const encryption = (uri: string) => ({
      'META-INF/encryption.xml': `<e><CipherReference URI="${uri}"/></e>`,
    });
    expect(
      await refusal(await epubFile(['x'], { more: encryption('OEBPS/text/c1.xhtml') })),
    ).toContain('encrypted');
    expect(await refusal(await epubFile(['x'], { more: encryption('OEBPS/font.otf') }))).toBe(
      'parsed',
    );
  });

  it('ignores references that lead out of the book', async () => {
    const items =
      '<item id="e" href="https://example.com/x.xhtml" media-type="text/html"/><item id="f" href="../../../../etc/passwd" media-type="text/html"/>';
    expect(
      await markdownOf(['<p>Text</p>'], {
        items,
        spine: '<itemref idref="e"/><itemref idref="f"/><itemref idref="c1"/>',
      }),
    ).toBe('Text');
  });

  it('rejects large content, many style sheets and many elements', async () => {
    const bomb = await epubFile(['x'], {
      more: { 'OEBPS/text/c1.xhtml': Buffer.alloc(70 * 1024 * 1024, 'a') },
    });
    expect(await refusal(bomb)).toContain('payload_too_large');
    const head = '<link rel="stylesheet" href="a.css"/>'.repeat(200);
    expect(
      await refusal(
        await epubFile(['x'], { head, more: { 'OEBPS/text/a.css': '.a{}'.repeat(2_000) } }),
      ),
    ).toContain('payload_too_large');
    const items = '<item/>'.repeat(200_000);
    expect(await refusal(await epubFile(['x'], { items }))).toContain('more than 100000 elements');
  });
});

describe('an EPUB book', () => {
  it('names chapters without headings as its contents do', async () => {
    const items =
      '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>';
    const more = {
      'OEBPS/nav.xhtml':
        '<nav epub:type="toc"><a href="text/c1.xhtml">Part <i>1</i>: Sails</a><a href="text/c2.xhtml">Masts</a><a href="text/c3.xhtml#a">Ropes</a></nav><nav epub:type="page-list"><a href="text/c3.xhtml">9</a></nav>',
    };
    const chapters = [
      '<p>Mend them.</p>',
      '<p>Masts</p><p>Oil.</p>',
      '<h2>1. Ropes</h2><p>Dry.</p>',
    ];
    expect(await markdownOf(chapters, { items, more })).toBe(
      '# Part 1: Sails\n\nMend them.\n\n# Masts\n\nOil.\n\n## 1. Ropes\n\nDry.',
    );
  });

  it('drops page numbers and raises note references', async () =>
    expect(
      await markdownOf([
        '<p>Sails of 30<a epub:type="noteref" href="#n">4</a> feet<span epub:type="pagebreak">12</span>.</p>',
      ]),
    ).toBe('Sails of 30⁴ feet.'));
});
