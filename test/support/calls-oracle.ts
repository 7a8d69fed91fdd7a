/**
 * Reference for `GET /v3/calls` that checks every record. Tests anything that lists calls: the
 * embedded log, a client, a proxy.
 */
import { expect } from 'vitest';
import type {
  CallRecord,
  CallSource,
  CallsFilter,
  Comparison,
} from '../../packages/calls/src/types.ts';
import type { AskedFilter } from './random-filters.ts';

const operators: Readonly<Record<keyof Comparison, (value: number, bound: number) => boolean>> = {
  eq: (value, bound) => value === bound,
  gt: (value, bound) => value > bound,
  gte: (value, bound) => value >= bound,
  lt: (value, bound) => value < bound,
  lte: (value, bound) => value <= bound,
};
const holds = (value = Number.NaN, comparison: Comparison = {}) =>
  Object.entries(comparison).every(
    ([operator, bound]) =>
      bound === undefined || operators[operator as keyof Comparison](value, bound),
  );

/** An empty uid matches no record. */
const takesPart = (record: CallRecord, uid: string) =>
  uid !== '' &&
  (record.initiator === uid ||
    (record.receiverType === 'user' && record.receiver === uid) ||
    record.participants.some((participant) => participant.uid === uid));

/** Maps synonyms to one spelling. */
const oneWord = (word: unknown) =>
  word === 'audio' ? 'voice' : word === 'canceled' ? 'cancelled' : word;

export function fitsPlainly(record: CallRecord, filter: CallsFilter, onBehalfOf?: string): boolean {
  /** Whether a condition is not set, or met by a text or one of several. */
  const is = (wanted: unknown, found: unknown) =>
    wanted === undefined || [wanted].flat().some((one) => oneWord(one) === oneWord(found));
  const isIn = (uid: string | undefined) => uid === undefined || takesPart(record, uid);
  return (
    is(filter.type, record.type) &&
    is(filter.types, record.type) &&
    is(filter.mode, record.mode) &&
    is(filter.status, record.status) &&
    is(filter.statuses, record.status) &&
    is(filter.receiverType, record.receiverType) &&
    is(filter.participantsCount, record.totalParticipants) &&
    is(filter.hasRecording, record.hasRecording) &&
    is(filter.hasTranscription, record.hasTranscription ?? false) &&
    isIn(filter.uid) &&
    isIn(onBehalfOf) &&
    holds(record.totalParticipants, filter.totalParticipants) &&
    holds(record.initiatedAt, filter.initiatedAt) &&
    holds(record.startedAt, filter.startedAt) &&
    holds(record.endedAt, filter.endedAt) &&
    holds(record.totalDurationInMinutes, filter.duration) &&
    holds(record.totalAudioMinutes, filter.voiceMinutes) &&
    holds(record.totalVideoMinutes, filter.videoMinutes)
  );
}

export const byNewest = (a: CallRecord, b: CallRecord) =>
  b.initiatedAt - a.initiatedAt || (a.sessionId < b.sessionId ? 1 : -1);

const lastOf = (records: readonly CallRecord[]) =>
  [...new Map(records.map((record) => [record.sessionId, record])).values()].sort(byNewest);

/** @param records one per session */
export function pageByOracle(
  records: readonly CallRecord[],
  filter: CallsFilter,
  onBehalfOf?: string,
) {
  const all = records.filter((record) => fitsPlainly(record, filter, onBehalfOf));
  all.sort(byNewest);
  const { page = 1, perPage = 30 } = filter;
  const data = all.slice((page - 1) * perPage, page * perPage);
  const pagination = {
    total: all.length,
    count: data.length,
    per_page: perPage,
    current_page: page,
    total_pages: Math.max(1, Math.ceil(all.length / perPage)),
  };
  return { data, meta: { pagination } };
}

/**
 * Expects the same records, order and pagination from `source`. @param records the last record of a
 * session counts
 */
export async function expectAsOracle(
  source: CallSource,
  records: readonly CallRecord[],
  filters: Iterable<AskedFilter>,
): Promise<void> {
  const last = lastOf(records);
  for (const { filter, onBehalfOf } of filters) {
    const given = await source.list(filter, { onBehalfOf });
    const asked = JSON.stringify({ filter, onBehalfOf });
    expect(given, asked).toEqual(pageByOracle(last, filter, onBehalfOf));
  }
}
