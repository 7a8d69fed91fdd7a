/**
 * How many tokens models may use in a day, all callers together and each of them. Days are those of UTC, and every day has a count of its
 * own that stays for a while: a clock that is put back finds what was counted then, and no day is given out twice. A call is counted when
 * it is over, so what is being asked at that moment may go beyond the limit.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { createQueue } from '../../concurrency/queue.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import { replaceFile } from '../../disk/replace-file.ts';
import { KnowledgeError, systemErrorCode } from '../../errors.ts';

/** Of a day; 0: no limit. */
export interface TokenLimits {
  readonly all: number;
  readonly perCaller: number;
}

export interface TokenBudget {
  /** What a caller is told whose day is over; undefined: there is something left. */
  spent(callerId: string): Promise<KnowledgeError | undefined>;
  /** Returns at once. */
  spend(callerId: string, tokens: number): void;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** Where tokens are counted, by day (`2026-01-31`) and key. No method fails. */
export interface TokenCounts {
  open(): Promise<void>;
  /** In the order of the keys. */
  read(day: string, keys: readonly string[]): Promise<readonly number[]>;
  add(day: string, keys: readonly string[], tokens: number): void;
  close(): Promise<void>;
}

const keyOfAll = '';
/** Of whom it is, with an address or a name, a count says nothing. */
const keyOf = (callerId: string) => createHash('sha256').update(callerId).digest('base64url');

const dayMs = 24 * 60 * 60 * 1_000;

const budgetSpent = (nowMs: number) =>
  new KnowledgeError('budget_spent', 'What models may use in a day is used up; questions are answered again after midnight (UTC).', {
    retryAfterSeconds: Math.max(1, Math.ceil((dayMs - (nowMs % dayMs)) / 1_000)),
  });

/** @returns undefined where nothing is limited */
export function createTokenBudget(limits: TokenLimits, counts: TokenCounts, clock: () => Date): TokenBudget | undefined {
  const isLimited = limits.all > 0 || limits.perCaller > 0;
  if (!isLimited) return undefined;
  /** What a caller's tokens count against, and how many each may come to. */
  const limitsOf = (callerId: string) =>
    [
      { key: keyOfAll, max: limits.all },
      { key: keyOf(callerId), max: limits.perCaller },
    ].filter(({ max }) => max > 0);
  const today = () => clock().toISOString().slice(0, 'yyyy-mm-dd'.length);
  return {
    async spent(callerId) {
      const own = limitsOf(callerId);
      const counted = await counts.read(
        today(),
        own.map(({ key }) => key),
      );
      const isSpent = own.some(({ max }, at) => (counted[at] ?? 0) >= max);
      return isSpent ? budgetSpent(clock().getTime()) : undefined;
    },
    spend(callerId, tokens) {
      const keys = limitsOf(callerId).map(({ key }) => key);
      if (tokens > 0) counts.add(today(), keys, tokens);
    },
    open: () => counts.open(),
    close: () => counts.close(),
  };
}

/** Days that are kept, whatever the clock says of them. */
export const maxCountedDays = 8;
/** Callers of a day; of more those who used least are forgotten. */
const maxKeys = 20_000;

/** Counts in memory: the newest days, and of each the callers who used most. */
export class TokenTable {
  readonly #days = new Map<string, Map<string, number>>();

  get(day: string, key: string): number {
    return this.#days.get(day)?.get(key) ?? 0;
  }

  set(day: string, key: string, tokens: number): void {
    const counted = this.#days.get(day) ?? new Map<string, number>();
    this.#days.set(day, counted);
    counted.set(key, tokens);
    if (counted.size > maxKeys) this.#forgetLeast(counted);
    const [oldest] = [...this.#days.keys()].filter((one) => one !== day).sort();
    if (this.#days.size > maxCountedDays && oldest !== undefined) this.#days.delete(oldest);
  }

  entries(): [day: string, counted: [key: string, tokens: number][]][] {
    return [...this.#days].map(([day, counted]) => [day, [...counted]]);
  }

  #forgetLeast(counted: Map<string, number>): void {
    const callers = [...counted].filter(([key]) => key !== keyOfAll).sort(([, a], [, b]) => a - b);
    for (const [key] of callers.slice(0, maxKeys / 2)) counted.delete(key);
  }
}

const countedFile = z.array(z.tuple([z.iso.date(), z.array(z.tuple([z.string(), z.number().min(0)]))]));

export interface TokenFileOptions {
  readonly path: string;
  readonly onWarning: (message: string, error?: unknown) => void;
  /** Between two writes. Milliseconds. */
  readonly writeEveryMs?: number;
}

/** Counts of one server, in a small file: of what a process that is killed has counted last, some seconds are lost. */
export function createTokenFile({ path, onWarning, writeEveryMs = 3_000 }: TokenFileOptions): TokenCounts {
  const counts = new TokenTable();
  const inOrder = createQueue();
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;
  /** Who has not read the file, such as a command beside a running server, does not write it either. */
  let isOpen = false;

  async function write(): Promise<void> {
    try {
      await makeFolder(dirname(path));
      await replaceFile(path, (file) => file.writeFile(JSON.stringify(counts.entries())));
      isFailing = false;
    } catch (error) {
      if (!isFailing) onWarning('The tokens of models cannot be written down; they are counted until the server stops.', error);
      isFailing = true;
    }
  }

  function writeSoon(): void {
    if (!isOpen) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void inOrder(write);
    }, writeEveryMs);
    timer.unref();
  }

  return {
    async open() {
      isOpen = true;
      try {
        for (const [day, counted] of countedFile.parse(JSON.parse(await readFile(path, 'utf8'))))
          for (const [key, tokens] of counted) counts.set(day, key, counts.get(day, key) + tokens);
      } catch (error) {
        if (systemErrorCode(error) !== 'ENOENT')
          onWarning('The tokens of models that were counted cannot be read; the count begins anew.', error);
      }
    },
    read: async (day, keys) => keys.map((key) => counts.get(day, key)),
    add(day, keys, tokens) {
      for (const key of keys) counts.set(day, key, counts.get(day, key) + tokens);
      writeSoon();
    },
    async close() {
      if (timer) {
        clearTimeout(timer);
        timer = undefined;
        await inOrder(write);
      }
      await inOrder(async () => undefined);
    },
  };
}
