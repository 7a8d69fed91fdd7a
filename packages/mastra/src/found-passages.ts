/** Passages in the results of search tools: the evidence of an answer. */
import type { MastraDBMessage } from '@mastra/core/agent';
import type { SourcePassage } from '../../grounding/src/verify-sentences.ts';

/** Result of the tool `searchDocs` or `docsRetriever`. `coverage`: how well the documents cover the question, 0 to 1. */
export interface FoundPassages {
  readonly results: readonly Readonly<{ text: string; title: string; file: string; source: string }>[];
  readonly coverage?: number;
}

export const searchTools = ['searchDocs', 'docsRetriever'];

export const toolUsesIn = (messages: readonly MastraDBMessage[]) =>
  messages.flatMap(({ content }) => content.parts.flatMap((part) => (part.type === 'tool-invocation' ? [part.toolInvocation] : [])));

/** @param tools names of search tools; results of others are ignored */
export const passagesIn = (messages: readonly MastraDBMessage[], tools: readonly string[] = searchTools): SourcePassage[] =>
  toolUsesIn(messages)
    .flatMap((use) => (use.state === 'result' && tools.includes(use.toolName) ? ((use.result as FoundPassages | null)?.results ?? []) : []))
    .map(({ text, title, file, source }) => ({ text, title, url: URL.canParse(source) ? source : file }));
