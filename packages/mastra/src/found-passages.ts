/**
 * Passages in the results of search tools: the evidence of an answer. Results of other tools are
 * ignored.
 */
import type { MastraDBMessage } from '@mastra/core/agent';
import type { SourcePassage } from '../../grounding/src/judge.ts';

/**
 * Result of the tool `searchDocs` or `docsRetriever`. `coverage`: how well the documents cover the
 * question, 0 to 1.
 */
export type FoundPassages = Readonly<{
  results: readonly Record<'text' | 'title' | 'file' | 'source', string>[];
  coverage?: number;
}>;

export const searchTools = ['searchDocs', 'docsRetriever'];

/** Part of a message of this product's agent: a tool that ran without the model. */
export const toolUsePart = 'data-tool-use';
type ToolUse = Extract<
  MastraDBMessage['content']['parts'][number],
  { type: 'tool-invocation' }
>['toolInvocation'];

export const toolUsesIn = (messages: readonly MastraDBMessage[]) =>
  messages.flatMap(({ content }) =>
    content.parts.flatMap((part) => {
      if (part.type === 'tool-invocation') return [part.toolInvocation];
      return part.type === toolUsePart && 'data' in part ? [part.data as ToolUse] : [];
    }),
  );

export const passagesIn = (
  messages: readonly MastraDBMessage[],
  tools: readonly string[] = searchTools,
): SourcePassage[] =>
  toolUsesIn(messages)
    .flatMap((use) =>
      use.state === 'result' && tools.includes(use.toolName)
        ? ((use.result as FoundPassages | null)?.results ?? [])
        : [],
    )
    .map(({ text, title, file, source }) => ({
      text,
      title,
      url: URL.canParse(source) ? source : file,
    }));
