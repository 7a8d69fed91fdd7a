/** DOCX → Markdown. */
import { KnowledgeError } from '../../errors.ts';
import type { ParsedSource } from '../types.ts';

export async function parseDocx(_bytes: Uint8Array): Promise<ParsedSource> {
  throw new KnowledgeError('unsupported_media_type', 'DOCX is not read yet.');
}
