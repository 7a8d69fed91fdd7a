/** Worker thread of `reading-threads.ts`. */
import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { NewWords } from '../search/bm25/terms-reader.ts';
import type { DocumentTerms } from '../search/search-engine.ts';
import type { ReadDocument } from './read-document.ts';

// Each thread must enable the cache before its first import.
enableCompileCache();
const { Semaphore } = await import('../../packages/shared/src/concurrency/queue.ts');
const { DocumentStore } = await import('./document-store.ts');
const { readDocument, withAbout } = await import('./read-document.ts');
const { TermsReader } = await import('../search/bm25/terms-reader.ts');
const { splitProse } = await import('./split-prose.ts');

export type ReaderSettings = Readonly<{
  folder: string;
  needsTexts: boolean;
}>;

export type FileToRead = Readonly<{
  namespace: string;
  file: string;
  known: string | undefined;
}>;

type Content = NonNullable<ReadDocument['content']>;
type SentDocument = Omit<ReadDocument, 'content'> & {
  readonly content?: Omit<Content, 'terms'> & {
    readonly terms: Omit<DocumentTerms, 'words'>;
  };
};

export interface ReadFiles extends NewWords {
  /** Results of the first files, in order; null for a file that could not be read. */
  readonly read: readonly (SentDocument | undefined | null)[];
}

/**
 * Maximum bytes of files per message, so that the receiving thread needs only milliseconds. The
 * other files wait.
 */
const maxBytes = 512_000;

const { folder, needsTexts } = workerData as ReaderSettings;
const store = new DocumentStore(folder);
const terms = new TermsReader();

function toSend({ content, ...read }: ReadDocument): SentDocument {
  if (!content) return read;
  const { about, texts } = content;
  const document = {
    title: read.document.title,
    language: read.document.textLanguage,
    chunks: withAbout(about, texts),
  };
  return {
    ...read,
    content: {
      ...content,
      texts: needsTexts ? texts : [],
      terms: terms.read(document),
    },
  };
}

async function readAll(files: readonly FileToRead[]): Promise<ReadFiles> {
  const all: (SentDocument | undefined | null)[] = [];
  let bytes = 0;
  for (const { namespace, file, known } of files) {
    const one = await readDocument(store, splitProse, namespace, file, known).catch(() => null);
    all.push(one && toSend(one));
    bytes += one?.document.bytes ?? 0;
    if (bytes > maxBytes) break;
  }
  return { read: all, ...terms.takeWords() };
}

const inOrder = new Semaphore(1);
parentPort?.on('message', (files: readonly FileToRead[]) =>
  inOrder.run(async () => parentPort?.postMessage(await readAll(files))),
);
