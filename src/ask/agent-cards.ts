/** How the agent presents itself: its mentions, its card, and a second id for one-to-one chats. */
import { callsToolCards } from '../calls/user-calls.ts';
import { docsRetrieverCard } from './search-docs.ts';

export type AgentSettings = Readonly<{
  agentMentions: readonly string[];
  chatAgentUid: string;
  requireMention: boolean;
  callsTools: boolean;
  directAgentId?: string | undefined;
}>;

/** @returns the agent's card, and all cards by id */
export function describeAgents(settings: AgentSettings) {
  const { agentMentions, chatAgentUid, requireMention, callsTools, directAgentId } = settings;
  const when = requireMention ? ` when it is mentioned (${agentMentions.join(', ')})` : '';
  const card = {
    id: 'knowledge',
    name: 'Knowledge Agent',
    description: `Answers questions about the ingested documents${when}, with citations.`,
    tools: { docsRetriever: docsRetrieverCard, ...(callsTools ? callsToolCards : {}) },
    requiresMention: requireMention,
    // The platform's own markup of the agent always counts.
    mentions: [...new Set([...agentMentions, `<@uid:${chatAgentUid}>`])],
  };
  if (directAgentId === undefined) return { card, cards: { [card.id]: card } };
  const direct = {
    ...card,
    id: directAgentId,
    name: 'Knowledge Agent (one-to-one chats)',
    description:
      'Answers questions about the ingested documents, with citations. It needs no mention.',
    requiresMention: false,
  };
  return { card, cards: { [card.id]: card, [directAgentId]: direct } };
}
