/** Lays out text in test PDFs like a word processor: margins, wrapped lines, columns, tables. */
import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib';

export type Fonts = Readonly<{
  plain: PDFFont;
  bold: PDFFont;
  mono: PDFFont;
}>;

export interface Frame {
  readonly x: number;
  readonly width: number;
}

export const pageSize = { width: 595, height: 842 } as const;
const margin = 72;
export const wholeWidth: Frame = { x: margin, width: pageSize.width - 2 * margin };

export type Style = Readonly<{
  size?: number;
  font?: keyof Fonts;
  frame?: Frame;
  gap?: number;
  indent?: number;
  isJustified?: boolean;
}>;

export class PdfWriter {
  readonly document: PDFDocument;
  readonly fonts: Fonts;
  page: PDFPage;
  /** Top of the next line, measured from the bottom of the page. */
  y = pageSize.height - margin;
  onPage: (page: PDFPage, number: number) => void = () => undefined;

  private constructor(document: PDFDocument, fonts: Fonts) {
    this.document = document;
    this.fonts = fonts;
    this.page = document.addPage([pageSize.width, pageSize.height]);
  }

  static async create(): Promise<PdfWriter> {
    const document = await PDFDocument.create();
    const [plain, bold, mono] = await Promise.all(
      [StandardFonts.TimesRoman, StandardFonts.TimesRomanBold, StandardFonts.Courier].map((name) =>
        document.embedFont(name),
      ),
    );
    return new PdfWriter(document, { plain: plain!, bold: bold!, mono: mono! });
  }

  newPage(): void {
    this.page = this.document.addPage([pageSize.width, pageSize.height]);
    this.y = pageSize.height - margin;
  }

  /** Wraps a text; `|` marks places where a hyphen may end a line. */
  wrap(text: string, width: number, font: PDFFont, size: number): string[] {
    const fits = (line: string) => font.widthOfTextAtSize(line.replaceAll('|', ''), size) <= width;
    const lines: string[] = [];
    let line = '';
    for (const word of text.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (fits(longer)) {
        line = longer;
        continue;
      }
      const parts = word.split('|');
      let taken = parts.length - 1;
      while (taken > 0 && !fits(`${line} ${parts.slice(0, taken).join('')}-`)) taken--;
      if (taken > 0) lines.push(`${line} ${parts.slice(0, taken).join('')}-`);
      else if (line !== '') lines.push(line);
      line = parts.slice(taken).join('|');
    }
    return [...lines, line].map((found) => found.replaceAll('|', ''));
  }

  line(
    text: string,
    x: number,
    y: number,
    size = 11,
    font: keyof Fonts = 'plain',
    color = rgb(0, 0, 0),
  ): void {
    this.page.drawText(text, { x, y, size, font: this.fonts[font], color });
  }

  /** Writes wrapped text with a gap above; starts a new page if needed. */
  text(
    text: string,
    {
      size = 11,
      font = 'plain',
      frame = wholeWidth,
      gap = 6,
      indent = 0,
      isJustified = false,
    }: Style = {},
  ): void {
    this.y -= gap;
    const lines = this.wrap(text, frame.width - indent, this.fonts[font], size);
    for (const [index, line] of lines.entries()) {
      if (this.y - size * 1.25 < margin) this.newPage();
      this.y -= size * 1.25;
      if (isJustified && index < lines.length - 1)
        this.justified(line, frame.x + indent, frame.width - indent, size, font);
      else this.line(line, frame.x + indent, this.y, size, font);
    }
  }

  private justified(line: string, x: number, width: number, size: number, font: keyof Fonts): void {
    const words = line.split(' ');
    const inked = words.reduce(
      (sum, word) => sum + this.fonts[font].widthOfTextAtSize(word, size),
      0,
    );
    const space = (width - inked) / Math.max(1, words.length - 1);
    let at = x;
    for (const word of words) {
      this.line(word, at, this.y, size, font);
      at += this.fonts[font].widthOfTextAtSize(word, size) + space;
    }
  }

  heading(text: string, size: number, frame: Frame = wholeWidth): void {
    this.text(text, { size, font: 'bold', gap: size * 0.9, frame });
  }

  item(mark: string, text: string, depth = 0): void {
    const x = wholeWidth.x + 14 + depth * 18;
    const top = this.y;
    const page = this.page;
    this.text(text, {
      gap: 2,
      frame: { x: x + 16, width: wholeWidth.x + wholeWidth.width - x - 16 },
    });
    const y = (page === this.page ? top - 2 : pageSize.height - margin) - 11 * 1.25;
    this.line(mark, x, y);
  }

  /** @param widths column widths @param isRuled whether to draw lines around the cells */
  table(rows: readonly (readonly string[])[], widths: readonly number[], isRuled = true): void {
    const size = 10;
    this.y -= 10;
    for (const [index, row] of rows.entries()) {
      const font = index === 0 ? 'bold' : 'plain';
      const cells = row.map((cell, column) =>
        this.wrap(cell, widths[column]! - 10, this.fonts[font], size),
      );
      const height = Math.max(...cells.map((lines) => lines.length)) * size * 1.2 + 6;
      if (this.y - height < margin) this.newPage();
      let x = wholeWidth.x;
      for (const [column, lines] of cells.entries()) {
        const width = widths[column]!;
        if (isRuled)
          this.page.drawRectangle({
            x,
            y: this.y - height,
            width,
            height,
            borderWidth: 0.5,
            borderColor: rgb(0.4, 0.4, 0.4),
          });
        for (const [at, line] of lines.entries())
          this.line(line, x + 5, this.y - 3 - size - at * size * 1.2, size, font);
        x += width;
      }
      this.y -= height;
    }
  }

  save(): Promise<Uint8Array> {
    return this.document.save();
  }
}
