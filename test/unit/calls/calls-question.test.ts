import { describe, expect, it } from 'vitest';
import { mentionsCalls, splitQuestion } from '../../../src/calls/calls-question.ts';
import { listed } from '../../support/listed.ts';

const missed = ['unanswered', 'cancelled', 'rejected', 'busy'] as const;

describe('a question about the user’s own calls', () => {
  it.each<[string, object]>([
    ['How long did my calls last week take?', { tool: 'summarizeCalls', period: 'last_week' }],
    [
      'how many calls did I miss yesterday?',
      { tool: 'summarizeCalls', period: 'yesterday', statuses: missed },
    ],
    [
      'which calls did I miss this week?',
      { tool: 'listCalls', period: 'this_week', statuses: missed },
    ],
    ['Show my calls of today', { tool: 'listCalls', period: 'today' }],
    ['Please list my missed calls.', { tool: 'listCalls', statuses: missed }],
    [
      'list my video calls from last month',
      { tool: 'listCalls', period: 'last_month', type: 'video' },
    ],
    [
      'How many minutes did I spend in calls this month?',
      { tool: 'summarizeCalls', period: 'this_month' },
    ],
    [
      'How many voice calls did we have this week?',
      { tool: 'summarizeCalls', period: 'this_week', type: 'voice' },
    ],
    ['Who called me yesterday?', { tool: 'listCalls', period: 'yesterday' }],
    ['When was my last call?', { tool: 'listCalls' }],
    [
      'Were any of my calls recorded last week?',
      { tool: 'summarizeCalls', period: 'last_week', hasRecording: true },
    ],
    ['How long were our meetings this week?', { tool: 'summarizeCalls', period: 'this_week' }],
    [
      'How many of my calls were rejected last month?',
      { tool: 'summarizeCalls', period: 'last_month', statuses: ['rejected'] },
    ],
    [
      'total duration of my calls in the last 7 days',
      { tool: 'summarizeCalls', period: 'last_7_days' },
    ],
    ['Give me a summary of my calls.', { tool: 'summarizeCalls' }],
    [
      'Wie lange haben meine Anrufe letzte Woche gedauert?',
      { tool: 'summarizeCalls', period: 'last_week' },
    ],
    [
      'Wie viele Anrufe habe ich gestern verpasst?',
      { tool: 'summarizeCalls', period: 'yesterday', statuses: missed },
    ],
    [
      'Combien de temps ont duré mes appels la semaine dernière ?',
      { tool: 'summarizeCalls', period: 'last_week' },
    ],
    [
      '¿Cuánto duraron mis llamadas la semana pasada?',
      { tool: 'summarizeCalls', period: 'last_week' },
    ],
    ['先週の私の通話はどのくらい続きましたか？', { tool: 'summarizeCalls', period: 'last_week' }],
    ['我上周的通话总共多长时间？', { tool: 'summarizeCalls', period: 'last_week' }],
  ])('%s', (question, ofCalls) => {
    expect(splitQuestion(question)).toEqual({ ofCalls, rest: '' });
    expect(mentionsCalls(question)).toBe(true);
  });
});

describe('a question for the documents', () => {
  it.each([
    ...listed(`
      How long may my calls be? | what is the policy on missed calls | can I record my calls?
      How do I record my calls? | how long do we keep our call recordings?
      Which number do I call for support?
      How much does a call cost?
      Must I answer calls within 30 seconds? | When should I call a customer back?
      How many minutes do I have to return a missed call? | How do we handle missed calls?
      How many calls do I need to make per day? | Which calls are we required to record?
      What happens to my calls when I am on holiday? | How many rings before we pick up our calls? | How long do my calls last?
      What changed in our call policy last month? | When do I call the function? | which API calls do I need?
      What did the calls of Bob total last week? | show me how calls are recorded | How much is a refund?
      Wie lange darf ein Anruf dauern? | Darf ich meine Anrufe aufzeichnen?
      Wie lange werden unsere Anrufe gespeichert? | Puis-je enregistrer mes appels ? | ¿Puedo grabar mis llamadas?
    `),
    '',
  ])('%s', (question) => {
    expect(splitQuestion(question).ofCalls).toBeUndefined();
  });
});

describe('a question with an unsupported restriction gets no figure', () => {
  it.each([
    ...listed(`
      How long did my calls last year take? | How long did my calls take next year? | How long did my calls take in October?
      How many calls did I have on Monday? | How long did my calls take since 2026-11-01?
      How many calls did I make in the last 3 weeks? | how long did my calls with Bob take last week?
      how many calls did I get from carla.rossi this month? | how long did my call to support take yesterday?
    `),
  ])('%s', (question) => {
    expect(splitQuestion(question).ofCalls).toBeUndefined();
  });
});

describe('a question of two parts', () => {
  it.each([
    [
      'How long did my calls last week take, and what does the policy say about missed calls?',
      'what does the policy say about missed calls',
    ],
    [
      'what changed in our call policy last month, and how long did my calls last week take?',
      'what changed in our call policy last month',
    ],
    [
      'How long did my calls last week take? What is returned within 4 hours?',
      'What is returned within 4 hours',
    ],
  ])('%s', (question, rest) => {
    expect(splitQuestion(question)).toMatchObject({
      ofCalls: { tool: 'summarizeCalls', period: 'last_week' },
      rest,
    });
  });
});

it('a question without calls offers no tools', () => {
  for (const question of [
    'How much is a refund?',
    'recall of a product',
    'the caller id',
    'miscalled',
    'Wie teuer ist das?',
    '',
  ])
    expect([question, mentionsCalls(question)]).toEqual([question, false]);
});
