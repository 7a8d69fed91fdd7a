/** Common tests of all search engines. A new engine joins the list below. */
import { describe, expect, it } from 'vitest';
import { terms } from '../../packages/shared/src/language/tokens.ts';
import { Bm25Engine } from '../../src/search/bm25/bm25-engine.ts';
import type { EngineIndex, SearchEngine } from '../../src/search/search-engine.ts';
import { document } from '../support/indexed.ts';
import { everythingIn, temporaryFolder } from '../support/workspace.ts';

interface Started {
  engine: SearchEngine;
  /** The engine of the next process. */
  restart(): SearchEngine;
}

const engines: Record<string, () => Promise<Started>> = {
  async BM25() {
    const folder = await temporaryFolder();
    return { engine: new Bm25Engine(folder), restart: () => new Bm25Engine(folder) };
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
