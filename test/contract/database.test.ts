/** What of a statement reached the server, behind a proxy in this process that ends its connections. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../../src/postgres/database.ts';
import { postgres } from '../support/postgres.ts';

async function setUp() {
  const url = new URL(await postgres.newDatabase());
  const port = Number(url.port);
  const near: Socket[] = [];
  let onMessage = (_: Buffer): boolean => true;
  const proxy = createServer((client) => {
    near.push(client);
    const far = connect(port, '127.0.0.1');
    client.on('data', (bytes) => onMessage(bytes) && far.write(bytes));
    far.on('data', (bytes) => client.write(bytes));
    client.on('error', () => undefined).on('close', () => far.destroy());
    far.on('error', () => undefined).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url.port = String((proxy.address() as { port: number }).port);
  const database = createDatabase({ url: url.href, timeoutMs: 5_000, maxConnections: 1 });
  onTestFinished(async () => {
    await database.close();
    proxy.close();
  });
  await database.query('CREATE TABLE words (word text)');
  const words = async () => (await database.query<{ word: string }>('SELECT word FROM words')).map(({ word }) => word);
  return {
    database,
    words,
    /** Resets all connections; who uses them does not know it before the next turn of the loop. */
    reset: () => {
      for (const socket of near.splice(0)) socket.resetAndDestroy();
    },
    watch: (next: typeof onMessage) => {
      onMessage = next;
    },
  };
}

describe('a statement', () => {
  it('that never left because its connection had ended is sent once more', async () => {
    const { database, words, reset } = await setUp();
    reset();
    await database.query('INSERT INTO words VALUES ($1)', ['one']);
    reset();
    await database.transact(async ({ query }) => {
      await query('INSERT INTO words VALUES ($1)', ['two']);
      await query('INSERT INTO words VALUES ($1)', ['three']);
    });
    expect(await words()).toEqual(['one', 'two', 'three']);
    expect(database.connections()).toBe(3);
  });

  it('that may have arrived is not sent again', async () => {
    const { database, words, reset, watch } = await setUp();
    let arrived = 0;
    watch((bytes) => {
      if (!bytes.includes('INSERT INTO words')) return true;
      arrived++;
      reset();
      return false;
    });
    await expect(database.query('INSERT INTO words VALUES ($1)', ['one'])).rejects.toMatchObject({ code: 'storage_unavailable' });
    const twice = database.transact(({ query }) => query('INSERT INTO words VALUES ($1)', ['two']));
    await expect(twice).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect([arrived, await words()]).toEqual([2, []]);
  });

  it('in the middle of a transaction is not sent over another connection', async () => {
    const { database, words, reset } = await setUp();
    const cut = database.transact(async ({ query }) => {
      await query('INSERT INTO words VALUES ($1)', ['one']);
      reset();
      await query('INSERT INTO words VALUES ($1)', ['two']);
    });
    await expect(cut).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await words()).toEqual([]);
  });
});

describe('a batch', () => {
  it('gives the rows of each statement, and each sees what those before did', async () => {
    const { database } = await setUp();
    const rows = await database.transact(({ commit }) =>
      commit([
        ['INSERT INTO words VALUES ($1)', ['one']],
        ['SELECT word FROM words'],
        ['SELECT count(*)::int AS count FROM words WHERE word = $1', ['one']],
      ]),
    );
    expect(rows).toEqual([[], [{ word: 'one' }], [{ count: 1 }]]);
  });

  it('of which one statement fails leaves nothing, and its connection is used again', async () => {
    const { database, words } = await setUp();
    const failing = database.transact(({ commit }) =>
      commit([
        ['INSERT INTO words VALUES ($1)', ['one']],
        ['SELECT 1 / $1::int', [0]],
        ['INSERT INTO words VALUES ($1)', ['two']],
      ]),
    );
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(await words()).toEqual([]);
    const later = database.transact(async ({ query, batch }) => {
      await query('INSERT INTO words VALUES ($1)', ['three']);
      await batch([['SELECT 1 / $1::int', [0]]]).catch(() => undefined);
    });
    await expect(later).rejects.toMatchObject({ code: '22012' });
    expect(await words()).toEqual([]);
  });
});
