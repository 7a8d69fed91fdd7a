/** A run as JSON for a program: everything that was measured, and each answer as its reader saw it. */
import { byNamespace, figuresOf } from './figures.ts';
import type { Report } from './report.ts';
import type { Outcome } from './run.ts';
import { searchOf } from './score.ts';

export function toJson({ questionsFile, run, wanted, comparison }: Report, outcomes: readonly Outcome[]) {
  return {
    file: questionsFile,
    at: run.at,
    model: run.model,
    questions: wanted,
    asked: run.scores.length,
    failed: run.scores.filter(({ verdict }) => verdict === 'failed').length,
    figures: figuresOf(run.scores),
    namespaces: Object.fromEntries([...byNamespace(run.scores)].map(([name, scores]) => [name, figuresOf(scores)])),
    comparedWith: comparison ? { ...comparison, namespaces: Object.fromEntries(comparison.namespaces) } : null,
    results: outcomes.map(({ score, result }) => ({
      ...score,
      reason: result?.reason ?? null,
      text: result?.text ?? null,
      citations: result?.citations ?? [],
      passages: ((result && searchOf(result)?.results) ?? []).map(({ file, headingPath, start, end }) => ({
        file,
        headingPath,
        start,
        end,
      })),
    })),
  };
}
