/** Rows for PDF, DOCX, CSV, JSON and MDX: files made by the tests, with their expected text. */
import { samples } from '../../test/support/docx-files.ts';
import { honestPdfs } from '../../test/support/pdf-files.ts';
import type { Row } from './row.ts';

export const rows: readonly Row[] = [
  ...honestPdfs.map(({ name, make, keep, drop }) => ({
    name: `PDF: ${name}`,
    group: 'files',
    source: async () => ({
      bytes: await make(),
      fileName: 'document.pdf',
      mediaType: 'application/pdf',
    }),
    keep,
    drop,
  })),
  ...samples.map(({ name, fileName, make, keep, drop }) => ({
    name,
    group: 'files',
    // Recognised only by its name, like a file in a folder.
    source: async () => ({ bytes: await make(), fileName, mediaType: 'application/octet-stream' }),
    keep,
    drop,
  })),
];
