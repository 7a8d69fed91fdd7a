/** `npm run calls -- import | list | stats`: the embedded call log from a shell. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { importCalls } from '../calls/import/import-calls.ts';
import { createCallLog } from '../calls/log/call-log.ts';
import { summaryKeys } from '../calls/summarize.ts';
import { filterHelp, filterOptions, toFilter } from './calls-filter.ts';
import { callsTable, summaryTables } from './calls-tables.ts';
import { type Command, exitCodes, parseCommandConfig, UsageError } from './command.ts';
import { printable } from './progress.ts';

const settingsHelp = `The calls are those of CALLS_FILE (environment or .env), and what webhooks told; without it a sample of 500 calls.`;

const help = {
  calls: `Calls of the embedded call log.

  npm run calls -- import <file.json|jsonl|csv|tsv>   take calls in
  npm run calls -- list                               which calls there are
  npm run calls -- stats                              counts and minutes

Each has its own --help. ${settingsHelp}
Exit code: 0 done, 1 something failed, 2 wrong arguments.
`,
  import: `Take calls in: JSON Lines, a JSON array, pages as the platform answers them, CSV or TSV with a row of titles.

  npm run calls -- import <file> [options]

      --into FILE           the calls file to write (default: CALLS_FILE, where it is set)
      --json                print the report as JSON
  -h, --help

A record whose session is there already takes its place. A record that is wrong is told and left out; the others are taken.
Exit code: 0 all taken, 1 some were not, 2 wrong arguments.
`,
  list: `Which calls there are, newest first.

  npm run calls -- list [options]

${filterHelp}
      --page N              (default: 1)
      --per-page N          1 to 100 (default: 30)
      --json                the page as GET /v3/calls answers it
  -h, --help

  npm run calls -- list --status ended --since 7d

${settingsHelp}
`,
  stats: `Counts and minutes of calls.

  npm run calls -- stats [options]

      --by KEY              day, type, status, user; several by commas (default: all)
      --time-zone ZONE      whose days are meant, such as Europe/Berlin (default: UTC)
${filterHelp}
      --json                print the summary as JSON
  -h, --help

For a user, minutes are their own; a call counts for each of its users.
${settingsHelp}
`,
};

const shared = { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } } as const;

function count(option: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} has to be a whole number.`);
  return text === undefined ? undefined : Number(text);
}

/** The log of the settings, for as long as `use` takes. */
async function withLog<T>(environment: NodeJS.ProcessEnv, use: (log: ReturnType<typeof createCallLog>) => Promise<T>): Promise<T> {
  const { calls, indexDir } = parseCommandConfig(environment);
  const onWarning = (message: string) => void process.stderr.write(`${message}\n`);
  const log = createCallLog({ file: resolve(calls.file), journal: join(resolve(indexDir), 'calls-events.jsonl'), onWarning });
  await log.open();
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}

/** Of a terminal; a file or a pipe gets whole lines. */
const width = () => (process.stdout.isTTY ? process.stdout.columns : undefined);
const print = (text: string) => void process.stdout.write(text);
/** @returns the exit code */
const show = (text: string): number => {
  print(text);
  return exitCodes.done;
};
const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

const runImport: Command = async (args, environment) => {
  const options = { into: { type: 'string' }, ...shared } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (values.help) return show(help.import);
  const [from, ...others] = positionals;
  if (from === undefined || others.length > 0) throw new UsageError('One file is needed.');
  if (!existsSync(from)) throw new UsageError(`There is no file "${from}".`);
  const config = parseCommandConfig(environment);
  if (values.into === undefined && !environment['CALLS_FILE']?.trim())
    throw new UsageError('Say where to with --into FILE, or set CALLS_FILE: the sample stays as it is.');
  const onProgress = (step: 'read' | 'written', rows: number) => {
    if (process.stderr.isTTY || rows % 100_000 === 0) process.stderr.write(`${rows} ${step}${process.stderr.isTTY ? '\r' : '\n'}`);
  };
  const report = await importCalls({ from, into: resolve(values.into ?? config.calls.file), onProgress });
  for (const { where, problem } of report.problems) process.stderr.write(`${where}: ${printable(problem)}\n`);
  if (report.failed > report.problems.length) process.stderr.write(`… and ${report.failed - report.problems.length} more\n`);
  const { added, updated, unchanged, failed } = report;
  print(values.json ? json(report) : `${added} added, ${updated} updated, ${unchanged} unchanged, ${failed} failed\n`);
  return failed > 0 ? exitCodes.failed : exitCodes.done;
};

const runList: Command = async (args, environment) => {
  const options = { ...filterOptions, page: { type: 'string' }, 'per-page': { type: 'string' }, ...shared } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return show(help.list);
  const [page, perPage] = [count('page', values.page), count('per-page', values['per-page'])];
  const filter = {
    ...toFilter(values, new Date()),
    ...(page === undefined ? {} : { page }),
    ...(perPage === undefined ? {} : { perPage }),
  };
  return withLog(environment, async (log) => {
    const found = await log.list(filter);
    print(values.json ? json(found) : callsTable(found, width()));
    const [newest] = found.meta.pagination.total === 0 ? (await log.list({ perPage: 1 })).data : [];
    if (newest && !values.json) print(`The newest call of all is of ${new Date(newest.initiatedAt * 1000).toISOString().slice(0, 10)}.\n`);
    return exitCodes.done;
  });
};

const runStats: Command = async (args, environment) => {
  const options = { ...filterOptions, by: { type: 'string', multiple: true }, 'time-zone': { type: 'string' }, ...shared } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return show(help.stats);
  const by = (values.by ?? [summaryKeys.join(',')])
    .flatMap((list) => list.split(','))
    .map((given) => {
      const key = summaryKeys.find((one) => one === given.trim());
      if (key === undefined) throw new UsageError(`--by has to be one of ${summaryKeys.join(', ')}; "${given}" is none.`);
      return key;
    });
  return withLog(environment, async (log) => {
    const summary = await log.summarize(toFilter(values, new Date()), { by, timeZone: values['time-zone'] });
    return show(values.json ? json(summary) : summaryTables(summary, width()));
  });
};

const commands = new Map<string, Command>([
  ['import', runImport],
  ['list', runList],
  ['stats', runStats],
]);

export const callsCommand: Command = async ([name = '', ...rest], environment) => {
  if (name === '--help' || name === '-h') return show(help.calls);
  const command = commands.get(name);
  if (!command) throw new UsageError(`There is no "calls ${name}"; there are: ${[...commands.keys()].join(', ')}.`);
  return command(rest, environment);
};
