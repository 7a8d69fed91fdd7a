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

const holds = (value: number | undefined, { eq, gt, gte, lt, lte }: Comparison = {}): boolean => {
  if ([eq, gt, gte, lt, lte].every((bound) => bound === undefined)) return true;
  if (value === undefined) return false;
  if (eq !== undefined && value !== eq) return false;
  if (gt !== undefined && !(value > gt)) return false;
  if (gte !== undefined && !(value >= gte)) return false;
  if (lt !== undefined && !(value < lt)) return false;
  return lte === undefined || value <= lte;
};

/** An empty uid matches no record. */
const takesPart = (record: CallRecord, uid: string) =>
  uid !== '' &&
  (record.initiator === uid ||
    (record.receiverType === 'user' && record.receiver === uid) ||
    record.participants.some((participant) => participant.uid === uid));

/** Maps synonyms to one spelling. */
const oneWord = (word: string) =>
  word === 'audio' ? 'voice' : word === 'canceled' ? 'cancelled' : word;

export function fitsPlainly(record: CallRecord, filter: CallsFilter, onBehalfOf?: string): boolean {
  const isOneOf = (wanted: readonly string[], found: string) =>
    wanted.some((one) => oneWord(one) === oneWord(found));
  if (filter.type !== undefined && !isOneOf([filter.type], record.type)) return false;
  if (filter.types !== undefined && !isOneOf(filter.types, record.type)) return false;
  if (filter.mode !== undefined && filter.mode !== record.mode) return false;
  if (filter.status !== undefined && !isOneOf([filter.status], record.status)) return false;
  if (filter.statuses !== undefined && !isOneOf(filter.statuses, record.status)) return false;
  if (filter.receiverType !== undefined && filter.receiverType !== record.receiverType)
    return false;
  if (
    filter.participantsCount !== undefined &&
    filter.participantsCount !== record.totalParticipants
  )
    return false;
  if (filter.hasRecording !== undefined && filter.hasRecording !== record.hasRecording)
    return false;
  if (
    filter.hasTranscription !== undefined &&
    filter.hasTranscription !== (record.hasTranscription ?? false)
  )
    return false;
  if (filter.uid !== undefined && !takesPart(record, filter.uid)) return false;
  if (onBehalfOf !== undefined && !takesPart(record, onBehalfOf)) return false;
  return (
    holds(record.totalParticipants, filter.totalParticipants) &&
    holds(record.initiatedAt, filter.initiatedAt) &&
    holds(record.startedAt, filter.startedAt) &&
    holds(record.endedAt, filter.endedAt) &&
    holds(record.totalDurationInMinutes, filter.duration) &&
    holds(record.totalAudioMinutes, filter.voiceMinutes) &&
    holds(record.totalVideoMinutes, filter.videoMinutes)
  );
}

const byNewest = (a: CallRecord, b: CallRecord) =>
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
  const total_pages = all.length === 0 ? 1 : Math.ceil(all.length / perPage);
  return {
    data,
    meta: {
      pagination: {
        total: all.length,
        count: data.length,
        per_page: perPage,
        current_page: page,
        total_pages,
      },
    },
  };
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
    const [given, wanted] = [
      await source.list(filter, onBehalfOf === undefined ? {} : { onBehalfOf }),
      pageByOracle(last, filter, onBehalfOf),
    ];
    const asked = JSON.stringify({ filter, onBehalfOf });
    expect(given.meta, asked).toEqual(wanted.meta);
    expect(
      given.data.map(({ sessionId }) => sessionId),
      asked,
    ).toEqual(wanted.data.map(({ sessionId }) => sessionId));
    if (given.data[0]) expect(given.data[0], asked).toEqual(wanted.data[0]);
  }
}
