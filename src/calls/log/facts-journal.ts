/**
 * What webhooks said, on disk: one file of JSON lines, appended as it comes, so that a restart keeps it. Joined facts say the same as the
 * lines they were joined from, so the file is rewritten with one line for each call when it has grown to several times that. A line that
 * a kill cut short is not read.
 */
import { appendFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CallFacts } from '../webhooks/call-facts.ts';
import { readLines } from './read-lines.ts';

export interface FactsJournal {
  /** Whatever order the lines are in. */
  read(): Promise<CallFacts[]>;
  /** Resolves when the facts are with the system. */
  append(facts: CallFacts): Promise<void>;
  /** Replaces all lines in one step. */
  replace(facts: readonly CallFacts[]): Promise<void>;
  /** Lines appended or read since the last replacement. */
  readonly lines: () => number;
}

const isFacts = (value: unknown): value is CallFacts => typeof value === 'object' && value !== null && !Array.isArray(value);

export function createFactsJournal(path: string): FactsJournal {
  let lines = 0;
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work, work);
    turn = next;
    return next;
  }
  return {
    lines: () => lines,

    read: () =>
      inTurn(async () => {
        const found: CallFacts[] = [];
        try {
          for await (const piece of readLines(path))
            for (const { bytes } of piece) {
              if (!bytes || bytes.length === 0) continue;
              lines++;
              try {
                const value: unknown = JSON.parse(bytes.toString('utf8'));
                if (isFacts(value)) found.push(value);
              } catch {
                // Cut short.
              }
            }
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
        }
        return found;
      }),

    append: (facts) =>
      inTurn(async () => {
        await mkdir(dirname(path), { recursive: true });
        // After a line that was cut short, this one begins on a line of its own.
        await appendFile(path, `\n${JSON.stringify(facts)}\n`, { mode: 0o600 });
        lines++;
      }),

    replace: (all) =>
      inTurn(async () => {
        await mkdir(dirname(path), { recursive: true });
        const temporary = `${path}.tmp`;
        await rm(temporary, { force: true });
        const file = await open(temporary, 'wx', 0o600);
        try {
          await file.writeFile(all.map((facts) => `${JSON.stringify(facts)}\n`).join(''));
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, path);
        lines = all.length;
      }),
  };
}
