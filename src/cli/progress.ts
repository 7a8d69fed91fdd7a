/** Progress on standard error: a bar on a terminal, a plain line for each source otherwise. */
import { progress as progressBar } from '@clack/prompts';

export interface ProgressRow {
  readonly status: string;
  /** What was done: a source, a question. */
  readonly source: string;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

export interface Progress {
  row(row: ProgressRow): void;
  /** What is known of how much there is to do; may grow, as pages and files are found. */
  total(tasks: number): void;
  end(message: string): void;
}

/** Steps of the bar. */
const barSteps = 100;
const maxShownChars = 60;

// A page may name itself anything; what reaches a terminal is text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that do something to a terminal
export const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ' ');

function plainLines(): Progress {
  return {
    row: ({ status, source, error }) =>
      void process.stderr.write(
        `${status.padEnd(9)} ${printable(source)}${error ? ` (${error.code}: ${printable(error.message)})` : ''}\n`,
      ),
    total: () => undefined,
    end: () => undefined,
  };
}

function bar(title: string): Progress {
  const shown = progressBar({ max: barSteps, output: process.stderr });
  shown.start(title);
  let tasks = 1;
  let done = 0;
  let steps = 0;
  return {
    row({ source }) {
      done++;
      const reached = Math.max(steps, Math.floor((done / Math.max(done, tasks)) * barSteps));
      shown.advance(reached - steps, `${done} of ${tasks}: ${printable(source).slice(0, maxShownChars)}`);
      steps = reached;
    },
    total(found) {
      tasks = found;
    },
    end: (message) => shown.stop(message),
  };
}

/** @param title what is being done */
export const createProgress = (title: string): Progress => (process.stderr.isTTY ? bar(title) : plainLines());
