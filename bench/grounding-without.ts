/** Disables a check or a feature of the score in a bench that runs with `--without NAME`. */
import { vetoes } from '../packages/grounding/src/judge.ts';
import { scoreWeights } from '../packages/grounding/src/score-weights.ts';

export function leaveOut(name: string): void {
  const at = vetoes.findIndex(([reason]) => reason === name);
  if (at >= 0) (vetoes as unknown[]).splice(at, 1);
  else if (name === 'score') scoreWeights.intercept = 100;
  else if (name in scoreWeights) (scoreWeights as Record<string, number>)[name] = 0;
  else throw new Error(`Unknown check or feature "${name}".`);
}

const at = process.argv.indexOf('--without');
if (at >= 0) leaveOut(process.argv[at + 1] ?? '');
