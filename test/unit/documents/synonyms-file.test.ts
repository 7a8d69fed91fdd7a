import { describe, expect, it } from 'vitest';
import { Thesaurus } from '../../../packages/shared/src/language/synonyms.ts';
import { parseSynonyms, SynonymsFile } from '../../../src/documents/synonyms-file.ts';
import type { EngineDocument } from '../../../src/search/search-engine.ts';
import { SearchIndex } from '../../../src/search/search-index.ts';
import { document, indexOf } from '../../support/indexed.ts';

describe('a line of synonyms', () => {
  it('is a group or one-way; comments and empty lines are ignored', () => {
    expect(
      parseSynonyms(
        '\uFEFFpto, paid time off # leave\r\n\n# all\nhandy, cell => mobile phone,phone',
      ).rules,
    ).toEqual([
      { from: ['pto', 'paid time off'], to: ['pto', 'paid time off'] },
      { from: ['handy', 'cell'], to: ['mobile phone', 'phone'] },
    ]);
    expect(parseSynonyms('c#, csharp').rules).toEqual([
      { from: ['c#', 'csharp'], to: ['c#', 'csharp'] },
    ]);
  });
  it('is skipped and reported by number if it is empty, malformed or too long', () => {
    const many = Array.from({ length: 51 }, (_, number) => `w${number}`).join();
    const lines = [
      'good, fine',
      'alone',
      'a => b => c',
      '=> b',
      'a =>',
      '?, !',
      many,
      'one two three four five six seven, a',
    ];
    expect(parseSynonyms(lines.join('\n'))).toEqual({
      rules: [{ from: ['good', 'fine'], to: ['good', 'fine'] }],
      unusable: [2, 3, 4, 5, 6, 7, 8],
    });
    expect(parseSynonyms('a, b\n'.repeat(6_000)).rules).toHaveLength(5_000);
  });
});

describe('the synonyms file', () => {
  const start = (text: string, bytes = text.length) => {
    const warnings: string[] = [];
    let reads = 0;
    const stamp = `${bytes}.1.1.1`;
    const store = {
      stampNow: () => stamp,
      async read() {
        reads++;
        return { text, bytes, revision: '', stamp };
      },
    };
    const file = new SynonymsFile(store, 'docs', (message) => warnings.push(message));
    return { file, warnings, reads: () => reads };
  };
  it('is read once while it does not change', async () => {
    const { file, reads } = start('a, b');
    await file.refresh();
    await file.refresh();
    expect([file.current?.size, reads()]).toEqual([1, 1]);
  });
  it('is used without its invalid lines, with one warning', async () => {
    const { file, warnings } = start(`${'alone\n'.repeat(12)}a, b`);
    await file.refresh();
    await file.refresh();
    expect(file.current?.size).toBe(1);
    expect(warnings).toEqual([
      'docs/.synonyms.txt: these lines are not valid synonyms and are skipped: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more.',
    ]);
  });
  it('is not read if it is too large', async () => {
    const { file, warnings, reads } = start('a, b', 300_000);
    await file.refresh();
    expect([file.current, reads(), warnings.length]).toEqual([undefined, 0, 1]);
  });
});

describe("an operator's synonyms", () => {
  const search = async (lines: string, query: string, ...documents: EngineDocument[]) => {
    const { engine } = await indexOf(...documents);
    const own = new Thesaurus(parseSynonyms(lines).rules);
    return new SearchIndex(engine, () => own).search(query, 10);
  };
  const idsOf = async (...given: Parameters<typeof search>) =>
    (await search(...given)).hits.map(({ documentId }) => documentId);
  it('match both ways in a group and one way after an arrow, in any form of a word', async () => {
    const office = [document('a', 'The wombats dig.'), document('b', 'The quokkas smile.')];
    expect(await idsOf('wombat, zorbit', 'zorbits', ...office)).toEqual(['a']);
    expect(await idsOf('quokka => wombat', 'quokka', ...office)).toEqual(['b', 'a']);
    expect(await idsOf('quokka => wombat', 'wombat', ...office)).toEqual(['a']);
  });
  it('replace several words by one, one by several, and several by several', async () => {
    const office = [
      document('hours', 'Paid quokka hours are counted.'),
      document('paid', 'Invoices are paid at once by the zebra.'),
      document('word', 'The blintar is here.'),
    ];
    expect(await idsOf('qhx, paid quokka hours', 'qhx', ...office)).toEqual(['hours', 'paid']);
    expect(await idsOf('korvat drimsol => blintar', 'korvat drimsol', ...office)).toEqual(['word']);
    expect(await idsOf('korvat drimsol => quokka hours', 'the korvat drimsol', ...office)).toEqual([
      'hours',
    ]);
    expect((await search('qhx, paid quokka hours', 'qhx', ...office)).coverage).toBeGreaterThan(
      0.35,
    );
  });
});
