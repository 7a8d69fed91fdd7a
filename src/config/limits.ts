/**
 * How much happens and is kept at a time (`LIMITS`), and how often callers may ask (`RATE_LIMIT_PER_MINUTE`): a first word, and numbers by
 * name behind it, such as `large,streams=200` or `120,ask=20`. Pure.
 */
const mebibyte = 1024 * 1024;

/** `medium` is the default. `jobs` run and `waiting` jobs wait; `models`: questions that are with a model; `bytes` and `documents` of a namespace;
 * `open`: namespaces that are kept in memory. */
const sizes = {
  small: {
    namespaces: 100,
    open: 50,
    documents: 20_000,
    bytes: 256 * mebibyte,
    models: 50,
    streams: 200,
    jobs: 2,
    waiting: 50,
    threads: 2_000,
  },
  medium: {
    namespaces: 500,
    open: 200,
    documents: 100_000,
    bytes: 1_024 * mebibyte,
    models: 200,
    streams: 1_000,
    jobs: 4,
    waiting: 100,
    threads: 10_000,
  },
  large: {
    namespaces: 5_000,
    open: 1_000,
    documents: 1_000_000,
    bytes: 10_240 * mebibyte,
    models: 1_000,
    streams: 5_000,
    jobs: 8,
    waiting: 1_000,
    threads: 100_000,
  },
};
/** Of every size. `answers` that are kept: 0 keeps none. `tokens` of models a day, of all callers and of each: 0 is no limit. */
const ofEverySize = { answers: 1_000, tokens: 0, callerTokens: 0 };
export type Limits = typeof sizes.medium & typeof ofEverySize;

const leastLimits = { ...Object.fromEntries(Object.keys(sizes.medium).map((name) => [name, 1])), answers: 0, tokens: 0, callerTokens: 0 };
const mostOfLimit = 1_000_000_000_000;

type Leasts = Readonly<Record<string, number>>;
type Named = Readonly<{ head: string; numbers: Readonly<Record<string, number>> }>;

function readNamed(text: string, leasts: Leasts, most: number): Named | string {
  const [first = '', ...rest] = text.split(',').map((entry) => entry.trim());
  const [head, entries] = first.includes('=') ? ['', [first, ...rest]] : [first, rest];
  const numbers: Record<string, number> = {};
  for (const entry of entries) {
    const [, name = '', digits = ''] = /^(\w+)\s*=\s*(\d{1,15})$/.exec(entry) ?? [];
    const least = Object.hasOwn(leasts, name) ? leasts[name] : undefined;
    if (least === undefined) return `must have NAME=NUMBER behind the comma, of ${Object.keys(leasts).join(', ')}`;
    if (name in numbers) return `names ${name} twice`;
    if (Number(digits) < least || Number(digits) > most) return `${name} must be at least ${least} and at most ${most}`;
    numbers[name] = Number(digits);
  }
  return { head, numbers };
}

const isSize = (text: string): text is keyof typeof sizes => Object.hasOwn(sizes, text);

export function readLimits(text: string): Limits | string {
  const named = readNamed(text, leastLimits, mostOfLimit);
  if (typeof named === 'string') return named;
  const size = named.head === '' ? 'medium' : named.head;
  if (!isSize(size)) return `must begin with one of ${Object.keys(sizes).join(', ')}`;
  return { ...sizes[size], ...ofEverySize, ...named.numbers };
}

const leastRates = { ask: 1, search: 1, ingest: 1, address: 0 };
const mostPerMinute = 10_000_000;
const addressFactor = 10;
export const usualPerMinute = '120';

/** Requests per minute; 0 is no limit. Of a caller: all, and of these questions, searches and ingests if they have a limit of their own. */
export interface Rates {
  readonly caller: number;
  readonly address: number;
  readonly ask?: number | undefined;
  readonly search?: number | undefined;
  readonly ingest?: number | undefined;
}

export function readRates(text: string): Rates | string {
  const named = readNamed(text, leastRates, mostPerMinute);
  if (typeof named === 'string') return named;
  const head = named.head === '' ? usualPerMinute : named.head;
  if (!/^\d{1,8}$/.test(head) || Number(head) > mostPerMinute) return `must begin with a whole number from 0 to ${mostPerMinute}`;
  return { address: Math.min(mostPerMinute, addressFactor * Number(head)), ...named.numbers, caller: Number(head) };
}
