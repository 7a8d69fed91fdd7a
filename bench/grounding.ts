/**
 * What the gate lets through: sentences of reference answers against the passages that people wrote them from, against those of
 * another task, and with one thing changed; what it costs. Thresholds are chosen on one half of the tasks (dev); the other is only
 * looked at. Prints tables for bench/README.md. Run: npm run bench:grounding
 */
import { createJudge, type Lack, supportLimits } from '../src/knowledge/answer/support.ts';
import { liesFrom } from './grounding-lies.ts';
import { foreignTo, loadTasks, type Task } from './grounding-tasks.ts';

const shares = [0.2, 0.28, 0.36, 0.44, 0.52, 0.6, 0.7, 0.8];
const percent = (part: number, whole: number) => `${((part / Math.max(1, whole)) * 100).toFixed(1)} %`;
const judgesOf = ({ passages }: Task, minShare: number) =>
  passages.map(({ title, text }) => createJudge(text, title, 'en', { ...supportLimits, minShare }));

/** Nothing where a passage supports the sentence; else what the passage that came furthest lacks. */
const order: readonly Lack[] = ['measure', 'figure', 'name', 'contrary', 'clause', 'words', 'token', 'statement'];
function lackOf(sentence: string, judges: ReturnType<typeof judgesOf>): Lack | undefined {
  const lacks: Lack[] = [];
  for (const judge of judges) {
    const verdict = judge(sentence);
    if (!('lack' in verdict)) return undefined;
    lacks.push(verdict.lack);
  }
  return order.find((lack) => lacks.includes(lack));
}

interface Measured {
  sentences: number;
  kept: number;
  droppedForeign: number;
  droppedNeighbour: number;
  readonly lacks: Map<Lack, number>;
}

function measure(tasks: readonly Task[], all: readonly Task[], minShare: number): Measured {
  const measured: Measured = { sentences: 0, kept: 0, droppedForeign: 0, droppedNeighbour: 0, lacks: new Map() };
  for (const task of tasks) {
    const [foreign, neighbour] = [foreignTo(task, all, false), foreignTo(task, all, true)];
    if (!foreign || !neighbour) continue;
    const [own, others, near] = [judgesOf(task, minShare), judgesOf(foreign, minShare), judgesOf(neighbour, minShare)];
    for (const sentence of task.sentences) {
      measured.sentences++;
      const lack = lackOf(sentence, own);
      if (lack === undefined) measured.kept++;
      else measured.lacks.set(lack, (measured.lacks.get(lack) ?? 0) + 1);
      if (lackOf(sentence, others) !== undefined) measured.droppedForeign++;
      if (lackOf(sentence, near) !== undefined) measured.droppedNeighbour++;
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
  console.log(row(name, measure(tasks, all, supportLimits.minShare)));
const whole = measure(answerable, all, supportLimits.minShare);
console.log(row('all answerable', whole));
const silent = whole.lacks.get('statement') ?? 0;
console.log(
  `\n${silent} sentences state nothing ("Sure.", "Here are more details:"); without them ${percent(whole.kept, whole.sentences - silent)} are kept.`,
);
console.log(`\n| dropped of them because of | sentences |\n|---|---|`);
for (const [lack, count] of [...whole.lacks].sort((a, b) => b[1] - a[1])) console.log(`| ${lack} | ${count} |`);

console.log(`\n| least share of what a long sentence tells | kept, dev | kept, check | dropped of another task's, dev | check | of the same collection, dev | check |
|---|---|---|---|---|---|---|`);
for (const share of shares) {
  const [a, b] = [measure(dev, all, share), measure(check, all, share)];
  console.log(
    `| ${share}${share === supportLimits.minShare ? ' (used)' : ''} | ${percent(a.kept, a.sentences)} | ${percent(b.kept, b.sentences)} | ${percent(a.droppedForeign, a.sentences)} | ${percent(b.droppedForeign, b.sentences)} | ${percent(a.droppedNeighbour, a.sentences)} | ${percent(b.droppedNeighbour, b.sentences)} |`,
  );
}

const made = new Map<string, { lies: number; dropped: number }>();
for (const [position, task] of answerable.entries()) {
  const judges = judgesOf(task, supportLimits.minShare);
  const foreign = foreignTo(task, all, false)?.sentences ?? [];
  for (const [at, sentence] of task.sentences.entries()) {
    if (lackOf(sentence, judges) !== undefined) continue;
    for (const { kind, text } of liesFrom(sentence, foreign[(at + position) % Math.max(1, foreign.length)] ?? '')) {
      const count = made.get(kind) ?? { lies: 0, dropped: 0 };
      count.lies++;
      if (lackOf(text, judges) !== undefined) count.dropped++;
      else if (process.argv.includes('--passed')) console.log(`passed: ${kind}: ${text}`);
      made.set(kind, count);
    }
  }
}
console.log(`\n| a kept sentence with one thing changed | lies | dropped |\n|---|---|---|`);
for (const [kind, { lies, dropped }] of made) console.log(`| ${kind} | ${lies} | ${percent(dropped, lies)} |`);

/** Six passages as the agent gives them, the task's own first; the first round is warm-up. */
const pool = answerable.flatMap(({ passages }) => passages);
const spent: number[] = [];
let cpu = process.cpuUsage();
for (let round = 0; round < 2; round++) {
  spent.length = 0;
  cpu = process.cpuUsage();
  for (const [position, task] of answerable.entries()) {
    const passages = [...task.passages, ...Array.from({ length: 6 }, (_, at) => pool[(position * 37 + at * 101) % pool.length]!)].slice(
      0,
      6,
    );
    const five = Array.from({ length: 5 }, (_, at) => task.sentences[at % Math.max(1, task.sentences.length)] ?? '');
    const started = performance.now();
    const judges = passages.map(({ title, text }) => createJudge(text, title, 'en'));
    for (const sentence of five) for (const judge of judges) judge(sentence);
    spent.push(performance.now() - started);
  }
}
const { user } = process.cpuUsage(cpu);
spent.sort((a, b) => a - b);
const at = (share: number) => (spent[Math.floor(spent.length * share)] ?? 0).toFixed(1);
console.log(
  `\n| 5 sentences against 6 passages, the passages read each time | p50 | p95 | mean of the processor's time |\n|---|---|---|---|\n| ms | ${at(0.5)} | ${at(0.95)} | ${(user / 1000 / spent.length).toFixed(1)} |`,
);
