/** Source → bytes: the one door through which anything outside the process is read. */
import { createHash } from 'node:crypto';
import { KnowledgeError } from '../../errors.ts';
import type { LoadedSource, Source } from '../types.ts';
import type { LoadFile } from './load-file.ts';
import type { LoadUrl } from './load-url.ts';

export type LoadSource = (source: Source, signal?: AbortSignal) => Promise<LoadedSource>;

const maxTitleLength = 60;

/** First sentence of a text's first line, cut at a word. */
function titleOf(text: string): string {
  const line =
    text
      .split('\n')
      .map((part) => part.replace(/^[\s#>*-]+/, '').trim())
      .find((part) => part !== '') ?? '';
  const sentence = /^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
  if (sentence.length <= maxTitleLength) return sentence.replace(/[.。]$/, '');
  const cut = [...sentence].slice(0, maxTitleLength).join('');
  const lastSpace = cut.lastIndexOf(' ');
  return `${lastSpace > 20 ? cut.slice(0, lastSpace) : cut}…`;
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
      location: undefined,
      fileName: '',
      mediaType: 'text/markdown',
      charset: 'utf-8',
      fallbackTitle: source.title ?? titleOf(source.text),
    };
  };
}
