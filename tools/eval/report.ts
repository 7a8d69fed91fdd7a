/**
 * Formats a run as text and as JSON: figures over all questions and per namespace, and questions to
 * review.
 */
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import type { QuestionOutcome, Run } from './runs.ts';
import {
  byNamespace,
  evaluationFiguresOf,
  type FigureName,
  figureNames,
  labelOf,
  type Score,
  searchOf,
  unitOf,
} from './score.ts';

export interface Report {
  /** Path as given on the command line. */
  readonly questionsFile: string;
  readonly run: Run;
  /** Number of requested questions. */
  readonly wanted: number;
  /** Whether vector search is configured. */
  readonly isHybrid: boolean;
}

const maxListed = 20;
const maxQuestionChars = 120;
const nameWidth = 12;
const valueWidth = 10;
const countWidth = 9;

// Questions come from a file: escape control characters.
const shown = (text: string) => {
  const line = shownLine(text).trim();
  return line.length > maxQuestionChars ? `${line.slice(0, maxQuestionChars - 1)}…` : line;
};

/** `0.925` → `92.5 %`, `412.3` → `412 ms`. */
export function formatFigure(name: FigureName, value: number): string {
  const unit = unitOf(name);
  if (unit === 'ms') return `${value.toFixed(0)} ms`;
  if (unit === 'count' || name === 'mrr') return value.toFixed(name === 'mrr' ? 3 : 1);
  return `${(value * 100).toFixed(1)} %`;
}

function table(title: string, scores: readonly Score[]): string[] {
  const figures = evaluationFiguresOf(scores);
  const lines = figureNames.flatMap((name) => {
    const figure = figures[name];
    if (!figure) return [];
    const value = formatFigure(name, figure.value).padStart(valueWidth);
    return `  ${name.padEnd(nameWidth)}${value}${`n ${figure.n}`.padStart(countWidth)}   ${labelOf(name)}`;
  });
  return [
    `${title}, ${scores.length} ${scores.length === 1 ? 'question' : 'questions'}`,
    ...lines,
    '',
  ];
}

function list<Item>(title: string, items: readonly Item[], line: (item: Item) => string): string[] {
  if (items.length === 0) return [];
  const left = items.length - maxListed;
  return [
    title,
    ...items.slice(0, maxListed).map((item) => `- ${line(item)}`),
    ...(left > 0 ? [`… and ${left} more`] : []),
    '',
  ];
}

function wrongLine({ verdict, question, isUnanswerable, missing }: Score): string {
  const known = isUnanswerable
    ? 'answered, but unanswerable'
    : missing.length > 0 && `missing: ${missing.map(shown).join(', ')}`;
  const reason = known || (verdict === 'wrong' && 'no expected file cited');
  return `${verdict}: "${shown(question)}"${reason ? ` (${reason})` : ''}`;
}

export function formatReport({ questionsFile, run, wanted, isHybrid }: Report): string {
  const { scores, model } = run;
  const failed = scores.filter(({ verdict }) => verdict === 'failed');
  const counts = [
    `${scores.length === wanted ? '' : `${scores.length} of `}${wanted} questions`,
    `model ${shown(model)}`,
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  const byWordsAlone = isHybrid ? scores.filter(({ mode }) => mode === 'lexical').length : 0;
  const namespaces = byNamespace(scores);
  return [
    `${shown(questionsFile)}: ${counts.join(', ')}`,
    ...(byWordsAlone > 0
      ? [`${byWordsAlone} were searched without vectors, although vector search is configured`]
      : []),
    '',
    ...table('all', scores),
    ...(namespaces.size > 1 ? [...namespaces].flatMap(([name, group]) => table(name, group)) : []),
    ...list(
      'failed',
      failed,
      ({ error, question }) =>
        `"${shown(question)}" (${error?.code}: ${shown(error?.message ?? '')})`,
    ),
    ...list(
      'to review',
      scores.filter(({ verdict }) => verdict === 'wrong' || verdict === 'refused'),
      wrongLine,
    ),
  ].join('\n');
}

const passagesOf = (result: QuestionOutcome['result']) =>
  (result && searchOf(result)?.results) ?? [];

/** All measurements, and each answer as its reader saw it. */
export function toJson(
  { questionsFile, run, wanted }: Report,
  outcomes: readonly QuestionOutcome[],
) {
  return {
    file: questionsFile,
    at: run.at,
    model: run.model,
    questions: wanted,
    asked: run.scores.length,
    failed: run.scores.filter(({ verdict }) => verdict === 'failed').length,
    figures: evaluationFiguresOf(run.scores),
    namespaces: Object.fromEntries(
      [...byNamespace(run.scores)].map(([name, scores]) => [name, evaluationFiguresOf(scores)]),
    ),
    results: outcomes.map(({ score, result }) => ({
      ...score,
      reason: result?.reason ?? null,
      text: result?.text ?? null,
      citations: result?.citations ?? [],
      passages: passagesOf(result).map(({ file, headingPath, start, end }) => ({
        file,
        headingPath,
        start,
        end,
      })),
    })),
  };
}
