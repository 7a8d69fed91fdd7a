/**
 * What the gate lets through: sentences of reference answers against the passages that people wrote them from, against those of
 * another task, and with one thing changed; what it costs. Thresholds are chosen on one half of the tasks (dev); the other is only
 * looked at. Prints tables for bench/README.md. Run: npm run bench:grounding
 */

import { createJudge, createSupportFinder, type Rejection, supportLimits } from '../src/grounding/judge.ts';
import { toPlainPassage } from '../src/grounding/plain-passage.ts';
import { type CheckedPassage, createSentenceCheck, toCheckedPassage } from '../src/grounding/sentence-check.ts';
import { liesFrom } from './grounding-lies.ts';
import { foreignTo, loadTasks, type Task, toPassage } from './grounding-tasks.ts';

const shares = [0.2, 0.28, 0.36, 0.44, 0.52, 0.6, 0.7, 0.8];
const percent = (part: number, whole: number) => `${((part / Math.max(1, whole)) * 100).toFixed(1)} %`;

function checkedPassage(passage: Task['passages'][number], position: number, minShare: number): CheckedPassage {
  const plain = toPlainPassage(passage.text);
  const findSupport = createSupportFinder(plain.text, passage.title, 'en', { ...supportLimits, minShare });
  return { passage: toPassage(passage, position), plain, findSupport };
}

/** The gate of a task: what it shows of a sentence without numbers; nothing where it drops it. */
type Gate = (sentence: string) => string | undefined;

/** @param numbers that every sentence points to, right or wrong */
function gateOf(passages: Task['passages'], minShare: number, numbers: readonly number[] = []): Gate {
  const check = createSentenceCheck(passages.map((passage, position) => checkedPassage(passage, position, minShare)));
  return (text) =>
    check({ text, parts: [{ text, numbers }], kind: 'sentence', marker: undefined })
      ?.parts.map((part) => part.text)
      .join(' ');
}

/** What the passage that came furthest lacks. */
const order: readonly Rejection[] = ['measure', 'figure', 'name', 'contrary', 'part', 'words', 'token', 'statement'];
function lackOf(sentence: string, { passages }: Task): Rejection {
  const lacks = passages.flatMap(({ title, text }) => {
    const verdict = createJudge(text, title, 'en')(sentence);
    return 'rejection' in verdict ? [verdict.rejection] : [];
  });
  return order.find((lack) => lacks.includes(lack)) ?? 'token';
}

interface Measured {
  sentences: number;
  kept: number;
  droppedForeign: number;
  droppedNeighbour: number;
  readonly lacks: Map<Rejection, number>;
}

function measure(tasks: readonly Task[], all: readonly Task[], minShare: number): Measured {
  const measured: Measured = { sentences: 0, kept: 0, droppedForeign: 0, droppedNeighbour: 0, lacks: new Map() };
  for (const task of tasks) {
    const [foreign, neighbour] = [foreignTo(task, all, false), foreignTo(task, all, true)];
    if (!foreign || !neighbour) continue;
    const [own, others, near] = [task, foreign, neighbour].map(({ passages }) => gateOf(passages, minShare)) as [Gate, Gate, Gate];
    for (const sentence of task.sentences) {
      measured.sentences++;
      if (own(sentence) !== undefined) measured.kept++;
      else {
        const lack = lackOf(sentence, task);
        measured.lacks.set(lack, (measured.lacks.get(lack) ?? 0) + 1);
      }
      if (others(sentence) === undefined) measured.droppedForeign++;
      if (near(sentence) === undefined) measured.droppedNeighbour++;
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

/** Every sentence points to a passage of another task, the first; its own passages, or others of that collection, are among the given. */
function misnumbered(tasks: readonly Task[]): string {
  let [sentences, kept, dropped] = [0, 0, 0];
  for (const task of tasks) {
    const [foreign, neighbour] = [foreignTo(task, all, false), foreignTo(task, all, true)];
    const [wrong] = foreign?.passages ?? [];
    if (!wrong || !neighbour) continue;
    const [own, near] = [task, neighbour].map(({ passages }) => gateOf([wrong, ...passages], supportLimits.minShare, [1])) as [Gate, Gate];
    sentences += task.sentences.length;
    kept += task.sentences.filter((sentence) => own(sentence) !== undefined).length;
    dropped += task.sentences.filter((sentence) => near(sentence) === undefined).length;
  }
  return `${sentences} | ${percent(kept, sentences)} | ${percent(dropped, sentences)}`;
}
console.log(`
| sentences with a wrong number | sentences | kept where their own passages are given | dropped where another's of the same collection are |
|---|---|---|---|
| dev half | ${misnumbered(dev)} |
| check half | ${misnumbered(check)} |`);

const made = new Map<string, { lies: number; dropped: number }>();
for (const [position, task] of answerable.entries()) {
  const gate = gateOf(task.passages, supportLimits.minShare);
  const foreign = foreignTo(task, all, false)?.sentences ?? [];
  for (const [at, sentence] of task.sentences.entries()) {
    const honest = gate(sentence);
    if (honest === undefined) continue;
    for (const { kind, text } of liesFrom(sentence, foreign[(at + position) % Math.max(1, foreign.length)] ?? '')) {
      const count = made.get(kind) ?? { lies: 0, dropped: 0 };
      count.lies++;
      const shown = gate(text);
      // What is changed inside a link is not shown where the link leads to no source.
      if (shown === undefined || shown === honest) count.dropped++;
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
      const six = sixOf(task, position).map((passage, at) => toPassage(passage, at));
      const known = createSentenceCheck(six.map(toCheckedPassage));
      const five = Array.from({ length: 5 }, (_, at) => {
        const text = task.sentences[at % Math.max(1, task.sentences.length)] ?? '';
        const unnumbered = { text, parts: [{ text, numbers: [] }], kind: 'sentence' as const, marker: undefined };
        const number = (known(unnumbered)?.parts[0]?.position ?? 0) + 1;
        return isNumbered ? { ...unnumbered, parts: [{ text, numbers: [number] }] } : unnumbered;
      });
      const started = performance.now();
      const check = createSentenceCheck(six.map(toCheckedPassage));
      for (const sentence of five) check(sentence);
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
