/** PDF → Markdown. */
import { KnowledgeError } from '../../errors.ts';
import type { ParsedSource } from '../types.ts';

export async function parsePdf(_bytes: Uint8Array): Promise<ParsedSource> {
  throw new KnowledgeError('unsupported_media_type', 'PDF is not read yet.');
}
