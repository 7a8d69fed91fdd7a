import { describe, expect, it } from 'vitest';
import { createHandOffs } from '../../src/state/hand-offs.ts';
import { engines } from '../support/state.ts';

const closest = (...ids: string[]) =>
  ids.map((documentId) => ({
    documentId,
    file: `${documentId}.md`,
    title: `Title ${documentId}`,
    source: '',
  }));
const createdAt = '2026-01-01T00:00:00.000Z';
const handOff = (runId: string, namespace = 'docs', ...ids: string[]) => ({
  runId,
  namespace,
  question: 'Where?',
  closest: closest(...ids),
});

describe.each(engines)('hand-offs in %s', (_name, createPlace) => {
  it('are claimed by one of several servers', async () => {
    const place = await createPlace();
    const [one, other] = [createHandOffs(place()), createHandOffs(place())];
    for (let number = 0; number < 8; number++) await one.add(handOff(`run-${number}`), createdAt);
    const claimed = (
      await Promise.all([one, other, one, other].map((rows) => rows.claim(4, 60_000)))
    ).flat();
    expect(claimed.map(({ runId }) => runId).sort()).toEqual(
      Array.from({ length: 8 }, (_, number) => `run-${number}`),
    );
  });

  it('are kept once per run, until they are removed', async () => {
    const rows = createHandOffs((await createPlace())());
    await rows.add(handOff('run'), createdAt);
    await rows.add(handOff('run'), createdAt);
    expect(await rows.claim(10, 0)).toEqual([
      { runId: 'run', body: JSON.stringify(handOff('run')), createdAt, attempts: 0 },
    ]);
    await rows.postpone('run', 0);
    expect(await rows.claim(10, 60_000)).toMatchObject([{ runId: 'run', attempts: 1 }]);
    expect(await rows.claim(10, 60_000)).toEqual([]);
    await rows.postpone('run', 0);
    await rows.remove('run');
    expect(await rows.claim(10, 60_000)).toEqual([]);
  });

  it('forget documents and namespaces', async () => {
    const rows = createHandOffs((await createPlace())());
    await rows.add(handOff('both', 'docs', 'a1', 'b2'), createdAt);
    await rows.add(handOff('other', 'hr', 'b2'), createdAt);
    await rows.forgetDocument('a1');
    await rows.forgetNamespace('hr');
    const [left, ...others] = await rows.claim(10, 60_000);
    expect(others).toEqual([]);
    expect(JSON.parse(left?.body ?? '')).toEqual(handOff('both', 'docs', 'b2'));
  });
});

it.each(engines)('a claim of a killed server expires, in %s', async (_name, createPlace) => {
  const place = await createPlace();
  const killed = createHandOffs(place());
  await killed.add(handOff('run'), createdAt);
  await killed.claim(1, 50);
  const other = createHandOffs(place());
  await expect
    .poll(() => other.claim(1, 60_000), { timeout: 30_000, interval: 10 })
    .toHaveLength(1);
});
