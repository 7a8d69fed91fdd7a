/** Random arguments of the chat tools with the asking user, from a seed. */
import { type ToolArguments, users } from './own-calls.ts';

export function* randomAsked(
  count: number,
  seed: number,
): Generator<{ readonly subject: string; readonly asked: ToolArguments }> {
  let state = (seed % 2_147_483_646) + 1;
  // Park and Miller, 1988.
  const below = (end: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor(((state - 1) / 2_147_483_646) * end);
  };
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const day = (month: number) => `2026-${month}-${String(1 + below(28)).padStart(2, '0')}`;
  const conditions: (() => ToolArguments)[] = [
    () => ({ type: pick(['voice', 'video'] as const) }),
    () => ({ mode: pick(['call', 'meet', 'presenter'] as const) }),
    () => ({
      statuses: pick([
        ['ended'],
        ['cancelled'],
        ['unanswered', 'cancelled', 'rejected', 'busy'],
        ['ongoing', 'initiated'],
      ] as const),
    }),
    () => ({ receiverType: pick(['user', 'group'] as const) }),
    () => ({ participantsCount: 2 + below(4) }),
    () => ({ duration: pick([{ gte: 5 }, { lt: 10 }, { gt: 0, lte: 3.5 }]) }),
    () => ({ hasRecording: pick([true, false]) }),
    () => ({ withUser: pick(users) }),
  ];
  const times: (() => ToolArguments)[] = [
    () => ({}),
    () => ({
      period: pick([
        'today',
        'yesterday',
        'this_week',
        'last_week',
        'this_month',
        'last_month',
        'last_7_days',
        'last_30_days',
      ]),
    }),
    () => ({ from: day(10), to: `2026-11-${10 + below(9)}` }),
    () => ({ from: day(10) }),
  ];
  const zones = [
    undefined,
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kathmandu',
    'Pacific/Kiritimati',
  ];
  for (let number = 0; number < count; number++) {
    const timeZone = pick(zones);
    const chosen = Array.from({ length: below(3) }, () => pick(conditions)());
    yield {
      subject: pick(users),
      asked: Object.assign(
        {},
        pick(times)(),
        timeZone === undefined ? {} : { timeZone },
        ...chosen,
      ),
    };
  }
}
