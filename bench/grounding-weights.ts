/**
 * Fits the weights of the score of support (src/grounding/score-weights.json) to what may be used so: sentences of mtrag-un's reference
 * answers with their own passages, with others' and with another's statement added (Apache-2.0), and ExpertQA's claims (MIT). RAGTruth is not
 * among them. Only sentences that the vetoes pass count. Run: node bench/grounding-weights.ts [--write]
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toPlainPassage } from '../src/grounding/plain-passage.ts';
import { readPassage, readStatement } from '../src/grounding/reading.ts';
import { featuresOf, scoreFeatures } from '../src/grounding/score.ts';
import { liesFrom } from './grounding-lies.ts';
import { foreignTo, loadTasks, type Task } from './grounding-tasks.ts';
import { areaUnderCurve, fitLogistic, type Labelled } from './logistic.ts';
import { readLines } from './retrieval/collections.ts';
import { root } from './server.ts';

type Texts = Task['passages'];

/** Of the passage that says most of it; nothing where no passage gets it past the vetoes. */
function rowsOf(passages: Texts): (sentence: string, isTrue: boolean) => Labelled[] {
  const readings = passages.map(({ text, title }) => readPassage(toPlainPassage(text).text, title, 'en'));
  return (sentence, isTrue) => {
    const statement = readStatement(sentence, 'en');
    const found = readings.map((reading) => featuresOf(statement, reading)).sort((a, b) => b.share - a.share)[0];
    return found ? [{ features: scoreFeatures.map((name) => found[name]), isTrue }] : [];
  };
}

function fromTasks(): Labelled[] {
  const tasks = loadTasks().filter(({ isPartial }) => !isPartial);
  return tasks.flatMap((task, position) => {
    const others = [foreignTo(task, tasks, false), foreignTo(task, tasks, true)].filter((other) => other !== undefined);
    const foreign = others[0]?.sentences ?? [];
    const own = rowsOf(task.passages);
    const ofOthers = others.map(({ passages }) => rowsOf(passages));
    return task.sentences.flatMap((sentence, at) => [
      ...own(sentence, true),
      ...ofOthers.flatMap((rows) => rows(sentence, false)),
      ...liesFrom(sentence, foreign[(at + position) % Math.max(1, foreign.length)] ?? '')
        .filter(({ kind }) => kind === 'invented clause')
        .flatMap(({ text }) => own(text, false)),
    ]);
  });
}

interface Response {
  readonly passages: readonly string[];
  readonly sentences: readonly { text: string; label: string; claims?: boolean; passages?: readonly number[] }[];
}

const folder = process.env['KNOWLEDGE_BENCH_DATA'] ?? join(root, '../shared/data');
const fromExperts = (): Labelled[] =>
  readLines<Response>(join(folder, 'grounding/expertqa.jsonl.gz')).flatMap(({ passages, sentences }) =>
    sentences
      .filter(({ claims }) => claims !== false)
      .flatMap(({ text, label, passages: own = [...passages.keys()] }) =>
        rowsOf(own.map((position) => ({ title: '', text: passages[position] ?? '' })))(text, label === 'supported'),
      ),
  );

const [tasks, experts] = [fromTasks(), fromExperts()];
const rounded = (value: number) => Math.round(value * 100) / 100;
const weightsOf = (rows: readonly Labelled[]) => fitLogistic(rows).map(rounded);
const scored = (rows: readonly Labelled[], [intercept = 0, ...weights]: readonly number[]) =>
  areaUnderCurve(
    rows.map(({ features, isTrue }) => ({ isTrue, score: intercept + features.reduce((sum, value, at) => sum + value * weights[at]!, 0) })),
  ).toFixed(3);

for (const [name, fitted, tested] of [
  ['mtrag-un', tasks, experts],
  ['ExpertQA', experts, tasks],
] as const)
  console.log(
    `fitted on ${name} (${fitted.length}): ${weightsOf(fitted).join(', ')}; area on the other ${scored(tested, weightsOf(fitted))}`,
  );
const weights = weightsOf([...tasks, ...experts]);
const data = Object.fromEntries([['intercept', weights[0]], ...scoreFeatures.map((name, at) => [name, weights[at + 1]])]);
console.log(`fitted on both: ${JSON.stringify(data)}; area on mtrag-un ${scored(tasks, weights)}, on ExpertQA ${scored(experts, weights)}`);
if (process.argv.includes('--write'))
  writeFileSync(join(root, 'src/grounding/score-weights.json'), `${JSON.stringify(data, undefined, 2)}\n`);
