/** A filter as plain conditions, all of which have to hold, and the test of one record against them. */
import { CallsError } from '../errors.ts';
import type { CallsFilter, Comparison } from '../types.ts';
import { type CallFields, type NumberName, numberNames, type ValueName } from './call-fields.ts';

export interface Conditions {
  readonly ranges: readonly { readonly name: NumberName; readonly range: Range }[];
  /** The value is one of these. */
  readonly choices: readonly { readonly name: ValueName; readonly values: readonly string[] }[];
  /** Each of them takes part. */
  readonly uids: readonly string[];
}

/** All of a comparison's operators as one interval. */
export interface Range {
  readonly low: number;
  /** Whether `low` itself is in it. */
  readonly withLow: boolean;
  readonly high: number;
  readonly withHigh: boolean;
}

function toRange({ eq, gt, gte, lt, lte }: Comparison): Range {
  const low = Math.max(eq ?? -Infinity, gt ?? -Infinity, gte ?? -Infinity);
  const high = Math.min(eq ?? Infinity, lt ?? Infinity, lte ?? Infinity);
  return { low, withLow: !(gt !== undefined && gt === low), high, withHigh: !(lt !== undefined && lt === high) };
}

/** False for NaN. */
export const isWithin = (value: number, { low, withLow, high, withHigh }: Range): boolean =>
  (withLow ? value >= low : value > low) && (withHigh ? value <= high : value < high);

export const usualPerPage = 30;
const maxPerPage = 100;

/** @throws CallsError `ERR_BAD_REQUEST` */
export function pageOf({ page = 1, perPage = usualPerPage }: CallsFilter): { readonly page: number; readonly perPage: number } {
  const refuse = (message: string): never => {
    throw new CallsError('ERR_BAD_REQUEST', message, { status: 400 });
  };
  if (!Number.isSafeInteger(page) || page < 1) refuse('The parameter page has to be a whole number from 1.');
  if (!Number.isSafeInteger(perPage) || perPage < 1 || perPage > maxPerPage)
    refuse(`The parameter perPage has to be a whole number from 1 to ${maxPerPage}.`);
  return { page, perPage };
}

/** @param onBehalfOf another user who has to take part */
export function toConditions(filter: CallsFilter, onBehalfOf?: string): Conditions {
  const comparisons: [NumberName, Comparison | undefined][] = numberNames.map((name) => [name, filter[name]]);
  if (filter.participantsCount !== undefined) comparisons.push(['totalParticipants', { eq: filter.participantsCount }]);
  const choices: [ValueName, readonly string[] | undefined][] = [
    ['type', filter.type && [filter.type]],
    ['type', filter.types],
    ['mode', filter.mode && [filter.mode]],
    ['status', filter.status && [filter.status]],
    ['status', filter.statuses],
    ['receiverType', filter.receiverType && [filter.receiverType]],
    ['hasRecording', filter.hasRecording === undefined ? undefined : [String(filter.hasRecording)]],
  ];
  return {
    // A comparison without an operator asks nothing, nor does an empty list.
    ranges: comparisons.flatMap(([name, comparison]) =>
      comparison && Object.values(comparison).some((bound) => bound !== undefined) ? [{ name, range: toRange(comparison) }] : [],
    ),
    choices: choices.flatMap(([name, values]) => (values && values.length > 0 ? [{ name, values: [...new Set(values)] }] : [])),
    uids: [...new Set([filter.uid, onBehalfOf].filter((uid) => uid !== undefined))],
  };
}

export const fits = ({ numbers, values, users }: CallFields, { ranges, choices, uids }: Conditions): boolean =>
  ranges.every(({ name, range }) => isWithin(numbers[name], range)) &&
  choices.every((choice) => choice.values.includes(values[choice.name])) &&
  uids.every((uid) => users.some((user) => user.uid === uid));
