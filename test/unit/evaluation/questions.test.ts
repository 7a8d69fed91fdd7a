import { describe, expect, it } from 'vitest';
import { createNamespaceParser } from '../../../src/documents/namespace-name.ts';
import {
  isMeant,
  parsePattern,
  parseQuestions,
  unknownFiles,
} from '../../../tools/eval/questions.ts';

const options = { namespace: 'default', parseNamespace: createNamespaceParser(undefined) };
const parse = (...lines: unknown[]) =>
  parseQuestions(
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    options,
  );

describe('a questions file', () => {
  it('is read line by line; only the question is needed', () => {
    const { questions, problems } = parse(
      `\uFEFF${JSON.stringify({ question: 'How long?', files: ['refunds.md'], patterns: ['30 days'], id: 'a' })}\r`,
      '',
      { question: 'Who?', namespace: 'HR', unanswerable: true },
    );
    expect(problems).toEqual([]);
    expect(questions).toMatchObject([
      {
        line: 1,
        id: 'a',
        question: 'How long?',
        namespace: 'default',
        files: ['refunds.md'],
        isUnanswerable: false,
      },
      {
        line: 3,
        id: undefined,
        question: 'Who?',
        namespace: 'hr',
        files: [],
        patterns: [],
        isUnanswerable: true,
      },
    ]);
  });

  it.each([
    [{}, '"question" must be a text'],
    [{ question: ' ' }, '"question" must be a text'],
    [
      { question: 'a', unanswereable: true },
      'unknown field "unanswereable"; fields: question, namespace',
    ],
    [{ question: 'a', unanswerable: 'yes' }, '"unanswerable" must be true or false'],
    [{ question: 'a', files: 'a.md' }, '"files" must be a list'],
    [{ question: 'a', patterns: ['/(/'] }, 'invalid regular expression'],
    [{ question: 'a', namespace: '../x' }, '"namespace": A namespace name has'],
    [
      { question: 'a', unanswerable: true, files: ['a.md'] },
      'an unanswerable question must not have "files" or "patterns"',
    ],
  ])('reports the problem of %j', (line, problem) => {
    const { problems } = parse(line);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`line 1: ${problem}`);
  });

  it('refuses the same question or id twice, but not the same question in another namespace', () => {
    const { problems } = parse(
      { question: 'a', id: 'one' },
      { question: 'b', id: 'one' },
      { question: 'a' },
      { question: 'a', namespace: 'hr' },
    );
    expect(problems).toEqual([
      'line 2: repeats the "id" or question of line 1',
      'line 3: repeats the "id" or question of line 1',
    ]);
  });

  it('refuses a file without a question, or with too many', () => {
    expect(parse('', ' ').problems).toEqual(['the file has no questions']);
    const many = Array.from({ length: 10_001 }, (_, number) => `{"question":"q${number}"}`).join(
      '\n',
    );
    expect(parseQuestions(many, options).problems).toEqual([
      'the file has more than 10,000 questions',
    ]);
  });
});

describe('a pattern', () => {
  it.each([
    ['30 days', 'Within 30 DAYS of purchase.', true],
    ['paid. Write', 'Refunds are paid. [1] Write to us. [2]', true],
    ['a[1]', 'Take a[1] here.', true],
    ['$1.5', 'It is $125.', false],
    ['/thirty|30/i', 'THIRTY days', true],
    ['/^- two/m', '- one [1]\n- two [1]', true],
    ['/', 'either/or', true],
  ])('%s in %j: %s', (written, text, expected) => {
    expect(parsePattern(written).isIn(text)).toBe(expected);
  });

  it('is given up where it goes back and forth without end, and is not run over more than an answer is long', () => {
    expect(parsePattern('/^(a+)+$/').isIn(`${'a'.repeat(60)}b`)).toBe(false);
    expect(parsePattern('end').isIn(`${'x'.repeat(30_000)} end`)).toBe(false);
  });
});

describe('an expected file', () => {
  const place = {
    file: 'guide/refunds.md',
    title: 'Refund policy',
    source: 'https://example.com/refunds',
  };
  it.each([
    'guide/refunds.md',
    './guide/refunds.md',
    'refund policy',
    'https://example.com/refunds',
    'https://example.com/refunds/#window',
  ])('%s means the document', (entry) => expect(isMeant(entry, place)).toBe(true));
  it.each(['refunds.md', 'guide/Refunds.md', 'refund', 'https://example.com/'])(
    '%s does not',
    (entry) => expect(isMeant(entry, place)).toBe(false),
  );

  it('is reported once, with its lines, if it matches no document', () => {
    const { questions } = parse(
      { question: 'a', files: ['guide/refunds.md', 'typo.md'] },
      { question: 'b', files: ['typo.md'] },
      { question: 'c', files: ['Refund policy'], namespace: 'hr' },
    );
    expect(unknownFiles(questions, new Map([['default', [place]]]))).toEqual([
      { namespace: 'default', entry: 'typo.md', lines: [1, 2] },
      { namespace: 'hr', entry: 'Refund policy', lines: [3] },
    ]);
  });
});
