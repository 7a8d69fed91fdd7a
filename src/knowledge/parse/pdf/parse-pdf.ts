/**
 * PDF → Markdown with a mark before each page's text. Text only: pictures are not recognised, forms, notes, attachments and scripts are not
 * read. What a reader of the pages does not see is dropped, and so are running headers and footers.
 */
import { KnowledgeError } from '../../../errors.ts';
import type { ParsedSource } from '../../types.ts';
import { elementsOf } from './elements.ts';
import { compoundsIn } from './joins.ts';
import { layOut } from './layout.ts';
import { toMarkdown } from './markdown.ts';
import type { PageLayout } from './page.ts';
import { markRunningLines } from './running-lines.ts';
import { bodyStyle } from './style.ts';
import { openPdf } from './text.ts';

const maxCompounds = 50_000;

/** ISO 8601 of `D:20240131120000+01'00'` (ISO 32000-1, 7.9.4); undefined for a day that is none. */
export function isoDate(date: string | undefined): string | undefined {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:([+-])(\d\d)'?(\d\d)?|Z)?/.exec(date?.trim() ?? '');
  if (!match) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, hours = '00', minutes = '00'] = match;
  const zone = sign ? `${sign}${hours}:${minutes}` : 'Z';
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(time.getTime()) || Number(year) < 1980 ? undefined : time.toISOString();
}

function languageTag(language: string | undefined): string | undefined {
  try {
    return language === undefined ? undefined : Intl.getCanonicalLocales(language.trim().replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

/**
 * @throws KnowledgeError `unsupported_media_type` for a password, `ingest_failed` for a broken file, `empty_source` without text,
 *   `payload_too_large` beyond 5,000 pages or too much text
 */
export async function parsePdf(bytes: Uint8Array): Promise<ParsedSource> {
  const pdf = await openPdf(bytes);
  const pages: PageLayout[] = [];
  const compounds = new Set<string>();
  try {
    for await (const { number, view } of pdf.pages()) {
      const page = layOut(view, number);
      pages.push(page);
      for (const block of page.blocks) {
        if (block.kind !== 'lines' || compounds.size > maxCompounds) continue;
        for (const { text } of block.rows.flat()) for (const compound of compoundsIn(text)) compounds.add(compound);
      }
    }
  } finally {
    await pdf.close();
  }
  const body = bodyStyle(pages);
  // A running header says the title as well as a heading does.
  const firstPage = pages[0]?.blocks.flatMap((block) => (block.kind === 'lines' ? block.rows.flat().map(({ text }) => text) : [])) ?? [];
  markRunningLines(pages, body);
  const { markdown, title } = toMarkdown(elementsOf(pages, body, compounds), pdf.facts.title, firstPage.join(' '));
  if (markdown === '') throw new KnowledgeError('empty_source', 'The PDF holds no text; scanned pages are not recognised.');
  const language = languageTag(pdf.facts.language);
  const lastModified = isoDate(pdf.facts.modified);
  return { title, markdown, ...(language && { language }), ...(lastModified && { lastModified }) };
}
