/**
 * PDF → Markdown with a mark before each page's text. Text only: pictures are not recognised, forms, notes, attachments and scripts are not
 * read. What a reader of the pages does not see is dropped, and so are running headers and footers.
 */
import { KnowledgeError } from '../../errors.ts';
import { languageTag, statedTime } from '../described.ts';
import type { ParsedSource } from '../source.ts';
import { pdfElementsOf } from './elements.ts';
import { layOut } from './layout.ts';
import { toMarkdown } from './markdown.ts';
import { bodyStyle, type PageLayout } from './page.ts';
import { markRunningLines } from './running-lines.ts';
import { openPdf } from './text.ts';

/** ISO 8601 of `D:20240131120000+01'00'` (ISO 32000-1, 7.9.4); undefined for a day that is none. */
export function isoDate(date: string | undefined): string | undefined {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:([+-])(\d\d)'?(\d\d)?|Z)?/.exec(date?.trim() ?? '');
  if (!match) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, hours = '00', minutes = '00'] = match;
  const zone = sign ? `${sign}${hours}:${minutes}` : 'Z';
  return Number(year) < 1980 ? undefined : statedTime(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
}

/**
 * @throws KnowledgeError `unsupported_media_type` for a password, `ingest_failed` for a broken file, `empty_source` without text,
 *   `payload_too_large` beyond 5,000 pages or too much text
 */
export async function parsePdf(bytes: Uint8Array): Promise<ParsedSource> {
  const pdf = await openPdf(bytes);
  const pages: PageLayout[] = [];
  try {
    for await (const { number, view } of pdf.pages()) pages.push(layOut(view, number));
  } finally {
    await pdf.close();
  }
  const body = bodyStyle(pages);
  markRunningLines(pages, body);
  const { markdown, title } = toMarkdown(pdfElementsOf(pages, body), pdf.facts.title);
  if (markdown === '') throw new KnowledgeError('empty_source', 'The PDF holds no text; scanned pages are not recognised.');
  return { title, markdown, language: languageTag(pdf.facts.language), lastModified: isoDate(pdf.facts.modified) };
}
