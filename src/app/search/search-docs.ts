/** `searchDocs`: its input and result as every way in shows them, shared with the agent's own `docsRetriever`. */
import { z } from 'zod';
import { createTimeSlicer } from '../../concurrency/time-slicer.ts';
import type { Passage } from '../../documents/document.ts';
import type { ParseNamespace } from '../../documents/namespace-name.ts';
import type { Namespaces } from '../../documents/namespaces.ts';
import { fold, isStopWord, type Language } from '../../language/languages.ts';
import { scriptRuns, termsOf, wordMatches } from '../../language/tokens.ts';
import type { QueryTerm } from '../../search/search-engine.ts';
import type { Retrieved, Retriever } from './retriever.ts';

const maxMatched = 50;
/** A dictionary knows few longer words of a script without spaces. */
const maxTermCharacters = 12;

/** The longest pieces of a run without spaces that the terms cover: neighbouring pairs of characters are one piece. */
function* coveredIn(run: string, terms: ReadonlySet<string>): Generator<string> {
  const characters = [...run];
  const folded = characters.map(fold);
  const isCovered = characters.map(() => false);
  for (let at = 0; at < characters.length; at++) {
    for (let end = at + 1; end <= characters.length && end - at <= maxTermCharacters; end++)
      if (terms.has(folded.slice(at, end).join(''))) isCovered.fill(true, at, end);
  }
  let piece = '';
  for (const [at, character] of characters.entries()) {
    if (isCovered[at]) piece += character;
    if (piece !== '' && !isCovered[at + 1]) {
      yield piece;
      piece = '';
    }
  }
}

function* matchesIn(text: string, terms: ReadonlySet<string>, language: Language): Generator<string> {
  for (const [word] of wordMatches(text)) {
    for (const [index, part] of scriptRuns(word).entries()) {
      if (index % 2 === 1) yield* coveredIn(part, terms);
      else if (!isStopWord(part, language) && termsOf(part, language).some((term) => terms.has(term))) yield part;
    }
  }
}

export const termsOfQuery = (asked: readonly QueryTerm[]): ReadonlySet<string> =>
  new Set(asked.flatMap(({ forms }) => forms.map(({ term }) => term)));

export function matchedWords({ text, document }: Passage, terms: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const word of matchesIn(text, terms, document.textLanguage)) if (found.size < maxMatched) found.add(word);
  return [...found];
}

/** What a passage or a citation says of where it stands. Offsets are UTF-16 units into the stored file. */
export const placeShape = {
  documentId: z.string(),
  file: z.string().describe('path below the namespace folder'),
  title: z.string(),
  source: z.string().describe('URL, path or title of the source'),
  headingPath: z.array(z.string()),
  anchor: z.string().nullable().describe('slug of the innermost heading'),
  page: z.number().int().nullable().describe('page number where the source has pages'),
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

const matched = z
  .array(z.string())
  .exactOptional()
  .describe('with explain: words of the text that the query found, as they stand there, each once, in order, at most 50');
const explainedResult = searchResult.extend({ matched });

const queryText = z.string().min(1).max(2000);

export const searchDocsInput = z.object({
  query: queryText.refine((query) => query.trim() !== '', 'must hold more than white space'),
  namespace: z.string().default('default'),
  maxResults: z.int().min(1).max(50).default(6),
  explain: z.boolean().optional().describe('whether each result says which of its words the query found'),
});

export const searchDocsCard = {
  id: 'searchDocs' as const,
  description: 'Finds the passages of the ingested documents that match a query, best first.',
};

const searchQuality = {
  coverage: z.number().min(0).max(1).describe('how surely the documents speak of what is asked'),
  mode: z.enum(['lexical', 'hybrid']).describe('found by words, or by words and by meaning'),
  degraded: z.string().optional().describe('error code: why meaning was not searched though it is set up'),
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
  results: z.array(explainedResult),
});

type SearchDocsOutput = z.infer<typeof searchDocsOutput>;

export const placeOf = ({ document, headingPath, anchor, page }: Passage) => ({
  documentId: document.id,
  file: document.file,
  title: document.title,
  source: document.source,
  headingPath: [...headingPath],
  anchor,
  page,
  revision: document.revision,
});

const toSearchResult = (passage: Passage): z.infer<typeof searchResult> => ({
  text: passage.text,
  score: passage.score,
  chunkId: passage.chunkId,
  kind: passage.document.kind,
  ...placeOf(passage),
  start: passage.start,
  end: passage.end,
});

export type SearchDocs = (input: z.infer<typeof searchDocsInput>) => Promise<SearchDocsOutput>;

export const createSearchDocs =
  (retriever: Retriever, parseNamespace: ParseNamespace): SearchDocs =>
  async ({ query, namespace: name, maxResults, explain = false }) => {
    const namespace = parseNamespace(name);
    const { passages, ...found } = await retriever.search(namespace, query, maxResults);
    const terms = termsOfQuery(found.asked);
    const results: SearchDocsOutput['results'] = [];
    const pause = createTimeSlicer();
    for (const passage of passages) {
      results.push(explain ? { ...toSearchResult(passage), matched: matchedWords(passage, terms) } : toSearchResult(passage));
      if (explain) await pause();
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

/** What the search says, as the tool returns it and as an answer shows it among its tool results. */
export const docsRetrieverOutput = z.object({ ...searchQuality, results: z.array(searchResult) });

export const toRetrieverResult = ({ passages, ...found }: Retrieved): z.infer<typeof docsRetrieverOutput> => ({
  ...toSearchQuality(found),
  results: passages.map(toSearchResult),
});

export type ListTopics = ReturnType<typeof createListTopics>;

/** What a person reads in a chat message. */
const maxTopics = 8;

/**
 * What a namespace is about, for somebody who asks what can be asked: the titles of its documents, the longest documents first, and how
 * many further titles there are. @throws KnowledgeError `namespace_not_found`
 */
export const createListTopics = (namespaces: Pick<Namespaces, 'get'>) => async (namespace: string) => {
  const entries = [...(await namespaces.get(namespace)).documents()];
  entries.sort((a, b) => b.chunks.length - a.chunks.length || (a.document.file < b.document.file ? -1 : 1));
  const titles = [...new Set(entries.map(({ document }) => document.title))];
  return { titles: titles.slice(0, maxTopics), more: Math.max(0, titles.length - maxTopics) };
};
