import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ConversationPlace, Conversations } from '../../src/app/ask/ask.ts';
import { ConversationStore, type ThreadStorage } from '../../src/mastra/conversations.ts';
import { createConversationDatabase, createThreadTables, type ThreadDatabase } from '../../src/mastra/conversations-database.ts';
import { createConversationFile } from '../../src/mastra/conversations-file.ts';
import { createDatabase, type Database } from '../../src/postgres/database.ts';
import { advisoryLocks } from '../../src/postgres/locks.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/workspace.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const place = (thread: string, more: Partial<ConversationPlace> = {}): ConversationPlace => ({
  owner: 'key:1',
  namespace: 'docs',
  resource: 'r',
  thread,
  ...more,
});

/** What every server that opens the same place gets. */
type Open = () => ThreadStorage;

async function inFolder(folder?: string): Promise<Open> {
  const path = folder ?? (await temporaryFolder());
  return () => createConversationFile({ folder: path, clock: () => new Date(), onWarning: () => undefined });
}

const openDatabase = (url: string, timeoutMs?: number): Database => {
  const database = createDatabase({ url, maxConnections: 4, ...(timeoutMs ? { timeoutMs } : {}) });
  onTestFinished(() => database.close());
  return database;
};

async function inDatabase(url?: string): Promise<Open> {
  const made = url ?? (await postgres.newDatabase());
  await createThreadTables(openDatabase(made), advisoryLocks.threadTables);
  // A machine with much to do may be slow without being away.
  return () =>
    createConversationDatabase({ threadLock: advisoryLocks.thread, database: openDatabase(made), pauseMs: 100, recallTimeoutMs: 30_000 });
}

const starting = Date.UTC(2026, 0, 1);

/** One server. @param startsAt its clock, which moves by a second for each turn */
async function conversationsIn(open: Open, { maxThreads = 10_000, startsAt = starting }: { maxThreads?: number; startsAt?: number } = {}) {
  const warnings: string[] = [];
  let now = startsAt;
  const opened = new ConversationStore({
    threads: open(),
    clock: () => {
      now += 1_000;
      return new Date(now);
    },
    onWarning: (message) => warnings.push(message),
    onLost: () => warnings.push('lost'),
    maxThreads,
  });
  onTestFinished(() => opened.close());
  const turn = (thread: ConversationPlace, said: string, documents: string[] = []) =>
    opened.remember(
      thread,
      [
        { role: 'user', content: `${said}?` },
        { role: 'assistant', content: `${said}.` },
      ],
      documents,
    );
  return Object.assign(opened, { turn, warnings, recall: opened.recall.bind(opened), close: opened.close.bind(opened) });
}

const conversations = async ({ folder }: { folder?: string } = {}) => conversationsIn(await inFolder(folder));

