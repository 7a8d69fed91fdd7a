/** An outage of the database that servers share loses no change, and stops no server. */
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { Database } from '../../src/records/postgres/database.ts';
import { cases } from '../support/depth.ts';
import { postgres } from '../support/postgres.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { eventually, filesOf, ingest, titlesIn, twoServers } from '../support/two-servers.ts';
import { startService } from '../support/workspace.ts';

/** A connection that the test can break, to a new database. */
async function breakable() {
  const way = await openTcpProxy(await postgres.port());
  const url = new URL(await postgres.newDatabase());
  url.port = String(way.port);
  return { way, DATABASE_URL: url.href };
}

describe('a database outage', () => {
  it('allows reads, rejects writes, and neither loses nor duplicates documents', async () => {
    const { one, other } = await twoServers();
    await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
    await eventually(async () => expect(await titlesIn(other)).toEqual(['Refunds']));
    await postgres.kill();
    try {
      expect((await other.get('/ready')).status).toBe(200);
      expect((await other.find({ query: 'refunds', namespace: 'docs' })).body.results).toHaveLength(
        1,
      );
      const refused = await ingest(one, 'Prices', 'A seat is 9 dollars.');
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        503,
        'storage_unavailable',
        '5',
      ]);
      const { body } = await other.get('/health');
      expect(body.mirror.ageMs).toBeGreaterThan(0);
    } finally {
      await postgres.start();
    }
    expect((await ingest(one, 'Prices', 'A seat is 9 dollars.')).body.added).toBe(1);
    await eventually(async () => expect(await titlesIn(other)).toEqual(['Prices', 'Refunds']));
    expect(await filesOf(other)).toEqual(await filesOf(one));
  });

  it('after any message of the startup lets the server answer from its folder', async () => {
    const { way, DATABASE_URL } = await breakable();
    const { knowledgeDir, close } = await startService(
      { DATABASE_URL },
      { 'docs/refunds.md': '# Refunds\n\nIn 30 days.\n' },
    );
    await close();
    // The startup exchanges about 85 messages.
    for (
      let messages = 1;
      messages < 100;
      messages = Math.ceil(messages * (cases(1) > 1 ? 1.2 : 2.5))
    ) {
      way.breakAfter(messages);
      const server = await startService({ DATABASE_URL, KNOWLEDGE_DIR: knowledgeDir });
      expect([messages, await titlesIn(server)]).toEqual([messages, ['Refunds']]);
      if (messages === 1) expect((await server.get('/health')).body.mirror.ageMs).toBeNull();
      way.restore();
      await server.close();
    }
    way.close();
  });

  it('during an ingest undoes it, and the ingest can be repeated', async () => {
    const { start, url } = await twoServers();
    const one = await start({}, { database: { timeoutMs: 1_500 } });
    // The lock lasts until the ingest fails.
    const database = new Database({ url, statementTimeoutMs: 600_000 });
    const refused = await database.transact(async ({ query }) => {
      await query('LOCK TABLE documents IN ACCESS EXCLUSIVE MODE');
      return ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
    });
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'storage_unavailable',
      '5',
    ]);
    expect((await ingest(one, 'Refunds', 'Refunds are paid within 30 days.')).body.added).toBe(1);
    await database.close();
  });

  it('under load stops no server', async () => {
    const { one, other } = await twoServers();
    let isOver = false;
    const load = [one, other, one, other].map(async (service, number) => {
      for (let round = 0; !isOver; round++)
        await ingest(service, `Text ${number}`, `Text ${number} says ${round}.`);
    });
    try {
      await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
      await postgres.crash();
      await postgres.start();
    } finally {
      isOver = true;
      await Promise.all(load);
    }
    await eventually(async () => expect(await filesOf(one)).toEqual(await filesOf(other)));
  });

  it('makes /ready 503 if the mirror is older than MAX_MIRROR_AGE', async () => {
    const { way, DATABASE_URL } = await breakable();
    const server = await startService({ DATABASE_URL, MAX_MIRROR_AGE: '1' });
    const ready = async () => {
      const { status, body } = await server.get('/ready');
      return [status, body.code];
    };
    way.breakAfter(0);
    await eventually(async () => expect(await ready()).toEqual([503, 'storage_unavailable']));
    expect((await server.get('/health')).status).toBe(200);
    way.restore();
    await eventually(async () => expect(await ready()).toEqual([200, undefined]));
    await server.close();
    way.close();
  });

  it('makes a server with an empty folder wait, and is logged once', async () => {
    const { way, DATABASE_URL } = await breakable();
    const lines: string[] = [];
    const logger = pino(
      { level: 'warn', customLevels: { audit: 25 } },
      { write: (line: string) => void lines.push(line) },
    );
    way.breakAfter(0);
    const starting = startService(
      { DATABASE_URL },
      { 'docs/refunds.md': '# Refunds\n\nIn 30 days.\n' },
      { logger },
    );
    await eventually(async () =>
      expect(lines.join('')).toContain(
        'the database is unreachable and KNOWLEDGE_DIR is not a mirror of it yet',
      ),
    );
    way.restore();
    const server = await starting;
    expect(await titlesIn(server)).toEqual(['Refunds']);
    expect(lines.filter((line) => line.includes('not a mirror of it yet'))).toHaveLength(1);
    await server.close();
    way.close();
  });

  const refusedUser = 'The database refuses the user or the password of DATABASE_URL.';
  it.each([
    ['a wrong password', { password: 'secret' }, refusedUser],
    ['an unknown role', { username: 'secret' }, refusedUser],
    [
      'an unknown database',
      { pathname: '/secret' },
      'The database that DATABASE_URL names does not exist.',
    ],
    [
      'sslmode=require and no TLS',
      { search: '?sslmode=require' },
      'The database does not offer the TLS of DATABASE_URL. Enable it there, or remove sslmode.',
    ],
  ])('with %s stops the start of a server with an empty folder', async (_, wrong, message) => {
    const url = Object.assign(new URL(await postgres.newDatabase()), wrong);
    await expect(startService({ DATABASE_URL: url.href })).rejects.toMatchObject({
      code: 'storage_unavailable',
      message,
    });
  });
});

it('a restore into another cluster does not stop the propagation of changes', async () => {
  const { one, other, url } = await twoServers();
  await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
  const database = new Database({ url });
  // A dump contains transaction ids that this cluster has not reached.
  await database.query("UPDATE installation SET system_identifier = '1'");
  await database.query("UPDATE documents SET changed = '99999999999'::xid8");
  await postgres.crash();
  // Waits until both servers have noticed; afterwards the cluster is the original one again.
  for (const server of [one, other])
    await eventually(async () =>
      expect((await server.get('/health')).body.mirror.ageMs).toBeGreaterThan(1_000),
    );
  await postgres.start();
  const late = 'SELECT file FROM documents WHERE changed > pg_current_xact_id()';
  await eventually(async () => expect(await database.query(late)).toEqual([]));
  await ingest(one, 'Prices', 'A seat is 9 dollars.');
  await eventually(async () => expect(await titlesIn(other)).toEqual(['Prices', 'Refunds']));
  await database.close();
});
