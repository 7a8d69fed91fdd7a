import { zipOf } from './docx-files.ts';

export type BookParts = Readonly<{
  metadata?: string;
  /** Elements of every chapter's `head`. */
  head?: string;
  /** Elements of the spine; default: all chapters in order. */
  spine?: string;
  /** Elements of the manifest in addition to the chapters. */
  items?: string;
  more?: Readonly<Record<string, string | Buffer>>;
  /** Replaces the default container. */
  container?: string;
}>;

/** @param chapters bodies; ids are `c1`, `c2`, …, files `text/c1.xhtml`, … */
export function epubFile(
  chapters: readonly string[],
  { metadata = '', head = '', spine, items = '', more = {}, container }: BookParts = {},
) {
  const ids = chapters.map((_, index) => `c${index + 1}`);
  const manifest = ids
    .map((id) => `<item id="${id}" href="text/${id}.xhtml" media-type="application/xhtml+xml"/>`)
    .join('');
  const order = spine ?? ids.map((id) => `<itemref idref="${id}"/>`).join('');
  const page = (content: string) =>
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>${head}</head><body>${content}</body></html>`;
  return zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      container ??
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf': `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>${metadata}</metadata><manifest>${manifest}${items}</manifest><spine>${order}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((content, index) => [`OEBPS/text/${ids[index]}.xhtml`, page(content)]),
    ),
    ...more,
  });
}
