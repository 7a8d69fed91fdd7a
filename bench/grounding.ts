/**
 * What the gate lets through: sentences of reference answers against the passages that people wrote them from, against those of
 * another task, and with one thing changed; what it costs. Thresholds are chosen on one half of the tasks (dev); the other is only
 * looked at. Prints tables for bench/README.md. Run: npm run bench:grounding
 */

import { minScore, type Reason } from '../src/grounding/judge.ts';
import { toPlainPassage } from '../src/grounding/plain-passage.ts';
import { createVerifier, type Verify } from '../src/grounding/verify-sentences.ts';
import { liesFrom } from './grounding-lies.ts';
import { foreignTo, loadTasks, type Task } from './grounding-tasks.ts';

const thresholds = [0.3, 0.4, 0.5, minScore, 0.66, 0.75, 0.85];
const percent = (part: number, whole: number) => `${((part / Math.max(1, whole)) * 100).toFixed(1)} %`;

const gateOf = (passages: Task['passages'], threshold = minScore): Verify =>
  createVerifier(
    passages.map(({ text, title }) => ({ text: toPlainPassage(text).text, context: title, language: 'en' })),
    threshold,
  );

/** @param numbers that every sentence points to, right or wrong */
const keeps = (gate: Verify, sentence: string, numbers: readonly number[] = []) => gate(sentence, numbers).reason === undefined;

interface Measured {
  sentences: number;
  kept: number;
  droppedForeign: number;
  droppedNeighbour: number;
  readonly lacks: Map<Reason, number>;
}

function measure(tasks: readonly Task[], all: readonly Task[], threshold = minScore): Measured {
  const measured: Measured = { sentences: 0, kept: 0, droppedForeign: 0, droppedNeighbour: 0, lacks: new Map() };
  for (const task of tasks) {
    const [foreign, neighbour] = [foreignTo(task, all, false), foreignTo(task, all, true)];
    if (!foreign || !neighbour) continue;
    const [own, others, near] = [task, foreign, neighbour].map(({ passages }) => gateOf(passages, threshold)) as [Verify, Verify, Verify];
    for (const sentence of task.sentences) {
      measured.sentences++;
      const { reason } = own(sentence);
      if (reason === undefined) measured.kept++;
      else measured.lacks.set(reason, (measured.lacks.get(reason) ?? 0) + 1);
      if (!keeps(others, sentence)) measured.droppedForeign++;
      if (!keeps(near, sentence)) measured.droppedNeighbour++;
    }
  }
  return measured;
}

const all = loadTasks();
const answerable = all.filter(({ isPartial }) => !isPartial);
const dev = answerable.filter((_, position) => position % 2 === 0);
const check = answerable.filter((_, position) => position % 2 === 1);
const row = (name: string, { sentences, kept, droppedForeign, droppedNeighbour }: Measured) =>
  `| ${name} | ${sentences} | ${percent(kept, sentences)} | ${percent(droppedForeign, sentences)} | ${percent(droppedNeighbour, sentences)} |`;

console.log(`| sentences of reference answers | sentences | kept with their own passages | dropped with another task's | dropped with another's of the same collection |
|---|---|---|---|---|`);
for (const [name, tasks] of [
  ['dev half', dev],
  ['check half', check],
  ...['clapnq', 'fiqa', 'govt', 'ibmcloud'].map(
    (collection) => [collection, answerable.filter((task) => task.collection === collection)] as const,
  ),
  ['partly answerable, beside them', all.filter(({ isPartial }) => isPartial)],
] as const)
  console.log(row(name, measure(tasks, all)));
const whole = measure(answerable, all);
console.log(row('all answerable', whole));
const silent = whole.lacks.get('empty') ?? 0;
console.log(
  `\n${silent} sentences state nothing ("Sure.", "Here are more details:"); without them ${percent(whole.kept, whole.sentences - silent)} are kept.`,
);
console.log(`\n| dropped of them because of | sentences |\n|---|---|`);
for (const [lack, count] of [...whole.lacks].sort((a, b) => b[1] - a[1])) console.log(`| ${lack} | ${count} |`);

