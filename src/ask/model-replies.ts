/** Reads what models reply to requests for queries, verdicts and new sentences. */
import { noWords, yesWords } from '../../packages/shared/src/language/lexicon.ts';
import { pattern } from '../../packages/shared/src/language/pattern.ts';
import type { Claim, ClaimVerdict } from './reply/answer-writer.ts';

const maxQueries = 3;
const maxQueryChars = 200;

/** Returns the JSON object in a reply, which may be in a fence or between words. */
function jsonIn(reply: string): Readonly<Record<string, unknown>> | undefined {
  const from = reply.indexOf('{');
  const to = reply.lastIndexOf('}');
  if (from < 0 || to < from) return undefined;
  try {
    return Object(JSON.parse(reply.slice(from, to + 1)));
  } catch {
    return undefined;
  }
}

const linesIn = (reply: string) =>
  reply
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:`{3}|~{3})/.test(line));

/** Marks that models put around a line. */
const marks = /^[*_`"'“]+|[*_`"'”]+$/g;

export function readQueries(reply: string) {
  const json = jsonIn(reply);
  const lines = json ? [json['queries']].flat() : linesIn(reply);
  const queries = lines
    .filter((line) => typeof line === 'string')
    .map((line) => line.trim().replace(/^(?:[-*•]|\d{1,2}[.):])\s+/, ''))
    .map((line) => line.replace(marks, '').slice(0, maxQueryChars).trim())
    // Neither an announcement nor an address is what a document says.
    .filter((line) => line !== '' && !/:\/\/|[:：]$/.test(line));
  const isAboutPrevious =
    json?.['about'] === 'previous' ||
    (queries.length === 1 && /^previous\W?$/i.test(queries[0] ?? ''));
  return { queries: isAboutPrevious ? [] : queries.slice(0, maxQueries), isAboutPrevious };
}

const yes = `true|${yesWords}`;
const no = `false|${noWords}`;
const end = `["'*_\`.\\s]*$`;
/** The verdict about one sentence, without its number: 1 and 0 only if they are all of it. */
const word = new RegExp(
  `^[\\s"'*_\`]{0,9}(?:(${yes}|1(?=${end}))|(?:${no}|0(?=${end})))(?![\\p{L}\\p{N}])`,
  'iu',
);
/** `1: yes [2]` or `1: [2] yes`. The verdict may be 1 or 0, but not the number of a passage. */
const line = new RegExp(
  pattern`
    ^[^\p{L}\p{N}\n]{0,9}(?:(?:sentence|claim)\s)?(\d{1,3})[^\p{L}\p{N}\n]{1,9}
      (?:\d{1,3}\][^\p{L}\p{N}\n]{1,9})?
      (?:(${yes}|1(?=[ \t]*(?:\[|$)))|(?:${no}|0(?=[ \t]*(?:\[|$))))(?![\p{L}\p{N}])
      ((?:(?!\s\d{1,3}\s?[:.)])[^\n]){0,60})
  `,
  'gimu',
);

function readVerdict(reply: string) {
  const found = word.exec(reply);
  return found ? found[1] !== undefined : undefined;
}

const numbersIn = (text: string) => (text.match(/\d{1,3}/g) ?? []).map(Number);

/** Returns the objects in a reply that hold no other; a reply that was cut has some of them. */
const objectsIn = (reply: string) =>
  (reply.match(/\{[^{}]*\}/g) ?? []).flatMap((text) => {
    const found = jsonIn(text);
    return found ? [found] : [];
  });

/** Yields verdicts in lines `1: yes [2]` or in `{"sentences": [{"n", "holds", "passages"}]}`. */
function* verdictsIn(reply: string): Generator<ClaimVerdict & { readonly n: number }> {
  if (!/"sentences"\s*:/.test(reply)) {
    for (const [, n, isYes, rest = ''] of reply.matchAll(line))
      yield { n: Number(n), holds: isYes !== undefined, passages: numbersIn(rest) };
    return;
  }
  for (const { n, holds, passages } of objectsIn(reply)) {
    const isHolding = readVerdict(String(holds));
    if (isHolding === undefined) continue;
    const numbers = Array.isArray(passages) ? passages.map(Number) : [];
    yield { n: Number(n), holds: isHolding, passages: numbers };
  }
}

/**
 * Returns the verdicts about the sentences that were asked. Two verdicts that differ are none; a
 * passage counts only if it was offered.
 */
export function readVerdicts(
  reply: string,
  asked: readonly (Claim & { readonly n: number })[],
): ReadonlyMap<number, ClaimVerdict> {
  // Models of Chinese and Japanese may write full-width digits and colons.
  const plain = reply.normalize('NFKC');
  const all = [...verdictsIn(plain)];
  const only = asked.length === 1 && all.length === 0 ? readVerdict(plain) : undefined;
  const verdicts = new Map<number, ClaimVerdict>();
  for (const { n, passages: offered } of asked) {
    const own = all.filter((one) => one.n === n);
    const [first = only === undefined ? undefined : { holds: only, passages: [] }] = own;
    if (!first || own.some(({ holds }) => holds !== first.holds)) continue;
    const passages = first.passages.filter((number) => offered.includes(number));
    verdicts.set(n, { holds: first.holds, passages });
  }
  return verdicts;
}

const newLine =
  /^[^\p{L}\p{N}]{0,9}(?:(?:sentence|claim)\s)?([\d０-９]{1,3})[*_]{0,3}\s?[:：.．)）](?!\d)[*_]{0,3}\s?(.*)$/iu;

/** Reads lines `2: new sentence [1]`; a sentence without text is left out. */
export function readNewLines(
  reply: string,
  failed: readonly { readonly n: number }[],
): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const text of linesIn(reply)) {
    const [, n = '', sentence = ''] = newLine.exec(text) ?? [];
    const number = Number(n.normalize('NFKC'));
    if (failed.some((one) => one.n === number) && !found.has(number)) found.set(number, sentence);
  }
  return found;
}