describe.each<[string, () => Promise<Open>]>([
  ['a file', () => inFolder()],
  ['a database', () => inDatabase()],
])('in %s', (_, there) => {
  const conversations = async (options: { maxThreads?: number } = {}) => conversationsIn(await there(), options);

  describe('a thread', () => {
    it('gives back its last twelve messages in the order in which they were said', async () => {
      const { turn, recall, warnings } = await conversations();
      for (let at = 0; at < 20; at++) turn(place('t'), `${at}`);
      const recalled = await recall(place('t'));
      expect(recalled.map(({ content }) => content)).toEqual([14, 15, 16, 17, 18, 19].flatMap((at) => [`${at}?`, `${at}.`]));
      expect(recalled.map(({ role }) => role)).toEqual(Array.from({ length: 6 }, () => ['user', 'assistant']).flat());
      expect(warnings).toEqual([]);
    });

    it('keeps at most sixty messages, the last ones', async () => {
      const opened = await conversations();
      for (let at = 0; at < 35; at++) opened.turn(place('t'), `${at}`);
      const kept = await opened.messages(place('t'));
      expect(kept).toHaveLength(60);
      expect(kept[0]?.content).toBe('5?');
      expect(kept.at(-1)?.content).toBe('34.');
    });

    it('is cut where a message is very long', async () => {
      const { turn, recall } = await conversations();
      turn(place('t'), 'x'.repeat(50_000));
      for (const { content } of await recall(place('t'))) expect(content.length).toBeLessThanOrEqual(4_000);
    });

    it('that nobody began is empty', async () => {
      const { recall, warnings } = await conversations();
      expect(await recall(place('t'))).toEqual([]);
      expect(warnings).toEqual([]);
    });

    it('belongs to its owner, namespace and resource', async () => {
      const { turn, recall } = await conversations();
      turn(place('t'), 'secret');
      for (const other of [{ owner: 'key:2' }, { namespace: 'hr' }, { resource: 's' }, { owner: 'key:1","docs' }])
        expect(await recall(place('t', other))).toEqual([]);
      expect(await recall(place('t'))).toHaveLength(2);
    });
  });

  describe('threads', () => {
    /** Pruned once in a hundred writes. */
    const untilPruned = 100;

    it('that were silent longest go, above the number that is kept', async () => {
      const { turn, recall } = await conversations({ maxThreads: 3 });
      const said = async (thread: string) => (await recall(place(thread))).length > 0;
      for (const thread of ['a', 'b', 'c', 'd', 'e']) {
        turn(place(thread), thread);
        await recall(place(thread));
      }
      for (let at = 0; at < untilPruned; at++) turn(place('a'), `${at}`);
      expect(await said('a')).toBe(true);
      expect((await Promise.all(['b', 'c', 'd', 'e'].map(said))).filter(Boolean)).toHaveLength(2);
      expect(await said('b')).toBe(false);
      expect(await said('e')).toBe(true);
    });

    it('of one owner do not push those of another out', async () => {
      const { turn, recall } = await conversations({ maxThreads: 10 });
      for (let at = 0; at < 3; at++) turn(place(`b${at}`, { owner: 'key:2' }), `${at}`);
      await recall(place('b2', { owner: 'key:2' }));
      for (let at = 0; at < untilPruned; at++) turn(place(`a${at}`), `${at}`);
      for (let at = 0; at < untilPruned; at++) await recall(place(`a${at}`));
      for (let at = 0; at < 3; at++) expect(await recall(place(`b${at}`, { owner: 'key:2' }))).toHaveLength(2);
      expect(await recall(place('a99'))).toHaveLength(2);
      expect(await recall(place('a0'))).toEqual([]);
    });

    it('are written side by side without a loss', async () => {
      const { turn, recall, warnings } = await conversations();
      for (let at = 0; at < 40; at++) turn(place(`t${at}`), `${at}`);
      for (let at = 0; at < 40; at++) expect((await recall(place(`t${at}`))).map(({ content }) => content)).toEqual([`${at}?`, `${at}.`]);
      expect(warnings).toEqual([]);
    });
  });

  it('what was said is there after a restart, also what was being written', async () => {
    const open = await there();
    const first = await conversationsIn(open);
    for (let at = 0; at < 3; at++) first.turn(place('t'), `${at}`);
    await first.close();
    const second = await conversationsIn(open);
    expect(await second.recall(place('t'))).toHaveLength(6);
  });

  describe('of what is kept', () => {
    const saidIn = async (opened: Conversations, thread: string) => (await opened.recall(place(thread))).map(({ content }) => content);

    it('what quotes a document goes with it, in every thread', async () => {
      const opened = await conversations();
      for (const thread of ['t', 'u']) {
        opened.turn(place(thread), 'before', ['other']);
        opened.turn(place(thread), 'quote', ['other', 'doc-1']);
        opened.turn(place(thread), 'after');
      }
      opened.turn(place('alone'), 'quote', ['doc-1']);
      for (let times = 0; times < 2; times++) await opened.forgetDocument('doc-1');
      for (const thread of ['t', 'u']) expect(await saidIn(opened, thread)).toEqual(['before?', 'before.', 'after?', 'after.']);
      expect((await opened.list({ owner: 'key:1' }, { page: 0, perPage: 50 })).total).toBe(2);
      opened.turn(place('t'), 'again', ['doc-1']);
      await opened.forgetDocument('doc-1');
      expect(await saidIn(opened, 't')).toHaveLength(4);
    });

    it('the threads of a namespace go with it, of every owner, and no others', async () => {
      const opened = await conversations();
      for (const owner of ['key:1', 'key:2']) {
        opened.turn(place('t', { owner }), 'one');
        opened.turn(place('t', { owner, namespace: 'hr' }), 'other');
      }
      await opened.forgetNamespace('docs');
      for (const owner of ['key:1', 'key:2']) {
        expect(await opened.recall(place('t', { owner }))).toEqual([]);
        expect(await opened.recall(place('t', { owner, namespace: 'hr' }))).toHaveLength(2);
      }
    });

    it('an owner removes own messages and threads alone', async () => {
      const opened = await conversations();
      opened.turn(place('t'), 'mine');
      opened.turn(place('t', { owner: 'key:2' }), 'yours');
      const ids = async (owner: string) => (await opened.messages(place('t', { owner }))).map(({ id }) => id);
      const [mine, yours] = [await ids('key:1'), await ids('key:2')];
      expect(await opened.removeMessages('key:1', [mine[0]!, yours[0]!, 'none', '\0', '\uD800', ''])).toBe(1);
      expect(await saidIn(opened, 't')).toEqual(['mine.']);
      expect(await opened.remove({ owner: 'key:2', thread: 'none' })).toBe(0);
      expect(await opened.remove({ owner: 'key:2', thread: 't' })).toBe(1);
      expect(await ids('key:2')).toEqual([]);
      expect(await ids('key:1')).toEqual([mine[1]]);
    });

    it.each(['\0', 'a\0b', '\uD800', 'x\uDC00', '\uE000"a"', '\\u0000', '"', '😀', '__proto__'])(
      'the name %j stays what it is',
      async (name) => {
        const opened = await conversations();
        for (let at = 0; at < 2; at++) opened.turn(place(name, { resource: name }), `${name}${at}`, [name]);
        opened.turn(place('a', { resource: 'r' }), 'another');
        const { threads } = await opened.list({ owner: 'key:1', thread: name, resource: name }, { page: 0, perPage: 10 });
        expect(threads).toMatchObject([{ thread: name, resource: name, namespace: 'docs' }]);
        expect((await opened.recall(place(name, { resource: name }))).map(({ content }) => content)).toEqual(
          [0, 1].flatMap((at) => [`${name}${at}?`, `${name}${at}.`]),
        );
        expect(opened.warnings).toEqual([]);
        expect(await opened.remove({ owner: 'key:1', thread: name })).toBe(1);
      },
    );

    it('pages are of the thread that was spoken in last first', async () => {
      const opened = await conversations();
      for (const thread of ['a', 'b', 'c', 'a']) {
        opened.turn(place(thread), thread);
        await opened.recall(place(thread));
        await sleep(2);
      }
      const page = async (at: number) =>
        (await opened.list({ owner: 'key:1' }, { page: at, perPage: 2 })).threads.map(({ thread }) => thread);
      expect([await page(0), await page(1)]).toEqual([['a', 'c'], ['b']]);
    });
  });
});

