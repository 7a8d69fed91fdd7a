import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SeenIds } from '../../../../src/app/chat/seen-ids.ts';
import { temporaryFolder } from '../../../support/workspace.ts';

describe('ids that were seen', () => {
  it('are known at once, and in the next process', async () => {
    const path = join(await temporaryFolder(), 'index', 'seen.jsonl');
    const seen = new SeenIds(path);
    await seen.open();
    const kept = seen.add(['a', 'b']);
    expect([seen.has('a'), seen.has('b'), seen.has('c')]).toEqual([true, true, false]);
    await kept;
    const next = new SeenIds(path);
    await next.open();
    expect([next.has('a'), next.has('b'), next.has('c')]).toEqual([true, true, false]);
  });

  it('are bounded, in memory and on disk: the newest stay', async () => {
    const path = join(await temporaryFolder(), 'seen.jsonl');
    const seen = new SeenIds(path, 10);
    await seen.open();
    for (let number = 0; number < 95; number++) await seen.add([`id-${number}`]);
    const known = Array.from({ length: 95 }, (_, number) => number).filter((number) => seen.has(`id-${number}`));
    expect(known).toEqual(Array.from({ length: 15 }, (_, at) => 80 + at));
    const next = new SeenIds(path, 10);
    await next.open();
    expect(known.every((number) => next.has(`id-${number}`))).toBe(true);
    expect((await readFile(path, 'utf8')).split('\n').filter(Boolean)).toHaveLength(5);
  });

  it('are read beside lines that are damaged', async () => {
    const path = join(await temporaryFolder(), 'seen.jsonl');
    await appendFile(path, '{"id":"a"}\n{"id":7}\n{"id"\n[]\n{"id":"b"}\n');
    const seen = new SeenIds(path);
    await seen.open();
    expect([seen.has('a'), seen.has('b'), seen.has('7')]).toEqual([true, true, false]);
  });

  it('that cannot be written are known all the same', async () => {
    const folder = await temporaryFolder();
    await appendFile(join(folder, 'taken'), '');
    const seen = new SeenIds(join(folder, 'taken', 'seen.jsonl'));
    await expect(seen.add(['a'])).rejects.toThrow();
    expect(seen.has('a')).toBe(true);
  });
});
