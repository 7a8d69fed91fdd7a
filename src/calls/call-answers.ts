/** How calls are answered over HTTP: the bytes of a body, for one asker. The proxy gives the upstream's own; any CallSource can stand behind it. */
import { createHash } from 'node:crypto';
import type { RateLimit } from './limit-headers.ts';
import type { CallSource, CallsFilter } from './types.ts';

export interface CallsAsker {
  /** The caller's own key of the calling service; undefined where they brought none. */
  readonly apiKey: string | undefined;
  readonly onBehalfOf: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface CallAnswer {
  /** JSON. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Of a call that has ended; with the quotes. */
  readonly etag?: string | undefined;
  /** Of the caller's own key. */
  readonly rateLimit?: RateLimit | undefined;
}

export interface CallAnswers {
  /** @throws CallsError with the status to answer */
  list(filter: CallsFilter, asker: CallsAsker): Promise<CallAnswer>;
  /** @throws CallsError with the status to answer */
  get(sessionId: string, asker: CallsAsker): Promise<CallAnswer>;
}

export const etagOf = (body: string | Uint8Array): string => `"${createHash('sha256').update(body).digest('base64url')}"`;

/** Everybody who may ask sees the same calls; the key of an asker decides nothing. */
export const answersFrom = (source: CallSource): CallAnswers => ({
  list: async (filter, { onBehalfOf, signal }) => ({ body: JSON.stringify(await source.list(filter, { onBehalfOf, signal })) }),
  async get(sessionId, { onBehalfOf, signal }) {
    const data = await source.get(sessionId, { onBehalfOf, signal });
    const body = JSON.stringify({ data });
    return { body, etag: data.status === 'ended' ? etagOf(body) : undefined };
  },
});
