/**
 * `node bench/gap-groups.ts FILE`: how often the server groups the same unanswered question, and
 * different ones. FILE is `question-question.test.tsv` of SemEval 2016, task 1: a score from 0 to 5
 * or nothing, then two questions. 4 and 5 count as the same question, 0 and 1 as different ones.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isStopWord } from '../packages/shared/src/language/languages.ts';
import { rawWords } from '../packages/shared/src/language/tokens.ts';
import { AnswerLog } from '../src/records/answer-log.ts';
import { AnswerRows } from '../src/records/answer-tables.ts';
import { SqliteStore } from '../src/records/sqlite-store.ts';
import { unanswered } from '../test/support/answer-entries.ts';

const [file = ''] = process.argv.slice(2);
const lines = (await readFile(file, 'utf8'))
  .split('\n')
  .map((line) => line.split('\t'))
  .filter(({ length }) => length >= 3);
const pairs = lines.map(([score = '', one = '', other = '']) => ({ score, one, other }));
const scored = pairs.filter(({ score }) => score !== '');
const same = scored.filter(({ score }) => Number(score) >= 4);
const different = scored.filter(({ score }) => Number(score) <= 1);

async function groupsOf(questions: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'gap-groups-'));
  const store = new SqliteStore({ path: join(folder, 'state.db'), onWarning: console.warn });
  const log = new AnswerLog({
    rows: new AnswerRows(store),
    maxAnswers: 10_000,
    clock: () => new Date(),
    onWarning: console.warn,
  });
  for (const [number, question] of questions.entries()) {
    log.keep(unanswered(`run-${number}`, question));
    await log.settled();
  }
  const rows = await store.query<{ question: string; group: string }>(
    'SELECT question, gap_group AS "group" FROM gaps',
  );
  await store.close();
  await rm(folder, { recursive: true });
  return new Map(rows.map(({ question, group }) => [question.toLowerCase(), group]));
}

type Pair = (typeof pairs)[number];
function report(name: string, isGrouped: (pair: Pair) => boolean): void {
  const share = (of: readonly Pair[]) =>
    `${((100 * of.filter(isGrouped).length) / of.length).toFixed(1)} %`;
  console.log(`${name}: same ${share(same)}, different ${share(different)}`);
}

const distinct = (of: readonly Pair[]) => [
  ...new Set(of.flatMap(({ one, other }) => [one, other])),
];
for (const [name, of] of [
  ['in all pairs', pairs],
  ['in scored pairs', scored],
] as const) {
  const questions = distinct(of);
  const began = performance.now();
  const groups = await groupsOf(questions);
  const ms = ((performance.now() - began) / questions.length).toFixed(1);
  const groupOf = (question: string) => groups.get(question.trim().toLowerCase()) ?? question;
  console.log(
    `${questions.length} questions in ${new Set(groups.values()).size} groups, ${ms} ms each`,
  );
  report(name, ({ one, other }) => groupOf(one) === groupOf(other));
}

const wordsOf = (question: string) =>
  new Set(
    rawWords(question)
      .map((word) => word.toLowerCase())
      .filter((word) => !isStopWord(word, 'en')),
  );
for (const least of [0.5, 0.6, 0.65, 0.7])
  report(`share of common words, at least ${least}`, ({ one, other }) => {
    const [a, b] = [wordsOf(one), wordsOf(other)];
    return (2 * a.intersection(b).size) / (a.size + b.size || 1) >= least;
  });
