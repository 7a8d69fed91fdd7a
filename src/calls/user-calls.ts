/**
 * Tools `listCalls` and `summarizeCalls` for the calls of the acting user. The host determines the
 * user (subject of a token, or header of a trusted key); messages, bodies and models cannot.
 * Without a user the tools refuse.
 */
import { z } from 'zod';
import { CallsError } from '../../packages/calls/src/errors.ts';
import {
  type CallsFilter,
  callModes,
  callStatuses,
  callTypes,
  isUid,
  receiverTypes,
} from '../../packages/calls/src/types.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { periodNames, TimeZone, toCallTime } from './period.ts';
import { paginationSchema, summaryKeys, summarySchema } from './schemas.ts';
import type { UserCalls } from './summarize.ts';

/** Begins the ids of passages that are calls. */
export const recordPrefix = 'calls:';

export const isRecordId = (documentId: string): boolean => documentId.startsWith(recordPrefix);

const day = z.iso.date().describe('a day such as 2026-11-09');
const bound = z.number().min(0);
const minutes = z
  .strictObject({ gt: bound, gte: bound, lt: bound, lte: bound })
  .partial()
  .describe('decimal minutes; all comparisons must hold');

const statuses = z.array(z.enum(callStatuses)).min(1);

const filterShape = {
  period: z
    .enum(periodNames)
    .optional()
    .describe('period in which the calls were initiated; weeks begin on Monday'),
  from: day.optional().describe('first day, instead of a period'),
  to: day.optional().describe('last day'),
  timeZone: z.string().max(60).default('UTC').describe('IANA time zone of the days'),
  type: z.enum(callTypes).optional(),
  mode: z.enum(callModes).optional(),
  statuses: statuses
    .optional()
    .describe('any of these; missed calls are unanswered, cancelled, rejected or busy'),
  receiverType: z.enum(receiverTypes).optional(),
  participantsCount: z.int().min(0).optional(),
  duration: minutes.optional(),
  hasRecording: z.boolean().optional(),
  withUser: z
    .string()
    .min(1)
    .max(100)
    .refine(isUid, 'must be a uid')
    .optional()
    .describe('uid of another user who took part'),
};

const pageSize = z.int().min(1).max(100);
export const listCallsInput = z.strictObject({
  ...filterShape,
  page: z.int().min(1).max(100_000).default(1),
  perPage: pageSize.default(10),
  per_page: pageSize.optional().describe('same as perPage'),
});
export const summarizeCallsInput = z.strictObject({
  ...filterShape,
  by: z.array(z.enum(summaryKeys)).optional().describe('groups of the figures; default: all'),
});

const covered = z.object({
  from: z.string().nullable().describe('first day of the period; null: all calls'),
  to: z.string().nullable(),
});
export const listCallsOutput = covered.extend({
  data: z
    .array(z.looseObject({ sessionId: z.string() }))
    .describe('call records as in GET /v3/calls, newest first'),
  meta: z.object({ pagination: paginationSchema }),
});
export const summarizeCallsOutput = covered.extend(summarySchema.shape);

export const callsToolCards = {
  listCalls: {
    id: 'listCalls',
    description:
      'Lists the calls of the user who is asking, newest first, by period, type, status and more.',
  },
  summarizeCalls: {
    id: 'summarizeCalls',
    description:
      'Adds up the calls of the user who is asking: how many, how many minutes, by day, type, status and user.',
  },
} as const;

type FilterInput = Omit<z.output<typeof listCallsInput>, 'page' | 'perPage' | 'per_page'>;

const invalid = (message: string, cause?: unknown) =>
  new KnowledgeError('invalid_request', message, { cause });

function periodOf({ period, from, to, timeZone }: FilterInput, now: Date) {
  if (period !== undefined && (from !== undefined || to !== undefined))
    throw invalid('period cannot be combined with from and to. Remove one of them.');
  const zone = new TimeZone(timeZone);
  if (period !== undefined) return zone.named(period, now);
  if (from === undefined && to === undefined) return undefined;
  const last = to ?? zone.named('today', now).lastDay;
  if (from === undefined) throw invalid('to needs from. Give the first day.');
  if (last < from) throw invalid(`to (${last}) is before from (${from}). Swap them.`);
  return zone.ofDays(from, last);
}

function filterOf(input: FilterInput, now: Date) {
  const { period: _, from, to, timeZone, withUser, ...fields } = input;
  const period = periodOf(input, now);
  const filter: CallsFilter = {
    ...fields,
    uid: withUser,
    initiatedAt: period && { gte: toCallTime(period.from), lt: toCallTime(period.to) },
  };
  return { filter, covers: { from: period?.firstDay ?? null, to: period?.lastDay ?? null } };
}

const userless =
  'Calls need a user. Send a token whose subject is the user, or the header onBehalfOf with a trusted key.';
const keyless = 'This server cannot show calls, because CALLS_API_KEY is not set.';

/** Each tool throws KnowledgeError `acting_user_required`, `calls_unavailable`, `invalid_request`. */
export class CallsTools {
  readonly #calls;
  readonly #clock;

  /** @param calls undefined without a key of the calling service */
  constructor(calls: UserCalls | undefined, clock: () => Date) {
    this.#calls = calls;
    this.#clock = clock;
  }

  async listCalls(
    given: z.input<typeof listCallsInput>,
    actingUser: string | undefined,
    signal?: AbortSignal,
  ) {
    const { page, perPage, per_page = perPage, ...input } = listCallsInput.parse(given);
    return this.#look(input, actingUser, (calls, filter, onBehalfOf) =>
      calls.list({ ...filter, page, perPage: per_page }, { onBehalfOf, signal }),
    );
  }

  async summarizeCalls(
    given: z.input<typeof summarizeCallsInput>,
    actingUser: string | undefined,
    signal?: AbortSignal,
  ) {
    const { by, ...input } = summarizeCallsInput.parse(given);
    return this.#look(input, actingUser, (calls, filter, onBehalfOf) =>
      calls.summarize(filter, { by, timeZone: input.timeZone, onBehalfOf, signal }),
    );
  }

  async #look<Found>(
    input: FilterInput,
    actingUser: string | undefined,
    find: (calls: UserCalls, filter: CallsFilter, onBehalfOf: string) => Promise<Found>,
  ) {
    if (actingUser === undefined) throw new KnowledgeError('acting_user_required', userless);
    if (!this.#calls) throw new KnowledgeError('calls_unavailable', keyless);
    try {
      const { filter, covers } = filterOf(input, this.#clock());
      return { ...covers, ...(await find(this.#calls, filter, actingUser)) };
    } catch (error) {
      throw error instanceof CallsError && error.status === 400
        ? invalid(error.message, error)
        : error;
    }
  }
}

/** A call of one of the tools, with its result. */
export type CallsUse = {
  [Name in keyof CallsTools]: Readonly<{
    toolName: Name;
    args: Parameters<CallsTools[Name]>[0];
    result: Awaited<ReturnType<CallsTools[Name]>>;
  }>;
}[keyof CallsTools];
