/**
 * HTTP requests of commands, limited in time and bytes. Redirects are not followed, because a
 * request may carry a key. Private addresses are allowed, unlike in `ingest/fetch`: the address
 * comes from the operator, not from a caller.
 */
import { isDeepStrictEqual } from 'node:util';
import { isJsonFields, jsonOf } from '../../packages/calls/src/call-record.ts';
import { readBodyUpTo } from '../../packages/calls/src/upstream.ts';
import { KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';

const defaultTimeoutMs = 10_000;
const maxAnswerBytes = 4 * 1024 * 1024;

export type AnswerFields = Readonly<Record<string, unknown>>;
/** Fields of a JSON object; none of other values. */
export const fieldsOf = (value: unknown): AnswerFields => (isJsonFields(value) ? value : {});

/** Whether a JSON object has all these values; undefined ones do not count. */
export const hasAll = (object: unknown, values: object): boolean =>
  Object.entries(values).every(([name, value]) => {
    const own = fieldsOf(object)[name];
    if (value === undefined) return true;
    return isJsonFields(value) ? hasAll(own, value) : isDeepStrictEqual(own, value);
  });

/** `body` is undefined if the text is not JSON. */
export type JsonAnswer = Readonly<{ status: number; text: string; body: unknown }>;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was interrupted',
  EPIPE: 'the connection was interrupted',
  UND_ERR_SOCKET: 'the connection was interrupted',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name cannot be resolved now',
};

export function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it did not answer in time';
  const code = systemErrorCode(error) ?? '';
  if (/CERT|SIGNATURE|ERR_SSL|EPROTO/.test(code)) return 'the TLS connection failed';
  return reasons[code] ?? 'the connection failed';
}

/** Resolves for every status. @throws KnowledgeError `fetch_failed` if there is no response */
export async function requestJson(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
    timeoutMs = defaultTimeoutMs,
  }: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly body?: unknown;
    readonly timeoutMs?: number;
  } = {},
): Promise<JsonAnswer> {
  try {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json', ...type, ...headers },
      ...content,
    });
    const text = new TextDecoder().decode(await readBodyUpTo(response, maxAnswerBytes));
    return { status: response.status, text, body: jsonOf(text) };
  } catch (error) {
    throw new KnowledgeError('fetch_failed', reasonOf(error), { cause: error });
  }
}
