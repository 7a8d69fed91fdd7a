import { describe, expect, it } from 'vitest';
import { createSynonymsFile, parseSynonyms } from '../../../src/documents/synonyms-file.ts';
import { Thesaurus } from '../../../src/language/synonyms.ts';
import type { EngineDocument } from '../../../src/search/search-engine.ts';
import { createSearchIndex } from '../../../src/search/search-index.ts';
import { document, indexOf } from '../../support/indexed.ts';

describe('a line of synonyms', () => {
  it('is a group, or one way; what follows # and empty lines say nothing', () => {
    expect(parseSynonyms('\uFEFFpto, paid time off # leave\r\n\n# all\nhandy, cell => mobile phone,phone').rules).toEqual([
      { from: ['pto', 'paid time off'], to: ['pto', 'paid time off'] },
      { from: ['handy', 'cell'], to: ['mobile phone', 'phone'] },
    ]);
    expect(parseSynonyms('c#, csharp').rules).toEqual([{ from: ['c#', 'csharp'], to: ['c#', 'csharp'] }]);
  });
  it('that says nothing, too much or too long is left out by its number', () => {
    const many = Array.from({ length: 51 }, (_, number) => `w${number}`).join();
    const lines = ['alone', 'a => b => c', '=> b', 'a =>', ',,', '?, !', many, 'one two three four five six seven, a', 'good, fine'];
    expect(parseSynonyms(lines.join('\n'))).toEqual({
      rules: [{ from: ['good', 'fine'], to: ['good', 'fine'] }],
      unusable: [1, 2, 3, 4, 5, 6, 7, 8],
    });
    expect(parseSynonyms('a, b\n'.repeat(6_000)).rules).toHaveLength(5_000);
  });
});

describe('the file', () => {
  const start = (content: string | undefined, size = content?.length ?? 0) => {
    const warnings: string[] = [];
    let reads = 0;
    const disk = { content, stamp: `${size}.1.1.1` };
    const store = {
      stampNow: () => (disk.content === undefined ? undefined : disk.stamp),
      async read() {
        reads++;
        return disk.content === undefined ? undefined : { text: disk.content, bytes: size, revision: '', stamp: disk.stamp };
      },
    };
    const file = createSynonymsFile(store, 'docs', (message) => warnings.push(message));
    return { file, disk, warnings, reads: () => reads };
  };
  it('is read where it has changed, and forgotten where it is gone', async () => {
    const { file, disk, reads } = start('a, b');
    await file.refresh();
    await file.refresh();
    expect([file.current()?.size, reads()]).toEqual([1, 1]);
    disk.content = undefined;
    await file.refresh();
    expect(file.current()).toBeUndefined();
  });
  it('that has lines which are none is used without them, with one warning', async () => {
    const { file, warnings } = start(`${'alone\n'.repeat(12)}a, b`);
    await file.refresh();
    await file.refresh();
    expect(file.current()?.size).toBe(1);
    expect(warnings).toEqual([
      'docs/.synonyms.txt: these lines are no synonyms and are left out: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more.',
    ]);
  });
  it('that is too large is not read', async () => {
    const { file, warnings, reads } = start('a, b', 300_000);
    await file.refresh();
    expect([file.current(), reads(), warnings.length]).toEqual([undefined, 0, 1]);
  });
});

describe("an operator's synonyms", () => {
  const search = async (lines: string, query: string, ...documents: EngineDocument[]) => {
    const { engine } = await indexOf(...documents);
    const own = new Thesaurus(parseSynonyms(lines).rules);
    return createSearchIndex(engine, () => own).search(query, 10);
  };
  const idsOf = async (...given: Parameters<typeof search>) => (await search(...given)).hits.map(({ documentId }) => documentId);
  it('hold both ways in a group and one way behind an arrow, for any form of a word', async () => {
    const office = [document('a', 'The wombats dig.'), document('b', 'The quokkas smile.')];
    expect(await idsOf('wombat, zorbit', 'zorbits', ...office)).toEqual(['a']);
    expect(await idsOf('quokka => wombat', 'quokka', ...office)).toEqual(['b', 'a']);
    expect(await idsOf('quokka => wombat', 'wombat', ...office)).toEqual(['a']);
  });
  it('of several words stand for one, one for several, and several for several', async () => {
    const office = [
      document('hours', 'Paid quokka hours are counted.'),
      document('paid', 'Invoices are paid at once by the zebra.'),
      document('word', 'The blintar is here.'),
    ];
    expect(await idsOf('qhx, paid quokka hours', 'qhx', ...office)).toEqual(['hours', 'paid']);
    expect(await idsOf('korvat drimsol => blintar', 'korvat drimsol', ...office)).toEqual(['word']);
    expect(await idsOf('korvat drimsol => quokka hours', 'the korvat drimsol', ...office)).toEqual(['hours']);
    expect((await search('qhx, paid quokka hours', 'qhx', ...office)).coverage).toBeGreaterThan(0.35);
  });
});
