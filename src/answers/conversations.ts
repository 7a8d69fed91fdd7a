/**
 * What was said before in a conversation. A thread belongs to the caller who began it, in one namespace: names that a request brings
 * choose among that caller's own threads and reach no one else's. What is kept is what people read, the question and the checked answer.
 * A memory that fails is a warning, never a failed answer.
 */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, deleteBeyond } from './database.ts';

export interface ConversationPlace {
  /** Who is authenticated; decided by the server. */
  readonly owner: string;
  readonly namespace: string;
  /** As the request names them. */
  readonly resource: string;
  readonly thread: string;
}

/** A thread, as its owner named it. */
export interface ThreadEntry {
  readonly thread: string;
  readonly resource: string;
  readonly namespace: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Threads of one owner, narrowed by what is given. */
export type ThreadFilter = Pick<ConversationPlace, 'owner'> & {
  readonly [Name in 'namespace' | 'resource' | 'thread']?: string | undefined;
};

/** A question and its answer. */
interface SaidTurn {
  readonly question: string;
  readonly answer: string;
}

export interface ConversationsOptions {
  readonly folder: string;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error?: unknown) => void;
  /** Of more, those that were silent longest go, first of the owners who have most. */
  readonly maxThreads: number;
}

export type Conversations = ReturnType<typeof createConversations>;

const schema = `
  CREATE TABLE threads (
    id INTEGER PRIMARY KEY, owner TEXT NOT NULL, namespace TEXT NOT NULL, resource TEXT NOT NULL, thread TEXT NOT NULL,
    createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL, UNIQUE (owner, namespace, resource, thread)
  ) STRICT;
  CREATE TABLE turns (
    id INTEGER PRIMARY KEY, threadId INTEGER NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    documents TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL
  ) STRICT;
  CREATE INDEX turnsOfThread ON turns (threadId)`;

/** Of a thread, the newest; what a question leans on is in the last few. */
const recalledTurns = 6;
/** Turns that a thread keeps: five times what is recalled, for whoever reads the file. */
const keptTurns = 30;
const maxChars = 4_000;

const isPlace = 'owner = $owner AND namespace = $namespace AND resource = $resource AND thread = $thread';
const isWanted = ['namespace', 'resource', 'thread'].reduce(
  (all, name) => `${all} AND ($${name} IS NULL OR ${name} = $${name})`,
  'owner = $owner',
);
const recallTurns = `SELECT question, answer FROM turns WHERE threadId = (SELECT id FROM threads WHERE ${isPlace}) ORDER BY id DESC LIMIT ${recalledTurns}`;
const touchThread = `
  INSERT INTO threads (owner, namespace, resource, thread, createdAt, updatedAt) VALUES ($owner, $namespace, $resource, $thread, $now, $now)
  ON CONFLICT DO UPDATE SET updatedAt = $now RETURNING id`;
const addTurn = 'INSERT INTO turns (threadId, documents, question, answer) VALUES ($id, $documents, $question, $answer)';
const dropOldest = `
  DELETE FROM turns WHERE threadId = $id AND id NOT IN (SELECT id FROM turns WHERE threadId = $id ORDER BY id DESC LIMIT ${keptTurns})`;
const trimThreads = deleteBeyond('threads', 'row_number() OVER (PARTITION BY owner ORDER BY updatedAt DESC, id DESC)');

/** Whose it is: the name holds addresses, and a hash tells as well. */
const ownerKey = (owner: string) => createHash('sha256').update(owner).digest('hex').slice(0, 40);
const placed = (place: ConversationPlace) => ({ ...place, owner: ownerKey(place.owner) });
const wanted = ({ owner, namespace, resource, thread }: ThreadFilter) => ({
  owner: ownerKey(owner),
  namespace: namespace ?? null,
  resource: resource ?? null,
  thread: thread ?? null,
});

export function createConversations({ folder, clock, onWarning, maxThreads }: ConversationsOptions) {
  const database = createDatabase({ path: join(folder, 'threads.db'), schema, onWarning });
  /** Turns until the next look at how many threads there are. */
  let untilTrim = 0;

  return {
    /** What earlier versions kept goes: nobody else would delete it with its documents. */
    async open(): Promise<void> {
      try {
        for (const name of readdirSync(folder).filter((one) => one.startsWith('conversations.db'))) rmSync(join(folder, name));
      } catch {
        // There is no such folder.
      }
    },

    /** Oldest first, the last few turns. */
    recall(place: ConversationPlace): SaidTurn[] {
      try {
        return database.read<SaidTurn>(recallTurns, placed(place)).reverse();
      } catch (error) {
        onWarning('a conversation could not be recalled', error);
        return [];
      }
    },

    /** @param documentIds what the turn quotes: it goes with these documents */
    remember(place: ConversationPlace, { question, answer }: SaidTurn, documentIds: readonly string[]): void {
      try {
        database.write((made) => {
          const { id = null } = made.prepare(touchThread).get({ ...placed(place), now: clock().toISOString() }) ?? {};
          const said = { question: question.slice(0, maxChars), answer: answer.slice(0, maxChars) };
          made.prepare(addTurn).run({ id, documents: JSON.stringify(documentIds), ...said });
          made.prepare(dropOldest).run({ id });
          if (--untilTrim > 0) return;
          made.prepare(trimThreads).run({ limit: maxThreads });
          untilTrim = Math.ceil(maxThreads / 10);
        });
      } catch (error) {
        onWarning('a conversation could not be remembered', error);
      }
    },

    /** Newest first; pages are counted from 0. */
    list(filter: ThreadFilter, { page, perPage }: { readonly page: number; readonly perPage: number }) {
      const where = `FROM threads WHERE ${isWanted}`;
      const [count] = database.read<{ total: number }>(`SELECT count(*) AS total ${where}`, wanted(filter));
      const ofPage = { ...wanted(filter), limit: perPage, offset: page * perPage };
      const sql = `SELECT thread, resource, namespace, createdAt, updatedAt ${where} ORDER BY updatedAt DESC, id DESC LIMIT $limit OFFSET $offset`;
      return { total: count?.total ?? 0, threads: database.read<ThreadEntry>(sql, ofPage) };
    },

    /** @returns how many there were */
    remove: (filter: ThreadFilter): number => database.erase(wanted(filter), `DELETE FROM threads WHERE ${isWanted}`),

    /** Cuts the turns that quote a document out of every thread. */
    async forgetDocument(documentId: string): Promise<void> {
      database.erase(
        { named: JSON.stringify(documentId) },
        'DELETE FROM turns WHERE instr(documents, $named)',
        'DELETE FROM threads WHERE id NOT IN (SELECT threadId FROM turns)',
      );
    },

    async forgetNamespace(namespace: string): Promise<void> {
      database.erase({ namespace }, 'DELETE FROM threads WHERE namespace = $namespace');
    },

    async close(): Promise<void> {
      database.close();
    },
  };
}
