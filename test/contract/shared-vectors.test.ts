import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { Database } from '../../src/records/postgres/database.ts';
import { PostgresVectors } from '../../src/records/postgres/vectors.ts';
import { EmbeddingQueue } from '../../src/search/vectors/embedding-queue.ts';
import { VectorStore } from '../../src/search/vectors/vector-store.ts';
import {
  createFakeEmbedder,
  embeddedBy,
  keysOf,
  many,
  textsOf,
} from '../support/fake-embeddings.ts';
import { postgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/workspace.ts';

const polling = { interval: 5, timeout: 60_000 };

async function openDatabase() {
  const database = new Database({ url: await postgres.newMigrated(), timeoutMs: 2_000 });
  onTestFinished(() => database.close());
  const warnings: string[] = [];
  const open = (model = 'fake') =>
    new PostgresVectors(database, model, (message) => warnings.push(message));
  const count = async (condition: string) =>
    (await database.query(`SELECT key FROM vectors WHERE vector IS ${condition}`)).length;
  const startServer = async (embedder = createFakeEmbedder()) => {
    const { model } = embedder;
    const store = new VectorStore(await temporaryFolder(), model, () => undefined);
    const queue = new EmbeddingQueue({
      ...{ embedder, store, shared: open(model), onWarning: () => undefined },
      ...{ firstPauseMs: 1, gatherMs: 1, forgetDelayMs: 1, lookAgainMs: 20 },
    });
    onTestFinished(() => queue.close());
    const hold = (...texts: string[]) => queue.hold(textsOf(...texts));
    const done = () => embeddedBy(queue);
    return { queue, store, hold, done, embeddedTexts: embedder.askedTexts };
  };
  /** Texts that the next server embeds itself if it needs these. */
  const embeddedNext = async (...texts: string[]) => {
    const { hold, done, embeddedTexts } = await startServer();
    hold(...texts);
    await done();
    return embeddedTexts();
  };
  return {
    ...{ database, open, startServer, embeddedNext, warnings },
    storedCount: () => count('NOT NULL'),
    claims: () => count('NULL'),
  };
}

describe('servers that share vectors', () => {
  it('embed each text once, even if all of them need it at the same time', async () => {
    const { startServer, embeddedNext, storedCount, claims, warnings } = await openDatabase();
    const servers = await Promise.all([1, 2, 3].map(() => startServer()));
    for (const [at, { hold }] of servers.entries())
      hold(...many(60).slice(at * 5), ...many(at * 5));
    for (const { done } of servers) await done();
    expect(servers.flatMap(({ embeddedTexts }) => embeddedTexts()).toSorted()).toEqual(
      many(60).toSorted(),
    );
    const [first, second] = servers.map(({ store }) =>
      keysOf(...many(60)).map((key) => store.vectorOf(key)),
    );
    expect(second).toEqual(first);
    expect(await embeddedNext(...many(60))).toEqual([]);
    expect([await storedCount(), await claims(), warnings]).toEqual([60, 0, []]);
  });

  it('embed separately if their models differ', async () => {
    const { startServer, storedCount } = await openDatabase();
    for (const model of ['one', 'two']) {
      const { hold, done, embeddedTexts } = await startServer(createFakeEmbedder(8, model));
      hold('a');
      await done();
      expect(embeddedTexts()).toEqual(['a']);
    }
    await expect.poll(storedCount, polling).toBe(2);
  });

  it('retry a text that was rejected on one of them, and leave no claim', async () => {
    const { startServer, embeddedNext, claims } = await openDatabase();
    const embedder = createFakeEmbedder();
    embedder.before = () => {
      throw new KnowledgeError('model_failed', 'no');
    };
    const refused = await startServer(embedder);
    refused.hold('bad');
    await refused.done();
    await expect.poll(claims, polling).toBe(0);
    expect(await embeddedNext('bad')).toEqual(['bad']);
  });

  it('release their claims when they stop', async () => {
    const { startServer, claims } = await openDatabase();
    const embedder = createFakeEmbedder();
    embedder.before = (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    const stopped = await startServer(embedder);
    stopped.hold('a');
    await vi.waitUntil(() => embedder.asked.length === 1, polling);
    const other = await startServer();
    other.hold('a');
    expect(await claims()).toBe(1);
    await stopped.queue.close();
    await other.done();
    expect(other.embeddedTexts()).toEqual(['a']);
  });

  it('reclaim texts of a server that was silent for a minute', async () => {
    const { open, database } = await openDatabase();
    await open().claim(keysOf('a', 'b'));
    const age = 'UPDATE vectors SET claimed_at = now() - $2::interval WHERE key = $1';
    await database.query(age, [...keysOf('a'), '59 seconds']);
    await database.query(age, [...keysOf('b'), '61 seconds']);
    expect(await open().claim(keysOf('a', 'b', 'c'))).toEqual({
      found: new Map(),
      claimed: new Set(keysOf('b', 'c')),
    });
  });

  it('remove vectors of deleted texts', async () => {
    const { startServer, storedCount } = await openDatabase();
    const { queue, hold, done } = await startServer();
    const untilStored = (count: number) => expect.poll(storedCount, polling).toBe(count);
    queue.settle();
    hold('a', 'b');
    await done();
    await untilStored(2);
    queue.release(keysOf('a'));
    await untilStored(1);
  });

  it('embed without the database during an outage, with one warning', async () => {
    const { startServer, embeddedNext, warnings } = await openDatabase();
    const { hold, done } = await startServer();
    await postgres.kill();
    hold(...many(30));
    await done();
    expect(warnings).toHaveLength(1);
    await postgres.start();
    hold('back');
    await done();
    expect(await embeddedNext('back')).toEqual([]);
  });
});
