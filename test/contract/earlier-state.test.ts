import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { importEarlierState } from '../../src/state/earlier.ts';
import { storeIn } from '../support/state.ts';
import { temporaryFolder } from '../support/workspace.ts';

const kept = fileURLToPath(new URL('../fixtures/state-0.5.0', import.meta.url));

/** A copy of what 0.5.0 kept. @param change before it is imported */
async function takeOver(change: (folder: string) => Promise<unknown> = async () => undefined) {
  const root = await temporaryFolder();
  await cp(kept, root, { recursive: true });
  const folder = join(root, 'index');
  await change(folder);
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const store = storeIn(folder, onWarning);
  onTestFinished(() => store.close());
  const start = () => importEarlierState({ store, folder, onWarning });
  // Nothing is left for a second start.
  for (let starts = 0; starts < 2; starts++) await start();
  return {
    root,
    folder,
    store,
    warnings,
    files: async () => (await readdir(folder)).filter((name) => !name.startsWith('state.db')).sort(),
  };
}

it('takes over token counts', async () => {
  const { store, warnings, files } = await takeOver();
  const rows = await store.query('SELECT day, key, tokens FROM model_tokens ORDER BY day, key LIMIT 2');
  expect(rows).toMatchObject([
    { day: '2026-03-04', key: '', tokens: 60 },
    { day: '2026-03-04', key: expect.stringMatching(/^Sn1/), tokens: 60 },
  ]);
  expect(await store.query('SELECT 1 FROM model_tokens')).toHaveLength(5);
  expect(await files()).not.toContain('model-tokens.json');
  expect(warnings).toEqual([]);
});

it.each(['', '{', '[["2026-03-04",[["",-5]]]]', '[["yesterday",[["",5]]]]', '\0\0\0'])(
  'puts token counts aside that cannot be read (%j), and takes over the rest',
  async (text) => {
    const { store, warnings, files } = await takeOver((folder) => writeFile(join(folder, 'model-tokens.json'), text));
    expect(await store.query('SELECT 1 FROM model_tokens')).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('model-tokens.json')]);
    expect(await files()).toContainEqual(expect.stringMatching(/^model-tokens\.json\.damaged-/));
  },
);
