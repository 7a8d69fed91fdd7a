/** What is kept beside the documents, in one store: STATE_DIR, or the database that several servers share. */
import { join, resolve } from 'node:path';
import { AnswerLog } from '../answers/answer-log.ts';
import type { Forget } from '../app/documents.ts';
import { createReserve } from '../documents/reserve.ts';
import { namespaceToken } from '../postgres/documents.ts';
import { createPostgresStore } from '../postgres/store.ts';
import { createAnswerRows } from '../state/answers.ts';
import { createEventJournal } from '../state/call-events.ts';
import { createChatDeliveries } from '../state/chat-deliveries.ts';
import { ConversationStore } from '../state/conversations.ts';
import { importEarlierState, moveEarlierFiles } from '../state/earlier.ts';
import { JobRows } from '../state/jobs.ts';
import { createScheduleStore } from '../state/schedules.ts';
import { SqliteStore } from '../state/sqlite-store.ts';
import { withJoinedErases } from '../state/store.ts';
import { createTokenCounts } from '../state/token-counts.ts';
import type { SearchParts, Shared } from './search.ts';
import { reportTo, type SharedParts } from './shared-parts.ts';

/** The store of one server, with what an earlier version left in files. */
function openLocalStore({ config, indexDir, stateDir, onWarning, onStateLost }: SharedParts) {
  const store = new SqliteStore({ path: join(stateDir, 'state.db'), onWarning, onLost: onStateLost });
  const knowledgeDir = resolve(config.knowledgeDir);
  return {
    store,
    reserve: createReserve([stateDir, knowledgeDir]),
    async open() {
      await moveEarlierFiles(stateDir, indexDir);
      await store.open();
      await importEarlierState({ store, folders: [stateDir, indexDir], knowledgeDir, onWarning });
    },
  };
}

/** Its tables are made when the documents are opened, and deletes need no room on the disk. */
const openSharedStore = ({ database }: NonNullable<Shared>) => ({
  store: createPostgresStore(database),
  reserve: createReserve([]),
  open: async () => undefined,
});

export function composeState(setting: SharedParts, { documents, shared }: SearchParts) {
  const { config, logger, clock, onWarning, warnings } = setting;
  const { store: opened, reserve, open } = shared ? openSharedStore(shared) : openLocalStore(setting);
  const store = withJoinedErases(opened);
  const { withReserve } = reserve;
  const answers = new AnswerLog({ rows: createAnswerRows(store), maxAnswers: config.keepAnswers, clock, onWarning, warnings });
  const conversations = new ConversationStore({ store, maxThreads: config.maxThreads, clock, onWarning, withReserve });
  const quoting = [answers, conversations];
  const forget: Forget = async ({ namespaces = [], documentIds = [] }, also) => {
    // What is being written waits for the end of a transaction.
    await Promise.all(quoting.map((one) => one.settled()));
    const forgetIn = async () => {
      await also?.();
      for (const one of quoting) {
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
    conversations,
    forget,
    jobs: new JobRows({
      store,
      onUnexpected: reportTo(logger, 'a job could not be saved'),
      onWarning,
      tokenOf: shared && ((namespace) => [namespaceToken(namespace)]),
    }),
    schedules: createScheduleStore(store, shared ? undefined : () => documents.listNamespaces()),
    callEvents: createEventJournal(store, onWarning),
    deliveries: createChatDeliveries({ store }),
    tokens: createTokenCounts({ store, onWarning }),
    reserve,
  };
}

export type State = ReturnType<typeof composeState>;