describe('what is deleted from a file', () => {
  const secret = 'wombatsecret';
  /** How often a word stands anywhere in the files, free pages and log included. */
  const traces = (folder: string, word: string) =>
    readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name), 'latin1').split(word).length - 1, 0);
  const say = (opened: Conversations, thread: ConversationPlace, said: string, documents: string[]) =>
    opened.remember(
      thread,
      [
        { role: 'user', content: `question of ${said}?` },
        { role: 'assistant', content: `${said} `.repeat(40) },
      ],
      documents,
    );

  it('with a document is every turn that quotes it, in every thread, down to the bytes', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    for (let at = 0; at < 8; at++) {
      say(opened, place(`t${at}`), 'before', ['other']);
      say(opened, place(`t${at}`), secret, ['other', 'doc-1']);
      say(opened, place(`t${at}`), 'after', []);
    }
    say(opened, place('alone'), secret, ['doc-1']);
    await opened.forgetDocument('doc-1');
    expect(traces(folder, secret)).toBe(0);
    const kept = (await opened.recall(place('t3'))).map(({ content }) => content.split(' ')[0]);
    expect(kept).toEqual(['question', 'before', 'question', 'after']);
    expect((await opened.list({ owner: 'key:1' }, { page: 0, perPage: 50 })).total).toBe(8);
    expect(opened.warnings).toEqual([]);
  });

  it('with a document is also what the thread had already let go of', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    say(opened, place('t'), secret, ['doc-1']);
    for (let at = 0; at < 40; at++) say(opened, place('t'), `later${at}`, []);
    await opened.recall(place('t'));
    await opened.forgetDocument('doc-1');
    expect(traces(folder, secret)).toBe(0);
  });

  it('with a namespace are its threads, of every owner, and no others', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    for (const owner of ['key:1', 'key:2']) {
      say(opened, place('t', { owner }), secret, []);
      say(opened, place('t', { owner, namespace: 'hr' }), 'other', []);
    }
    await opened.forgetNamespace('docs');
    expect(traces(folder, secret)).toBe(0);
    expect(await opened.recall(place('t', { owner: 'key:2', namespace: 'hr' }))).toHaveLength(2);
  });

  it('of an owner is listed and removed for that owner alone, by the names that were given', async () => {
    const folder = await temporaryFolder();
    const opened = await conversations({ folder });
    say(opened, place('t'), secret, []);
    say(opened, place('u', { resource: 's' }), secret, []);
    say(opened, place('t', { owner: 'key:2' }), 'another', []);
    const named = async (owner: string) =>
      (await opened.list({ owner }, { page: 0, perPage: 10 })).threads.map(({ thread, resource }) => `${thread}/${resource}`).sort();
    expect(await named('key:1')).toEqual(['t/r', 'u/s']);
    expect(await opened.remove({ owner: 'key:1', thread: 'u', resource: 'r' })).toBe(0);
    expect(await opened.remove({ owner: 'key:1' })).toBe(2);
    expect(await named('key:1')).toEqual([]);
    expect(await named('key:2')).toEqual(['t/r']);
    expect(traces(folder, secret)).toBe(0);
  });

  it('is a conversation of which a kill left no message', async () => {
    const folder = await temporaryFolder();
    const first = await conversations({ folder });
    say(first, place('t'), 'a first turn', []);
    say(first, place('u'), 'another', []);
    await first.close();
    const database = new DatabaseSync(join(folder, 'conversations.db'));
    database.exec(
      "delete from mastra_messages where thread_id = (select thread_id from mastra_messages where content like '%a first turn%')",
    );
    database.close();
    const second = await conversations({ folder });
    await second.open();
    expect((await second.list({ owner: 'key:1' }, { page: 0, perPage: 10 })).threads.map(({ thread }) => thread)).toEqual(['u']);
  });

  it('is what an earlier version kept without saying whose it was', async () => {
    const folder = await temporaryFolder();
    const first = await conversations({ folder });
    say(first, place('t'), secret, []);
    await first.close();
    const database = new DatabaseSync(join(folder, 'conversations.db'));
    database.exec('update mastra_threads set metadata = null');
    database.close();
    const second = await conversations({ folder });
    expect(await second.recall(place('t'))).toEqual([]);
    expect(traces(folder, secret)).toBe(0);
  });
});

