/**
 * Measures the grounding check on labelled sets: share of supported sentences kept and of
 * unsupported ones dropped, and of whole replies (FaithJudge), also without each rule. RAGTruth and
 * the changed facts made from it are only reported, never fitted to. Run: node
 * bench/grounding-labelled.ts [part of a set's name]
 */
import { join } from 'node:path';
import { toPlainPassage } from '../packages/grounding/src/plain-passage.ts';
import { ReplyReader } from '../packages/grounding/src/reply-reader.ts';
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

/** Changed facts in the words of their passage: only a model can judge them. */
const ofMeaning = /^(?:negation|opposite|name)/;

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
      if (isKept === undefined || claims === false || ofMeaning.test(type)) continue;
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

interface JudgedReply {
  readonly id: string;
  readonly reply: string;
  /** Verdict of FaithJudge's model on the whole reply. */
  readonly consistent: boolean;
}

/** As models write under the service's prompt, which asks for no such opening. */
const asAnswered = (sentence: string): string =>
  sentence
    .replace(/^(?:based on|according to)[^,]{0,80},\s*/i, '')
    .replace(/\s*\((?:passages?|source)[^)]*\)/gi, '')
    .replace(/^./, (letter) => letter.toUpperCase());

/** Claims of a reply, without sentences about passages and labels of lists. */
function claimsOf(reply: string): string[] {
  const reader = new ReplyReader();
  return [...reader.push(reply), ...reader.end()]
    .map(({ text }) => asAnswered(text))
    .filter((text) => text !== '' && !/\bpassages?\b/i.test(text) && !text.trim().endsWith(':'));
}

function judgeReplies(): string {
  const passagesOf = new Map(
    readLines<{ id: string; passages: readonly string[] }>(
      join(folder, 'faithjudge/questions.jsonl.gz'),
    ).map(({ id, passages }) => [id, passages] as const),
  );
  const [whole, kept, passed] = [new Count(), new Count(), new Count()];
  for (const { id, reply, consistent } of readLines<JudgedReply>(
    join(folder, 'faithjudge/replies.jsonl.gz'),
  )) {
    const verify = createVerifier(
      (passagesOf.get(id) ?? []).map((text) => ({
        text: toPlainPassage(text).text,
        context: '',
        language: 'en',
      })),
    );
    const isKept = claimsOf(reply).map((text) => {
      const { reason } = verify(text);
      return reason === undefined || reason === 'empty';
    });
    (consistent ? whole : passed).add(isKept.every(Boolean));
    if (consistent) for (const one of isKept) kept.add(one);
  }
  const balanced = (whole.kept / whole.all + 1 - passed.kept / passed.all) * 50;
  return `${whole.share()} | ${kept.share()} | ${passed.share(true)} | ${balanced.toFixed(1)}`;
}

if ('faithjudge'.includes(only)) {
  console.log('| faithjudge | whole | kept | caught | balanced |\n|---|---|---|---|---|');
  console.log(`| all rules | ${judgeReplies()} |`);
}
