/** Source → bytes: the one door through which anything outside the process is read. */
import { createHash } from 'node:crypto';
import { KnowledgeError } from '../../errors.ts';
import type { LoadedSource, Source } from '../types.ts';
import type { LoadFile } from './load-file.ts';
import type { LoadUrl } from './load-url.ts';

export type LoadSource = (source: Source, signal?: AbortSignal) => Promise<LoadedSource>;

const maxTitleLength = 80;

/** First line of a text, cut at a word. */
function titleOf(text: string): string {
  const line = text.split('\n').map((part) => part.replace(/^[\s#>*-]+/, '').trim()).find((part) => part !== '') ?? '';
  if (line.length <= maxTitleLength) return line;
  const cut = line.slice(0, maxTitleLength);
  return `${cut.slice(0, cut.lastIndexOf(' ') > 20 ? cut.lastIndexOf(' ') : maxTitleLength)}…`;
}

export function createLoader(loadUrl: LoadUrl, loadFile: LoadFile, maxBytes: number): LoadSource {
  return async (source, signal) => {
    if (source.kind === 'url') return loadUrl(source.url, signal);
    if (source.kind === 'file') return loadFile(source.path);
    const bytes = Buffer.from(source.text, 'utf8');
    if (bytes.byteLength > maxBytes) throw new KnowledgeError('payload_too_large', `The source is larger than ${maxBytes} bytes.`);
    return {
      bytes,
      identity: source.title === undefined ? `content:${createHash('sha256').update(bytes).digest('hex')}` : `title:${source.title}`,
      origin: source.title ?? titleOf(source.text),
      mediaType: 'text/markdown',
      charset: 'utf-8',
      fallbackTitle: source.title ?? titleOf(source.text),
    };
  };
}
