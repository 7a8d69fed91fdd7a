/** Shared parts of the commands: arguments, exit codes, errors, settings. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { CallsError } from '../../packages/calls/src/errors.ts';
import { isApiKey } from '../../packages/calls/src/upstream.ts';
import { KnowledgeError, withCause } from '../../packages/shared/src/errors.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { bagDistance } from '../config/setting-types.ts';
import { type Config, ConfigError, parseConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { KeyFileError } from '../keys.ts';
import { createLogger, secretsOf } from '../log.ts';
import { packageRoot, packageVersion } from '../package.ts';
import { onStopSignal } from '../process.ts';
import { print, printJson, warn } from './terminal.ts';

export type Command = (args: readonly string[], environment: NodeJS.ProcessEnv) => Promise<number>;

/** `interrupted`: 128 + SIGINT (2), as shells report it. */
export const exitCodes = { done: 0, failed: 1, wrongUse: 2, interrupted: 130 } as const;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The name that a mistyped one resembles, as a question. */
function didYouMean(mistyped: string, names: readonly string[], prefix = '') {
  const [nearest] = names
    .map((name) => ({ name, distance: bagDistance(mistyped, name) }))
    .sort((a, b) => a.distance - b.distance);
  const isNear = nearest && nearest.distance <= Math.min(2, mistyped.length / 3);
  return isNear ? ` Did you mean ${prefix}${nearest.name}?` : '';
}

export const textOption = { type: 'string' } as const;
export const flag = { type: 'boolean', default: false } as const;
export const namespaceOption = {
  namespace: { type: 'string', short: 'n', default: 'default' },
} as const;
const commonOptions = {
  json: flag,
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const isCheckout = existsSync(join(packageRoot, 'src/cli/main.ts'));
const inCheckout = 'In a checkout, write npm run COMMAND -- instead of knowledge-agent COMMAND.\n';

/** A command as the user of a checkout or of an installed package types it. */
export const shellCommand = (name: string): string =>
  isCheckout ? `npm run ${name} --` : `knowledge-agent ${name}`;

type CommandForm<Options extends ParseArgsOptionsConfig> = Readonly<{
  help: string;
  /** Meanings of the exit codes but 2. */
  exit?: string;
  options: Options;
  allowPositionals?: boolean;
}>;

export type Given<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options & typeof commonOptions; allowPositionals: true }>
>;

/** @throws UsageError that names the option that a mistyped one resembles */
function parsedBy<Parsed>(parse: () => Parsed, known: ParseArgsOptionsConfig) {
  try {
    return parse();
  } catch (error) {
    const mistyped = /^Unknown option '--([\w-]+)'/.exec((error as Error).message)?.[1];
    if (mistyped === undefined) throw error;
    const hint = didYouMean(mistyped, Object.keys(known), '--');
    throw new UsageError(`Unknown option --${mistyped}.${hint}`);
  }
}

export const createCommand =
  <Options extends ParseArgsOptionsConfig>(
    { help, exit = '0 done, 1 failed', options, allowPositionals = false }: CommandForm<Options>,
    run: (given: Given<Options>, environment: NodeJS.ProcessEnv) => Promise<number>,
  ): Command =>
  async (args, environment) => {
    const known = { ...options, ...commonOptions };
    const parsed = parsedBy(
      () => parseArgs({ args: [...args], options: known, allowPositionals }),
      known,
    );
    const given = parsed as Given<Options> & Given<typeof commonOptions>;
    if (!given.values.help) return run(given, environment);
    print(`${help}Exit code: ${exit}, 2 wrong arguments. -h, --help: this text.\n${inCheckout}`);
    return exitCodes.done;
  };

export function chooseCommand<T>(
  prefix: string,
  name: string,
  commands: Readonly<Record<string, T>>,
): T {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  const names = Object.keys(commands);
  const hint = didYouMean(name, names) || ` Use one of: ${names.join(', ')}.`;
  const problem = name === '' ? `Give a ${prefix}.` : `Unknown ${prefix} "${name}".`;
  throw new UsageError(problem + hint);
}