console.log(`\n| least score | kept, dev | kept, check | dropped of another task's, dev | check | of the same collection, dev | check |
|---|---|---|---|---|---|---|`);
for (const threshold of thresholds) {
  const [a, b] = [measure(dev, all, threshold), measure(check, all, threshold)];
  console.log(
    `| ${threshold}${threshold === minScore ? ' (used)' : ''} | ${percent(a.kept, a.sentences)} | ${percent(b.kept, b.sentences)} | ${percent(a.droppedForeign, a.sentences)} | ${percent(b.droppedForeign, b.sentences)} | ${percent(a.droppedNeighbour, a.sentences)} | ${percent(b.droppedNeighbour, b.sentences)} |`,
  );
}

/** Every sentence points to a passage of another task, the first; its own passages, or others of that collection, are among the given. */
function misnumbered(tasks: readonly Task[]): string {
  let [sentences, unnumbered, kept, dropped] = [0, 0, 0, 0];
  for (const task of tasks) {
    const [foreign, neighbour] = [foreignTo(task, all, false), foreignTo(task, all, true)];
    const [wrong] = foreign?.passages ?? [];
    if (!wrong || !neighbour) continue;
    const [own, near] = [task, neighbour].map(({ passages }) => gateOf([wrong, ...passages])) as [Verify, Verify];
    sentences += task.sentences.length;
    const supported = task.sentences.filter((sentence) => keeps(gateOf(task.passages), sentence));
    unnumbered += supported.length;
    kept += supported.filter((sentence) => keeps(own, sentence, [0])).length;
    dropped += task.sentences.filter((sentence) => !keeps(near, sentence, [0])).length;
  }
  return `${sentences} | ${percent(unnumbered - kept, unnumbered)} | ${percent(dropped, sentences)}`;
}
console.log(`
| sentences with a wrong number | sentences | lost of those that are supported without one | dropped where another's of the same collection are |
|---|---|---|---|
| dev half | ${misnumbered(dev)} |
| check half | ${misnumbered(check)} |`);

const made = new Map<string, { lies: number; dropped: number }>();
for (const [position, task] of answerable.entries()) {
  const gate = gateOf(task.passages);
  const foreign = foreignTo(task, all, false)?.sentences ?? [];
  for (const [at, sentence] of task.sentences.entries()) {
    if (!keeps(gate, sentence)) continue;
    for (const { kind, text } of liesFrom(sentence, foreign[(at + position) % Math.max(1, foreign.length)] ?? '')) {
      const count = made.get(kind) ?? { lies: 0, dropped: 0 };
      count.lies++;
      if (!keeps(gate, text)) count.dropped++;
      else if (process.argv.includes('--passed')) console.log(`passed: ${kind}: ${text}`);
      made.set(kind, count);
    }
  }
}
console.log(`\n| a kept sentence with one thing changed | lies | dropped |\n|---|---|---|`);
for (const [kind, { lies, dropped }] of made) console.log(`| ${kind} | ${lies} | ${percent(dropped, lies)} |`);

/** Six passages as the agent gives them, the task's own first; the first round is warm-up. */
const pool = answerable.flatMap(({ passages }) => passages);
const sixOf = (task: Task, position: number) =>
  [...task.passages, ...Array.from({ length: 6 }, (_, at) => pool[(position * 37 + at * 101) % pool.length]!)].slice(0, 6);

/** @param isNumbered whether each sentence says which passage it is from, as a model is told to */
function timeOf(isNumbered: boolean): string {
  const spent: number[] = [];
  for (let round = 0; round < 2; round++) {
    spent.length = 0;
    for (const [position, task] of answerable.entries()) {
      const six = sixOf(task, position);
      const known = gateOf(six);
      const five = Array.from({ length: 5 }, (_, at) => task.sentences[at % Math.max(1, task.sentences.length)] ?? '');
      const numbers = five.map((text) => (isNumbered ? [known(text).places[0]?.passage ?? 0] : []));
      const started = performance.now();
      const gate = gateOf(six);
      for (const [at, text] of five.entries()) gate(text, numbers[at]);
      spent.push(performance.now() - started);
    }
  }
  spent.sort((a, b) => a - b);
  const at = (share: number) => (spent[Math.floor(spent.length * share)] ?? 0).toFixed(1);
  return `${at(0.5)} | ${at(0.95)}`;
}
console.log(`\n| ms for 5 sentences against 6 passages, read each time | p50 | p95 |\n|---|---|---|`);
for (const isNumbered of [true, false])
  console.log(
    `| ${isNumbered ? 'each with the number of its passage' : 'without numbers: each against all six'} | ${timeOf(isNumbered)} |`,
  );
