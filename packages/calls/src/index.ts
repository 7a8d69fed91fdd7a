/**
 * Typed client of the calling service's `GET /v3/calls`, for Node.js, browsers and workers
 * (README.md).
 */
export type { DriftReport } from './call-record.ts';
export {
  type CallsClient,
  type CallsClientOptions,
  createCallsClient,
  type EachOptions,
  type ToArrayOptions,
} from './client.ts';
export { CallsError } from './errors.ts';
export { parseCallsQuery } from './query.ts';
export type {
  CallRecord,
  CallsFilter,
  CallsPage,
  CallsRequestOptions,
  Comparison,
  ExtraParameters,
  Participant,
  Transcription,
  TranscriptionsPage,
  TranscriptionsQuery,
} from './types.ts';
export type { RateLimit } from './upstream.ts';
