/** Counts per namespace and week (UTC, named by its Monday). No texts, no callers. */
import type { Query } from './store.ts';

/** `requests 3` and `tokens 1500` count questions with that many, for medians. */
type CountName =
  | 'questions'
  | 'answered'
  | 'closest'
  | 'refused'
  | 'rated'
  | 'handedOff'
  | 'handedOffShown'
  | 'gapsOpened'
  | 'gapsClosed'
  | `requests ${number}`
  | `tokens ${number}`;
export type Counts = Readonly<Partial<Record<CountName, number>>>;

const dayMs = 86_400_000;
/** @param time ISO 8601 @returns the date of its Monday, such as `2026-11-23` */
function weekOf(time: string) {
  const at = new Date(time);
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10);
}

export async function addCounts(query: Query, namespace: string, time: string, counts: Counts) {
  // Sorted, so that concurrent transactions lock rows in the same order.
  for (const [what, count] of Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
    await query(
      `INSERT INTO weekly_counts (namespace, week, what, count) VALUES ($1, $2, $3, $4)
        ON CONFLICT (namespace, week, what) DO UPDATE SET count = weekly_counts.count + excluded.count`,
      [namespace, weekOf(time), what, count ?? 0],
    );
}

/** Rounds to two digits, so that few rows hold all token counts. */
export const twoDigits = (tokens: number) => Number(tokens.toPrecision(2));

/** Older weeks are deleted. */
const maxWeeks = 104;

/** Figures of a namespace in a week. Medians are null if no question was counted. */
export type WeekFigures = Readonly<{ namespace: string; week: string }> &
  Readonly<ReturnType<typeof figuresOf>>;

function medianOf(counts: ReadonlyMap<string, number>, unit: string) {
  const values = [...counts]
    .flatMap(([what, count]) =>
      what.startsWith(`${unit} `) ? [[Number(what.slice(unit.length)), count] as const] : [],
    )
    .sort(([a], [b]) => a - b);
  let left = values.reduce((sum, [, count]) => sum + count, 0) / 2;
  for (const [value, count] of values) {
    left -= count;
    if (left <= 0) return value;
  }
  return null;
}

function figuresOf(counts: ReadonlyMap<string, number>) {
  const of = (what: CountName) => counts.get(what) ?? 0;
  const questions = of('questions');
  const shown = of('answered') + of('closest') - of('handedOffShown');
  return {
    questions,
    answered: of('answered'),
    closest: of('closest'),
    refused: of('refused'),
    handedOff: of('handedOff'),
    rated: of('rated'),
    medianRequests: medianOf(counts, 'requests'),
    medianTokens: medianOf(counts, 'tokens'),
    /** Share of questions that got an answer or sections and no person, 0 to 1. */
    resolved: questions === 0 ? null : Math.max(0, Math.round((100 * shown) / questions) / 100),
    gapsOpened: of('gapsOpened'),
    gapsClosed: of('gapsClosed'),
  };
}

type CountRow = Readonly<{ namespace: string; week: string; what: string; count: number }>;

/** @returns newest week first, then by namespace */
export async function readWeeks(query: Query, now: Date) {
  const oldest = weekOf(new Date(now.getTime() - maxWeeks * 7 * dayMs).toISOString());
  await query('DELETE FROM weekly_counts WHERE week < $1', [oldest]);
  const rows = await query<CountRow>(
    'SELECT namespace, week, what, count FROM weekly_counts ORDER BY week DESC, namespace',
  );
  return Map.groupBy(rows, ({ namespace, week }) => `${week} ${namespace}`)
    .values()
    .map((of) => {
      const [{ namespace, week }] = of as [CountRow, ...CountRow[]];
      const counts = new Map(of.map(({ what, count }) => [what, count]));
      return { namespace, week, ...figuresOf(counts) };
    })
    .toArray();
}
