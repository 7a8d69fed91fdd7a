/** API of the product for its hosts: HTTP, commands, tests. */
import { z } from 'zod';
import type { Ask } from '../ask/ask.ts';
import type { SearchDocs } from '../ask/search-docs.ts';
import type { Suggest } from '../ask/suggestions.ts';
import type { CallAnswers } from '../calls/proxy.ts';
import type { CallsTools } from '../calls/user-calls.ts';
import type { ChatWebhooks } from '../chat/chat-webhooks.ts';
import type { MirrorHealth } from '../documents/document-writes.ts';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import type { Documents } from '../ingest/documents.ts';
import type { Jobs } from '../ingest/jobs/jobs.ts';
import type { IngestAndWait } from '../ingest/run.ts';
import type { Uploads } from '../ingest/uploads.ts';
import type { AnswerLog } from '../records/answer-log.ts';
import type { Approvals } from '../records/approvals.ts';
import type { Conversations } from '../records/conversations.ts';
import type { GapDesk } from '../records/gap-desk.ts';
import type { StaleAnswers } from '../records/stale-answers.ts';
import type { Watch } from '../trace.ts';
import type { Warnings } from '../warnings.ts';

export const agentCard = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tools: z.record(z.string(), z.object({ id: z.string(), description: z.string() })),
  requiresMention: z.boolean().describe('false: the agent answers every message'),
  mentions: z.array(z.string()).readonly().describe('texts that mention the agent'),
});
export const agentCards = z.record(z.string(), agentCard);

export type KnowledgeApi = Pick<Ask, 'ask' | 'stream'> &
  Readonly<{
    /** Loads the agent, which is slow the first time. */
    prepare: () => Promise<void>;
    searchDocs: SearchDocs;
    suggestions: Suggest;
    ingestNow: IngestAndWait;
    ingestUpload: Uploads['ingest'];
    jobs: Jobs;
    documents: Documents;
    answers: AnswerLog;
    staleAnswers: StaleAnswers;
    gapDesk: GapDesk;
    approvals: Approvals;
    conversations: Conversations;
    listAgents: () => z.infer<typeof agentCards>;
    calls: CallAnswers;
    callsTools: CallsTools;
    takeChatMessage: ChatWebhooks['take'] | undefined;
    parseNamespace: ParseNamespace;
    modelName: string;
    isReady: () => boolean;
    mirrorHealth: () => MirrorHealth | undefined;
    warnings: Pick<Warnings, 'list'>;
    watch: Watch;
    metrics: {
      readonly contentType: string;
      watchProcess(): void;
      read(): Promise<string>;
      /** The model that was last tried with sample sentences; undefined: none yet. */
      readonly judge: { readonly model: string; readonly canCheck: boolean } | undefined;
    };
    whenReady: Promise<void>;
  }>;