/** A command with commands of its own; without a name it prints its help. */
export const createCommandGroup =
  (kind: string, help: string, commands: Readonly<Record<string, Command>>): Command =>
  async ([name = '', ...args], environment) => {
    if (!['', '--help', '-h'].includes(name))
      return chooseCommand(`${kind} command`, name, commands)(args, environment);
    print(help);
    return name === '' ? exitCodes.wrongUse : exitCodes.done;
  };

/** Prints a result, as JSON if the caller wants it. @returns the exit code of success */
export function printResult(
  { json }: { readonly json: boolean },
  result: unknown,
  text: string,
): number {
  if (json) printJson(result);
  else print(text);
  return exitCodes.done;
}

/** @throws UsageError if a namespace cannot have this name */
export function namespaceNamed({ parseNamespace }: Pick<Context, 'parseNamespace'>, name: string) {
  try {
    return parseNamespace(name);
  } catch (error) {
    throw error instanceof KnowledgeError ? new UsageError(error.message) : error;
  }
}

const isUsageError = (error: unknown): error is Error =>
  error instanceof UsageError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));

/** `summary`: one line for the list of commands. */
type CommandEntry = readonly [summary: string, load: () => Promise<Command>];

export async function runCommand(
  commands: Readonly<Record<string, CommandEntry>>,
  [name = '', ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    if (['', '--help', '-h', 'help'].includes(name)) {
      const rows = Object.entries(commands).map(([one, [what]]) => `  ${one.padEnd(10)}${what}`);
      print(`Usage: knowledge-agent COMMAND [options]

${rows.join('\n')}

Run COMMAND --help for its options, or --version.
${inCheckout}`);
      return name === '' ? exitCodes.wrongUse : exitCodes.done;
    }
    if (name === '--version' || name === '-v') {
      print(`${packageVersion}\n`);
      return exitCodes.done;
    }
    const [, load] = chooseCommand('command', name, commands);
    return await (await load())(args, environment);
  } catch (error) {
    const isExpected =
      error instanceof ConfigError ||
      error instanceof KnowledgeError ||
      error instanceof KeyFileError ||
      error instanceof CallsError;
    if (!isUsageError(error) && !isExpected) throw error;
    warn(withoutInvisible(isExpected ? withCause(error) : error.message));
    if (isExpected) return exitCodes.failed;
    warn('Try --help.');
    return exitCodes.wrongUse;
  }
}

/** @throws UsageError */
export function keyIn(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const key = environment[name]?.trim() || undefined;
  if (key === undefined || isApiKey(key)) return key;
  throw new UsageError(`${name} must be visible ASCII characters without white space.`);
}

export function onlyOne(positionals: readonly string[], what: string): string {
  const [first, ...others] = positionals;
  if (first === undefined || others.length > 0)
    throw new UsageError(`Give exactly one ${what}, not ${positionals.length}.`);
  return first;
}

export function wholeNumber(
  option: string,
  text: string | undefined,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const range =
    max < Number.MAX_SAFE_INTEGER ? ` from ${min} to ${max}` : min > 0 ? ` from ${min}` : '';
  throw new UsageError(`--${option} must be a whole number${range}, not "${text}".`);
}

export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  onStopSignal(['SIGINT', 'SIGTERM'], () => interrupted.abort(new Error('interrupted')));
  return interrupted.signal;
}

/** Parses the settings of the server. Logs only errors, because a command prints its own output. */
export function parseCommandConfig(environment: NodeJS.ProcessEnv): Config {
  const config = parseConfig({ LOG_LEVEL: 'error', ...environment, HOST: '127.0.0.1' });
  config.misspeltSettings.forEach(warn);
  return config;
}

/**
 * Makes the parts of the server for a command. The log goes to standard error, away from the command's
 * output.
 */
export async function contextOf(config: Config): Promise<Context> {
  const { Context } = await import('../context.ts');
  return new Context(config, {
    logger: createLogger(config.logLevel, process.stderr, secretsOf(config)),
  });
}
