import { describe, expect, it } from 'vitest';
import { holdsKind, isTopic, kindOf } from '../../../src/reply/question-kind.ts';

describe('a question', () => {
  it.each([
    ['how much is the Business plan?', 'price'],
    ['how long do refunds take?', 'time'],
    ['how many seats does it have?', 'number'],
    ['who approves a refund?', 'who'],
    ['how do I find out who is on call?', 'steps'],
    ['can guests see tickets?', 'yesNo'],
    ['Wie lange dauert die Erstattung?', 'time'],
    ['Kann ich kündigen?', 'yesNo'],
    ['which laptop do engineers get?', undefined],
  ])('has its kind: "%s" asks for %s', (question, kind) => {
    expect(kindOf(question)).toBe(kind);
  });
  it.each(['refund window?', 'monthly price of business', 'what about recordings of calls?'])(
    'is a topic: %s',
    (question) => {
      expect(isTopic(question)).toBe(true);
    },
  );
  it.each(['what is a refund?', 'tell me a joke', 'how long do refunds take'])(
    'is no topic: %s',
    (question) => {
      expect(isTopic(question)).toBe(false);
    },
  );
});

describe('a sentence', () => {
  it.each([
    ['how long do refunds take?', 'Refunds take 5 to 10 business days.', true],
    ['how long do refunds take?', 'Refunds are paid after checking the name.', false],
    ['how long do refunds take?', 'Refunds of monthly plans are paid by card.', false],
    ['how often are rights reviewed?', 'Rights are reviewed on an annual basis.', true],
    ['when do the doors close?', 'The doors close at nine.', true],
    ['when do the doors close?', 'The doors close by themselves.', false],
    ['how many hours of leave do I earn?', 'You earn 6 hours of leave.', true],
    ['how many hours of leave do I earn?', 'You earn leave in 26 pay periods.', false],
    ['who approves leave of more than 80 hours?', 'Your manager approves it.', true],
    ['how much is a conference over $2,500?', 'It costs less than 2,500.', false],
    ['how do I cancel?', 'Open the settings and select Cancel.', true],
    ['can guests see tickets?', 'Guests cannot see tickets.', true],
    ['can guests see tickets?', 'Tickets and guests', false],
  ])('is checked for the kind of "%s": %s → %s', (question, sentence, holds) => {
    expect(holdsKind(kindOf(question), question, sentence)).toBe(holds);
  });
});
