/**
 * Questions that were not answered, near-duplicates together: by what they are about, whatever their wording. Each group gathers
 * around its most asked question and grows no chain from there, so that all its members are near that one.
 */
import { askedWords } from './asked-words.ts';
import { byCount, type GapRow } from './gap-line.ts';

export interface GapGroup {
  readonly namespace: string;
  /** The wording that was asked most. */
  readonly question: string;
  /** Other wordings, most asked first. */
  readonly variants: readonly string[];
  /** How often it was asked, in all wordings. */
  readonly count: number;
  /** ISO 8601. */
  readonly firstAskedAt: string;
  readonly lastAskedAt: string;
  /** The best that a search came to, 0 to 1. */
  readonly coverage: number;
  /** What came closest in that search, best first. */
  readonly closest: readonly { readonly file: string; readonly title: string; readonly source: string }[];
}

/** Least share of the words of both that both have (Jaccard). */
const minLikeness = 0.6;
/** One within the other is near where it has so many words, and this share of the other's. */
const minWithin = 2;
const minWithinShare = 1 / 3;
const maxVariants = 5;
const maxClosest = 3;
/** Groups that a question is compared with, those that were asked most; more share its words only where words say little. */
const maxCompared = 300;

const figure = /\p{N}/u;

interface Asked {
  readonly row: GapRow;
  /** Rarest first. */
  readonly words: readonly string[];
  readonly wordSet: ReadonlySet<string>;
}

interface Gathering {
  readonly leader: Asked;
  readonly members: GapRow[];
}

/** Error 404 and error 500 are two matters, however much else the questions share. */
function differInFigures(a: Asked, b: Asked): boolean {
  const lacks = (one: Asked, other: Asked) => one.words.some((word) => figure.test(word) && !other.wordSet.has(word));
  return lacks(a, b) && lacks(b, a);
}

function areNear(a: Asked, b: Asked): boolean {
  const [small, large] = a.words.length <= b.words.length ? [a, b] : [b, a];
  let shared = 0;
  for (const word of small.words) if (large.wordSet.has(word)) shared++;
  const isAlike = shared > 0 && shared / (small.words.length + large.words.length - shared) >= minLikeness;
  const isWithin = shared === small.words.length && shared >= minWithin && shared / large.words.length >= minWithinShare;
  return (isAlike || isWithin) && !differInFigures(a, b);
}

const push = <Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value) => {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
};

/**
 * Leaders that can be near: to be alike to `minLikeness`, or within one of them, a question shares one of its rarest words with it
 * (Chaudhuri, Ganti & Kaushik 2006); a leader that lies within the question has its own rarest word there.
 */
function createLeaders() {
  const byWord = new Map<string, Gathering[]>();
  const byRarest = new Map<string, Gathering[]>();

  function* candidates({ words }: Asked): Generator<Gathering> {
    const prefix = words.length - Math.ceil(minLikeness * words.length) + 1;
    for (const word of words.slice(0, prefix)) yield* byWord.get(word) ?? [];
    for (const word of words) yield* byRarest.get(word) ?? [];
  }

  return {
    add(gathering: Gathering): void {
      const { words } = gathering.leader;
      for (const word of words) push(byWord, word, gathering);
      if (words[0] !== undefined) push(byRarest, words[0], gathering);
    },
    find(asked: Asked): Gathering | undefined {
      const compared = new Set<Gathering>();
      for (const gathering of candidates(asked)) {
        if (compared.has(gathering)) continue;
        if (areNear(gathering.leader, asked)) return gathering;
        compared.add(gathering);
        if (compared.size === maxCompared) return undefined;
      }
      return undefined;
    },
  };
}

function toGroup({ leader: { row }, members }: Gathering): GapGroup {
  const times = members.flatMap(({ firstAskedAt, lastAskedAt }) => [firstAskedAt, lastAskedAt]).sort();
  const best = members.reduce((a, b) => (b.coverage > a.coverage ? b : a));
  return {
    namespace: row.namespace,
    question: row.question,
    variants: members.slice(1, 1 + maxVariants).map(({ question }) => question),
    count: members.reduce((sum, { count }) => sum + count, 0),
    firstAskedAt: times[0] ?? row.firstAskedAt,
    lastAskedAt: times.at(-1) ?? row.lastAskedAt,
    coverage: best.coverage,
    closest: best.closest.slice(0, maxClosest).map(({ file, title, source }) => ({ file, title, source })),
  };
}

function gatherings(rows: readonly GapRow[]): Gathering[] {
  const wordsOfRows = askedWords(rows.map(({ question }) => question));
  const uses = new Map<string, number>();
  for (const words of wordsOfRows) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
  const byRarity = (a: string, b: string) => (uses.get(a) ?? 0) - (uses.get(b) ?? 0) || (a < b ? -1 : 1);
  const leaders = createLeaders();
  return rows.reduce<Gathering[]>((all, row, position) => {
    const wordSet = wordsOfRows[position] ?? new Set();
    const asked = { row, words: [...wordSet].sort(byRarity), wordSet };
    const found = leaders.find(asked);
    if (found) {
      found.members.push(row);
      return all;
    }
    const gathering = { leader: asked, members: [row] };
    leaders.add(gathering);
    all.push(gathering);
    return all;
  }, []);
}

/** @param rows each question once. @returns most asked first, then the latest */
export function groupGaps(rows: readonly GapRow[]): GapGroup[] {
  const byNamespace = new Map<string, GapRow[]>();
  for (const row of [...rows].sort(byCount)) push(byNamespace, row.namespace, row);
  return [...byNamespace.values()].flatMap(gatherings).map(toGroup).sort(byCount);
}
