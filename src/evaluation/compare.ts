/**
 * A run beside an earlier one of the same file. Only what both have measured is compared: a question that is new, was changed, or failed
 * in one of them would move the figures without anything having become better or worse.
 */
import { byNamespace, type FigureName, type Figures, figureNames, figuresOf } from './figures.ts';
import type { Score, Verdict } from './score.ts';

export interface Run {
  /** ISO 8601. */
  readonly at: string;
  readonly model: string;
  readonly scores: readonly Score[];
}

export interface Change {
  readonly question: string;
  readonly namespace: string;
  readonly from: Verdict;
  readonly to: Verdict;
}

export type Differences = Readonly<Partial<Record<FigureName, number>>>;

export interface Comparison {
  /** The earlier run. */
  readonly at: string;
  readonly model: string;
  /** Questions that both have measured. */
  readonly questions: number;
  /** Now minus then, over these questions. */
  readonly all: Differences;
  readonly namespaces: ReadonlyMap<string, Differences>;
  readonly better: readonly Change[];
  readonly worse: readonly Change[];
}

/** To say nothing is better than to say what is wrong. */
const worth: Readonly<Record<Verdict, number>> = { failed: 0, wrong: 0, refused: 1, right: 2 };

function difference(now: Figures, then: Figures): Differences {
  return Object.fromEntries(
    figureNames.flatMap((name) => {
      const [after, before] = [now[name], then[name]];
      return after && before ? [[name, after.value - before.value]] : [];
    }),
  );
}

export function compareRuns(now: Run, then: Run): Comparison {
  const measured = ({ verdict }: Score) => verdict !== 'failed';
  const earlier = new Map(then.scores.filter(measured).map((score) => [score.key, score]));
  const pairs = now.scores.filter(measured).flatMap((after) => {
    const before = earlier.get(after.key);
    return before ? [{ after, before }] : [];
  });
  const before = byNamespace(pairs.map((pair) => pair.before));
  const after = byNamespace(pairs.map((pair) => pair.after));
  const changed = (isWanted: (gain: number) => boolean) =>
    pairs
      .filter((pair) => isWanted(worth[pair.after.verdict] - worth[pair.before.verdict]))
      .map((pair): Change => {
        const { question, namespace, verdict } = pair.after;
        return { question, namespace, from: pair.before.verdict, to: verdict };
      });
  return {
    at: then.at,
    model: then.model,
    questions: pairs.length,
    all: difference(figuresOf(pairs.map((pair) => pair.after)), figuresOf(pairs.map((pair) => pair.before))),
    namespaces: new Map([...after].map(([name, scores]) => [name, difference(figuresOf(scores), figuresOf(before.get(name) ?? []))])),
    better: changed((gain) => gain > 0),
    worse: changed((gain) => gain < 0),
  };
}
