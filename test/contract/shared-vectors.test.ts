import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { Database } from '../../src/records/postgres/database.ts';
import { PostgresVectors } from '../../src/records/postgres/vectors.ts';
import { EmbeddingQueue } from '../../src/search/vectors/embedding-queue.ts';
import type { SharedVectors } from '../../src/search/vectors/shared-vectors.ts';
import { VectorStore } from '../../src/search/vectors/vector-store.ts';
import {
  createFakeEmbedder,
  embeddedBy,
  type FakeEmbedder,
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
  const storedCount = async () =>
    (await database.query('SELECT key FROM vectors WHERE vector IS NOT NULL')).length;
  const claims = async () =>
    (await database.query('SELECT key FROM vectors WHERE vector IS NULL')).length;
  return { database, open, warnings, storedCount, claims };
}

async function startServer(
  shared: SharedVectors | undefined,
  embedder: FakeEmbedder = createFakeEmbedder(),
) {
  const store = new VectorStore(await temporaryFolder(), embedder.model, () => undefined);
  const onWarning = () => undefined;
  const times = { firstPauseMs: 1, gatherMs: 1, forgetDelayMs: 1, lookAgainMs: 20 };
  const queue = new EmbeddingQueue({ embedder, store, onWarning, shared, ...times });
  onTestFinished(() => queue.close());
  const done = () => embeddedBy(queue);
  return { queue, store, done, embeddedTexts: embedder.askedTexts };
}

describe('servers that share vectors', () => {
  it('embed each text once, even if all of them need it at the same time', async () => {
    const { open, storedCount, claims, warnings } = await openDatabase();
    const servers = await Promise.all([1, 2, 3].map(() => startServer(open())));
    for (const [at, { queue }] of servers.entries())
      queue.hold(textsOf(...many(60).slice(at * 5), ...many(at * 5)));
    for (const { done } of servers) await done();
    expect(servers.flatMap(({ embeddedTexts }) => embeddedTexts()).toSorted()).toEqual(
      many(60).toSorted(),
    );
    const vectors = servers.map(({ store }) =>
      keysOf(...many(60)).map((key) => store.vectorOf(key)),
    );
    expect(vectors[1]).toEqual(vectors[0]);
    const later = await startServer(open());
    later.queue.hold(textsOf(...many(60)));
    await later.done();
    expect([later.embeddedTexts(), await storedCount(), await claims(), warnings]).toEqual([
      [],
      60,
      0,
      [],
    ]);
  });

  it('embed separately if their models differ', async () => {
    const { open, storedCount } = await openDatabase();
    for (const model of ['one', 'two']) {
      const { queue, done, embeddedTexts } = await startServer(
        open(model),
        createFakeEmbedder(8, model),
      );
      queue.hold(textsOf('a'));
      await done();
      expect(embeddedTexts()).toEqual(['a']);
    }
    await vi.waitFor(async () => expect(await storedCount()).toBe(2), polling);
  });

  it('retry a text that was rejected on one of them, and leave no claim', async () => {
    const { open, claims } = await openDatabase();
    const embedder = createFakeEmbedder();
    embedder.before = () => {
      throw new KnowledgeError('model_failed', 'no');
    };
    const refused = await startServer(open(), embedder);
    refused.queue.hold(textsOf('bad'));
    await refused.done();
    await vi.waitFor(async () => expect(await claims()).toBe(0), polling);
    const taken = await startServer(open());
    taken.queue.hold(textsOf('bad'));
    await taken.done();
    expect(taken.embeddedTexts()).toEqual(['bad']);
  });

  it('release their claims when they stop', async () => {
    const { open, claims } = await openDatabase();
    const embedder = createFakeEmbedder();
    embedder.before = (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    const stopped = await startServer(open(), embedder);
    stopped.queue.hold(textsOf('a'));
    await vi.waitUntil(() => embedder.asked.length === 1, polling);
    const other = await startServer(open());
    other.queue.hold(textsOf('a'));
    expect(await claims()).toBe(1);
    await stopped.queue.close();
    await other.done();
    expect(other.embeddedTexts()).toEqual(['a']);
  });

  it('reclaim texts of a server that was silent for a minute', async () => {
    const { open, database } = await openDatabase();
    await open().claim(keysOf('a', 'b'));
    await database.query(
      "UPDATE vectors SET claimed_at = now() - interval '59 seconds' WHERE key = $1",
      keysOf('a'),
    );
    await database.query(
      "UPDATE vectors SET claimed_at = now() - interval '61 seconds' WHERE key = $1",
      keysOf('b'),
    );
    expect(await open().claim(keysOf('a', 'b', 'c'))).toEqual({
      found: new Map(),
      claimed: new Set(keysOf('b', 'c')),
    });
  });

  it('remove vectors of deleted texts', async () => {
    const { open, storedCount } = await openDatabase();
    const { queue, done } = await startServer(open());
    queue.settle();
    queue.hold(textsOf('a', 'b'));
    await done();
    await vi.waitFor(async () => expect(await storedCount()).toBe(2), polling);
    queue.release(keysOf('a'));
    await vi.waitFor(async () => expect(await storedCount()).toBe(1), polling);
  });

  it('embed without the database during an outage, with one warning', async () => {
    const { open, warnings } = await openDatabase();
    const { queue, done } = await startServer(open());
    await postgres.kill();
    queue.hold(textsOf(...many(30)));
    await done();
    expect(warnings).toHaveLength(1);
    await postgres.start();
    queue.hold(textsOf('back'));
    await done();
    const later = await startServer(open());
    later.queue.hold(textsOf('back'));
    await later.done();
    expect(later.embeddedTexts()).toEqual([]);
  });
});
