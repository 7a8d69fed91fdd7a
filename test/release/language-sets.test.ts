import { expect, it } from 'vitest';
import { read } from '../support/repository.ts';
import { startService } from '../support/workspace.ts';

interface LanguageSet {
  readonly documents: readonly {
    readonly file: string;
    readonly title: string;
    readonly text: string;
  }[];
  readonly questions: readonly { readonly question: string; readonly document: string }[];
}

/**
 * Second value: of 20 questions, the number whose document must rank first; one below the measured
 * number.
 */
it.each([
  ['de', 15],
  ['ja', 17],
  ['zh', 17],
] as const)('ranks the matching document first: %s, at least %d of 20', async (language, least) => {
  const set: LanguageSet = JSON.parse(read(`bench/languages/${language}.json`));
  const { find, ingest } = await startService();
  const sources = set.documents.map(({ title, text }) => ({ text, title }));
  expect((await ingest({ namespace: language, sources })).status).toBe(200);
  const fileOf = new Map(set.documents.map(({ file, title }) => [file, title]));
  const missed: string[] = [];
  for (const { question, document } of set.questions) {
    const { body } = await find({ query: question, namespace: language, maxResults: 1 });
    if (body.results[0]?.title !== fileOf.get(document)) missed.push(question);
  }
  expect(set.questions).toHaveLength(20);
  expect(set.questions.length - missed.length, missed.join('\n')).toBeGreaterThanOrEqual(least);
});
