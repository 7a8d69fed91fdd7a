/**
 * Input and result of `searchDocs`, the same for every entry point, shared with the agent's
 * `docsRetriever`.
 */
import { z } from 'zod';
import { TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import { fold, isStopWord, type Language } from '../../packages/shared/src/language/languages.ts';
import {
  scriptRuns,
  simplified,
  termsOf,
  wordMatches,
} from '../../packages/shared/src/language/tokens.ts';
import type { Passage } from '../documents/document.ts';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import type { IndexedDocument } from '../documents/namespace-snapshot.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import type { Retrieved, Retriever } from './retriever.ts';

const maxMatched = 50;
/** In scripts without spaces, such as Chinese, few words are longer. */
const maxTermCharacters = 12;

/**
 * Returns the parts of `run`, a text without spaces, that terms cover. Adjacent terms form one part.
 */
function coveredIn(run: string, terms: ReadonlySet<string>) {
  const characters = [...run];
  const folded = characters.map((character) => simplified(fold(character)).join(''));
  const isCovered = characters.map(() => false);
  for (let at = 0; at < characters.length; at++) {
    for (let end = at + 1; end <= characters.length && end - at <= maxTermCharacters; end++)
      if (terms.has(folded.slice(at, end).join(''))) isCovered.fill(true, at, end);
  }
  const shown = characters.map((character, at) => (isCovered[at] ? character : ' '));
  return shown.join('').split(' ').filter(Boolean);
}

function* matchesIn(text: string, terms: ReadonlySet<string>, language: Language) {
  for (const [word] of wordMatches(text)) {
    for (const [index, part] of scriptRuns(word).entries()) {
      if (index % 2 === 1) yield* coveredIn(part, terms);
      else if (
        !isStopWord(part, language) &&
        termsOf(part, language).some((term) => terms.has(term))
      )
        yield part;
    }
  }
}

export const termsOfQuery = (asked: readonly QueryTerm[]) =>
  new Set(asked.flatMap(({ forms }) => forms.map(({ term }) => term)));

export function matchedWords({ text, document }: Passage, terms: ReadonlySet<string>) {
  return [...new Set(matchesIn(text, terms, document.textLanguage))].slice(0, maxMatched);
}

/** Location of a passage or a citation. Offsets are UTF-16 units of the stored file. */
export const placeShape = {
  documentId: z.string(),
  file: z.string().describe('path below the namespace folder'),
  title: z.string(),
  source: z.string().describe('URL, path or title of the source'),
  headingPath: z.array(z.string()),
  anchor: z.string().nullable().describe('slug of the innermost heading'),
  page: z.number().int().nullable().describe('page number, if the source has pages'),
  start: z.number().int().min(0),
  end: z.number().int().min(0),
  revision: z.string().describe('sha256- and the hex SHA-256 of the stored file'),
};

const searchResult = z.object({
  text: z.string().describe('exactly slice(start, end) of the stored file'),
  score: z.number().describe('higher is better; comparable within one query only'),
  chunkId: z.string(),
  kind: z.enum(['url', 'file', 'text']),
  ...placeShape,
});

export const searchDocsInput = z.object({
  query: z
    .string()
    .min(1)
    .max(2000)
    .refine((query) => query.trim() !== '', 'must not be only white space'),
  namespace: z.string().default('default'),
  maxResults: z.int().min(1).max(50).default(6),
  explain: z
    .boolean()
    .optional()
    .describe('true: each result lists its words that match the query'),
});

export const searchDocsCard = {
  id: 'searchDocs' as const,
  description: 'Finds the passages of the ingested documents that match a query, best first.',
};

const searchQuality = {
  coverage: z.number().min(0).max(1).describe('how well the documents cover the question, 0 to 1'),
  mode: z.enum(['lexical', 'hybrid']).describe('lexical: by words; hybrid: by words and vectors'),
  degraded: z
    .string()
    .optional()
    .describe('error code, if vectors are configured but could not be searched'),
};

const toSearchQuality = ({ coverage, mode, degraded }: Omit<Retrieved, 'passages'>) => ({
  coverage: Math.round(coverage * 1_000) / 1_000,
  mode,
  ...(degraded ? { degraded } : {}),
});

export const searchDocsOutput = z.object({
  query: z.string(),
  namespace: z.string(),
  ...searchQuality,
  sources: z.array(z.string()).describe('files of the results, best first, each once'),
  results: z.array(
    searchResult.extend({
      matched: z
        .array(z.string())
        .exactOptional()
        .describe(
          'with explain: words of the text that match the query, in order, each once, at most 50',
        ),
    }),
  ),
});

type SearchDocsOutput = z.infer<typeof searchDocsOutput>;

export type PassagePlace = Omit<z.infer<z.ZodObject<typeof placeShape>>, 'start' | 'end'>;

export const placeOf = ({ document, headingPath, anchor, page }: Passage): PassagePlace => {
  const { id: documentId, file, title, source, revision } = document;
  return { documentId, file, title, source, headingPath: [...headingPath], anchor, page, revision };
};

function toSearchResult(passage: Passage) {
  const { text, score, chunkId, document, start, end } = passage;
  return { text, score, chunkId, kind: document.kind, ...placeOf(passage), start, end };
}

export type SearchDocs = (input: z.infer<typeof searchDocsInput>) => Promise<SearchDocsOutput>;

export const createSearchDocs =
  (retriever: Retriever, parseNamespace: ParseNamespace): SearchDocs =>
  async ({ query, namespace: name, maxResults, explain = false }) => {
    const namespace = parseNamespace(name);
    const { passages, ...found } = await retriever.search(namespace, query, maxResults);
    const terms = termsOfQuery(found.asked);
    const results: SearchDocsOutput['results'] = [];
    const slicer = new TimeSlicer();
    for (const passage of passages) {
      const matched = explain && { matched: matchedWords(passage, terms) };
      results.push({ ...toSearchResult(passage), ...matched });
      if (explain) await slicer.pause();
    }
    return {
      query,
      namespace,
      ...toSearchQuality(found),
      sources: [...new Set(passages.map((passage) => passage.document.file))],
      results,
    };
  };

export const maxPassages = 6;

export const docsRetrieverCard = {
  id: 'docsRetriever' as const,
  description: 'Finds passages in the documents of this conversation that may answer a question.',
};

/** Result of the tool, also part of an answer's tool results. */
export const docsRetrieverOutput = z.object({ ...searchQuality, results: z.array(searchResult) });
export type RetrieverResult = z.infer<typeof docsRetrieverOutput>;

export const toRetrieverResult = ({ passages, ...found }: Retrieved): RetrieverResult => ({
  ...toSearchQuality(found),
  results: passages.map(toSearchResult),
});

/** Languages of the documents of a namespace, the most frequent first. */
export const languagesIn =
  (namespaces: Pick<Namespaces, 'get'>) =>
  async (namespace: string): Promise<ReadonlySet<Language>> => {
    const counts = new Map<Language, number>();
    for (const { document } of (await namespaces.get(namespace)).documents())
      counts.set(document.textLanguage, (counts.get(document.textLanguage) ?? 0) + 1);
    return new Set([...counts].sort((a, b) => b[1] - a[1]).map(([language]) => language));
  };

/**
 * Folders and titles, longest first, and the number of further ones. @throws KnowledgeError
 * `namespace_not_found`
 */
export type ListTopics = ReturnType<typeof createListTopics>;

/** Fits into a chat message. */
const maxTopics = 6;

export const createListTopics =
  (namespaces: Pick<Namespaces, 'get'>) => async (namespace: string) => {
    const entries = [...(await namespaces.get(namespace)).documents()];
    const folderOf = ({ document: { file } }: IndexedDocument) =>
      file.includes('/') ? file.split('/')[0]?.replace(/[-_]+/g, ' ') : undefined;
    // One folder for all documents says nothing.
    const isInOne = new Set(entries.map(folderOf)).size === 1;
    const lengths = new Map<string, number>();
    for (const entry of entries) {
      const topic = (isInOne ? undefined : folderOf(entry)) ?? entry.document.title;
      lengths.set(topic, (lengths.get(topic) ?? 0) + entry.chunks.length);
    }
    const topics = [...lengths].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return {
      titles: topics.slice(0, maxTopics).map(([topic]) => topic),
      more: Math.max(0, topics.length - maxTopics),
    };
  };
