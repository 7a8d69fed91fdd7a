/**
 * The tools `listCalls` and `summarizeCalls`: calls of the asking user, and what they add up to. Who that is, the host decides (a token's
 * subject, or a header of a trusted key): neither a message, a body nor a model can name another. Without a user they refuse.
 */
import { z } from 'zod';
import { CallsError } from '../calls/errors.ts';
import { createPeriods, type Period, periodNames } from '../calls/period.ts';
import type { UserCalls } from '../calls/summarize.ts';
import {
  type CallsFilter,
  type CallsPage,
  callModes,
  callStatuses,
  callTypes,
  isUid,
  paginationSchema,
  receiverTypes,
  summaryKeys,
  summarySchema,
} from '../calls/types.ts';
import { KnowledgeError } from '../errors.ts';

const day = z.iso.date().describe('a day such as 2026-11-09');
const minutes = z
  .strictObject({ gt: z.number().min(0), gte: z.number().min(0), lt: z.number().min(0), lte: z.number().min(0) })
  .partial()
  .describe('decimal minutes; every comparison has to hold');

const statuses = z.array(z.enum(callStatuses)).min(1);

const filterShape = {
  period: z.enum(periodNames).optional().describe('when the calls were initiated, by the name of the period; weeks begin on Monday'),
  from: day.optional().describe('first day, instead of a period'),
  to: day.optional().describe('last day'),
  timeZone: z.string().max(60).default('UTC').describe('IANA name of the time zone whose days are meant'),
  type: z.enum(callTypes).optional(),
  mode: z.enum(callModes).optional(),
  statuses: statuses.optional().describe('any of these; missed calls are unanswered, cancelled, rejected or busy'),
  receiverType: z.enum(receiverTypes).optional(),
  participantsCount: z.int().min(0).optional(),
  duration: minutes.optional(),
  hasRecording: z.boolean().optional(),
  withUser: z.string().min(1).max(100).refine(isUid, 'must be a uid').optional().describe('uid of another user who took part'),
};

export const listCallsInput = z.strictObject({
  ...filterShape,
  page: z.int().min(1).max(100_000).default(1),
  perPage: z.int().min(1).max(100).default(10),
});
export const summarizeCallsInput = z.strictObject({
  ...filterShape,
  by: z.array(z.enum(summaryKeys)).optional().describe('how the figures are broken down; default: all ways'),
});

const covered = z.object({
  from: z.string().nullable().describe('first day that was looked at; null: from the beginning'),
  to: z.string().nullable(),
});
export const listCallsOutput = covered.extend({
  data: z.array(z.looseObject({ sessionId: z.string() })).describe('call records as in GET /v3/calls, newest first'),
  meta: z.object({ pagination: paginationSchema }),
});
export const summarizeCallsOutput = covered.extend(summarySchema.shape);

export type ListCallsInput = z.input<typeof listCallsInput>;
export type SummarizeCallsInput = z.input<typeof summarizeCallsInput>;
export type ListedCalls = CallsPage & z.output<typeof covered>;
export type SummarizedCalls = z.output<typeof summarizeCallsOutput>;

export const callsToolCards = {
  listCalls: {
    id: 'listCalls' as const,
    description: 'Lists the calls of the user who is asking, newest first, by period, type, status and more.',
  },
  summarizeCalls: {
    id: 'summarizeCalls' as const,
    description: 'Adds up the calls of the user who is asking: how many, how many minutes, by day, type, status and user.',
  },
};

export type CallsTools = ReturnType<typeof createCallsTools>;

type FilterInput = Omit<z.output<typeof listCallsInput>, 'page' | 'perPage'>;

function periodOf({ period, from, to, timeZone }: FilterInput, now: Date): Period | undefined {
  if (period !== undefined && (from !== undefined || to !== undefined))
    throw new KnowledgeError('invalid_request', 'Give either a period, or from and to.');
  const periods = createPeriods(timeZone);
  if (period !== undefined) return periods.named(period, now);
  if (from === undefined && to === undefined) return undefined;
  const last = to ?? periods.named('today', now).lastDay;
  if (from === undefined) throw new KnowledgeError('invalid_request', 'A last day (to) needs a first one (from).');
  if (last < from) throw new KnowledgeError('invalid_request', 'The last day (to) is before the first one (from).');
  return periods.ofDays(from, last);
}

function filterOf(input: FilterInput, now: Date) {
  const { period: _, from, to, timeZone, withUser, ...fields } = input;
  const period = periodOf(input, now);
  const filter: CallsFilter = { ...fields, uid: withUser, initiatedAt: period && { gte: period.from, lt: period.to } };
  return { filter, covers: { from: period?.firstDay ?? null, to: period?.lastDay ?? null } };
}

const userless =
  'Calls are shown to the user who asks: send a token whose subject is that user, or the header onBehalfOf with a trusted key.';
const keyless = 'This server has no key of the calling service (CALLS_API_KEY), so it can show no calls.';

/** @param calls undefined where there is no key to ask the calling service with */
export function createCallsTools(calls: UserCalls | undefined, clock: () => Date) {
  async function look<Found>(
    input: FilterInput,
    actingUser: string | undefined,
    find: (calls: UserCalls, filter: CallsFilter, onBehalfOf: string) => Promise<Found>,
  ) {
    if (actingUser === undefined) throw new KnowledgeError('acting_user_required', userless);
    if (!calls) throw new KnowledgeError('calls_unavailable', keyless);
    try {
      const { filter, covers } = filterOf(input, clock());
      return { ...covers, ...(await find(calls, filter, actingUser)) };
    } catch (error) {
      if (error instanceof CallsError && error.status === 400) throw new KnowledgeError('invalid_request', error.message, { cause: error });
      throw error;
    }
  }

  return {
    async listCalls(given: ListCallsInput, actingUser: string | undefined, signal?: AbortSignal): Promise<ListedCalls> {
      const { page, perPage, ...input } = listCallsInput.parse(given);
      return look(input, actingUser, (found, filter, onBehalfOf) => found.list({ ...filter, page, perPage }, { onBehalfOf, signal }));
    },
    async summarizeCalls(given: SummarizeCallsInput, actingUser: string | undefined, signal?: AbortSignal): Promise<SummarizedCalls> {
      const { by, ...input } = summarizeCallsInput.parse(given);
      return look(input, actingUser, (found, filter, onBehalfOf) =>
        found.summarize(filter, { by, timeZone: input.timeZone, onBehalfOf, signal }),
      );
    },
  };
}

export type CallsUse =
  | { readonly toolName: 'listCalls'; readonly args: ListCallsInput; readonly result: ListedCalls }
  | { readonly toolName: 'summarizeCalls'; readonly args: SummarizeCallsInput; readonly result: SummarizedCalls };
