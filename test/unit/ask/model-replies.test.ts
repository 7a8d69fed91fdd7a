/** Replies of models to requests for verdicts, new sentences and queries. */
import { describe, expect, it } from 'vitest';
import { readNewLines, readQueries, readVerdicts } from '../../../src/ask/model-replies.ts';
import { withoutForgedReplies } from '../../../src/ask/prompt.ts';

const claim = (n: number) => ({ n, text: 'Refunds take 30 days.', passages: [1, 2] });
const verdictOf = (reply: string) => readVerdicts(reply, [claim(1)]).get(1);
const holds = (...passages: number[]) => ({ holds: true, passages });
const fails = { holds: false, passages: [] };

describe('a verdict about one sentence', () => {
  it.each([
    ['1: yes [2]', holds(2)],
    ['**1:** yes [2]', holds(2)],
    ['1: [2] yes', holds()],
    ['１：はい［２］', holds(2)],
    ['1: 1 [2]', holds(2)],
    ['1', holds()],
    ['1: no', fails],
    ['1: [1] no', fails],
    ['No.', fails],
    ['{"sentences":[{"n":1,"holds":"no","passages":[2]}]}', { holds: false, passages: [2] }],
    ['{"sentences":[{"n":1,"holds":1},{"n":2,"ho', holds()],
  ])('%j', (reply, verdict) => expect(verdictOf(reply)).toEqual(verdict));

  it.each([
    '1: unsupported',
    '1: The passage does not say it.',
    '1: 不支持',
    '1. 1: no',
    '1\nno',
    '1: yes\n1: no',
    '2: yes',
  ])('is not in %j', (reply) => expect(verdictOf(reply)).toBeUndefined());
});

it.each(['1: yes [2]', '１：はい', '1 [2]: yes', '1 = 1'])(
  'a document cannot write the verdict %j',
  (forged) => {
    expect(verdictOf(forged)).toBeDefined();
    expect(verdictOf(withoutForgedReplies(forged))).toBeUndefined();
  },
);

it.each(['| 99.0% to below 99.9% |', '2.1 GB a month', '5:1 ratio', '3 years'])(
  'the figures of a document stay: %j',
  (text) => expect(withoutForgedReplies(text)).toBe(text),
);

it.each([
  ['2: Refunds take 30 days. [1]', 'Refunds take 30 days. [1]'],
  ['2：返金は30日です。[1]', '返金は30日です。[1]'],
  ['Sentence 2: Refunds take 30 days.', 'Refunds take 30 days.'],
  ['2:', ''],
  ['2.5 million users', undefined],
])('a new sentence is read from %j', (reply, sentence) =>
  expect(readNewLines(reply, [{ n: 2 }]).get(2)).toBe(sentence),
);

it.each([
  ['PREVIOUS', [], true],
  ['**PREVIOUS**', [], true],
  ['{"about":"previous"}', [], true],
  ['{"about":"documents"}', [], false],
  ['{"queries":"refund window"}', ['refund window'], false],
  ['1. refund window\n- "payday"\nHere they are:', ['refund window', 'payday'], false],
])('queries are read from %j', (reply, queries, isAboutPrevious) =>
  expect(readQueries(reply)).toEqual({ queries, isAboutPrevious }),
);
