/**
 * One request to the calling service, from the connection to the last byte, within one deadline. Refuses redirects (the key must not go
 * elsewhere), bodies over a limit, and what is not JSON. Settles in time even where `fetch` does not heed its signal.
 */
import { aborted, isHtml, readRequestId, refusalOf, upstreamFailure } from './upstream-failure.ts';

export interface AttemptRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly isOneCall: boolean;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

export interface AttemptParts {
  readonly fetch: typeof globalThis.fetch;
  readonly maxBodyBytes: number;
  readonly now: () => number;
  /** Told of the headers of every answer, good or bad. */
  readonly onHeaders: (headers: Headers) => void;
}

export interface JsonAnswer {
  /** As it came, decompressed. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly json: unknown;
  readonly requestId: string | undefined;
}

/** Of a refusal as much is read as its code needs. */
const maxRefusalBytes = 64 * 1024;

async function readBody(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(response.headers.get('content-length')) > maxBytes) {
    await response.body?.cancel();
    return undefined;
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // Leaving the loop ends the answer.
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

async function refusalBody(response: Response): Promise<string> {
  try {
    return new TextDecoder().decode(await readBody(response, maxRefusalBytes));
  } catch {
    // The status says enough.
    return '';
  }
}

async function exchange(request: AttemptRequest, parts: AttemptParts, signal: AbortSignal): Promise<JsonAnswer> {
  const response = await parts.fetch(request.url, { headers: request.headers, redirect: 'manual', signal });
  const { headers } = response;
  parts.onHeaders(headers);
  if (response.status !== 200) {
    const status = response.type === 'opaqueredirect' ? 302 : response.status;
    throw refusalOf({ status, headers, body: await refusalBody(response) }, request.isOneCall, parts.now());
  }
  const requestId = readRequestId(headers);
  if (isHtml(headers)) {
    await response.body?.cancel();
    throw upstreamFailure('MALFORMED', 'A web page came instead of calls: check the base URL, and what stands in front of it.', {
      requestId,
    });
  }
  const bytes = await readBody(response, parts.maxBodyBytes);
  if (!bytes) {
    throw upstreamFailure('TOO_LARGE', `The answer is larger than ${parts.maxBodyBytes} bytes: ask for fewer calls with perPage.`, {
      requestId,
    });
  }
  try {
    return { bytes, json: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), requestId };
  } catch {
    // The error of the parser quotes the body.
    throw upstreamFailure(
      'MALFORMED',
      'The answer of the calling service is not JSON: check the base URL, and what stands in front of it.',
      {
        requestId,
      },
    );
  }
}

/** @throws CallsError, or what `fetch` threw where the connection failed */
export async function attempt(request: AttemptRequest, parts: AttemptParts): Promise<JsonAnswer> {
  const { signal, timeoutMs } = request;
  if (signal?.aborted) throw aborted(signal.reason);
  const ending = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (error: Error) => {
    ended.reject(error);
    ending.abort(error);
  };
  const onAbort = () => end(aborted(signal?.reason));
  const timer = setTimeout(
    () => end(upstreamFailure('TIMEOUT', 'The calling service did not answer in time; try again later.', { retryable: true })),
    timeoutMs,
  );
  signal?.addEventListener('abort', onAbort, { once: true });
  const exchanged = exchange(request, parts, ending.signal);
  // After the deadline nobody waits for it any more.
  exchanged.catch(() => undefined);
  try {
    return await Promise.race([exchanged, ended.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