describe('the file of conversations', () => {
  it.each([
    ['it', 'conversations.db'],
    ['its folder', '.'],
  ])('is opened again if %s was deleted, and keeps what follows', async (_, deleted) => {
    const folder = join(await temporaryFolder(), 'index', 'conversations');
    const opened = await conversationsIn(await inFolder(folder));
    opened.turn(place('t'), 'before');
    expect(await opened.recall(place('t'))).toHaveLength(2);
    rmSync(join(folder, deleted), { recursive: true });
    opened.turn(place('t'), 'after');
    expect((await opened.recall(place('t'))).map(({ content }) => content)).toEqual(['after?', 'after.']);
    expect(opened.warnings).toEqual(['lost']);
    const later = await conversationsIn(await inFolder(folder));
    expect(await later.recall(place('t'))).toHaveLength(2);
  });

  it('is no damaged one if it could not be made before', async () => {
    const folder = await temporaryFolder();
    const warnings: string[] = [];
    const threads = () => createConversationFile({ folder, clock: () => new Date(), onWarning: (message) => warnings.push(message) });
    const opened = await conversationsIn(threads);
    // SQLite can make the file and then write nothing, as on a full disk.
    mkdirSync(join(folder, 'conversations.db-journal'));
    for (const said of ['one', 'two']) {
      opened.turn(place('t'), said);
      expect(await opened.recall(place('t'))).toEqual([]);
    }
    rmSync(join(folder, 'conversations.db-journal'), { recursive: true });
    opened.turn(place('t'), 'three');
    expect(await opened.recall(place('t'))).toHaveLength(2);
    expect([warnings, readdirSync(folder).filter((one) => one.includes('damaged'))]).toEqual([[], []]);
  });

  it('is complete without its log after a clean stop', async () => {
    const folder = await temporaryFolder();
    const opened = await conversationsIn(await inFolder(folder));
    opened.turn(place('t'), 'said');
    await opened.close();
    for (const name of readdirSync(folder)) if (name !== 'conversations.db') rmSync(join(folder, name));
    const later = await conversationsIn(await inFolder(folder));
    expect(await later.recall(place('t'))).toHaveLength(2);
  });
});

