/** What the product does, as its hosts (HTTP, command line, tests) call it. */

import type { CallAnswers } from '../calls/call-answers.ts';
import type { AnswerLog } from '../knowledge/answers/answer-log.ts';
import type { Documents } from '../knowledge/documents.ts';
import type { IngestNow } from '../knowledge/ingest-now.ts';
import type { Jobs } from '../knowledge/jobs/jobs.ts';
import type { ParseNamespace } from '../knowledge/namespaces.ts';
import type { VerifyAnswer } from '../knowledge/verify-answer.ts';
import type { Ask } from './ask.ts';
import type { CallsTools } from './tools/calls.ts';
import type { IngestSources } from './tools/ingest-sources.ts';
import type { SearchDocs } from './tools/search-docs.ts';

export interface AgentCard {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tools: Readonly<Record<string, { readonly id: string; readonly description: string }>>;
}

export interface KnowledgeApi extends Ask {
  readonly ingestSources: IngestSources;
  readonly searchDocs: SearchDocs;
  readonly ingestNow: IngestNow;
  readonly jobs: Jobs;
  readonly documents: Documents;
  /** Recent answers, what was said of them, and the questions that were not answered. */
  readonly answers: AnswerLog;
  readonly verifyAnswer: VerifyAnswer;
  /** Sources of a namespace that are read again by themselves. */
  readonly listSchedules: (namespace: string) => Promise<{ source: string; refreshEvery: string; nextAt: string }[]>;
  /** By the key under which they are called; never their instructions. */
  readonly listAgents: () => Readonly<Record<string, AgentCard>>;
  /** What `/v3/calls` answers. */
  readonly calls: CallAnswers;
  /** Calls of the user who asks, for chat tools. */
  readonly callsTools: CallsTools;
  /** Takes an event of the calling platform; undefined where an upstream has its calls itself. */
  readonly applyCallEvent: ((payload: unknown) => Promise<'applied' | 'unchanged' | 'ignored'>) | undefined;
  readonly parseNamespace: ParseNamespace;
  /** What the answers' `model` says. */
  readonly modelName: string;
  /** Whether the documents are searchable. */
  readonly isReady: () => boolean;
}
