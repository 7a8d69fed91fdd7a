/** Fake calling service on loopback that can misbehave, and its records. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { vi } from 'vitest';
import { CallsError } from '../../packages/calls/src/errors.ts';
import type { CallRecord } from '../../packages/calls/src/types.ts';
import { startSite } from './site.ts';

export type TestUpstream = Readonly<{
  baseUrl: string;
  requests: {
    readonly url: string;
    readonly headers: Record<string, string | string[] | undefined>;
  }[];
  /** Number of connections that the client closed before the end of the response. */
  abandoned: () => number;
  /** Resolves when the condition holds. */
  until(holds: () => boolean): Promise<unknown>;
}>;

type Answer = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** @param answer receives the number of earlier requests */
export async function startUpstream(answer: Answer): Promise<TestUpstream> {
  const requests: TestUpstream['requests'] = [];
  let abandoned = 0;
  const { url } = await startSite({}, () => (request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    response.on('close', () => {
      if (!response.writableFinished) abandoned++;
    });
    answer(request, response, requests.length - 1);
  });
  return {
    baseUrl: url,
    requests,
    abandoned: () => abandoned,
    until: (holds) => vi.waitUntil(holds, { interval: 5, timeout: 60_000 }),
  };
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Retries at once and allows enough time on a busy machine. */
export const quickRetries = {
  attemptTimeoutMs: 30_000,
  totalTimeoutMs: 60_000,
  firstPauseMs: 2,
  maxPauseMs: 4,
};

export const refusal = (code: string, message = 'upstream sentence') => ({
  error: { code, message, devMessage: 'upstream-body-marker' },
});

/** @param number identifies the record; higher numbers are newer */
export function callRecord(number: number, more: Record<string, unknown> = {}): CallRecord {
  return {
    sessionId: `v1.us.test.${String(number).padStart(6, '0')}`,
    totalAudioMinutes: 1.5,
    totalVideoMinutes: 0,
    totalDuration: '00:01:30',
    totalDurationInMinutes: 1.5,
    hasRecording: false,
    initiatedAt: 1_692_368_000 + number,
    startedAt: 1_692_368_010 + number,
    endedAt: 1_692_368_100 + number,
    initiator: 'alice',
    mode: 'call',
    receiver: 'bob',
    receiverType: 'user',
    status: 'ended',
    totalParticipants: 2,
    type: 'audio',
    mid: `mid-${number}`,
    participants: [],
    ...more,
  };
}

export const pageOf = (data: readonly unknown[], pagination: Record<string, unknown> = {}) => ({
  data,
  meta: {
    pagination: {
      total: data.length,
      count: data.length,
      per_page: 30,
      current_page: 1,
      total_pages: 1,
      ...pagination,
    },
  },
});

export async function callsErrorOf(promise: Promise<unknown>): Promise<CallsError> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  if (!(error instanceof CallsError)) throw new Error('no error of calls', { cause: error });
  return error;
}

/** Everything in an error that a reader could see. */
export const readable = (error: CallsError): string => {
  const causes: string[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    causes.push(`${cause.message} ${cause.stack}`);
  return `${JSON.stringify({ ...error })} ${causes.join(' ')}`;
};
