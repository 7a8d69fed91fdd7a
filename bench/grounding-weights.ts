/**
 * Fits the weights of the support score (packages/grounding/src/score-weights.ts) to labelled
 * sentences whose licence allows it: honest and false replies (shared/data/replies), mtrag-un with
 * its own, with foreign and with changed sentences (Apache-2.0), and ExpertQA's claims (MIT).
 * RAGTruth is excluded. Only sentences that pass the exact checks count. Run: node
 * bench/grounding-weights.ts [--write]
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStatement } from '../packages/grounding/src/clauses.ts';
import {
  evidenceFor,
  featuresOf,
  matchRank,
  scoreFeatures,
  vetoes,
} from '../packages/grounding/src/judge.ts';
import { toPlainPassage } from '../packages/grounding/src/plain-passage.ts';
import { type PassageReading, readPassage } from '../packages/grounding/src/reading.ts';
import { plainPassageOf } from '../src/reply/checked-passage.ts';
import { placeNames } from '../src/reply/sources.ts';
import { liesFrom } from './grounding-lies.ts';
import { type Asked, citedIn, loadReplies, type Reply } from './grounding-replies.ts';
import { foreignTo, loadTasks, type Task } from './grounding-tasks.ts';
import { areaUnderCurve, fitLogistic, type Labelled } from './logistic.ts';
import { readLines } from './retrieval/collections.ts';
import { root } from './server.ts';

type Row = Labelled & { readonly group: string };

/**
 * Features of the passage that matches the sentence best; empty if no passage passes the exact
 * checks.
 */
function rowsOf(
  readings: readonly PassageReading[],
  sentence: string,
  isTrue: boolean,
  group: string,
): Row[] {
  const statement = readStatement(sentence, 'en');
  if (statement.words.length === 0) return [];
  const ranked = readings
    .map((reading) => ({ reading, share: matchRank(statement, reading) }))
    .sort((a, b) => b.share - a.share);
  for (const { reading } of ranked) {
    const evidence = evidenceFor(statement, reading);
    if (!vetoes.every(([, holds]) => holds(statement, reading, evidence))) continue;
    const features = featuresOf(
      statement,
      reading,
      reading.units.filter((_, position) => evidence.has(position)),
    );
    return [{ features: scoreFeatures.map((name) => features[name]), isTrue, group }];
  }
  return [];
}

const readingsOf = (passages: Task['passages']): PassageReading[] =>
  passages.map(({ text, title }) => readPassage(toPlainPassage(text).text, title, 'en'));

function fromReplies(items: readonly Asked[]): Row[] {
  return items.flatMap(({ id, turn, honest, lie }) => {
    const readings = turn.passages.map((passage) =>
      readPassage(plainPassageOf(passage).text, placeNames(passage).join('\n'), 'en'),
    );
    const rows = (reply: Reply, isTrue: boolean) =>
      reply.sentences
        .filter(({ claim, kind, lie: isLie }) => claim && kind !== 'code' && (isTrue || isLie))
        .flatMap((sentence) => {
          const cited = citedIn(sentence, reply, turn.passages).flatMap(
            (position) => readings[position] ?? [],
          );
          return rowsOf(cited, sentence.text, isTrue, id);
        });
    return [...(honest ? rows(honest, true) : []), ...(lie ? rows(lie, false) : [])];
  });
}

function fromTasks(): Row[] {
  const tasks = loadTasks().filter(({ isPartial }) => !isPartial);
  return tasks.flatMap((task, position) => {
    const group = String(position);
    const others = [foreignTo(task, tasks, false), foreignTo(task, tasks, true)].filter(
      (other) => other !== undefined,
    );
    const foreign = others[0]?.sentences ?? [];
    const own = readingsOf(task.passages);
    const ofOthers = others.map(({ passages }) => readingsOf(passages));
    return task.sentences.flatMap((sentence, at) => [
      ...rowsOf(own, sentence, true, group),
      ...ofOthers.flatMap((readings) => rowsOf(readings, sentence, false, group)),
      ...liesFrom(sentence, foreign[(at + position) % Math.max(1, foreign.length)] ?? '').flatMap(
        ({ text }) => rowsOf(own, text, false, group),
      ),
    ]);
  });
}

