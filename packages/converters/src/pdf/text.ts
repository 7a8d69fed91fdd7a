/**
 * PDF → visible content of its pages, one at a time. The only module that uses the PDF library.
 * Pictures are not decoded; nothing is executed or fetched. Refuses too many pages (before reading
 * them) and too much text.
 */
import { getResolvedPDFJS } from 'unpdf';
import { KnowledgeError } from '../../../shared/src/errors.ts';
import { overLimit, refused } from '../source.ts';
import { type Annotation, typedGlyphs, withoutStruck } from './annotations.ts';
import type { PaintFont } from './graphics.ts';
import { PagePainter, type PaintedGlyph } from './painter.ts';
import { isSetVertically, turned } from './vertical.ts';

/** More than the largest manuals have. */
const maxPages = 5_000;
/** A page of prose has about 3,000. */
const maxGlyphsPerPage = 400_000;
/** 5,000 full pages. */
const maxGlyphs = 25_000_000;

const damagedPdf = (cause: unknown) =>
  new KnowledgeError('ingest_failed', 'The PDF is damaged and cannot be read.', { cause });

type Pdfjs = Awaited<ReturnType<typeof getResolvedPDFJS>>;
type PdfDocument = Awaited<ReturnType<Pdfjs['getDocument']>['promise']>;
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

/**
 * Returns metadata and pages in order. @throws KnowledgeError `unsupported_media_type`,
 * `ingest_failed`, `payload_too_large`
 */
export async function openPdf(bytes: Uint8Array) {
  const pdfjs = await getResolvedPDFJS();
  const task = pdfjs.getDocument({
    data: Uint8Array.from(bytes),
    verbosity: 0,
    maxImageSize: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
  });
  const close = () => task.destroy().catch(() => undefined);
  try {
    const document = await task.promise;
    if (document.numPages > maxPages)
      throw overLimit(
        `The PDF has ${document.numPages} pages; the maximum is ${maxPages}. Split it.`,
      );
    const info = await metadataOf(document, pdfjs);
    const labels = await document.getPageLabels().catch(() => null);
    return { info, labels: labels ?? [], pages: pagesOf(document, pdfjs.OPS), close };
  } catch (error) {
    await close();
    if (error instanceof KnowledgeError) throw error;
    if (error instanceof Error && error.name === 'PasswordException')
      throw refused('The PDF is password-protected. Remove the password.', error);
    throw damagedPdf(error);
  }
}

const textOf = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

async function metadataOf(document: PdfDocument, { PDFDateString }: Pdfjs) {
  const metadata = await document.getMetadata().catch(() => undefined);
  const info = new Map<string, unknown>(Object.entries(metadata?.info ?? {}));
  return {
    title: textOf(info.get('Title')) ?? textOf(metadata?.metadata?.get('dc:title')),
    language: textOf(info.get('Language')),
    modified: PDFDateString.toDateObject(textOf(info.get('ModDate')) ?? '')?.toISOString(),
  };
}

/** Reads one page at a time and skips damaged ones. */
async function* pagesOf(document: PdfDocument, ops: Readonly<Record<string, number>>) {
  const layers = await document.getOptionalContentConfig().catch(() => undefined);
  const isLayerShown = (layer: unknown) => layers?.isVisible(layer) ?? true;
  const operators = new Map(Object.entries(ops).map(([name, code]) => [code, name]));
  let glyphs = 0;
  let damaged: unknown;
  let isAnyRead = false;
  for (let number = 1; number <= document.numPages; number++) {
    let page: PdfPage | undefined;
    try {
      page = await document.getPage(number);
      const view = await viewOfPage(page, operators, isLayerShown);
      glyphs += view.glyphs.length;
      isAnyRead = true;
      if (glyphs > maxGlyphs)
        throw overLimit(`The PDF has more than ${maxGlyphs} characters. Split it.`);
      yield { number, view };
    } catch (error) {
      if (error instanceof KnowledgeError) throw error;
      damaged = error;
    } finally {
      page?.cleanup();
    }
    // Pages between releases of shared fonts: more would exceed the heap limit, fewer would parse
    // fonts repeatedly.
    if (number % 40 === 0) await document.cleanup();
  }
  if (!isAnyRead) throw damagedPdf(damaged);
}

