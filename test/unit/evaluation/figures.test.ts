import { describe, expect, it } from 'vitest';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { AskResult } from '../../../src/ask/ask-result.ts';
import { parseQuestions } from '../../../tools/eval/questions.ts';
import { formatReport } from '../../../tools/eval/report.ts';
import {
  evaluationFiguresOf,
  type Score,
  scoreAnswer,
  scoreFailure,
} from '../../../tools/eval/score.ts';

const place = (file: string) => ({ file, title: file, source: file });
const questionOf = (line: object) =>
  parseQuestions(JSON.stringify(line), { namespace: 'default', parseNamespace: (name) => name })
    .questions[0]!;

interface Given {
  readonly text?: string;
  readonly cites?: readonly string[];
  readonly finds?: readonly string[];
  readonly dropped?: number;
}

/** An answer of the agent; without a text, a refusal. */
function resultOf({ text, cites = [], finds = [], dropped = 0 }: Given) {
  const answered = text !== undefined;
  return {
    text: answered
      ? `${text}\n\nSources:\n${cites.map((file, index) => `[${index + 1}] ${file} (${file})`).join('\n')}`
      : 'I could not find that in the documents.\n\nSources: none',
    answered,
    reason: answered ? 'answered' : 'no_context',
    citations: cites.map(place),
    toolResults: [{ toolName: 'docsRetriever', result: { results: finds.map(place) } }],
    dropped,
  } as unknown as AskResult;
}

const scoreOf = (line: object, given: Given, ms = 1) =>
  scoreAnswer(questionOf(line), resultOf(given), ms);
const failureOf = (line: object, ms = 1) =>
  scoreFailure(questionOf(line), new KnowledgeError('model_unavailable', 'No model.'), ms);

describe('a verdict', () => {
  const both = { files: ['a.md'], patterns: ['30 days'] };
  const soon = { text: 'Soon. [1]', cites: ['a.md'] };
  it.each<[string, object, Given, Score['verdict']]>([
    ['every pattern is stated', both, { text: 'Within 30 days. [1]', cites: ['b.md'] }, 'right'],
    ['a pattern is missing', both, soon, 'wrong'],
    ['a pattern is in the sources alone', { patterns: ['a.md'] }, soon, 'wrong'],
    ['there is no answer', both, {}, 'refused'],
    ['an expected file is cited', { files: ['b.md', 'a.md'] }, soon, 'right'],
    ['no expected file is cited', { files: ['c.md'] }, soon, 'wrong'],
    ['anything is said, and nothing was expected', {}, soon, 'right'],
    ['an unanswerable question is refused', { unanswerable: true }, {}, 'right'],
    ['an unanswerable question is answered', { unanswerable: true }, soon, 'wrong'],
  ])('is correct if %s', (_, line, given, verdict) => {
    expect(scoreOf({ question: 'q', ...line }, given).verdict).toBe(verdict);
  });
});

describe('the score of an answer', () => {
  it('counts cited, found, stated and dropped sentences', () => {
    const line = {
      question: 'q',
      files: ['a.md', 'b.md', 'gone.md'],
      patterns: ['thirty', '/soon/i'],
    };
    const text = 'It takes 30 days. [1] Write to us. [2]\n\n- Soon. [2]\n\n```\na[1]\n```\n[3]';
    expect(
      scoreOf(
        line,
        {
          text,
          cites: ['a.md', 'c.md', 'b.md', 'a.md'],
          finds: ['c.md', 'c.md', 'b.md', 'a.md'],
          dropped: 2,
        },
        12,
      ),
    ).toMatchObject({
      verdict: 'wrong',
      missing: ['thirty'],
      expected: 3,
      rank: 3,
      cited: 3,
      citedExpected: 2,
      expectedCited: 2,
      sentences: 4,
      dropped: 2,
      ms: 12,
    });
  });

  it('counts a refusal as no sentence', () => {
    const refused = { dropped: 3, sentences: 0, chars: 0 };
    expect(scoreOf({ question: 'q' }, { dropped: 3 })).toMatchObject(refused);
  });
});

describe('the figures', () => {
  const files = (question: string) => ({ question, files: ['a.md'], patterns: ['yes'] });
  const yes = { text: 'Yes. [1]', cites: ['a.md'], finds: ['a.md', 'b.md'], dropped: 1 };
  const nope = { text: 'Nope. [1] Never. [2]', cites: ['a.md', 'b.md'], finds: ['b.md', 'a.md'] };
  const unanswerable = (question: string) => ({ question, unanswerable: true });
  const scores = [
    scoreOf(files('1'), yes, 10),
    scoreOf(files('2'), { ...nope, dropped: 1 }, 20),
    scoreOf(files('3'), { finds: [...Array.from({ length: 6 }, () => 'b.md'), 'a.md'] }, 30),
    scoreOf(unanswerable('4'), {}, 40),
    scoreOf(unanswerable('5'), { text: 'Yes. Yes. [1]', cites: ['c.md'], dropped: 2 }, 50),
    failureOf(files('6'), 60_000),
  ];

  it('equal figures computed by hand, each with its base, without failures', () => {
    const figures = evaluationFiguresOf(scores);
    const rounded = Object.fromEntries(
      Object.entries(figures).map(([name, { value, n }]) => [
        name,
        [Math.round(value * 1_000) / 1_000, n],
      ]),
    );
    expect(rounded).toEqual({
      'hit@1': [0.333, 3],
      'hit@6': [0.667, 3],
      // (1 + 1/2 + 1/7) / 3
      mrr: [0.548, 3],
      // (1/1 + 1/2) / 2: the refusal cites nothing
      precision: [0.75, 2],
      recall: [0.667, 3],
      // 1 + 1 + 2 kept, 1 repaired, 1 + 2 dropped
      support: [0.556, 9],
      right: [0.333, 3],
      shown: [0.333, 3],
      abstention: [0.5, 2],
      answered: [0.667, 3],
      sentences: [1.667, 3],
      // "Yes.", "Nope. Never.", "Yes. Yes."
      chars: [8.333, 3],
      p50: [30, 5],
      p95: [50, 5],
    });
  });
});

it('a report lists at most twenty questions of a kind and removes control characters', () => {
  const many = Array.from({ length: 25 }, (_, number) => ({
    question: `q${number}\u001b[2J`,
    patterns: ['yes'],
  }));
  const scores = many.map((line) => scoreOf(line, { text: 'No. [1]', cites: ['a.md'] }));
  const run = { at: '2026-01-01T00:00:00.000Z', model: 'extractive', scores };
  const text = formatReport({ questionsFile: 'q', run, wanted: 25, isHybrid: false });
  expect(text.match(/^- wrong: /gm)).toHaveLength(20);
  expect(text).toContain('… and 5 more');
  expect(text).not.toContain('\u001b');
});
