/**
 * Schemas of calls for the OpenAPI document and the tools, and the query of the summary. Those of
 * records follow the client's fields.
 */
import { z } from 'zod';
import {
  callFields,
  callsParameters,
  type RecordField,
  type RecordFields,
  severalOf,
} from '../../packages/calls/src/types.ts';
import { isTimeZone } from './period.ts';

const union = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]);
const kinds = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  array: z.array(z.string()),
  union,
};

function fieldSchema({ kind, description, isOptional, items }: RecordField): z.ZodType {
  const schema = items === undefined ? kinds[kind] : z.array(recordSchema(items));
  const known = isOptional ? z.exactOptional(schema) : schema;
  return description === '' ? known : known.describe(description);
}

const recordSchema = (fields: RecordFields) =>
  z.looseObject(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
  );

export const callRecordSchema = recordSchema(callFields);
/** The server never fetches `transcriptUrl`. */
export const transcriptionSchema = recordSchema(callFields.transcriptions.items);

export const paginationSchema = z.object({
  total: z.int(),
  count: z.int().describe('records on this page'),
  per_page: z.int(),
  current_page: z.int(),
  total_pages: z.int().describe('at least 1, even without records'),
});

export const summaryKeys = ['day', 'type', 'status', 'user'] as const;

/** Minutes have four decimal places. In groups by user they are the user's own minutes. */
const figures = {
  calls: z.int(),
  voiceMinutes: z.number().describe('sum of all participants'),
  videoMinutes: z.number(),
  durationMinutes: z.number().describe('length of the calls'),
};
const part = z.object({
  groups: z.array(
    z.object({ key: z.string().describe('2026-11-21, voice, ended, a uid'), ...figures }),
  ),
  leftOut: z.int().describe('number of groups that are not listed'),
});

/**
 * A call counts for each of its users, so the groups by user may exceed the total. Days are in
 * order, other groups by number of calls.
 */
export const summarySchema = z.object({
  timeZone: z.string(),
  total: z.object(figures),
  by: z.partialRecord(z.enum(summaryKeys), part),
});
export type CallsSummary = z.output<typeof summarySchema>;

const {
  page: _page,
  perPage: _perPage,
  hideTranscription: _hide,
  ...summaryFilter
} = callsParameters;
export const summaryParameters = {
  ...summaryFilter,
  by: severalOf(summaryKeys),
  timeZone: {
    description: 'IANA time zone of the days; default UTC',
    schema: { type: 'string', maxLength: 60 },
    message: 'must be the IANA name of a time zone such as Europe/Berlin',
    read: (text: string) => (isTimeZone(text) ? text : undefined),
  },
};
