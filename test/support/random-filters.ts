/** Random call filters from a seed: each condition once, then combinations of one to five. */
import {
  type CallRecord,
  type CallsFilter,
  type Comparison,
  callModes,
  callStatuses,
  callTypes,
  receiverTypes,
} from '../../packages/calls/src/types.ts';
import { createRandom } from './ledger.ts';

export interface AskedFilter {
  readonly filter: CallsFilter;
  readonly onBehalfOf?: string;
}

/**
 * Filters for these records. Bounds occur in the records, next to their values or far from them.
 */
export function* randomFilters(
  records: readonly CallRecord[],
  count: number,
  seed: number,
): Generator<AskedFilter> {
  const next = createRandom(seed);
  const below = (end: number) => Math.floor(next() * end);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
  const operators = ['eq', 'gt', 'gte', 'lt', 'lte'] as const;

  function bound(field: string) {
    const value = Number(pick(records)[field] ?? pick(records).initiatedAt);
    if (next() >= 0.3) return value;
    return field.endsWith('Minutes')
      ? Math.round((value + next()) * 100) / 100
      : Math.max(0, value + below(7) - 3);
  }
  const comparison = (field: string): Comparison => {
    const chosen =
      next() < 0.5
        ? [pick(operators)]
        : [pick(['gt', 'gte'] as const), pick(['lt', 'lte'] as const)];
    const values = chosen.map(() => bound(field)).sort((a, b) => a - b);
    return Object.fromEntries(chosen.map((operator, index) => [operator, values[index]]));
  };
  const user = () => {
    const record = pick(records);
    return next() < 0.05
      ? 'unknown.user'
      : pick([record.initiator, record.receiver, ...record.participants.map(({ uid }) => uid)]);
  };
  const nonEmpty = <T>(values: readonly T[]): readonly T[] => {
    const chosen = values.filter(() => next() < 0.4);
    return chosen.length > 0 ? chosen : [pick(values)];
  };
  const conditions: (() => CallsFilter)[] = [
    () => ({ type: pick(callTypes) }),
    () => ({ types: nonEmpty(callTypes) }),
    () => ({ mode: pick(callModes) }),
    () => ({ status: pick(callStatuses) }),
    () => ({ statuses: nonEmpty(callStatuses) }),
    () => ({ receiverType: pick(receiverTypes) }),
    () => ({ participantsCount: below(8) }),
    () => ({ totalParticipants: comparison('totalParticipants') }),
    () => ({ initiatedAt: comparison('initiatedAt') }),
    () => ({ startedAt: comparison('startedAt') }),
    () => ({ endedAt: comparison('endedAt') }),
    () => ({ duration: comparison('totalDurationInMinutes') }),
    () => ({ voiceMinutes: comparison('totalAudioMinutes') }),
    () => ({ videoMinutes: comparison('totalVideoMinutes') }),
    () => ({ hasRecording: next() < 0.5 }),
    () => ({ hasTranscription: next() < 0.2 }),
    () => ({ uid: user() }),
  ];
  for (let number = 0; number < count; number++) {
    // The first filters use one condition each.
    const first = conditions[number % conditions.length]!;
    const others = Array.from({ length: number < conditions.length ? 0 : below(5) }, () =>
      pick(conditions),
    );
    const filter: CallsFilter = Object.assign(
      {},
      ...[first, ...others].map((condition) => condition()),
    );
    const perPage = next() < 0.5 ? {} : { perPage: 1 + below(100) };
    const page = next() < 0.4 ? {} : { page: 1 + below(next() < 0.2 ? 200 : 4) };
    yield {
      filter: { ...filter, ...page, ...perPage },
      ...(next() < 0.15 ? { onBehalfOf: user() } : {}),
    };
  }
}
