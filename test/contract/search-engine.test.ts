import { expect, it } from 'vitest';
import { Bm25Engine } from '../../src/search/bm25/bm25-engine.ts';
import type { EngineIndex } from '../../src/search/search-engine.ts';
import { document } from '../support/indexed.ts';
import { everythingIn, temporaryFolder } from '../support/workspace.ts';

const search = async (index: EngineIndex, word: string) => {
  const asked = { idf: 2, alternatives: [{ term: word, impact: 2 }] };
  const hits = await index.search({ terms: [asked], limit: 7 });
  return hits.map(({ documentId, chunk }) => documentId + chunk);
};
const wombat = document('a', ['The wombat digs.', 'A burrow of the wombat.']);
const quokka = document('b', 'The quokka smiles.', { title: 'Burrow', version: 'first' });

async function start() {
  const folder = await temporaryFolder();
  const engine = new Bm25Engine(folder);
  return { folder, engine, index: await engine.open('n') };
}

it('equal chunks are sorted by document id and position', async () => {
  const { index } = await start();
  for (const id of ['b', 'é', 'a', 'B'])
    await index.upsert(document(id, ['The wombat digs.', 'The wombat digs.']));
  expect(await search(index, 'wombat')).toEqual(['B0', 'B1', 'a0', 'a1', 'b0', 'b1', 'é0']);
});

it('namespaces are separate, and only retained ones have their flushed data after a restart', async () => {
  const { folder, engine } = await start();
  for (const namespace of ['kept', 'gone', 'dropped']) {
    const index = await engine.open(namespace);
    expect(await search(index, 'quokka')).toEqual([]);
    await index.upsert(quokka);
    await index.flush();
    if (namespace === 'dropped') await index.drop();
  }
  const restarted = new Bm25Engine(folder);
  await restarted.retain(new Set(['kept', 'dropped']));
  const kept = await restarted.open('kept');
  expect([...(await kept.versions())]).toEqual([['b', 'first']]);
  expect(await search(kept, 'quokka')).toEqual(['b0']);
  for (const namespace of ['gone', 'dropped'])
    expect([...(await (await restarted.open(namespace)).versions())]).toEqual([]);
});

it('the snapshot contains nothing of a removed document, even if it was saved before a restart', async () => {
  const { folder, index } = await start();
  for (const one of [wombat, quokka]) await index.upsert(one);
  await index.flush();
  expect(everythingIn(folder)).toContain('wombat');
  const restarted = await new Bm25Engine(folder).open('n');
  await restarted.remove('a');
  expect(everythingIn(folder)).not.toContain('wombat');
  await restarted.flush();
  expect(everythingIn(folder)).toContain('quokka');
  expect(everythingIn(folder)).not.toContain('wombat');
});
