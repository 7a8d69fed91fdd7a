/**
 * Parses `LIMITS` (`large,streams=200`) and `RATE_LIMIT_PER_MINUTE` (`120,ask=20`): a head, then
 * numbers by name. Pure.
 */
const mebibyte = 1024 * 1024;

/**
 * `open`: namespaces in memory. `documents` and `bytes`: per namespace. `models`: concurrent
 * questions to models. `jobs`: running jobs, `waiting`: queued jobs. `threads`: stored
 * conversations.
 */
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
/**
 * The same for every size. `answers`: stored answers, 0: none. `tokens` and `callerTokens`: model
 * tokens per day, 0: no limit.
 */
const commonLimits = { answers: 1_000, tokens: 0, callerTokens: 0 };

const minLimits = {
  ...Object.fromEntries(Object.keys(sizes.medium).map((name) => [name, 1])),
  answers: 0,
  tokens: 0,
  callerTokens: 0,
};
const maxLimit = 1_000_000_000_000;

type Numbers = Readonly<Record<string, number>>;

function readNamed(text: string, minimums: Numbers, max: number) {
  const [first = '', ...rest] = text.split(',').map((entry) => entry.trim());
  const [head, entries] = first.includes('=') ? ['', [first, ...rest]] : [first, rest];
  const numbers: Record<string, number> = {};
  for (const entry of entries) {
    const [, name = '', digits = ''] = /^(\w+)\s*=\s*(\d{1,15})$/.exec(entry) ?? [];
    const min = Object.hasOwn(minimums, name) ? minimums[name] : undefined;
    if (min === undefined)
      return `must have NAME=NUMBER after the first comma; names: ${Object.keys(minimums).join(', ')}`;
    if (name in numbers) return `must not name ${name} twice`;
    if (Number(digits) < min || Number(digits) > max)
      return `${name} must be a whole number from ${min} to ${max}`;
    numbers[name] = Number(digits);
  }
  return { head, numbers };
}

const isSize = (text: string): text is keyof typeof sizes => Object.hasOwn(sizes, text);

/** @returns a message if the text is invalid */
export function readLimits(text: string) {
  const named = readNamed(text, minLimits, maxLimit);
  if (typeof named === 'string') return named;
  const size = named.head === '' ? 'medium' : named.head;
  if (!isSize(size)) return `must begin with one of ${Object.keys(sizes).join(', ')}`;
  return { text, ...sizes[size], ...commonLimits, ...named.numbers };
}

const minRates = { ask: 1, search: 1, ingest: 1, address: 0, visitor: 1 };
const maxPerMinute = 10_000_000;
const addressFactor = 10;
export const defaultPerMinute = '120';

/**
 * Requests per minute, per caller and per client `address`; 0: no limit. `visitor`: per address
 * without a key or with a publishable key. `ask`, `search` and `ingest` also count toward `caller`.
 * @returns a message if the text is invalid
 */
export function readRates(text: string) {
  const named = readNamed(text, minRates, maxPerMinute);
  if (typeof named === 'string') return named;
  const head = named.head === '' ? defaultPerMinute : named.head;
  if (!/^\d{1,8}$/.test(head) || Number(head) > maxPerMinute)
    return `must begin with a whole number from 0 to ${maxPerMinute}`;
  const caller = Number(head);
  return {
    text,
    caller,
    address: Math.min(maxPerMinute, addressFactor * caller),
    // Visitors are limited also if callers are not.
    visitor: caller || Number(defaultPerMinute),
    ask: 0,
    search: 0,
    ingest: 0,
    ...named.numbers,
  };
}
