/**
 * The agent. Its guarantees are its processors, so they hold wherever it is called from: silent unless mentioned, retrieval before the
 * model, one model call, every sentence supported by a passage of this request, `Sources:` at the end.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createMentionGate } from '../../knowledge/answer/mention.ts';
import { renderInstructions } from '../../knowledge/answer/turn-prompt.ts';
import type { ParseNamespace } from '../../knowledge/namespaces.ts';
import type { Retriever } from '../../knowledge/retriever.ts';
import { callEvidence } from '../call-evidence.ts';
import { withPlainReplies } from '../models/plain-reply.ts';
import { createGroundingProcessor } from '../processors/grounding.ts';
import { createMentionGateProcessor } from '../processors/mention-gate.ts';
import { createRetrievalProcessor, type MinCoverage } from '../processors/retrieval.ts';
import { type CallsTools, callsToolCards, createCallsAgentTools } from '../tools/calls.ts';
import { createDocsRetriever, docsRetrieverCard } from '../tools/docs-retriever.ts';

export interface KnowledgeAgentOptions {
  readonly model: LanguageModelV4;
  readonly retriever: Retriever;
  readonly parseNamespace: ParseNamespace;
  readonly mentions: readonly string[];
  readonly minCoverage: MinCoverage;
  /** Of an answer. */
  readonly maxSentences: number;
  /** Whether the model may search once more where the first search covered the question badly. */
  readonly secondSearch: boolean;
  /** What looks up the calls of the user who asks; undefined: the agent has no such tools. */
  readonly calls?: CallsTools | undefined;
}

/**
 * Coverage below which nothing is answered (bench/README.md: what each threshold keeps and turns away). A model reads the passages before
 * it answers, so it is asked about more than what sentences are picked for without one.
 */
export const minCoverage = { extractive: { lexical: 0.35, hybrid: 0.35 }, model: { lexical: 0.2, hybrid: 0 } };

/** What the agent says of itself, without its instructions. */
export const describeKnowledgeAgent = (mentions: readonly string[], hasCalls = false) => ({
  id: 'knowledge',
  name: 'Knowledge Agent',
  description: `Answers questions about the ingested documents when it is mentioned (${mentions.join(', ')}), with citations.`,
  tools: { docsRetriever: docsRetrieverCard, ...(hasCalls ? callsToolCards : {}) },
});

export function createKnowledgeAgent(options: KnowledgeAgentOptions): Agent {
  const { model, retriever, parseNamespace, mentions, maxSentences, secondSearch, calls } = options;
  const { id, name, description } = describeKnowledgeAgent(mentions);
  return new Agent({
    id,
    name,
    description,
    instructions: renderInstructions({ maxSentences }),
    // Mastra carries its own copy of the model interface, an earlier release of the same version.
    model: withPlainReplies(model) as MastraModelConfig,
    tools: {
      docsRetriever: createDocsRetriever(retriever, parseNamespace),
      ...(calls ? createCallsAgentTools(calls, callEvidence) : {}),
    },
    inputProcessors: [
      createMentionGateProcessor(createMentionGate(mentions)),
      createRetrievalProcessor({ ...options, callsTools: calls !== undefined }),
    ],
    outputProcessors: [createGroundingProcessor(maxSentences)],
    maxRetries: 1,
    defaultOptions: { maxSteps: secondSearch || calls ? 2 : 1, modelSettings: { temperature: 0 } },
  });
}
