/**
 * Common tests of all search engines: the in-process one and PostgreSQL. A new engine joins the
 * list below.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { terms } from '../../packages/shared/src/language/tokens.ts';
import { Database } from '../../src/records/postgres/database.ts';
import { PostgresEngine } from '../../src/records/postgres/search-engine.ts';
import { migrateSearch, searchTables } from '../../src/records/postgres/search-tables.ts';
import { Bm25Engine } from '../../src/search/bm25/bm25-engine.ts';
import type { EngineIndex, SearchEngine } from '../../src/search/search-engine.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import { cases } from '../support/depth.ts';
import { document } from '../support/indexed.ts';
import { postgres } from '../support/postgres.ts';
import { openSearchDatabase } from '../support/search-database.ts';
import { everythingIn, temporaryFolder } from '../support/workspace.ts';

interface Started {
  engine: SearchEngine;
  /** The engine of the next process. */
  restart(): SearchEngine;
}

let database: Awaited<ReturnType<typeof openSearchDatabase>>;
beforeAll(async () => {
  database = await openSearchDatabase();
  await Promise.all([migrateSearch(database), migrateSearch(database)]);
});
afterAll(() => database.close());

const engines: Record<string, () => Promise<Started>> = {
  async BM25() {
    const folder = await temporaryFolder();
    return { engine: new Bm25Engine(folder), restart: () => new Bm25Engine(folder) };
  },
  async PostgreSQL() {
    const engine = new PostgresEngine(database);
    await engine.retain(new Set());
    return { engine, restart: () => new PostgresEngine(database) };
  },
};

const term = (...terms: string[]) => ({
  idf: 2,
  alternatives: terms.map((one, at) => ({ term: one, impact: 2 - at })),
});
const found = async (index: EngineIndex, ...terms: string[]) =>
  (await index.search({ terms: terms.map((one) => term(one)), limit: 10 })).map(
    ({ documentId }) => documentId,
  );
const wombat = document('a', ['The wombat digs.', 'A burrow of the wombat.']);
const quokka = document('b', 'The quokka smiles.', { title: 'Burrow', version: 'first' });

describe.each(Object.entries(engines))('the engine %s', (_, start) => {
  it('sorts equal chunks by document id and position', async () => {
    const index = await (await start()).engine.open('n');
    for (const id of ['b', 'é', 'a', 'B'])
      await index.upsert(document(id, ['The wombat digs.', 'The wombat digs.']));
    const hits = await index.search({ terms: [term('wombat')], limit: 7 });
    expect(hits.map(({ documentId, chunk }) => documentId + chunk)).toEqual([
      'B0',
      'B1',
      'a0',
      'a1',
      'b0',
      'b1',
      'é0',
    ]);
  });
  it('accepts words of any length', async () => {
    const index = await (await start()).engine.open('n');
    const long = Array.from({ length: 3_000 }, (_, at) =>
      String.fromCodePoint(0xac00 + ((at * 7_919) % 11_000)),
    ).join('');
    await index.upsert(document('a', long));
    await index.upsert(document('a', `${long} wombat`, { version: '2' }));
    const longest = [...terms(long, 'en')].reduce((a, c) => (c.length > a.length ? c : a));
    expect(longest.length).toBeGreaterThan(1_000);
    expect(await index.documentFrequencies([longest, 'wombat'])).toEqual(
      new Map([
        [longest, 1],
        ['wombat', 1],
      ]),
    );
    expect(await found(index, longest)).toEqual(['a']);
  });
  it('separates namespaces', async () => {
    const { engine } = await start();
    const [one, other] = [await engine.open('one'), await engine.open('other')];
    await one.upsert(wombat);
    expect([await found(one, 'wombat'), await found(other, 'wombat')]).toEqual([['a', 'a'], []]);
    await other.drop();
    expect(await found(one, 'wombat')).toEqual(['a', 'a']);
  });
  it('restores flushed data of retained namespaces after a restart', async () => {
    const { engine, restart } = await start();
    for (const namespace of ['kept', 'gone', 'dropped']) {
      const index = await engine.open(namespace);
      await index.upsert(wombat);
      await index.upsert(quokka);
      await index.remove('a');
      await index.flush();
      if (namespace === 'dropped') await index.drop();
    }
    const restarted = restart();
    await restarted.retain(new Set(['kept', 'dropped']));
    const versions = async (namespace: string) => [
      ...(await (await restarted.open(namespace)).versions()),
    ];
    expect(await versions('kept')).toEqual([['b', 'first']]);
    expect(await found(await restarted.open('kept'), 'quokka')).toEqual(['b']);
    expect([await versions('gone'), await versions('dropped')]).toEqual([[], []]);
  });
});

