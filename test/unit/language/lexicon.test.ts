import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import type { Language } from '../../../packages/shared/src/language/languages.ts';
import { readLists } from '../../../packages/shared/src/language/lexicon/read-lists.ts';
import { lexicon } from '../../../packages/shared/src/language/lexicon/words.ts';
import { lexiconEntries, lexiconGroups } from '../../../packages/shared/src/language/lexicon.ts';

const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'ja', 'zh'] as const;
const lists = languages.map(
  (language) =>
    [language, lexiconGroups(language, 'synonyms').map(({ sides }) => sides.flat())] as const,
);
const stopWordsOf = (language: Language) => new Set(lexiconEntries(language, 'stop-words'));

describe.each(lists)('near-synonyms: %s', (language, groups) => {
  const entries = groups.flat();

  it('have groups of two to ten distinct words and short phrases in lower case, each once', () => {
    const odd = groups.filter(
      (group) =>
        group.length < 2 ||
        group.length > 10 ||
        new Set(group).size < group.length ||
        group.some((one) => one === '' || one !== one.toLowerCase() || one.split(' ').length > 4),
    );
    expect(odd).toEqual([]);
    const sorted = groups.map((group) => group.toSorted().join());
    expect(sorted.filter((group, index) => sorted.indexOf(group) !== index)).toEqual([]);
  });
  it('have no stop word as an entry', () => {
    const own = stopWordsOf(language);
    // The English list has `id` for "I'd".
    expect(entries.filter((entry) => own.has(entry) && entry !== 'id')).toEqual([]);
  });
});

describe('stop words', () => {
  it('are lower case, without apostrophes', () => {
    const all = languages.flatMap((language) => [...stopWordsOf(language)]);
    expect(all.length).toBeGreaterThan(2_000);
    expect(
      all.filter((word) => word === '' || word !== word.toLowerCase() || /['’\s]/.test(word)),
    ).toEqual([]);
  });
});

describe('a list that a bundle lost', () => {
  const read = (path: string) =>
    fileURLToPath(new URL(`../../../packages/${path}`, import.meta.url));

  /** Bundles the check with other lists, and checks a sentence with it. */
  async function checkWithout(remove: (lexicon: Record<string, Record<string, string>>) => void) {
    const rest: Record<string, Record<string, string>> = structuredClone(lexicon);
    remove(rest);
    const lists = {
      name: 'lists',
      load: (id: string) =>
        id.endsWith('/lexicon/words.ts')
          ? `export const lexicon = ${JSON.stringify(rest)};`
          : undefined,
    };
    const folder = JSON.stringify(read('shared/src/language/lexicon'));
    await using bundle = await rolldown({
      input: read('grounding/src/verify-sentences.ts'),
      platform: 'node',
      transform: { define: { 'import.meta.dirname': folder } },
      plugins: [lists],
    });
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
    const url = `data:text/javascript,${encodeURIComponent(output[0].code)}`;
    const { verifySentences } = await import(url);
    return verifySentences(
      ['Refunds take 5 to 10 weeks.'],
      [{ text: 'Refunds take 5 to 10 business days.' }],
    );
  }

  it('makes the check throw instead of accepting false sentences', async () => {
    await expect(checkWithout(() => undefined)).resolves.toMatchObject([
      { supported: false, reason: 'figure' },
    ]);
    for (const [language, list] of [
      ...['stop-words', 'numbers', 'measures', 'synonyms'].map((name) => ['en', name] as const),
      ['all', 'measure-symbols'],
      ['de', 'compound-parts'],
    ] as const)
      await expect(checkWithout((rest) => delete rest[language]?.[list])).rejects.toThrow(
        `The word list "${list}" of the language "${language}" is missing.`,
      );
    await expect(checkWithout((rest) => delete rest['en'])).rejects.toThrow(
      'of the language "en" is missing.',
    );
  });
});

it('a missing file throws', () => {
  expect(() => readLists(['absent'], [])).toThrow('lexicon/de/absent.txt');
});
