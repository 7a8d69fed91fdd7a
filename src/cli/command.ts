/** What the commands share: their form, their exit codes, and the settings that they run with. */
import { parseConfig } from '../config.ts';

/** @returns the exit code */
export type Command = (args: readonly string[], environment: NodeJS.ProcessEnv) => Promise<number>;

/** Of the system's own for interrupted programs: 128 and the signal's number. */
export const exitCodes = { done: 0, failed: 1, wrongUse: 2, interrupted: 130 } as const;

/** Arguments that cannot be understood; the message says what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The settings of the server, with a quiet log: a command speaks for itself. */
export const parseCommandConfig = (environment: NodeJS.ProcessEnv) =>
  parseConfig({ LOG_LEVEL: 'error', ...environment, HOST: '127.0.0.1' });
