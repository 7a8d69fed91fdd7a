import { describe, expect, it } from 'vitest';
import { createFit } from '../../../../src/app/ask/answer-type.ts';
import { expectLinearIn } from '../../../support/growth.ts';

const none = 'Refunds are paid to the card.';

describe.each([
  [
    'a time',
    [
      'how long do refunds take?',
      'when is payday?',
      'what time does it open?',
      'by when?',
      'wie lange dauert das?',
      '返金は何日かかりますか',
    ],
    [
      'within 30 days',
      'It takes a two-week trial.',
      'at 9:30',
      'at 5 pm',
      'in March',
      'from 3 May',
      'Refunds take 5 to 10 business days.',
      'Das dauert 5 Werktage.',
      '5営業日以内です。',
      'since 2019',
      'It happens immediately.',
      '14日以内です。',
    ],
    ['It costs $5.', 'It holds 5 people.', 'A 30 daylight lamp.', 'Your bank may apply its own rate.', 'Plan 2 may end.'],
  ],
  [
    'money',
    ['how much is it?', 'what does the plan cost? any fee', 'was kostet das?', 'combien ça coûte', 'cuánto cuesta?', 'いくらですか'],
    ['It is $28.', 'Das sind 28 Euro.', 'It is free.', 'You pay 5%.', '料金 1,200円', 'Das ist kostenlos.'],
    ['It takes 28 days.', 'It is 5 eurosomething.', 'Use freely.'],
  ],
  [
    'a number',
    [
      'how many people can join?',
      'what is the maximum size?',
      'which port is the default?',
      'wie viele Personen?',
      'combien de personnes?',
    ],
    ['It holds 50 people.', 'Up to twelve people.', 'It is unlimited.', '五十人まで。'],
    ['It holds several people.', 'That is onerous.'],
  ],
  [
    'somebody to turn to',
    ['who do I ask?', 'whom to tell?', 'where can I report it?', 'what is the phone of support?', 'wen frage ich?', '联系谁'],
    ['Write to billing@example.com.', 'Dial extension 12.', 'The line is +49 30 123456.', 'Tell your manager.', 'Report it to security.'],
    ['The desk is open.', 'A billing department exists.'],
  ],
] as const)('a question for %s', (_, questions, fitting, others) => {
  it.each(questions)('is known by its form: %s', (question) => {
    const fitOf = createFit(question);
    for (const sentence of fitting) expect(fitOf(sentence), sentence).toBe(1);
    expect(fitOf(none)).toBe(0);
  });
  it('is answered by nothing of another kind', () => {
    for (const sentence of others) expect(createFit(questions[0])(sentence), sentence).toBe(0);
  });
});

describe('a question that asks for nothing of these', () => {
  it.each([
    'how do I reset a password?',
    'is this covered?',
    'where is the archive?',
    'kündigen',
    '',
    'the whenever clause',
    'costume party',
  ])('prefers no sentence: %s', (question) => {
    for (const sentence of ['within 30 days', 'It is $28.', 'Write to billing@example.com.']) expect(createFit(question)(sentence)).toBe(0);
  });
});

it('reads a sentence in time linear in its length', async () => {
  const fitOf = createFit('when, how much, how many, who do I contact?');
  await expectLinearIn(['1', 'a', '1 ', '+1', 'a.', 'one ', '$', 'x@'], fitOf, 20_000);
});
