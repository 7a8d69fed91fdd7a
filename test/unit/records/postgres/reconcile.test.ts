import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FolderFile, keyOf, reconcile } from '../../../../src/records/postgres/reconcile.ts';

const name = (file: string) => ({ namespace: 'docs', file });
const recorded = (file: string, version: number, revision: string | undefined) => ({
  ...name(file),
  version,
  revision,
  bytes: 1,
});
const actions = (files: Parameters<typeof reconcile>[0], local: readonly FolderFile[]) =>
  [...reconcile(files, new Map(local.map((one) => [keyOf(one), one])))].map(
    ({ kind, file }) => `${kind} ${file.file}`,
  );

describe('reconcile', () => {
  it.each([
    ['does nothing if the recorded version is unchanged', 1, 'a', []],
    ['corrects an edited file', 1, 'edited', ['correct one.md']],
    ['corrects a file that was deleted locally', 1, undefined, ['correct one.md']],
    ['fetches a later version', 0, 'old', ['fetch one.md']],
    ['fetches an earlier version, as after a restore', 9, 'later', ['fetch one.md']],
    ['records a new version with the same content', 9, 'a', ['know one.md']],
    ['records content found after a start', undefined, 'a', ['know one.md']],
    ['fetches a missing file after a start', undefined, undefined, ['fetch one.md']],
  ] as const)('%s', (_, version, revision, expected) => {
    expect(
      actions([recorded('one.md', 1, 'a')], [{ ...name('one.md'), version, revision }]),
    ).toEqual(expected);
  });

  it('distinguishes a deleted file from one that the database never had', () => {
    const files = [recorded('gone.md', 2, undefined), recorded('never-here.md', 3, undefined)];
    expect(
      actions(files, [
        { ...name('gone.md'), version: 1, revision: 'a' },
        { ...name('foreign.md'), revision: 'b' },
      ]),
    ).toEqual(['fetch gone.md', 'know never-here.md', 'surplus foreign.md']);
  });

  it('returns no further actions after its actions are applied', () => {
    const files = fc.uniqueArray(
      fc.record({
        file: fc.constantFrom('a', 'b', 'c', 'd'),
        version: fc.nat(3),
        revision: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
      }),
      { selector: ({ file }) => file },
    );
    fc.assert(
      fc.property(files, files, (database, here) => {
        const rows = database.map(({ file, version, revision }) =>
          recorded(file, version, revision),
        );
        const local = new Map<string, FolderFile>(
          here.map((one) => [keyOf(name(one.file)), { ...name(one.file), ...one }]),
        );
        for (const { kind, file } of [...reconcile(rows, local)]) {
          const row = rows.find((one) => one.file === file.file);
          if (kind === 'surplus') local.delete(keyOf(file));
          else if (row) local.set(keyOf(file), row);
        }
        expect([...reconcile(rows, local)]).toEqual([]);
      }),
    );
  });
});
