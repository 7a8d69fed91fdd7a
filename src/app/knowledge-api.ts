/** What the product does, as its hosts (HTTP, command line, tests) call it. */
import { z } from 'zod';
import type { AnswerLog } from '../answers/answer-log.ts';
import type { Conversations } from '../answers/conversations.ts';
import type { CallAnswers } from '../calls/proxy.ts';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import type { Jobs } from '../ingest/jobs/jobs.ts';
import type { IngestAndWait } from '../ingest/run.ts';
import type { IngestUpload } from '../ingest/uploads.ts';
import type { Watch } from '../trace.ts';
import type { Warning } from '../warnings.ts';
import type { Ask } from './ask/ask.ts';
import type { ChatWebhooks } from './chat/chat-webhooks.ts';
import type { Documents } from './documents.ts';
import type { SearchDocs } from './search/search-docs.ts';
import type { StaleAnswers } from './stale-answers.ts';
import type { CallsTools } from './user-calls.ts';

const agentCard = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tools: z.record(z.string(), z.object({ id: z.string(), description: z.string() })),
});
/** By the key under which they are called. */
export const agentCards = z.record(z.string(), agentCard);

export interface KnowledgeApi extends Ask {
  readonly searchDocs: SearchDocs;
  readonly ingestNow: IngestAndWait;
  readonly ingestUpload: IngestUpload;
  readonly jobs: Pick<Jobs, 'start' | 'get' | 'progress' | 'cancel'>;
  readonly documents: Documents;
  /** Recent answers, what was said of them, and the questions that were not answered. */
  readonly answers: AnswerLog;
  /** Recent answers, and whether the documents still hold what they quote. */
  readonly staleAnswers: StaleAnswers;
  readonly conversations: Pick<Conversations, 'list' | 'remove' | 'messages' | 'removeMessages'>;
  /** Never their instructions. */
  readonly listAgents: () => z.infer<typeof agentCards>;
  /** What `/v3/calls` answers. */
  readonly calls: CallAnswers;
  /** Calls of the user who asks, for chat tools. */
  readonly callsTools: CallsTools;
  /** Takes an event of the calling platform; undefined where an upstream has its calls itself. */
  readonly applyCallEvent: ((payload: unknown) => Promise<'applied' | 'unchanged' | 'ignored'>) | undefined;
  /** Takes what a chat platform pushes; undefined where no credentials of chat webhooks are set. */
  readonly takeChatMessage: ChatWebhooks['take'] | undefined;
  readonly parseNamespace: ParseNamespace;
  /** What the answers' `model` says. */
  readonly modelName: string;
  /** Whether everything is open: documents, jobs, answers, conversations and calls. */
  readonly isReady: () => boolean;
  /** How old what this server answers from may be; undefined where it shares no database. */
  readonly mirrorHealth: () => { readonly ageMs: number | null; readonly isWritten: boolean } | undefined;
  /** Conditions that last and that an operator must know about. */
  readonly warnings: () => readonly Warning[];
  /** Told of every request. */
  readonly watch: Watch;
  /** What was counted, as Prometheus reads it. */
  readonly metrics: { readonly contentType: string; watchProcess(): void; read(): Promise<string> };
  /** Resolves when it is; never rejects. */
  readonly whenReady: Promise<void>;
}
