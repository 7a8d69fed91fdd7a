/** Counts statements and round trips with a proxy that can close its connections. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LockedFile, WriteMark } from '../../src/documents/document-writes.ts';
import { Database } from '../../src/records/postgres/database.ts';
import { DocumentRecord, noFolder } from '../../src/records/postgres/document-tables.ts';
import { migrate } from '../../src/records/postgres/migrations.ts';
import { postgres } from '../support/postgres.ts';

/** First byte of ReadyForQuery, the message that ends each response of PostgreSQL. */
const readyForQuery = 0x5a;

/** A statement that adds a word. */
const add = (word: string): [string, string[]] => ['INSERT INTO words VALUES ($1)', [word]];

async function setUp() {
  const url = new URL(await postgres.newDatabase());
  const port = Number(url.port);
  const clientSockets: Socket[] = [];
  let roundTrips = 0;
  let onMessage = (_: Buffer): boolean => true;
  const proxy = createServer((client) => {
    clientSockets.push(client);
    const far = connect(port, '127.0.0.1');
    client.on('data', (bytes) => onMessage(bytes) && far.write(bytes));
    far.on('data', (bytes) => {
      if (bytes.length >= 6 && bytes.readUInt8(bytes.length - 6) === readyForQuery) roundTrips++;
      client.write(bytes);
    });
    client.on('error', () => undefined).on('close', () => far.destroy());
    far.on('error', () => undefined).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url.port = String((proxy.address() as { port: number }).port);
  const database = new Database({ url: url.href, timeoutMs: 5_000, maxConnections: 1 });
  onTestFinished(async () => {
    await database.close();
    proxy.close();
  });
  await database.query('CREATE TABLE words (word text)');
  const words = async () =>
    (await database.query<{ word: string }>('SELECT word FROM words')).map(({ word }) => word);
  return {
    database,
    words,
    /** @returns round trips during the work */
    tripsOf: async (work: () => Promise<unknown>) => {
      roundTrips = 0;
      await work();
      return roundTrips;
    },
    /** Resets all connections; their users notice it at the next turn of the event loop. */
    reset: () => {
      for (const socket of clientSockets.splice(0)) socket.resetAndDestroy();
    },
    watch: (next: typeof onMessage) => {
      onMessage = next;
    },
  };
}

describe('a statement', () => {
  it('is sent again if its connection had closed before it was sent', async () => {
    const { database, words, reset } = await setUp();
    reset();
    await database.query(...add('one'));
    reset();
    await database.transact(async ({ query }) => {
      await query(...add('two'));
      await query(...add('three'));
    });
    expect(await words()).toEqual(['one', 'two', 'three']);
    expect(database.connections()).toBe(3);
  });

  it('is not sent again if it may have arrived', async () => {
    const { database, words, reset, watch } = await setUp();
    let arrived = 0;
    watch((bytes) => {
      if (!bytes.includes('INSERT INTO words')) return true;
      arrived++;
      reset();
      return false;
    });
    const once = database.query(...add('one'));
    await expect(once).rejects.toMatchObject({ code: 'storage_unavailable' });
    const twice = database.transact(({ query }) => query(...add('two')));
    await expect(twice).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect([arrived, await words()]).toEqual([2, []]);
  });

  it('within a transaction is not sent over another connection', async () => {
    const { database, words, reset } = await setUp();
    const cut = database.transact(async ({ query }) => {
      await query(...add('one'));
      reset();
      await query(...add('two'));
    });
    await expect(cut).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await words()).toEqual([]);
  });
});

describe('a batch', () => {
  it('returns the rows of each statement, and each statement sees the earlier ones', async () => {
    const { database } = await setUp();
    const rows = await database.transact(({ commit }) =>
      commit([
        add('one'),
        ['SELECT word FROM words'],
        ['SELECT count(*)::int AS count FROM words WHERE word = $1', ['one']],
      ]),
    );
    expect(rows).toEqual([[], [{ word: 'one' }], [{ count: 1 }]]);
  });

  it('is rolled back if one statement fails, and its connection is reused', async () => {
    const { database, words } = await setUp();
    const failing = database.transact(({ commit }) =>
      commit([add('one'), ['SELECT 1 / $1::int', [0]], add('two')]),
    );
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(await words()).toEqual([]);
    const later = database.transact(async ({ query, batch }) => {
      await query(...add('three'));
      await batch([['SELECT 1 / $1::int', [0]]]).catch(() => undefined);
    });
    await expect(later).rejects.toMatchObject({ code: '22012' });
    expect(await words()).toEqual([]);
  });
});

it('round trips are two for a change of a document, and one if the folder matches the database', async () => {
  const { database, tripsOf } = await setUp();
  await migrate(database);
  const record = new DocumentRecord(database);
  const writes = record.writesThrough(noFolder);
  const put = (text: string, file = 'a.md', mayRepeat = false, mark?: WriteMark) => {
    const work = async (lockedFile: LockedFile) => {
      const before = await lockedFile.read();
      await lockedFile.write(text, mark);
      return before?.text;
    };
    return writes.change('docs', 0, file, work, mayRepeat);
  };
  const long = 'x'.repeat(200_000);
  expect(await tripsOf(() => put('one'))).toBe(2);
  expect(await put(long)).toBe('one');
  expect(await put('three')).toBe(long);
  const contentOf = async (file: string) =>
    (await record.contentsOf([{ namespace: 'docs', file }]))[0]?.content?.toString();
  expect(await contentOf('a.md')).toBe('three');
  expect(await put('four', 'a.md', true)).toBe('three');
  expect(await tripsOf(() => put('one', 'b.md', true))).toBe(1);
  const lost = {
    statement: ['SELECT 1 / 0'],
    save: () => Promise.reject(new Error('lost')),
  } as const;
  for (const mayRepeat of [true, false])
    await expect(put('two', 'c.md', mayRepeat, lost)).rejects.toThrow('lost');
  expect(await contentOf('c.md')).toBeUndefined();
  expect(
    await tripsOf(() => writes.change('docs', 0, 'a.md', (lockedFile) => lockedFile.remove())),
  ).toBe(2);
});
