/** `npm run gaps`: the questions that were not answered, read from `INDEX_DIR` alone; no document is loaded, and a server may be running. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createAnswerLog } from '../knowledge/answers/answer-log.ts';
import type { GapGroup } from '../knowledge/answers/gaps.ts';
import { createNamespaceParser } from '../knowledge/namespaces.ts';
import { type Command, exitCodes, parseCommandConfig, UsageError } from './command.ts';
import { cell, tableLines } from './table.ts';

const help = `The questions that were asked and not answered, near-duplicates together, most asked first.

  npm run gaps -- [options]

  -n, --namespace NAME  of this namespace only (default: all)
  -l, --limit N         how many, 1 to 500 (default: 50)
      --json            print them as JSON, with other wordings and times
  -h, --help

They are read from INDEX_DIR (environment or .env), where a server keeps them unless KEEP_ANSWERS is 0. The closest document is the one
that a search found nearest; where the answer is missing there, that is where it may belong.
Exit code: 0 done, 1 failed, 2 wrong arguments.
`;

const defaultLimit = 50;
const maxLimit = 500;
const maxQuestionChars = 70;
const maxDocumentChars = 50;

function limitOf(value: string | undefined): number {
  if (value === undefined) return defaultLimit;
  const limit = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > maxLimit) throw new UsageError(`--limit has to be a whole number from 1 to ${maxLimit}.`);
  return limit;
}

const toRow = ({ count, lastAskedAt, coverage, namespace, question, closest }: GapGroup) => [
  String(count),
  cell(lastAskedAt.slice(0, 10), 10),
  coverage.toFixed(2),
  cell(namespace, maxDocumentChars),
  cell(question, maxQuestionChars),
  cell(closest[0]?.file ?? '', maxDocumentChars),
];

function gapsTable(gaps: readonly GapGroup[], all: number): string {
  if (gaps.length === 0) return 'No question has gone unanswered.\n';
  const left = all - gaps.length;
  return [
    ...tableLines(['asked', 'last', 'coverage', 'namespace', 'question', 'closest document'], gaps.map(toRow)),
    ...(left > 0 ? [`… and ${left} more`] : []),
    '',
  ].join('\n');
}

export const gapsCommand: Command = async (args, environment) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      namespace: { type: 'string', short: 'n' },
      limit: { type: 'string', short: 'l' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return exitCodes.done;
  }
  const limit = limitOf(values.limit);
  const config = parseCommandConfig(environment);
  const namespace = values.namespace === undefined ? undefined : createNamespaceParser(config.allowedNamespaces)(values.namespace);
  const log = createAnswerLog({
    folder: join(resolve(config.indexDir), 'answers'),
    maxAnswers: config.keepAnswers,
    clock: () => new Date(),
    onWarning: (message) => process.stderr.write(`${message}\n`),
  });
  const all = await log.gaps((one) => namespace === undefined || one === namespace);
  const gaps = all.slice(0, limit);
  if (values.json) process.stdout.write(`${JSON.stringify({ gaps }, undefined, 2)}\n`);
  else if (config.keepAnswers === 0) process.stdout.write('Unanswered questions are not kept: KEEP_ANSWERS is 0.\n');
  else process.stdout.write(gapsTable(gaps, all.length));
  return exitCodes.done;
};