describe('servers over one database', () => {
  it('lose nothing of a thread in which they write at the same time', async () => {
    const open = await inDatabase();
    const servers = await Promise.all([0, 1, 2].map((at) => conversationsIn(open, { startsAt: starting - at * 60_000 })));
    for (let at = 0; at < 8; at++)
      for (const [by, server] of servers.entries()) server.turn(place('t'), `${by}-${at}`, [`doc-${by}-${at}`]);
    for (const server of servers) await server.recall(place('t'));
    const kept = (await servers[0]!.messages(place('t'))).map(({ content }) => content);
    expect(kept).toHaveLength(48);
    for (const [at, content] of kept.entries()) if (content.endsWith('?')) expect(kept[at + 1]).toBe(content.replace('?', '.'));
    for (const by of servers.keys())
      expect(kept.filter((content) => content.startsWith(`${by}-`)).map((one) => one.slice(2))).toEqual(
        [0, 1, 2, 3, 4, 5, 6, 7].flatMap((at) => [`${at}?`, `${at}.`]),
      );
    for (const [by, server] of servers.entries()) await server.forgetDocument(`doc-${(by + 1) % 3}-5`);
    expect(await servers[1]!.messages(place('t'))).toHaveLength(42);
    expect(servers.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it('keep so many threads together', async () => {
    const open = await inDatabase();
    const [one, two] = [await conversationsIn(open, { maxThreads: 5 }), await conversationsIn(open, { maxThreads: 5 })];
    for (let at = 0; at < 100; at++) for (const server of [one, two]) server.turn(place(`t${at}`), `${at}`);
    for (const server of [one, two]) await server.list({ owner: 'key:1' }, { page: 0, perPage: 1 });
    for (let at = 0; at < 101; at++) one.turn(place('last'), `${at}`);
    expect(await one.recall(place('last'))).toHaveLength(12);
    expect((await two.list({ owner: 'key:1' }, { page: 0, perPage: 1 })).total).toBe(5);
    expect([...one.warnings, ...two.warnings]).toEqual([]);
  });

  it('make the tables once, in the schema of the connection, whose rights are enough', async () => {
    const url = new URL(await postgres.newDatabase());
    const admin = openDatabase(url.href);
    const name = `narrow_${url.pathname.slice(1)}`;
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'narrow'`);
    await admin.query(`CREATE SCHEMA "own-schema" AUTHORIZATION ${name}`);
    await admin.query(`ALTER ROLE ${name} SET search_path = "own-schema"`);
    await admin.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
    Object.assign(url, { username: name, password: 'narrow' });
    await Promise.all([1, 2, 3].map(() => createThreadTables(openDatabase(url.href), advisoryLocks.threadTables)));
    const tables = await admin.query<{ name: string }>(
      "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE tablename LIKE 'mastra%' ORDER BY 1",
    );
    expect(tables.map((row) => row.name)).toEqual(
      ['mastra_messages', 'mastra_observational_memory', 'mastra_resources', 'mastra_threads'].map((table) => `own-schema.${table}`),
    );
    const indexes = await admin.query("SELECT FROM pg_indexes WHERE schemaname = 'own-schema' AND indexname LIKE '%createdat_idx'");
    expect(indexes).toHaveLength(2);
    const opened = await conversationsIn(() =>
      createConversationDatabase({ threadLock: advisoryLocks.thread, database: openDatabase(url.href) }),
    );
    opened.turn(place('t'), 'said');
    expect(await opened.recall(place('t'))).toHaveLength(2);
  });
});

describe('a database that is away', () => {
  /** Counts what it is asked. */
  function counted(database: ThreadDatabase) {
    let asked = 0;
    const counting: ThreadDatabase = {
      query(...statement) {
        asked++;
        return database.query(...statement);
      },
      transact(work) {
        asked++;
        return database.transact(work);
      },
    };
    return { counting, asked: () => asked };
  }

  it('is a warning, and an error where threads are asked for; when it is back, so are they', async () => {
    const open = await inDatabase();
    const opened = await conversationsIn(open);
    opened.turn(place('t'), 'before');
    expect(await opened.recall(place('t'))).toHaveLength(2);
    await postgres.kill();
    expect(await opened.recall(place('t'))).toEqual([]);
    for (let at = 0; at < 3; at++) opened.turn(place('t'), `away ${at}`);
    expect(await opened.recall(place('t'))).toEqual([]);
    const away = { code: 'storage_unavailable', retryAfterSeconds: 5 };
    await expect(opened.list({ owner: 'key:1' }, { page: 0, perPage: 1 })).rejects.toMatchObject(away);
    await expect(opened.messages(place('t'))).rejects.toMatchObject(away);
    await expect(opened.remove({ owner: 'key:1' })).rejects.toMatchObject(away);
    await expect(opened.removeMessages('key:1', ['x'])).rejects.toMatchObject(away);
    await expect(opened.forgetDocument('doc')).rejects.toMatchObject(away);
    expect(new Set(opened.warnings)).toEqual(new Set(['a conversation could not be recalled', 'a conversation could not be remembered']));
    const late = await conversationsIn(open);
    await late.open();
    expect(late.warnings).toEqual(['the conversations could not be opened']);
    await postgres.start();
    await sleep(150);
    for (const server of [opened, late]) {
      server.turn(place('t'), 'after');
      expect((await server.recall(place('t'))).map(({ content }) => content)).toContain('after.');
    }
  });

  it('is asked once in a while, and told of once', async () => {
    const { counting, asked } = counted(openDatabase('postgres://u:secret-word@127.0.0.1:1/none'));
    const warned: unknown[] = [];
    const opened = new ConversationStore({
      threads: createConversationDatabase({ threadLock: advisoryLocks.thread, database: counting }),
      clock: () => new Date(),
      onWarning: (...warning) => warned.push(warning),
      maxThreads: 10,
    });
    for (let at = 0; at < 20; at++) expect(await opened.recall(place(`t${at}`))).toEqual([]);
    expect(asked()).toBe(1);
    expect(warned).toEqual([['a conversation could not be recalled', expect.objectContaining({ code: 'storage_unavailable' })]]);
    expect(inspect(warned, { depth: 10 })).not.toContain('secret-word');
  });

  it('and never answers, holds up no answer', async () => {
    const silent = new Promise<never>(() => undefined);
    const threads = createConversationDatabase({
      threadLock: advisoryLocks.thread,
      database: { query: () => silent, transact: () => silent },
    });
    const warnings: string[] = [];
    const opened = new ConversationStore({
      threads,
      clock: () => new Date(),
      onWarning: (message) => warnings.push(message),
      maxThreads: 10,
    });
    opened.remember(place('t'), [{ role: 'user', content: 'said' }], []);
    expect(await opened.recall(place('t'))).toEqual([]);
    expect(warnings).toEqual(['a conversation could not be recalled']);
  });
});
