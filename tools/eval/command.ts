/** `npm run eval -- questions.jsonl`: asks questions with expected answers and prints figures. */
import { readFile } from 'node:fs/promises';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import {
  contextOf,
  createCommand,
  exitCodes,
  interruption,
  namespaceOption,
  onlyOne,
  parseCommandConfig,
  printResult,
  textOption,
  UsageError,
  wholeNumber,
} from '../../src/cli/command.ts';
import { createProgress, warn } from '../../src/cli/terminal.ts';
import type { KnowledgeApi } from '../../src/http/knowledge-api.ts';
import { requireFolders } from '../../src/process.ts';
import { parseQuestions, type Question, unknownFiles } from './questions.ts';
import { formatFigure, formatReport, toJson } from './report.ts';
import { type QuestionOutcome, runQuestions } from './runs.ts';
import { evaluationFiguresOf, type FigureName, shareNames } from './score.ts';

const help = `Asks the questions of a file and measures the answers.

  knowledge-agent eval questions.jsonl [options]

  -n, --namespace NAME         namespace of questions without one (default: default)
      --limit N                only the first N questions
      --concurrency N          concurrent questions (default: 1; with a model provider 4)
      --fail-under NAME=VALUE  exit with 1 if a figure over all questions is lower or not measured; repeatable
                               (${shareNames.join(', ')}; from 0 to 1)
      --json                   print JSON: every question, its scores and its answer

  knowledge-agent eval samples/questions.jsonl --fail-under right=0.8 --fail-under support=0.97

Each line of the file is a JSON object; only "question" is required:
  {"question": "How long do refunds take?", "files": ["refunds.md"], "patterns": ["30 days", "/thirty|30/i"]}
  {"question": "Who won the world cup?", "unanswerable": true}
docs/answers.md explains the figures. The command uses the server's settings (environment or .env).
`;

const providerConcurrency = 4;
const maxConcurrency = 32;
const maxFileBytes = 20 * 1024 * 1024;
/** Page size that lists all documents of a namespace, to find expected files. */
const maxDocuments = 1_000_000;

const options = {
  ...namespaceOption,
  limit: textOption,
  concurrency: textOption,
  'fail-under': { type: 'string', multiple: true, default: [] as string[] },
} as const;

/** Minimum value of a figure. */
type Floor = { readonly name: FigureName; readonly value: number };

function floorOf(text: string): Floor {
  const [, name, value] = /^([^=]+)=(0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/.exec(text) ?? [];
  const known = shareNames.find((figure) => figure === name);
  if (known === undefined || value === undefined)
    throw new UsageError(
      `--fail-under must be NAME=VALUE, with a name of ${shareNames.join(', ')} and a number from 0 to 1.`,
    );
  return { name: known, value: Number(value) };
}

async function readQuestions(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`The file "${shownLine(path)}" cannot be read.`, { cause: error });
  });
  if (bytes.length > maxFileBytes)
    throw new UsageError(
      `The questions file has ${bytes.length} bytes. The limit is ${maxFileBytes}.`,
    );
  return bytes.toString('utf8');
}

/** Warns about expected files without a document: most are typos. */
async function warnOfUnknownFiles(
  questions: readonly Question[],
  api: KnowledgeApi,
): Promise<void> {
  const placesOf = async (name: string) =>
    (await api.documents.list(name, 0, maxDocuments)).entries.map(({ document }) => document);
  const names = [...new Set(questions.map(({ namespace }) => namespace))];
  const documents = new Map(
    await Promise.all(names.map(async (name) => [name, await placesOf(name)] as const)),
  );
  for (const { namespace, entry, lines } of unknownFiles(questions, documents))
    warn(
      `warning: no document of "${namespace}" is "${shownLine(entry)}" (line ${lines.join(', ')})`,
    );
}

function askAll(
  questions: readonly Question[],
  api: KnowledgeApi,
  concurrency: number,
  signal: AbortSignal,
) {
  const progress = createProgress('Asking');
  progress.total(questions.length);
  return runQuestions({
    questions,
    ask({ question, namespace }) {
      // Questions of a file need no mention.
      return api.ask({
        messages: [{ role: 'user', content: question }],
        namespace,
        signal,
        addressed: true,
      });
    },
    concurrency,
    signal,
    onOutcome: ({ score }) =>
      progress.row({ status: score.verdict, source: score.question, error: score.error }),
  }).finally(() => progress.end(signal.aborted ? 'Interrupted' : 'Done'));
}

/** @returns whether every figure reaches its floor */
function reachesAll(
  floors: readonly Floor[],
  scores: readonly QuestionOutcome['score'][],
): boolean {
  const figures = evaluationFiguresOf(scores);
  const low = floors.filter(({ name, value }) => (figures[name]?.value ?? -1) < value);
  for (const { name, value } of low) {
    const measured = figures[name];
    warn(
      `${name} is ${measured ? formatFigure(name, measured.value) : 'not measured'}, required: ${formatFigure(name, value)}`,
    );
  }
  return low.length === 0;
}

export const evalCommand = createCommand(
  {
    help,
    exit: '0 measured, 1 a question failed or a figure is too low, 130 interrupted, 2 wrong questions',
    options,
    allowPositionals: true,
  },
  async ({ values, positionals }, environment) => {
    const path = onlyOne(positionals, 'questions file');
    const limit = wholeNumber('limit', values.limit, 1);
    const givenConcurrency = wholeNumber('concurrency', values.concurrency, 1, maxConcurrency);
    const floors = values['fail-under'].map(floorOf);
    const content = await readQuestions(path);

    const config = parseCommandConfig(environment);
    const { api, openToAsk } = await contextOf(config);
    const parsed = parseQuestions(content, {
      namespace: values.namespace,
      parseNamespace: api.parseNamespace,
    });
    if (parsed.problems.length > 0)
      throw new UsageError(
        [`No question was asked. Correct ${path}:`, ...parsed.problems].map(shownLine).join('\n'),
      );
    const questions = parsed.questions.slice(0, limit);
    await requireFolders(config, false);
    await openToAsk();
    await warnOfUnknownFiles(questions, api);
    const signal = interruption();
    const outcomes = await askAll(
      questions,
      api,
      givenConcurrency ?? (config.llm ? providerConcurrency : 1),
      signal,
    );

    const run = {
      at: new Date().toISOString(),
      model: api.modelName,
      scores: outcomes.map(({ score }) => score),
    };
    const report = {
      questionsFile: path,
      run,
      wanted: questions.length,
      isHybrid: config.embedding !== undefined,
    };
    printResult(values, toJson(report, outcomes), formatReport(report));
    if (signal.aborted) return exitCodes.interrupted;
    const isGood =
      reachesAll(floors, run.scores) && run.scores.every(({ verdict }) => verdict !== 'failed');
    return isGood ? exitCodes.done : exitCodes.failed;
  },
);
