/** The commands by name, and how they fail: settings and arguments are checked before anything is done. */
import { CallsError } from '../calls/errors.ts';
import { ConfigError } from '../config.ts';
import { KnowledgeError } from '../errors.ts';
import { askCommand } from './ask.ts';
import { callsCommand } from './calls.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { evalCommand } from './eval.ts';
import { gapsCommand } from './gaps.ts';
import { ingestCommand } from './ingest.ts';

const commands = new Map<string, Command>([
  ['ingest', ingestCommand],
  ['ask', askCommand],
  ['eval', evalCommand],
  ['gaps', gapsCommand],
  ['calls', callsCommand],
]);

const isUsageError = (error: unknown): error is Error =>
  error instanceof UsageError || (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));

export async function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const [name = '', ...rest] = args;
  const command = commands.get(name);
  try {
    if (!command) throw new UsageError(`There is no command "${name}"; there are: ${[...commands.keys()].join(', ')}.`);
    return await command(rest, environment);
  } catch (error) {
    if (isUsageError(error)) {
      process.stderr.write(`${error.message}\nTry --help.\n`);
      return exitCodes.wrongUse;
    }
    if (error instanceof ConfigError || error instanceof KnowledgeError || error instanceof CallsError) {
      process.stderr.write(`${error.message}\n`);
      return exitCodes.failed;
    }
    throw error;
  }
}
