/**
 * Parses `LIMITS` (`large,streams=200`) and `RATE_LIMIT_PER_MINUTE` (`120,ask=20`): a head, then
 * numbers by name. Pure.
 */
const mebibyte = 1024 * 1024;

const sizes = ['small', 'medium', 'large'];
/**
 * One number for each size. `open`: namespaces in memory. `documents` and `bytes`: per namespace.
 * `models`: concurrent questions to models. `jobs`: running jobs, `waiting`: queued jobs.
 * `threads`: stored conversations.
 */
const limitsBySize = {
  namespaces: [100, 500, 5_000],
  open: [50, 200, 1_000],
  documents: [20_000, 100_000, 1_000_000],
  bytes: [256 * mebibyte, 1_024 * mebibyte, 10_240 * mebibyte],
  models: [50, 200, 1_000],
  streams: [200, 1_000, 5_000],
  jobs: [2, 4, 8],
  waiting: [50, 100, 1_000],
  threads: [2_000, 10_000, 100_000],
};
const mapLimits = (limitOf: (bySize: readonly number[]) => number | undefined) =>
  Object.fromEntries(
    Object.entries(limitsBySize).map(([name, bySize]) => [name, limitOf(bySize)]),
  ) as Record<keyof typeof limitsBySize, number>;

const minLimits = { ...mapLimits(() => 1), answers: 0, tokens: 0, callerTokens: 0 };
const maxLimit = 1_000_000_000_000;

function readNamed(text: string, minimums: Readonly<Record<string, number>>, max: number) {
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

/**
 * The same for every size: `answers`: stored answers, 0: none; `tokens` and `callerTokens`: model
 * tokens per day, 0: no limit. @returns a message if the text is invalid
 */
export function readLimits(text: string) {
  const named = readNamed(text, minLimits, maxLimit);
  if (typeof named === 'string') return named;
  const size = sizes.indexOf(named.head || 'medium');
  if (size < 0) return `must begin with one of ${sizes.join(', ')}`;
  return {
    text,
    ...mapLimits((bySize) => bySize[size]),
    answers: 1_000,
    tokens: 0,
    callerTokens: 0,
    ...named.numbers,
  };
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
  const head = named.head || defaultPerMinute;
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
