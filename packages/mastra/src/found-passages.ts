/** Passages in the results of search tools: the evidence of an answer. */
import type { MastraDBMessage } from '@mastra/core/agent';

/** Text is Markdown. */
export interface FoundPassage {
  readonly text: string;
  readonly title?: string;
  /** URL or file, shown in `Sources:`. */
  readonly url?: string;
}

/** Result of the tool `searchDocs` or `docsRetriever`. */
export interface FoundPassages {
  readonly results: readonly { readonly text: string; readonly title: string; readonly file: string; readonly source: string }[];
  /** How well the documents cover the question, 0 to 1. */
  readonly coverage?: number;
}

/** Names of the tools whose results are evidence by default. */
export const searchTools = ['searchDocs', 'docsRetriever'];

/** Passages of the search tools' results in the messages, each once, in order. Other results are ignored. */
export function passagesIn(messages: readonly MastraDBMessage[], tools: readonly string[] = searchTools): FoundPassage[] {
  const uses = messages.flatMap(({ content }) =>
    content.parts.flatMap((part) => (part.type === 'tool-invocation' ? [part.toolInvocation] : [])),
  );
  const found = uses.flatMap((use) =>
    use.state === 'result' && tools.includes(use.toolName) ? ((use.result as FoundPassages)?.results ?? []) : [],
  );
  const passages = found.map(({ text, title, file, source }) => ({ text, title, url: URL.canParse(source) ? source : file }));
  return [...new Map(passages.map((passage) => [passage.text, passage])).values()];
}
