/** A run as text for a terminal: the figures of all questions and of each namespace, what changed, and which questions to look at. */
import type { Change, Comparison, Differences, Run } from './compare.ts';
import { byNamespace, type FigureName, type Figures, figureNames, figuresOf, unitOf } from './figures.ts';
import type { Score } from './score.ts';

export interface Report {
  /** As it was named. */
  readonly questionsFile: string;
  readonly run: Run;
  /** Questions that were to be asked. */
  readonly wanted: number;
  readonly comparison: Comparison | undefined;
  /** Whether meaning is set up to be searched too. */
  readonly isHybrid: boolean;
}

const maxListed = 20;
const maxQuestionChars = 120;
const nameWidth = 12;
const valueWidth = 10;
const countWidth = 9;

const labels: Readonly<Record<FigureName, string>> = {
  'hit@1': 'first passage is of an expected file',
  'hit@6': 'one of six passages is',
  mrr: '1 / rank of the first such passage',
  precision: 'cited files that are expected',
  recall: 'expected files that are cited',
  support: 'sentences that the gate kept',
  right: 'answers with every pattern',
  abstention: 'unanswerable questions refused',
  answered: 'answerable questions answered',
  sentences: 'per answer',
  chars: 'per answer',
  p50: 'time, median',
  p95: 'time, 95th percentile',
};

// Questions come from a file, and what reaches a terminal is text.
const shown = (text: string) => {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > maxQuestionChars ? `${line.slice(0, maxQuestionChars - 1)}…` : line;
};

/** `0.925` → `92.5 %`, `412.3` → `412 ms`. */
export function formatFigure(name: FigureName, value: number): string {
  const unit = unitOf(name);
  if (unit === 'ms') return `${value.toFixed(0)} ms`;
  if (unit === 'count' || name === 'mrr') return value.toFixed(name === 'mrr' ? 3 : 1);
  return `${(value * 100).toFixed(1)} %`;
}

/** Of shares in percentage points. */
function formatChange(name: FigureName, value: number): string {
  const text = formatFigure(name, Math.abs(value)).replace(/ .*$/, '');
  if (Number(text) === 0) return '=';
  return `${value < 0 ? '-' : '+'}${text}`;
}

function table(title: string, questions: number, figures: Figures, change: Differences | undefined): string[] {
  const lines = figureNames.flatMap((name) => {
    const figure = figures[name];
    if (!figure) return [];
    const difference = change?.[name];
    const cells = [
      name.padEnd(nameWidth),
      formatFigure(name, figure.value).padStart(valueWidth),
      `n ${figure.n}`.padStart(countWidth),
      (difference === undefined ? '' : formatChange(name, difference)).padStart(countWidth),
    ];
    return [`  ${cells.join('')}   ${labels[name]}`];
  });
  return [`${title}, ${questions} ${questions === 1 ? 'question' : 'questions'}`, ...lines, ''];
}

function list<Item>(title: string, items: readonly Item[], line: (item: Item) => string): string[] {
  if (items.length === 0) return [];
  const left = items.length - maxListed;
  return [title, ...items.slice(0, maxListed).map((item) => `- ${line(item)}`), ...(left > 0 ? [`… and ${left} more`] : []), ''];
}

const change = ({ from, to, question }: Change) => `${from} → ${to}: "${shown(question)}"`;

function wrongLine({ verdict, question, isUnanswerable, missing }: Score): string {
  const reason = isUnanswerable
    ? 'answered though unanswerable'
    : missing.length > 0
      ? `without ${missing.map(shown).join(', ')}`
      : verdict === 'wrong'
        ? 'no expected file cited'
        : '';
  return `${verdict}: "${shown(question)}"${reason === '' ? '' : ` (${reason})`}`;
}

export function formatReport({ questionsFile, run, wanted, comparison, isHybrid }: Report): string {
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
    ...(byWordsAlone > 0 ? [`${byWordsAlone} were searched by words alone, though meaning is set up`] : []),
    ...(comparison
      ? [`compared with ${comparison.at} (model ${shown(comparison.model)}), over the ${comparison.questions} questions that both measured`]
      : ['no earlier run to compare with']),
    '',
    ...table('all', scores.length, figuresOf(scores), comparison?.all),
    ...(namespaces.size > 1
      ? [...namespaces].flatMap(([name, group]) => table(name, group.length, figuresOf(group), comparison?.namespaces.get(name)))
      : []),
    ...list('better', comparison?.better ?? [], change),
    ...list('worse', comparison?.worse ?? [], change),
    ...list('failed', failed, ({ error, question }) => `"${shown(question)}" (${error?.code}: ${shown(error?.message ?? '')})`),
    ...list(
      'to look at',
      scores.filter(({ verdict }) => verdict === 'wrong' || verdict === 'refused'),
      wrongLine,
    ),
  ].join('\n');
}