async function viewOfPage(
  page: PdfPage,
  operators: ReadonlyMap<number, string>,
  isLayerShown: (layer: unknown) => boolean,
) {
  // Only values of fields and texts typed on the page are read from annotations.
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: 0 });
  const fonts = new Map<string, PaintFont>();
  const fontOf = (name: string) =>
    fonts.get(name) ?? fonts.set(name, paintFont(page, name)).get(name) ?? plainFont;
  const paint = (rotation: number) => {
    const view = { scale: 1, rotation: page.rotate - 90 * rotation };
    const { width, height, transform: base } = page.getViewport(view);
    const painter = new PagePainter({ width, height, base, fontOf, isLayerShown, operators });
    for (let index = 0; index < fnArray.length; index++) {
      painter.paint(fnArray[index] ?? 0, argsArray[index] ?? []);
      if (painter.glyphCount > maxGlyphsPerPage)
        throw overLimit(`A page of the PDF has more than ${maxGlyphsPerPage} characters.`);
    }
    return painter;
  };
  return viewOf(paint, await page.getAnnotations().catch(() => []));
}

const plainFont: PaintFont = {
  isBold: false,
  isMono: false,
  widthUnit: 0.001,
  heightUnit: 1,
  isVertical: false,
};
const boldName = /bold|black|heavy|semibold|demi(?!talic)|(?<=[a-z])[-,]?bd\b|cmbx|cmssbx|sfbx/i;
const monoName =
  /courier|mono(?!type)|consol|menlo|typewriter|cmtt|sftt|inconsolata|source ?code|fira ?code|lettergothic|terminal/i;

function paintFont(page: PdfPage, name: string) {
  if (!page.commonObjs.has(name)) return plainFont;
  const font = page.commonObjs.get(name);
  const fontName = String(font.name ?? '');
  const matrix: readonly number[] = font.fontMatrix ?? [0.001, 0, 0, 0.001, 0, 0];
  const [, bottom = 0, , top = 0]: readonly number[] = font.bbox ?? [];
  const widthUnit = matrix[0] || 0.001;
  const height = Math.abs((top - bottom) * (matrix[3] ?? 0));
  const type3Height =
    height > 0.2 && height < 50 ? height : Math.min(1, Math.abs(widthUnit) * 1_000);
  return {
    isBold: font.bold === true || font.black === true || boldName.test(fontName),
    isMono: monoName.test(fontName),
    widthUnit: font.isType3Font ? widthUnit : 0.001,
    heightUnit: font.isType3Font ? type3Height : 1,
    isVertical: font.vertical === true,
  };
}

/** Slope of about three degrees: scans are skewed by less. */
const maxSlope = 0.06;

/**
 * Returns the direction of text in clockwise quarter turns from left-to-right; undefined for
 * slanted text.
 */
function rotationOf({ x0, x1, y, endY }: PaintedGlyph) {
  const dx = x1 - x0;
  const dy = endY - y;
  if (Math.abs(dy) <= Math.abs(dx) * maxSlope) return dx >= 0 ? 0 : 2;
  if (Math.abs(dx) <= Math.abs(dy) * maxSlope) return dy > 0 ? 1 : 3;
  return undefined;
}

/**
 * Rotates a page whose text mostly runs in another direction (sideways tables, Japanese columns).
 * Other rotated text is dropped.
 * @param paint paints the page after a number of quarter turns
 */
function viewOf(paint: (rotation: number) => PagePainter, annotations: readonly Annotation[]) {
  const asShown = paint(0);
  const painted = asShown.glyphs();
  const rotations = painted.map(rotationOf);
  const counts = [0, 1, 2, 3].map(
    (rotation) => rotations.filter((other) => other === rotation).length,
  );
  const rotation = counts.indexOf(Math.max(...counts));
  const painter = rotation === 0 ? asShown : paint(rotation);
  const upright = rotation === 0 ? painted : painter.glyphs();
  const { width, height, base } = painter.options;
  const { rulings } = painter.shapes;
  const written = upright.filter((glyph) => rotationOf(glyph) === 0);
  const glyphs = [
    ...withoutStruck(written, rulings, annotations, base),
    ...annotations.flatMap((annotation) => typedGlyphs(annotation, base, written)),
  ];
  const view = { width, height, glyphs, rulings };
  return isSetVertically(glyphs) ? turned(view) : view;
}