describe('the engine over PostgreSQL', () => {
  const vocabulary = fc.constantFrom(
    'zorpex',
    'blintar',
    'quuxil',
    'wembley',
    'korvat',
    'drimsol',
    '返金',
    'v1.2',
    'API',
  );
  const words = (maxLength: number) =>
    fc.array(vocabulary, { maxLength }).map((chosen) => chosen.join(' '));
  const drawn = fc
    .record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      title: words(3),
      language: fc.constantFrom('en' as const, 'de' as const),
      chunks: fc.array(
        fc.record({ text: words(30), headingPath: fc.array(vocabulary, { maxLength: 2 }) }),
        { maxLength: 4 },
      ),
    })
    .map((entry) => ({ ...entry, version: JSON.stringify(entry) }));
  const change = fc.oneof(drawn, fc.constantFrom('a', 'b', 'c'));

  it('returns the same hits and scores as the in-process engine after any changes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 15 }),
        words(4),
        async (changes, queryWords) => {
          const indexes = [
            await new Bm25Engine().open('n'),
            await new PostgresEngine(database).open('same'),
          ];
          await indexes[1]?.drop();
          const outcomes = [];
          for (const index of indexes) {
            for (const step of changes)
              await (typeof step === 'string' ? index.remove(step) : index.upsert(step));
            outcomes.push(await new SearchIndex(index).search(queryWords, 100));
          }
          expect(outcomes[1]).toEqual(outcomes[0]);
        },
      ),
      { numRuns: cases(6) },
    ));

  it('stores a version once if several servers write it', async () => {
    const servers = [
      new PostgresEngine(database),
      new PostgresEngine(database),
      new PostgresEngine(database),
    ];
    const indexes = await Promise.all(servers.map((engine) => engine.open('shared')));
    const [one] = indexes as [EngineIndex];
    const later = { ...wombat, version: '2', chunks: [{ text: 'A zebra.', headingPath: [] }] };
    await Promise.all(indexes.map((index) => index.upsert(wombat)));
    await Promise.all(
      indexes.flatMap((index) => [
        index.upsert(quokka),
        index.upsert(later),
        index.upsert(later),
        index.upsert(quokka),
      ]),
    );
    expect(await one.statistics()).toEqual({ chunks: 2, languages: ['en'] });
    const counted = await one.documentFrequencies(['wombat', 'zebra', 'quokka', 'burrow']);
    expect(Object.fromEntries(counted)).toEqual({ zebra: 1, quokka: 1, burrow: 1 });
    const before = await database.query(
      "SELECT xmin FROM search_documents WHERE namespace = 'shared' ORDER BY document",
    );
    await Promise.all(indexes.map((index) => index.upsert(later)));
    expect(
      await database.query(
        "SELECT xmin FROM search_documents WHERE namespace = 'shared' ORDER BY document",
      ),
    ).toEqual(before);
    await Promise.all(indexes.map((index) => index.remove('a')));
    expect([await found(one, 'zebra'), await found(one, 'quokka')]).toEqual([[], ['b']]);
  });

  it('ignores documents that another program version chunked', async () => {
    const index = await new PostgresEngine(database).open('older');
    await index.upsert(wombat);
    await database.query(
      "UPDATE search_documents SET version = 'knowledge-index 1 1' WHERE namespace = $1",
      ['older'],
    );
    expect(await index.versions()).toEqual(new Map());
    await index.upsert(wombat);
    expect([await index.versions(), await index.statistics()]).toEqual([
      new Map([['a', '1']]),
      { chunks: 2, languages: ['en'] },
    ]);
  });

  it('removes everything of a dropped namespace', async () => {
    const index = await new PostgresEngine(database).open('gone');
    await index.upsert(
      document(
        'long',
        Array.from({ length: 450 }, (_, chunk) => `Wombat ${chunk}`),
      ),
    );
    await database.query(
      `INSERT INTO search_documents SELECT 'gone', 'd' || n, '1', 'en', 0, 0, '{}', '{}' FROM generate_series(1, 600) AS n`,
    );
    await index.drop();
    for (const table of ['documents', 'chunks', 'terms', 'totals']) {
      expect(await database.query(`SELECT FROM search_${table} WHERE namespace = 'gone'`)).toEqual(
        [],
      );
    }
  });
});

