/** `npm run eval -- questions.jsonl`: questions with what is expected of their answers, asked for real; figures, and what has changed. */
import { readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compose } from '../compose.ts';
import { compareRuns } from '../evaluation/compare.ts';
import { unknownFiles } from '../evaluation/expected-files.ts';
import { type FigureName, figuresOf, shareNames } from '../evaluation/figures.ts';
import { parseQuestions } from '../evaluation/questions.ts';
import { formatFigure, formatReport } from '../evaluation/report.ts';
import { type Outcome, runQuestions } from '../evaluation/run.ts';
import { toJson } from '../evaluation/run-json.ts';
import { createSavedRuns } from '../evaluation/saved-runs.ts';
import { createMentionGate } from '../knowledge/answer/mention.ts';
import { type Command, exitCodes, parseCommandConfig, UsageError } from './command.ts';
import { createProgress, printable } from './progress.ts';

const help = `Ask the documents the questions of a file, and measure the answers.

  npm run eval -- questions.jsonl [options]

  -n, --namespace NAME         of questions that name none (default: default)
      --limit N                only the first N questions; such a run is not kept
      --concurrency N          questions at a time (default: 1; with a model provider 4)
      --fail-under NAME=VALUE  exit code 1 where a figure over all questions is lower, or not measured; may be repeated
                               (${shareNames.join(', ')}; from 0 to 1)
      --no-save                do not keep this run; the next one is compared with an earlier one
      --json                   print the whole result as JSON: every question, its scores and its answer
  -h, --help

  npm run eval -- samples/questions.jsonl --fail-under right=0.8 --fail-under support=0.97

A line of the file is an object; only "question" is needed:
  {"question": "How long do refunds take?", "files": ["refunds.md"], "patterns": ["30 days", "/thirty|30/i"]}
  {"question": "Who won the world cup?", "unanswerable": true}
What the figures mean: docs/evaluation.md. The settings are those of the server (environment or .env). A run is compared with the last one
of the same file and kind of model, kept in INDEX_DIR/evaluations.
Exit code: 0 measured, 1 a question failed or a figure is too low, 2 wrong arguments or questions, 130 interrupted.
`;

const providerConcurrency = 4;
const maxConcurrency = 32;
const maxFileBytes = 20 * 1024 * 1024;
/** One page of a namespace's documents, to see whether an expected file is among them. */
const maxDocuments = 1_000_000;

const options = {
  namespace: { type: 'string', short: 'n', default: 'default' },
  limit: { type: 'string' },
  concurrency: { type: 'string' },
  'fail-under': { type: 'string', multiple: true, default: [] as string[] },
  'no-save': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function count(name: string, value: string | undefined, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,7}$/.test(value) || Number(value) < 1 || Number(value) > max)
    throw new UsageError(`--${name} has to be a whole number from 1 to ${max}.`);
  return Number(value);
}

function floorOf(text: string): { readonly name: FigureName; readonly value: number } {
  const [, name, value] = /^([^=]+)=(0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/.exec(text) ?? [];
  const known = shareNames.find((figure) => figure === name);
  if (known === undefined || value === undefined)
    throw new UsageError(`--fail-under has to be NAME=VALUE: one of ${shareNames.join(', ')}, and a number from 0 to 1.`);
  return { name: known, value: Number(value) };
}

async function readQuestions(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`The file "${printable(path)}" cannot be read.`, { cause: error });
  });
  if (bytes.length > maxFileBytes) throw new UsageError(`A file of questions has at most ${maxFileBytes} bytes.`);
  return bytes.toString('utf8');
}

export const evalCommand: Command = async (args, environment) => {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (values.help) {
    process.stdout.write(help);
    return exitCodes.done;
  }
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new UsageError('One file of questions is needed.');
  const limit = count('limit', values.limit, Number.MAX_SAFE_INTEGER);
  const givenConcurrency = count('concurrency', values.concurrency, maxConcurrency);
  const floors = values['fail-under'].map(floorOf);
  const text = await readQuestions(path);

  const config = parseCommandConfig(environment);
  const { api, openToAsk } = compose(config);
  const parsed = parseQuestions(text, { namespace: values.namespace, parseNamespace: api.parseNamespace });
  if (parsed.problems.length > 0) throw new UsageError(printableLines([`Nothing was asked: ${path}`, ...parsed.problems]));
  const questions = parsed.questions.slice(0, limit);
  await openToAsk();
  const namespaces = [...new Set(questions.map(({ namespace }) => namespace))];
  const documents = new Map(
    await Promise.all(
      namespaces.map(async (name) => {
        const { entries } = await api.documents.list(name, 0, maxDocuments);
        return [name, entries.map(({ document }) => document)] as const;
      }),
    ),
  );
  for (const { namespace, entry, lines } of unknownFiles(questions, documents))
    process.stderr.write(`warning: no document of "${namespace}" is "${printable(entry)}" (line ${lines.join(', ')})\n`);

  const interrupted = new AbortController();
  const onInterrupt = () => interrupted.abort(new Error('interrupted'));
  process.once('SIGINT', onInterrupt).once('SIGTERM', onInterrupt);
  const progress = createProgress('Asking');
  progress.total(questions.length);
  const gate = createMentionGate(config.agentMentions);
  const outcomes: readonly Outcome[] = await runQuestions({
    questions,
    ask: api.ask,
    // Whoever runs this is speaking to the agent.
    toMessage: (question) => (gate.question(question) === undefined ? `${config.agentMentions[0]} ${question}` : question),
    concurrency: givenConcurrency ?? (config.llm ? providerConcurrency : 1),
    signal: interrupted.signal,
    now: () => performance.now(),
    onOutcome: ({ score }) => progress.row({ status: score.verdict, source: score.question, error: score.error }),
  });
  const isInterrupted = interrupted.signal.aborted;
  progress.end(isInterrupted ? 'Interrupted' : 'Done');

  const run = { at: new Date().toISOString(), model: api.modelName, scores: outcomes.map(({ score }) => score) };
  const kind = config.llm ? 'provider' : 'extractive';
  const saved = createSavedRuns({ folder: join(resolve(config.indexDir), 'evaluations'), questionsFile: await realpath(path), kind });
  const earlier = await saved.last();
  const comparison = earlier && compareRuns(run, earlier);
  const report = { questionsFile: path, run, wanted: questions.length, comparison, isHybrid: config.embedding !== undefined };
  process.stdout.write(values.json ? `${JSON.stringify(toJson(report, outcomes), undefined, 2)}\n` : formatReport(report));
  if (isInterrupted) return exitCodes.interrupted;
  if (!values['no-save'] && limit === undefined) await saved.add(run);

  const figures = figuresOf(run.scores);
  const low = floors.filter(({ name, value }) => (figures[name]?.value ?? -1) < value);
  for (const { name, value } of low) {
    const measured = figures[name];
    process.stderr.write(
      `${name} is ${measured ? formatFigure(name, measured.value) : 'not measured'}, wanted are ${formatFigure(name, value)}\n`,
    );
  }
  return low.length > 0 || run.scores.some(({ verdict }) => verdict === 'failed') ? exitCodes.failed : exitCodes.done;
};

const printableLines = (lines: readonly string[]) => lines.map(printable).join('\n');
