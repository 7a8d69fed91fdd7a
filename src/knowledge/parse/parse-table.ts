/** CSV → Markdown. */
import { KnowledgeError } from '../../errors.ts';
import type { ParsedSource } from '../types.ts';

export async function parseCsv(_text: string, _delimiter: string): Promise<ParsedSource> {
  throw new KnowledgeError('unsupported_media_type', 'CSV is not read yet.');
}
