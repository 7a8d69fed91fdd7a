/** Source → bytes: the one door through which anything outside the process is read. */
import { createHash } from 'node:crypto';
import { KnowledgeError } from '../../errors.ts';
import { readFrontMatter } from '../text/front-matter.ts';
import type { IdentifiedSource, LoadedSource, Source, SourceVersion } from '../types.ts';
import type { FileRoots } from './file-roots.ts';
import { identifyFile, type LoadFile } from './load-file.ts';
import { identifyUrl, type LoadUrl } from './load-url.ts';

export interface SourceLoader {
  /** Which source it is, without reading it. @throws KnowledgeError `source_not_allowed`, `source_not_found` */
  identify(source: Source): Promise<IdentifiedSource>;
  /** @param known what was read the last time; the same again is `unchanged`, where that can be told without parsing */
  load(
    source: Source,
    identified: IdentifiedSource,
    known: SourceVersion | undefined,
    signal: AbortSignal | undefined,
  ): Promise<LoadedSource | 'unchanged'>;
}

const maxTitleLength = 60;

/** First sentence of a text's first line, cut at a word. */
function titleOf(text: string): string {
  const line =
    text
      .slice(readFrontMatter(text).bodyStart)
      .slice(0, 10_000)
      .split('\n')
      .map((part) => part.replace(/^[\s#>*-]+/, '').trim())
      .find((part) => part !== '') ?? '';
  const sentence = /^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
  if (sentence.length <= maxTitleLength) return sentence.replace(/[.。]$/, '');
  const cut = [...sentence].slice(0, maxTitleLength).join('');
  const lastSpace = cut.lastIndexOf(' ');
  return `${lastSpace > 20 ? cut.slice(0, lastSpace) : cut}…`;
}

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

function identifyText(text: string, title: string | undefined): IdentifiedSource {
  const name = title ?? titleOf(text);
  return { identity: title === undefined ? `content:${sha256(text)}` : `title:${title}`, origin: name, fallbackTitle: name };
}

export interface LoaderOptions {
  readonly roots: FileRoots;
  readonly loadUrl: LoadUrl;
  readonly loadFile: LoadFile;
  readonly maxBytes: number;
}

export function createLoader({ roots, loadUrl, loadFile, maxBytes }: LoaderOptions): SourceLoader {
  return {
    async identify(source) {
      if (source.kind === 'url') return identifyUrl(source.url);
      if (source.kind === 'file') return identifyFile(await roots.locate(source.path));
      return identifyText(source.text, source.title);
    },

    async load(source, identified, known, signal) {
      if (source.kind === 'url') return loadUrl(identified, known, signal);
      if (source.kind === 'file') return loadFile(identified, known);
      const hash = sha256(source.text);
      if (known?.hash === hash) return 'unchanged';
      const bytes = Buffer.from(source.text, 'utf8');
      if (bytes.byteLength > maxBytes) throw new KnowledgeError('payload_too_large', `The source is larger than ${maxBytes} bytes.`);
      return {
        ...identified,
        bytes,
        version: { hash },
        location: undefined,
        fileName: '',
        mediaType: 'text/markdown',
        charset: 'utf-8',
      };
    },
  };
}
