import { describe, expect, it } from 'vitest';
import { backgroundOf } from '../../../src/ask/gate.ts';
import { refusal, smallTalkAnswer } from '../../../src/ask/reply/answer.ts';
import type { ChatMessage } from '../../../src/records/conversations.ts';
import { listed } from '../../support/listed.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });
const sources =
  '\n\nSources:\n[1] Refunds › Window (https://example.com/refunds#window)\n[2] Plans (plans.md)\n[3] Fees (fees.md)';
const answered = [
  user('how long do refunds take?'),
  assistant(`Refunds are paid within 30 days. [1]${sources}`),
];
const links = sources.replace(/ ([^\d[][^(]*) \(/g, ' [$1](');
const background = 'how long do refunds take?\nRefunds › Window\nPlans';

describe('a question that refers to the previous one', () => {
  it.each([
    ...listed(`
      And for the annual plans of a team? | what about cards? | is that also true for annual team plans? | why? | "and cards?"
      wie ist es mit Karten? | et pour l'abonnement annuel? | а для годового плана? | それは年間? | 那年付的呢 | 그럼 연간은?
    `),
  ])(
    'is searched with the words of the previous one and the titles of two sources: %s',
    (question) => {
      expect(backgroundOf(question, answered)?.text).toBe(background);
    },
  );

  it('is searched with the titles of linked sources', () => {
    const linked = [...answered.slice(0, 1), assistant(`In 30 days. [1]${links}`)];
    expect(links).toContain('[1] [Refunds › Window](https://example.com/refunds#window)');
    expect(backgroundOf('and for annual plans?', linked)?.text).toBe(background);
  });
});

describe('a complete question', () => {
  it.each([
    ...listed(`
      how many people can join a video call? | Wie viele Personen passen in einen Videoanruf?
      and which recordings of video calls are kept in the archive for legal reasons?
    `),
  ])('gets no background: %s', (question) =>
    expect(backgroundOf(question, answered)).toBeUndefined(),
  );
});

it.each([
  ['annual plans?', true],
  ['how long does it take?', true],
  ['年間プランは？', true],
  ['how long do refunds take?', false],
])('%s needs the previous question: %s', (question, isNeeded) =>
  expect(backgroundOf(question, answered)?.isNeeded).toBe(isNeeded),
);

describe('the background', () => {
  const own = [{ handoff: { other: 'Write to us.\n\nWe answer within a day.' } }];
  const ask = 'and for annual plans?';

  it('is empty before the first answer', () => {
    expect(backgroundOf(ask, [])).toBeUndefined();
    expect(backgroundOf(ask, [user('how long do refunds take?')])).toBeUndefined();
    expect(backgroundOf(ask, [assistant(`Hello. [1]${sources}`)])).toBeUndefined();
    expect(backgroundOf(ask, [user('hm'), assistant(' ')])).toBeUndefined();
  });
  it.each([
    ['a refusal', refusal({ language: 'de' }).text],
    ["a refusal with an operator's handoff", refusal({ language: 'de', own }).text],
    ['silence', ''],
  ])('comes from the last answered question and skips %s', (_, text) => {
    const between = [user('what is the capital of Mongolia?'), assistant(text)];
    expect(backgroundOf(ask, [...answered, ...between, ...between])?.text).toBe(background);
    expect(backgroundOf(ask, between)).toBeUndefined();
  });
  it('skips small talk and its answers', () => {
    const { text } = smallTalkAnswer({ kind: 'thanks', language: 'en' });
    const between = [user('thanks!'), assistant(text)];
    expect(backgroundOf(ask, [...answered, ...between, ...between])?.text).toBe(background);
    expect(backgroundOf(ask, between)).toBeUndefined();
  });
  it('comes from the later of two answers', () => {
    const answer = assistant('For 90 days. [1]\n\nSources:\n[1] Calls (calls.md)');
    const later = [...answered, user('how long are recordings kept?'), answer];
    expect(backgroundOf(ask, later)?.text).toBe('how long are recordings kept?\nCalls');
  });
  it('contains no source URL and no text of the answer', () => {
    expect(backgroundOf(ask, answered)?.text).not.toMatch(/https?:|30 days/);
    const other = [user('how long?'), assistant('An answer of another hand.')];
    expect(backgroundOf(ask, other)?.text).toBe('how long?');
  });
});
