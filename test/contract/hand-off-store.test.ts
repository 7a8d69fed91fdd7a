import { describe, expect, it } from 'vitest';
import { createHandOffs } from '../../src/records/hand-off-table.ts';
import { engines } from '../support/state.ts';

const closest = (...ids: string[]) =>
  ids.map((documentId) => ({
    documentId,
    file: `${documentId}.md`,
    title: `Title ${documentId}`,
    source: '',
  }));
const createdAt = '2026-01-01T00:00:00.000Z';
const kept = { caller: 'ann', createdAt };
const handOff = (runId: string, namespace = 'docs', ...ids: string[]) => ({
  runId,
  namespace,
  question: 'Where?',
  closest: closest(...ids),
});

describe.each(engines)('hand-offs in %s', (_name, createPlace) => {
  const open = async () => createHandOffs((await createPlace())());

  it('are claimed by one of several servers', async () => {
    const place = await createPlace();
    const [one, other] = [createHandOffs(place()), createHandOffs(place())];
    for (let number = 0; number < 8; number++) await one.keep(handOff(`run-${number}`), kept);
    const claimed = (
      await Promise.all([one, other, one, other].map((rows) => rows.claim(4, 60_000)))
    ).flat();
    expect(claimed.map(({ runId }) => runId).sort()).toEqual(
      Array.from({ length: 8 }, (_, number) => `run-${number}`),
    );
  });

  it('are kept once per run, until they are removed', async () => {
    const rows = await open();
    await rows.keep(handOff('run'), kept);
    await rows.keep(handOff('run'), kept);
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

  it('refuse a caller and a namespace beyond their shares, and keep the places of others', async () => {
    const rows = await open();
    const add = (number: number, caller: string, namespace = 'docs') =>
      rows.keep(handOff(`${caller}-${number}`, namespace), { caller, createdAt });
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    expect((await Promise.all(numbers.map((one) => add(one, 'ann')))).every(Boolean)).toBe(true);
    expect([await add(100, 'ann'), await add(99, 'ann'), await add(0, 'bob')]).toEqual([
      false,
      true,
      true,
    ]);
    for (let caller = 1; caller < 20; caller++)
      await Promise.all(numbers.map((one) => add(one, `c${caller}`)));
    expect([await add(0, 'eve'), await add(0, 'eve', 'hr')]).toEqual([false, true]);
  });

  it('are not claimed while they are held', async () => {
    const rows = await open();
    await rows.keep(handOff('run'), { ...kept, holdMs: 60_000 });
    expect(await rows.claim(10, 60_000)).toEqual([]);
    await rows.keep(handOff('run', 'docs', 'a1'), kept);
    expect(await rows.claim(10, 60_000)).toMatchObject([
      { runId: 'run', body: JSON.stringify(handOff('run', 'docs', 'a1')) },
    ]);
  });

  it('forget documents and namespaces', async () => {
    const rows = await open();
    await rows.keep(handOff('both', 'docs', 'a1', 'b2'), kept);
    await rows.keep(handOff('other', 'hr', 'b2'), kept);
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
  await killed.keep(handOff('run'), kept);
  await killed.claim(1, 50);
  const other = createHandOffs(place());
  await expect
    .poll(() => other.claim(1, 60_000), { timeout: 30_000, interval: 10 })
    .toHaveLength(1);
});
