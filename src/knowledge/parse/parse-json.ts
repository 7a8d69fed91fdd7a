/** JSON → Markdown. */
import { KnowledgeError } from '../../errors.ts';
import type { ParsedSource } from '../types.ts';

export async function parseJson(_text: string): Promise<ParsedSource> {
  throw new KnowledgeError('unsupported_media_type', 'JSON is not read yet.');
}
