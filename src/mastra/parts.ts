/**
 * `import { createKnowledgeParts } from 'knowledge-agent/mastra'`: agent and tools for a Mastra
 * project. Importing it changes nothing.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { MastraMemory } from '@mastra/core/memory';
import { parseSettings, type ServerSettings } from '../config.ts';
import { startContext } from '../context.ts';
import type { Embedder } from '../search/vectors/embedder.ts';
import type { SharedVectors } from '../search/vectors/shared-vectors.ts';

export type { Embedder, SharedVectors };

type RegisteredTool = NonNullable<
  NonNullable<ConstructorParameters<typeof Mastra>[0]>['tools']
>[string];

export type KnowledgePartsOptions = Readonly<{
  /**
   * Settings by name, as in `.env` (docs/settings.md). The environment is not read. LOG_LEVEL
   * defaults to `warn`.
   */
  settings?: ServerSettings;
  /** Answers instead of LLM_MODEL. */
  model?: LanguageModelV4;
  /**
   * Storage of conversations: the agent's memory, with the storage of the Mastra project. Default:
   * the agent keeps no threads.
   */
  memory?: MastraMemory;
  /** Embedding model of the search by meaning, instead of EMBEDDING_MODEL. */
  embedder?: Embedder;
  /** Vector store for the embedder's vectors; default: files in INDEX_DIR. */
  vectors?: SharedVectors;
}>;

export interface KnowledgeParts {
  /** Silent without a mention. Shows only sentences that the documents support. */
  readonly agent: Agent;
  readonly tools: Readonly<
    Record<'docsRetriever' | 'searchDocs' | 'ingestSources', RegisteredTool>
  >;
  /** Saves the index and releases STATE_DIR. */
  close(): Promise<void>;
}

/** Mastra would let another model write the object, after the check. */
function withoutStructuredOutput(agent: Agent): Agent {
  const { generate, stream } = agent;
  const guarded =
    <Result>(call: (...args: never[]) => Result) =>
    (messages: never, options?: { readonly structuredOutput?: unknown }) => {
      if (options?.structuredOutput)
        throw new TypeError('This agent returns checked text. It has no structured output.');
      return call.call(agent, messages, options as never);
    };
  return Object.assign(agent, { generate: guarded(generate), stream: guarded(stream) });
}

/**
 * @throws TypeError; ConfigError if a setting is invalid; FolderInUseError if another server uses
 * STATE_DIR
 */
export async function createKnowledgeParts(
  options: KnowledgePartsOptions = {},
): Promise<KnowledgeParts> {
  const { settings = {}, model, memory, embedder, vectors } = options;
  if (model && typeof model.doGenerate !== 'function')
    throw new TypeError('model must be a model of the AI SDK, not a name.');
  if (embedder && typeof embedder.embed !== 'function')
    throw new TypeError('embedder needs model, maxBatch and embed (docs/extend.md).');
  const parts = await startContext(parseSettings(settings), {
    ...(model && { model }),
    ...(memory && { mastra: { agent: { memory } } }),
    embedder,
    vectors,
  });
  try {
    const mastra = await parts.loadMastra();
    await parts.open();
    const agent = withoutStructuredOutput(mastra.getAgent('knowledge'));
    const { docsRetriever } = await agent.listTools();
    return {
      agent,
      tools: {
        docsRetriever: docsRetriever as RegisteredTool,
        searchDocs: mastra.getToolById('searchDocs'),
        ingestSources: mastra.getToolById('ingestSources'),
      },
      close: parts.close,
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}
