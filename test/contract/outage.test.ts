/** An outage of the database that servers share loses no change, and stops no server. */
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/log.ts';
import { Database } from '../../src/records/postgres/database.ts';
import { cases } from '../support/depth.ts';
import { postgres } from '../support/postgres.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { eventually, filesOf, ingest, titlesIn, twoServers } from '../support/two-servers.ts';
import { startService, type TestService } from '../support/workspace.ts';

const refunds = { 'docs/refunds.md': '# Refunds\n\nIn 30 days.\n' };
const addRefunds = (service: TestService) =>
  ingest(service, 'Refunds', 'Refunds are paid within 30 days.');
const addPrices = (service: TestService) => ingest(service, 'Prices', 'A seat is 9 dollars.');

function expectRefused({ status, body, headers }: Awaited<ReturnType<typeof ingest>>) {
  const seconds = headers.get('retry-after');
  expect([status, body.code, seconds]).toEqual([503, 'storage_unavailable', '5']);
}

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
    await addRefunds(one);
    await eventually(async () => expect(await titlesIn(other)).toEqual(['Refunds']));
    await postgres.kill();
    try {
      expect((await other.get('/ready')).status).toBe(200);
      const { results } = (await other.find({ query: 'refunds', namespace: 'docs' })).body;
      expect(results).toHaveLength(1);
      expectRefused(await addPrices(one));
      expect((await other.get('/health')).body.mirror.ageMs).toBeGreaterThan(0);
    } finally {
      await postgres.start();
    }
    expect((await addPrices(one)).body.added).toBe(1);
    await eventually(async () => expect(await titlesIn(other)).toEqual(['Prices', 'Refunds']));
    expect(await filesOf(other)).toEqual(await filesOf(one));
  });

  it('after any message of the startup lets the server answer from its folder', async () => {
    const { way, DATABASE_URL } = await breakable();
    const { knowledgeDir, close } = await startService({ DATABASE_URL }, refunds);
    await close();
    const growth = cases(1) > 1 ? 1.2 : 2.5;
    // The startup exchanges about 85 messages.
    for (let messages = 1; messages < 100; messages = Math.ceil(messages * growth)) {
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
      return addRefunds(one);
    });
    expectRefused(refused);
    expect((await addRefunds(one)).body.added).toBe(1);
    await database.close();
  });

  it('makes /ready 503 if the mirror is older than MAX_MIRROR_AGE', async () => {
    const { way, DATABASE_URL } = await breakable();
    const { get, close } = await startService({ DATABASE_URL, MAX_MIRROR_AGE: '1' });
    const ready = async () => {
      const { status, body } = await get('/ready');
      return [status, body.code];
    };
    way.breakAfter(0);
    await eventually(async () => expect(await ready()).toEqual([503, 'storage_unavailable']));
    expect((await get('/health')).status).toBe(200);
    way.restore();
    await eventually(async () => expect(await ready()).toEqual([200, undefined]));
    await close();
    way.close();
  });

  it('makes a server with an empty folder wait, and is logged once', async () => {
    const { way, DATABASE_URL } = await breakable();
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line) => void lines.push(line) });
    way.breakAfter(0);
    const starting = startService({ DATABASE_URL }, refunds, { logger });
    const waits = () =>
      lines.filter((line) => line.includes('KNOWLEDGE_DIR is not a mirror of it yet')).length;
    await eventually(async () => expect(waits()).toBe(1));
    way.restore();
    const server = await starting;
    expect([await titlesIn(server), waits()]).toEqual([['Refunds'], 1]);
    await server.close();
    way.close();
  });

  const refusedUser = 'The database refuses the user or the password of DATABASE_URL.';
  it.each([
    ['a wrong password', { password: 'secret' }, refusedUser],
    ['an unknown role', { username: 'secret' }, refusedUser],
    ['an unknown database', { pathname: '/secret' }, 'DATABASE_URL names does not exist.'],
    ['sslmode=require and no TLS', { search: '?sslmode=require' }, 'does not offer the TLS'],
  ])('with %s stops the start of a server with an empty folder', async (_, wrong, message) => {
    const url = Object.assign(new URL(await postgres.newDatabase()), wrong);
    await expect(startService({ DATABASE_URL: url.href })).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining(message),
    });
  });
});

it('a restore into another cluster does not stop the propagation of changes', async () => {
  const { one, other, url } = await twoServers();
  await addRefunds(one);
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
  await addPrices(one);
  await eventually(async () => expect(await titlesIn(other)).toEqual(['Prices', 'Refunds']));
  await database.close();
});
