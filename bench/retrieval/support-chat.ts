/**
 * The question sets through the whole service, put together as it is shipped and without a key: does the search find the file, do its
 * passages hold the answer, does the agent give it with a citation of that file, and does it refuse what the documents do not say. Prints
 * a table; with `-v` each question and what came back. Run: npm run bench:chat [-- -v]
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compose, type Parts } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import { filesOf, offTopicQuestions, questionsOf, type SetName, type SupportQuestion, setNames, splits } from './question-sets.ts';

const { values: settings } = parseArgs({ options: { verbose: { type: 'boolean', short: 'v', default: false } } });
const among = 5;
/** What is wanted is told of so many questions that the documents answer, and of so many that they do not (bench/README.md). */
const ofAnswerable = 72;
const ofRefusable = 10;

interface Outcome extends Pick<SupportQuestion, 'kind' | 'split'> {
  readonly set: SetName;
  /** From 0; below 0 where none of the files is among the passages. */
  readonly rank: number;
  /** The first passage is of a right file and holds the answer. */
  readonly isInFirst: boolean;
  /** A passage of a right file holds the answer. */
  readonly isInPassages: boolean;
  readonly isAnswered: boolean;
  /** The answer holds it and cites a right file. */
  readonly isRight: boolean;
}

async function askOne({ api }: Parts, set: SetName, { question, files, answer, kind, split, id }: SupportQuestion): Promise<Outcome> {
  const { results, coverage } = await api.searchDocs({ query: question, namespace: set, maxResults: among });
  const reply = await api.ask({ messages: [{ role: 'user', content: `@agent ${question}` }], namespace: set });
  const [said = ''] = reply.text.split('\n\nSources:');
  const holdsAnswer = (text: string) => answer.some((pattern) => new RegExp(pattern, 'i').test(text));
  const holdsIt = ({ file, text }: (typeof results)[number]) => files.includes(file) && holdsAnswer(text);
  const outcome: Outcome = {
    set,
    kind,
    split,
    rank: results.findIndex(({ file }) => files.includes(file)),
    isInFirst: results.slice(0, 1).some(holdsIt),
    isInPassages: results.some(holdsIt),
    isAnswered: reply.answered,
    isRight: reply.answered && holdsAnswer(said) && reply.citations.some(({ file }) => files.includes(file)),
  };
  if (settings.verbose) {
    const { rank, isInPassages, isAnswered, isRight } = outcome;
    const verdict = isRight ? 'right' : isAnswered ? 'answered' : 'refused';
    const wanted = kind === 'answerable' ? `${files.join(', ')}: ${answer.join(' | ')}` : 'a refusal';
    console.log(`${id} in ${set} (${kind}, ${split}): ${verdict}; coverage ${coverage.toFixed(2)}, rank ${rank < 0 ? 'none' : rank + 1}, in passages ${isInPassages}
  asked   ${question}
  wanted  ${wanted}
  found   ${results.map(({ file }) => file).join(', ')}
  said    ${said.replace(/\s+/g, ' ')}\n`);
  }
  return outcome;
}

async function askAll(parts: Parts): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const set of setNames)
    for (const each of [...questionsOf(set), ...offTopicQuestions()]) outcomes.push(await askOne(parts, set, each));
  return outcomes;
}

/** The counts of some outcomes, as `tell` writes a part and its whole. */
function counts(outcomes: readonly Outcome[], tell: (part: number, whole: number, isRefusable: boolean) => string): string[] {
  const count = (kind: Outcome['kind'], holds: (outcome: Outcome) => boolean) => {
    const ofKind = outcomes.filter((outcome) => outcome.kind === kind);
    return tell(ofKind.filter(holds).length, ofKind.length, kind !== 'answerable');
  };
  return [
    count('answerable', ({ rank }) => rank === 0),
    count('answerable', ({ rank }) => rank >= 0),
    count('answerable', ({ isInFirst }) => isInFirst),
    count('answerable', ({ isInPassages }) => isInPassages),
    count('answerable', ({ isAnswered }) => isAnswered),
    count('answerable', ({ isRight }) => isRight),
    count('unanswerable', ({ isAnswered }) => !isAnswered),
    count('off-topic', ({ isAnswered }) => !isAnswered),
  ];
}

const plain = (part: number, whole: number) => `${part}/${whole}`;
const scaled = (part: number, whole: number, isRefusable: boolean) =>
  ((part / whole) * (isRefusable ? ofRefusable : ofAnswerable)).toFixed(1);

function print(outcomes: readonly Outcome[]): void {
  console.log(
    `| questions | right file first | among ${among} | answer in the first passage | in ${among} passages | answered | answer right and cited | unanswerable refused | off-topic refused |
|---|---|---|---|---|---|---|---|---|`,
  );
  for (const set of setNames)
    for (const split of splits) {
      const part = outcomes.filter((outcome) => outcome.set === set && outcome.split === split);
      console.log(`| ${set}, ${split} | ${counts(part, plain).join(' | ')} |`);
    }
  const ofSplits = splits.map((split) => [split, outcomes.filter((outcome) => outcome.split === split)] as const);
  for (const [name, part] of [...ofSplits, ['all', outcomes] as const])
    console.log(`| ${name}, per ${ofAnswerable}; refused per ${ofRefusable} | ${counts(part, scaled).join(' | ')} |`);
}

const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const knowledgeDir = join(folder, 'knowledge');
for (const set of setNames) for (const { file, path } of filesOf(set)) cpSync(path, join(knowledgeDir, set, file));
const parts = compose(parseConfig({ KNOWLEDGE_DIR: knowledgeDir, INDEX_DIR: join(folder, 'index'), LOG_LEVEL: 'silent' }));
try {
  await parts.open();
  print(await askAll(parts));
} finally {
  await parts.close();
  rmSync(folder, { recursive: true, force: true });
}
