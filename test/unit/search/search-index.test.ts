import { describe, expect, it } from 'vitest';
import { document, indexOf, office } from '../../support/indexed.ts';

describe('coverage', () => {
  it('is higher for questions that the documents cover than for others, and 0 without hits', async () => {
    const { coverage } = await indexOf(...office);
    const answerable = await Promise.all(
      ['how long are recordings kept?', 'when are refunds paid?', 'recordings archive'].map(
        (query) => coverage(query),
      ),
    );
    const offTopic = await Promise.all(
      [
        'which days are holidays in Mongolia?',
        'who won the bicycle race in Paris?',
        'best card game for two players',
      ].map((query) => coverage(query)),
    );
    expect(Math.min(...answerable)).toBeGreaterThan(0.5);
    expect(Math.max(...offTopic)).toBeLessThan(0.35);
    for (const query of ['Mongolia', '', '?!']) expect(await coverage(query)).toBe(0);
  });
  it('falls with each missing word, and most with a rare one', async () => {
    const { coverage } = await indexOf(...office);
    const [all, common, rare] = [
      await coverage('refunds card'),
      await coverage('refunds card people'),
      await coverage('refunds card zygote'),
    ];
    expect(all).toBeGreaterThan(common);
    expect(common).toBeGreaterThan(rare);
  });
  it('does not require a compound if its parts are found', async () => {
    const { coverage } = await indexOf(
      document('a', 'Die Nummer für die Umsatzsteuer steht unten.', { language: 'de' }),
      document('b', 'Das Büro öffnet um acht Uhr.', { language: 'de' }),
    );
    expect(await coverage('Umsatzsteuernummer')).toBeGreaterThan(0.8);
  });
});

describe('the topic of the conversation', () => {
  it('affects the ranking', async () => {
    const { found } = await indexOf(
      document('calls', 'The limit is fifty people, of calls.'),
      document('files', 'The limit is fifty megabytes, of files.'),
    );
    for (const topic of ['calls', 'files'])
      expect((await found('and the limit?', 10, topic))[0]).toBe(topic);
  });
  it('weighs less than the current question', async () => {
    const { index, found } = await indexOf(...office);
    const { asked } = await index.search('recordings', 10, 'refunds');
    expect(asked.map(({ word }) => word)).toEqual(['recordings', 'refunds']);
    expect(asked[1]!.idf).toBeCloseTo(0.4 * asked[0]!.idf);
    expect((await found('recordings', 10, 'refunds'))[0]).toBe('calls');
  });
  it('does not count for the coverage of the current question', async () => {
    const { coverage } = await indexOf(...office);
    const about = 'refunds paid within thirty days of purchase to the same card';
    expect(await coverage(about)).toBeGreaterThan(0.9);
    expect(await coverage('what about Mongolia?', about)).toBeLessThan(0.1);
  });
  it('replaces the words of a question without content words', async () => {
    const { coverage, found } = await indexOf(...office);
    expect(await found('how long does it take?')).toEqual([]);
    expect((await found('how long does it take?', 10, 'refunds paid to a card'))[0]).toBe(
      'refunds',
    );
    expect(await coverage('how long does it take?', 'refunds paid to a card')).toBeGreaterThan(
      0.35,
    );
  });
});

describe('changes of documents', () => {
  it('change the languages that are searched', async () => {
    const { engine, asked } = await indexOf(
      ...office,
      document('de', 'Die Müllgebühr steht hier.', { language: 'de' }),
    );
    expect(await asked('Muellgebuehr')).toEqual([
      ['muellgebuehr', { mullgebuhr: 1, mull: 1, gebuhr: 1 }],
    ]);
    await engine.remove('de');
    await engine.upsert(document('name', 'Müllgebühr'));
    expect(await asked('Muellgebuehr')).toEqual([['muellgebuehr', {}]]);
  });
  it('are atomic for concurrent searches', async () => {
    const version = (name: string) =>
      document(
        'a',
        Array.from(
          { length: 400 },
          (_, number) =>
            `wombat ${name} ${Array.from({ length: 120 }, (_, word) => `fillér${number}x${word}`).join(' ')}${number}`,
        ),
      );
    const { engine, index } = await indexOf(version('aardvark'));
    let isDone = false;
    const replaced = engine.upsert(version('zebrafish')).then(() => (isDone = true));
    let searches = 0;
    while (!isDone) {
      const counts = await Promise.all(
        ['aardvark', 'zebrafish', 'wombat'].map(
          async (word) => (await index.search(word, 200)).hits.length,
        ),
      );
      expect([
        [200, 0, 200],
        [0, 200, 200],
      ]).toContainEqual(counts);
      searches++;
      await new Promise(setImmediate);
    }
    await replaced;
    expect(searches).toBeGreaterThan(1);
    expect((await index.search('zebrafish', 150)).hits).toHaveLength(150);
  });
  it('are found during and after compaction', async () => {
    const documents = Array.from({ length: 500 }, (_, number) =>
      document(
        `d${number}`,
        `wombat number${number} ${'one two three four five six seven eight nine ten eleven '.repeat(3)}`,
      ),
    );
    const { engine, index, found } = await indexOf(...documents);
    const before = await index.search('wombat number7 nine', 50);
    // Replacing all documents triggers compaction.
    for (const entry of documents) {
      const replacing = engine.upsert(entry);
      expect((await found('wombat number7 nine', 50))[0]).toBe('d7');
      await replacing;
    }
    expect(await index.search('wombat number7 nine', 50)).toEqual(before);
    await engine.upsert(document('new', 'A zebrafish.'));
    expect(await found('zebrafish')).toEqual(['new']);
  });
});
