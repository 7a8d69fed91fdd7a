/**
 * Measures the grounding check on labelled sets: share of supported sentences kept and of
 * unsupported ones dropped. RAGTruth and the changed facts made from it are only reported, never
 * fitted to. Run: node bench/grounding-labelled.ts [part of a set's name]
 */
import { join } from 'node:path';
import { toPlainPassage } from '../packages/grounding/src/plain-passage.ts';
import { createVerifier } from '../packages/grounding/src/rules.ts';
import { foreignTo, loadTasks } from './grounding-tasks.ts';
import { readLines } from './retrieval/collections.ts';
import { root } from './server.ts';

interface Response {
  readonly source: string;
  readonly model: string;
  readonly passages: readonly string[];
  readonly sentences: readonly {
    readonly text: string;
    readonly bare?: string;
    readonly label: 'supported' | 'unsupported';
    readonly claims?: boolean;
    readonly passages?: readonly number[];
    readonly type?: string;
    readonly of?: number;
  }[];
}

type Gate = (sentence: string) => boolean;

function gateOver(passages: readonly { readonly text: string; readonly title: string }[]): Gate {
  const verify = createVerifier(
    passages.map(({ text, title }) => ({
      text: toPlainPassage(text).text,
      context: title,
      language: 'en',
    })),
  );
  return (text) => verify(text).reason === undefined;
}

class Count {
  kept = 0;
  all = 0;
  add(isKept: boolean) {
    this.all++;
    if (isKept) this.kept++;
  }
  share = (isDropped = false) =>
    `${(((isDropped ? this.all - this.kept : this.kept) / Math.max(1, this.all)) * 100).toFixed(1)} of ${this.all}`;
}

const folder = process.env['KNOWLEDGE_BENCH_DATA'] ?? join(root, '../shared/data');
const only = process.argv[2] ?? '';

for (const set of ['ragtruth-qa', 'expertqa', 'changed-facts'].filter((name) =>
  name.includes(only),
)) {
  const [supported, unsupported] = [new Count(), new Count()];
  const byType = new Map<string, Count>();
  for (const { passages, sentences } of readLines<Response>(
    join(folder, `grounding/${set}.jsonl.gz`),
  )) {
    const all = passages.map((text) => ({ text, title: '' }));
    const whole = gateOver(all);
    const verdicts = sentences.map(({ text, bare, passages: own }) => {
      const said = bare ?? text;
      return said === ''
        ? undefined
        : own
          ? gateOver(own.flatMap((position) => all[position] ?? []))(said)
          : whole(said);
    });
    for (const [order, { label, claims, type = '', of }] of sentences.entries()) {
      const isKept = verdicts[order];
      if (isKept === undefined || claims === false) continue;
      if (label === 'supported') supported.add(isKept);
      else if (of === undefined || verdicts[of]) {
        unsupported.add(isKept);
        byType.set(type, byType.get(type) ?? new Count());
        byType.get(type)?.add(isKept);
      }
    }
  }
  console.log(
    `${set}: dropped ${unsupported.share(true)}, kept ${supported.share()}; ${[...byType].map(([type, count]) => `${type} ${count.share(true)}`).join(', ')}`,
  );
}

if ('mtrag-un'.includes(only)) {
  const tasks = loadTasks();
  const [own, foreign, near] = [new Count(), new Count(), new Count()];
  for (const task of tasks.filter(({ isPartial }) => !isPartial)) {
    const [other, neighbour] = [foreignTo(task, tasks, false), foreignTo(task, tasks, true)];
    if (!other || !neighbour) continue;
    const gates = [task, other, neighbour].map(({ passages }) => gateOver(passages));
    for (const sentence of task.sentences)
      for (const [order, count] of [own, foreign, near].entries())
        count.add(gates[order]?.(sentence) ?? false);
  }
  console.log(
    `mtrag-un: kept ${own.share()}, dropped of another task's ${foreign.share(true)}, of the same collection's ${near.share(true)}`,
  );
}
