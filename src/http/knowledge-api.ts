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

export interface KnowledgeApi extends Pick<Ask, 'ask' | 'stream'> {
  /** Loads the agent, which is slow the first time. */
  readonly prepare: () => Promise<void>;
  readonly searchDocs: SearchDocs;
  readonly suggestions: Suggest;
  readonly ingestNow: IngestAndWait;
  readonly ingestUpload: Uploads['ingest'];
  readonly jobs: Jobs;
  readonly documents: Documents;
  readonly answers: AnswerLog;
  readonly staleAnswers: StaleAnswers;
  readonly gapDesk: GapDesk;
  readonly approvals: Approvals;
  readonly conversations: Conversations;
  readonly listAgents: () => z.infer<typeof agentCards>;
  readonly calls: CallAnswers;
  readonly callsTools: CallsTools;
  readonly takeChatMessage: ChatWebhooks['take'] | undefined;
  readonly parseNamespace: ParseNamespace;
  readonly modelName: string;
  readonly isReady: () => boolean;
  readonly mirrorHealth: () => MirrorHealth | undefined;
  readonly warnings: Pick<Warnings, 'list'>;
  readonly watch: Watch;
  readonly metrics: {
    readonly contentType: string;
    watchProcess(): void;
    read(): Promise<string>;
    /** The model that was last tried with sample sentences; undefined: none yet. */
    readonly judge: { readonly model: string; readonly canCheck: boolean } | undefined;
  };
  readonly whenReady: Promise<void>;
}
