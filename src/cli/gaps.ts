/**
 * `npm run gaps`: lists unanswered questions from the store. Loads no documents; a server may be
 * running.
 */
import { AnswerLog } from '../answers/answer-log.ts';
import type { GapGroup } from '../answers/gaps.ts';
import { createNamespaceParser } from '../documents/namespace-name.ts';
import { requireFolders } from '../process.ts';
import { createAnswerRows } from '../state/answers.ts';
import { createCommand, exitCodes, parseCommandConfig, wholeNumber } from './command.ts';
import { withStore } from './database.ts';
import { cell, print, printJson, tableLines, warn } from './terminal.ts';

const help = `List unanswered questions, most asked first. Questions with the same content words are one entry.

  knowledge-agent gaps [options]

  -n, --namespace NAME  only this namespace (default: all)
  -l, --limit N         questions to show, 1 to 500 (default: 50)
      --json            print JSON, with other wordings and times
  -h, --help

Reads STATE_DIR or DATABASE_URL (environment or .env). With answers=0 in LIMITS the server stores no questions. The closest document is the
best search result, and often the place for the missing answer. A question is listed too while a caller rates its answer as not helpful.
Exit code: 0 done, 1 failed, 2 wrong arguments.
`;

const defaultLimit = 50;
const maxLimit = 500;
const maxQuestionChars = 70;
const maxDocumentChars = 50;

const toRow = ({
  count,
  lastAskedAt,
  coverage,
  namespace,
  question,
  closest,
  answer,
}: GapGroup) => [
  String(count),
  cell(lastAskedAt.slice(0, 10), 10),
  coverage.toFixed(2),
  cell(namespace, maxDocumentChars),
  cell(question, maxQuestionChars),
  cell(closest[0]?.file ?? '', maxDocumentChars),
  cell(answer ?? '', maxDocumentChars),
];

function gapsTable(gaps: readonly GapGroup[], all: number): string {
  if (gaps.length === 0) return 'There are no unanswered questions.\n';
  const left = all - gaps.length;
  return [
    ...tableLines(
      [
        'asked',
        'last',
        'coverage',
        'namespace',
        'question',
        'closest document',
        'answer rated not helpful',
      ],
      gaps.map(toRow),
    ),
    ...(left > 0 ? [`… and ${left} more`] : []),
    '',
  ].join('\n');
}

const options = {
  namespace: { type: 'string', short: 'n' },
  limit: { type: 'string', short: 'l' },
} as const;

export const gapsCommand = createCommand(
  { help, options, allowPositionals: false },
  async ({ values }, environment) => {
    const limit = wholeNumber('limit', values.limit, 1, maxLimit) ?? defaultLimit;
    const config = parseCommandConfig(environment);
    const namespace =
      values.namespace === undefined
        ? undefined
        : createNamespaceParser(config.allowedNamespaces)(values.namespace);
    await requireFolders({ stateDir: config.stateDir }, false);
    const all = await withStore(config, (store) => {
      const log = new AnswerLog({
        rows: createAnswerRows(store),
        maxAnswers: config.keepAnswers,
        clock: () => new Date(),
        onWarning: warn,
      });
      return log.gaps((one) => namespace === undefined || one === namespace);
    });
    const gaps = all.slice(0, limit);
    if (values.json) printJson({ gaps });
    else if (config.keepAnswers === 0)
      print('Unanswered questions are not stored, because LIMITS has answers=0.\n');
    else print(gapsTable(gaps, all.length));
    return exitCodes.done;
  },
);
