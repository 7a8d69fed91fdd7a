/** Loaded sources, as parsers receive them. */
import type { LoadedSource } from '../../src/ingest/source.ts';

export const loadedFile = (
  fileName: string,
  content: string | Uint8Array,
  more: Partial<LoadedSource> = {},
): LoadedSource => ({
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
  identity: 'i',
  origin: fileName,
  version: { hash: '' },
  location: undefined,
  fileName,
  mediaType: undefined,
  charset: undefined,
  fallbackTitle: 'f',
  ...more,
});