interface Response {
  readonly source: string;
  readonly passages: readonly string[];
  readonly sentences: readonly {
    text: string;
    label: string;
    claims?: boolean;
    passages?: readonly number[];
  }[];
}

const folder = process.env['KNOWLEDGE_BENCH_DATA'] ?? join(root, '../shared/data');
const fromExperts = (): Row[] =>
  readLines<Response>(join(folder, 'grounding/expertqa.jsonl.gz')).flatMap(
    ({ source, passages, sentences }) => {
      const readings = readingsOf(passages.map((text) => ({ title: '', text })));
      return sentences
        .filter(({ claims }) => claims !== false)
        .flatMap(({ text, label, passages: own = [...passages.keys()] }) =>
          rowsOf(
            own.flatMap((position) => readings[position] ?? []),
            text,
            label === 'supported',
            source,
          ),
        );
    },
  );

/** Total weight of each set in rows, whatever its size. */
const setWeights = { replies: 1_000, tasks: 500, experts: 150 };
const weighted = (rows: readonly Row[], count: number): Labelled[] =>
  rows.map((row) => {
    const ofClass = rows.filter(({ isTrue }) => isTrue === row.isTrue).length;
    return { ...row, weight: count / 2 / ofClass };
  });

const sets = {
  replies: fromReplies(await loadReplies()),
  tasks: fromTasks(),
  experts: fromExperts(),
};
const fitted = ({ replies, tasks, experts }: typeof sets) =>
  fitLogistic([
    ...weighted(replies, setWeights.replies),
    ...weighted(tasks, setWeights.tasks),
    ...weighted(experts, setWeights.experts),
  ]);
const scoreBy = ([intercept = 0, ...weights]: readonly number[], { features }: Labelled) =>
  intercept + features.reduce((sum, value, at) => sum + value * weights[at]!, 0);

/** Number of cross-validation folds: a reply is scored by weights fitted without its question. */
const folds = 6;
const groups = [...new Set(sets.replies.map(({ group }) => group))];
const held = Array.from(
  { length: folds },
  (_, part) => new Set(groups.filter((_, at) => at % folds === part)),
);
const crossed = held.flatMap((left) => {
  const weights = fitted({
    ...sets,
    replies: sets.replies.filter(({ group }) => !left.has(group)),
  });
  return sets.replies
    .filter(({ group }) => left.has(group))
    .map((row) => ({ isTrue: row.isTrue, score: scoreBy(weights, row) }));
});
const weights = fitted(sets).map((value) => Math.round(value * 100) / 100);
const own = (rows: readonly Row[]) =>
  areaUnderCurve(rows.map((row) => ({ isTrue: row.isTrue, score: scoreBy(weights, row) }))).toFixed(
    3,
  );
console.log(
  `area under the curve: replies, by weights of other questions ${areaUnderCurve(crossed).toFixed(3)}; fitted: replies ${own(sets.replies)}, mtrag-un ${own(sets.tasks)}, ExpertQA ${own(sets.experts)}`,
);
const sorted = crossed.filter(({ isTrue }) => isTrue).sort((a, b) => a.score - b.score);
const lies = crossed.filter(({ isTrue }) => !isTrue);
for (const share of [0.85, 0.9, 0.95]) {
  const least = sorted[Math.floor(sorted.length * (1 - share))]?.score ?? 0;
  const passed = lies.filter(({ score }) => score >= least).length;
  console.log(
    `keeps ${share} of ${sorted.length}: lets ${passed} of ${lies.length} lies through, at ${(1 / (1 + Math.exp(-least))).toFixed(2)}`,
  );
}
const data = Object.fromEntries([
  ['intercept', weights[0]],
  ...scoreFeatures.map((name, at) => [name, weights[at + 1]]),
]);
console.log(JSON.stringify(data));
// Run `npm run format` afterwards.
const written = `/** Written by bench/grounding-weights.ts. */\nexport const scoreWeights = ${JSON.stringify(data)};\n`;
if (process.argv.includes('--write'))
  writeFileSync(join(root, 'packages/grounding/src/score-weights.ts'), written);