describe('the engine over PostgreSQL without pg_textsearch', () => {
  let plain: Database;
  beforeAll(async () => {
    plain = new Database({ url: await postgres.newDatabase() });
  });
  afterAll(() => plain.close());

  /**
   * Counts words instead of BM25, because the driver's encoding and concurrent connections do not
   * depend on the score.
   */
  it('stores the same data with any driver and concurrent servers', async () => {
    await plain.query(searchTables.replace(/CREATE INDEX search_words[^;]*;/, ''));
    await plain.query(`
      CREATE FUNCTION to_bm25query(text, text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
      CREATE FUNCTION minus_words(text, text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
        $$SELECT -count(*)::float8 FROM unnest(string_to_array($1, ' ')) AS word WHERE word = ANY(string_to_array($2, ' '))$$;
      CREATE OPERATOR <@> (LEFTARG = text, RIGHTARG = text, FUNCTION = minus_words);`);
    const servers = await Promise.all([1, 2, 3].map(() => new PostgresEngine(plain).open('n')));
    const memory = await new Bm25Engine().open('n');
    const documents = Array.from({ length: 6 }, (_, at) => {
      const texts = Array.from(
        { length: at * 20 },
        (_text, chunk) =>
          `"Burrow" ${chunk} \\ of {the} quokka's 返金 ${'word '.repeat(at + chunk)}`,
      );
      return document(`d${at}`, texts, { title: `Wombat ${at}`, language: at % 2 ? 'de' : 'en' });
    });
    for (const entry of documents) await memory.upsert(entry);
    await Promise.all(servers.flatMap((index) => documents.map((entry) => index.upsert(entry))));
    await Promise.all(servers.map((index) => index.remove('d3')));
    await memory.remove('d3');
    const [index] = servers as [EngineIndex];
    const queryWords = ['wombat', 'burrow', 'word', '返金', 'zebra', '返'];
    expect(await index.documentFrequencies(queryWords)).toEqual(
      await memory.documentFrequencies(queryWords),
    );
    expect(await index.versions()).toEqual(await memory.versions());
    const { chunks, languages } = await memory.statistics();
    expect(await index.statistics()).toEqual({
      chunks,
      languages: expect.arrayContaining([...languages]),
    });
    const query = { terms: queryWords.map((one) => term(one)), limit: 2_000 };
    expect(await index.search(query)).toEqual(await memory.search(query));
    await new PostgresEngine(plain).retain(new Set());
    expect([await index.statistics(), await plain.query('SELECT FROM search_chunks')]).toEqual([
      { chunks: 0, languages: [] },
      [],
    ]);
  });
});

describe('the snapshot of BM25', () => {
  it('contains nothing of a removed document', async () => {
    const folder = await temporaryFolder();
    const index = await new Bm25Engine(folder).open('n');
    await index.upsert(wombat);
    await index.upsert(quokka);
    await index.flush();
    expect(everythingIn(folder)).toContain('wombat');
    await index.remove('a');
    expect(everythingIn(folder)).not.toContain('wombat');
    await index.flush();
    expect(everythingIn(folder)).toContain('quokka');
    expect(everythingIn(folder)).not.toContain('wombat');
  });
});
