/**
 * HTTP requests of commands, limited in time and bytes. Redirects are not followed, because a
 * request may carry a key. Private addresses are allowed, unlike in `ingest/fetch`: the address
 * comes from the operator, not from a caller.
 */
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, isJsonFields, jsonOf } from '../../packages/calls/src/call-record.ts';
import { readBodyUpTo } from '../../packages/calls/src/upstream.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { connectionProblem } from '../ingest/fetch/outbound.ts';

const defaultTimeoutMs = 10_000;
const maxAnswerBytes = 4 * 1024 * 1024;

/** Whether a JSON object has all these values; undefined ones do not count. */
export const hasAll = (object: unknown, values: object): boolean =>
  Object.entries(values).every(([name, value]) => {
    const own = fieldsOf(object)[name];
    if (value === undefined) return true;
    return isJsonFields(value) ? hasAll(own, value) : isDeepStrictEqual(own, value);
  });

export const reasonOf = (error: unknown): string =>
  error instanceof Error && error.name === 'TimeoutError'
    ? 'it did not answer in time'
    : connectionProblem(error);

/** Resolves for every status. @throws KnowledgeError `fetch_failed` if there is no response */
export async function requestJson(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
    timeoutMs = defaultTimeoutMs,
  }: Readonly<{
    method?: string;
    headers?: Readonly<Record<string, string>> | undefined;
    body?: unknown;
    timeoutMs?: number;
  }> = {},
) {
  try {
    const json = 'application/json';
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: json, ...(body !== undefined && { 'content-type': json }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = new TextDecoder().decode(await readBodyUpTo(response, maxAnswerBytes));
    return { status: response.status, text, body: jsonOf(text) };
  } catch (error) {
    throw new KnowledgeError('fetch_failed', reasonOf(error), { cause: error });
  }
}
/** `body` is undefined if the text is not JSON. */
export type JsonAnswer = Awaited<ReturnType<typeof requestJson>>;
