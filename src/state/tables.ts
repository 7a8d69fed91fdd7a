/**
 * The tables of `state.db`, version after version: each is made once and never changed afterwards. PostgreSQL has the same tables with a
 * longer history (`postgres/migrations.ts`). A new version is added to both.
 */
import { sqliteAnswerTables } from './answers.ts';
import { callEventTables } from './call-events.ts';
import { chatDeliveryTables } from './chat-deliveries.ts';
import { conversationTables } from './conversations.ts';
import { jobTables } from './jobs.ts';
import { scheduleTables } from './schedules.ts';
import { sqliteDialect } from './store.ts';
import { tokenTables } from './token-counts.ts';

/** Version n is the n-th. */
export const sqliteVersions: readonly string[] = [
  [sqliteAnswerTables, conversationTables(sqliteDialect), tokenTables, chatDeliveryTables, callEventTables, scheduleTables, jobTables].join(
    '\n',
  ),
];
