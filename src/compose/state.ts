/**
 * Composes the state: answers, conversations, jobs and more in one store, in STATE_DIR or the
 * database.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemErrorCode } from '../../packages/shared/src/errors.ts';
import type { HandOffs } from '../ask/hand-off.ts';
import type { ChatDeliveries } from '../chat/chat-webhooks.ts';
import { createReserve, type WithReserve } from '../documents/reserve.ts';
import type { Forget } from '../ingest/documents.ts';
import type { ScheduleStore } from '../ingest/schedules.ts';
import type { TokenCounts } from '../models/token-budget.ts';
import { AnswerLog } from '../records/answer-log.ts';
import { createAnswerRows } from '../records/answer-tables.ts';
import { createChatDeliveries } from '../records/chat-delivery-table.ts';
import { ConversationStore } from '../records/conversation-tables.ts';
import { GapDesk } from '../records/gap-desk.ts';
import { createHandOffs } from '../records/hand-off-table.ts';
import { JobRows } from '../records/job-tables.ts';
import { namespaceToken } from '../records/postgres/document-tables.ts';
import { createPostgresStore } from '../records/postgres/store.ts';
import { createScheduleStore } from '../records/schedule-table.ts';
import { SqliteStore } from '../records/sqlite-store.ts';
import { type Store, withJoinedErases } from '../records/store.ts';
import { createTokenCounts } from '../records/token-counts.ts';
import { refuseUnreleasedFiles } from '../records/unreleased.ts';
import type { DatabaseParts, SearchParts } from './search.ts';
import { reportTo, type SharedParts } from './shared-parts.ts';

type Reserve = Readonly<{ fill(): Promise<void>; withReserve: WithReserve }>;
type OpenedStore = Readonly<{ store: Store; reserve: Reserve; open(): Promise<void> }>;

/** Moves a file, even to another disk. */
async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'EXDEV') throw error;
    await cp(from, to);
    await rm(from);
  });
}

/** Without STATE_DIR the state is in INDEX_DIR; it follows when STATE_DIR is set later. */
async function moveState(from: string, to: string): Promise<void> {
  if (from === to || existsSync(join(to, 'state.db'))) return;
  await mkdir(to, { recursive: true });
  for (const name of ['state.db', 'state.db-wal', 'state.db-shm'])
    if (existsSync(join(from, name))) await move(join(from, name), join(to, name));
}

/** Store of a single server. */
function openLocalStore({
  config,
  indexDir,
  stateDir,
  onWarning,
  onStateLost,
}: SharedParts): OpenedStore {
  const store = new SqliteStore({
    path: join(stateDir, 'state.db'),
    onWarning,
    onLost: onStateLost,
  });
  const knowledgeDir = resolve(config.knowledgeDir);
  return {
    store,
    reserve: createReserve([stateDir, knowledgeDir]),
    async open() {
      refuseUnreleasedFiles([stateDir, indexDir]);
      await moveState(indexDir, stateDir);
      await store.open();
    },
  };
}

/**
 * Store in the database; opening the documents creates its tables. Deletes need no reserved disk
 * space.
 */
const openSharedStore = ({ database }: DatabaseParts): OpenedStore => ({
  store: createPostgresStore(database),
  reserve: createReserve([]),
  open: async () => undefined,
});

export interface State {
  readonly open: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly answers: AnswerLog;
  readonly gapDesk: GapDesk;
  readonly conversations: ConversationStore;
  readonly forget: Forget;
  readonly jobs: JobRows;
  readonly schedules: ScheduleStore;
  readonly deliveries: ChatDeliveries;
  readonly handOffs: HandOffs;
  readonly tokens: TokenCounts;
  readonly reserve: Reserve;
}

export function composeState(setting: SharedParts, { documents, shared }: SearchParts): State {
  const { config, logger, clock, onWarning, warnings } = setting;
  const {
    store: opened,
    reserve,
    open,
  } = shared ? openSharedStore(shared) : openLocalStore(setting);
  const store = withJoinedErases(opened);
  const { withReserve } = reserve;
  const answers = new AnswerLog({
    rows: createAnswerRows(store),
    maxAnswers: config.keepAnswers,
    clock,
    onWarning,
    warnings,
  });
  const conversations = new ConversationStore({
    store,
    maxThreads: config.maxThreads,
    clock,
    onWarning,
    withReserve,
  });
  const handOffs = createHandOffs(store);
  const dependents = [answers, conversations, handOffs];
  const forget: Forget = async ({ namespaces = [], documentIds = [] }, also) => {
    // Pending writes would wait for the transaction, so they finish first.
    await Promise.all(dependents.map((one) => one.settled()));
    const forgetIn = async () => {
      await also?.();
      for (const one of dependents) {
        for (const namespace of namespaces) await one.forgetNamespace(namespace);
        for (const documentId of documentIds) await one.forgetDocument(documentId);
      }
    };
    await withReserve(() => store.erase(forgetIn));
  };
  return {
    open,
    close: () => store.close(),
    answers,
    gapDesk: new GapDesk(store, clock),
    conversations,
    forget,
    jobs: new JobRows({
      store,
      onUnexpected: reportTo(logger, 'a job could not be saved'),
      onWarning,
      tokenOf: shared && ((namespace) => [namespaceToken(namespace)]),
    }),
    schedules: createScheduleStore(store, shared ? undefined : () => documents.listNamespaces()),
    deliveries: createChatDeliveries({ store }),
    handOffs,
    tokens: createTokenCounts({ store, onWarning }),
    reserve,
  };
}
