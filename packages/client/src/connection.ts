/**
 * Requests to one server. The key goes to no other origin: redirects are not followed. Retries 429
 * and 503.
 */
import { retryAfterMs } from '../../shared/src/concurrency/deadline.ts';
import { readEvents, type ServerEvent } from '../../shared/src/concurrency/event-stream.ts';
import { type RetryOptions, retry } from '../../shared/src/concurrency/retry.ts';
import type { FailureBody } from './openapi.ts';

type Fields = Partial<
  Pick<KnowledgeClientError, 'cause' | 'status' | 'retryAfter' | 'requestId' | 'details'>
>;

/**
 * `code`: that of the server, or `invalid_option`, `unreachable`, `redirect`, `unexpected_response`
 * of the client.
 */
export class KnowledgeClientError extends Error {
  override readonly name = 'KnowledgeClientError';
  readonly code: string;
  /** HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** Seconds that the server asks to wait. */
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  /** Invalid fields of the request. */
  readonly details: FailureBody['details'] | undefined;

  constructor(code: string, message: string, fields: Fields = {}) {
    super(message);
    this.code = code;
    Object.assign(this, fields);
  }
}

/** @param body of the server, or of a proxy @param fallback message if the body has none */
export function toClientError(
  body: unknown,
  fallback: string,
  fields: Fields = {},
): KnowledgeClientError {
  const { error, code, requestId, details } = Object(body) as Partial<FailureBody>;
  const message = typeof error === 'string' ? error.slice(0, 500) : fallback;
  return new KnowledgeClientError(
    typeof code === 'string' ? code : 'unexpected_response',
    message,
    { requestId, details, ...fields },
  );
}

export type ConnectionOptions = Readonly<{
  /** Address of the server, with its PATH_PREFIX. */
  url: string;
  /** A key or token of the server. */
  apiKey?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Retries of 429 and 503. Default: 4 attempts, pauses of 500 to 8,000 ms; a Retry-After above
   * 60,000 ms fails at once.
   */
  retry?: Partial<Omit<RetryOptions, 'isRetryable' | 'retryAfterMs' | 'signal'>> | undefined;
}>;

/** `method`: default POST. `body`: JSON or a form. */
type ClientRequest = Readonly<{
  path: string;
  method?: string;
  body?: object;
  accept?: string;
  signal?: AbortSignal | undefined;
}>;

const known = (error: unknown): Fields => (error instanceof KnowledgeClientError ? error : {});
const isBusy = (error: unknown) => [429, 503].includes(known(error).status ?? 0);

/** Methods throw KnowledgeClientError, or the reason of the signal. */
export class Connection {
  readonly #options;
  readonly #address;

  constructor(options: ConnectionOptions) {
    const address = String(Object(options).url ?? '').trim();
    if (!URL.canParse(address) || !/^https?:\/\/[^/?#@\s]+(?:\/[^?#\s]*)?$/i.test(address))
      throw new KnowledgeClientError(
        'invalid_option',
        'url must be an http:// or https:// URL without user, query or fragment.',
      );
    // `fetch` would quote the key in its error.
    if (!/^[\x21-\x7e]*$/.test(options.apiKey ?? ''))
      throw new KnowledgeClientError(
        'invalid_option',
        'apiKey must be visible ASCII characters without white space.',
      );
    this.#options = options;
    this.#address = address.replace(/\/+$/, '');
  }

  #lost(signal: AbortSignal | undefined, cause: unknown) {
    signal?.throwIfAborted();
    return new KnowledgeClientError(
      'unreachable',
      `The connection to ${this.#address} failed. Check the address.`,
      { cause },
    );
  }

  async #attempt({
    path,
    method = 'POST',
    body,
    accept = 'application/json',
    signal,
  }: ClientRequest) {
    const { apiKey, fetch: send = globalThis.fetch } = this.#options;
    const content = body instanceof FormData ? body : body && JSON.stringify(body);
    const headers = new Headers({ accept, ...(apiKey && { authorization: `Bearer ${apiKey}` }) });
    if (typeof content === 'string') headers.set('content-type', 'application/json');
    const init = {
      method,
      headers,
      redirect: 'manual',
      ...(content && { body: content }),
      ...(signal && { signal }),
    } as const;
    const response = await send(this.#address + path, init).catch((error: unknown) =>
      Promise.reject(this.#lost(signal, error)),
    );
    // 422 carries the report of an upload whose files all failed.
    if (response.ok || response.status === 422) return response;
    const { status } = response;
    // Browsers hide the status of a redirect that is not followed.
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400))
      throw new KnowledgeClientError(
        'redirect',
        'The address redirects, which is not followed. Give the final address.',
        { status },
      );
    const waitMs = retryAfterMs(response.headers.get('retry-after'));
    const fields = { status, retryAfter: waitMs && Math.ceil(waitMs / 1_000) };
    throw toClientError(
      await response.json().catch(() => undefined),
      `${this.#address} returned the unexpected status ${status}.`,
      fields,
    );
  }

  retry<Result>(
    work: () => Promise<Result>,
    isRetryable: RetryOptions['isRetryable'],
    signal: AbortSignal | undefined,
    maxAttempts = 4,
  ): Promise<Result> {
    const pauses = {
      maxAttempts,
      firstPauseMs: 500,
      maxPauseMs: 8_000,
      maxRetryAfterMs: 60_000,
      ...this.#options.retry,
    };
    return retry(work, {
      ...pauses,
      isRetryable,
      retryAfterMs: (error) => (known(error).retryAfter ?? 0) * 1_000,
      signal,
    });
  }

  send(request: ClientRequest): Promise<Response> {
    return this.retry(() => this.#attempt(request), isBusy, request.signal);
  }

  /** @param field a body without it is not that of this operation */
  async json<Body>(field: keyof Body, request: ClientRequest): Promise<Body> {
    const response = await this.send(request);
    const body: unknown = await response.json().catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw this.#lost(request.signal, error);
    });
    if (field in Object(body)) return body as Body;
    throw toClientError(
      body,
      `${this.#address} returned an unexpected response. Check the address.`,
      { status: response.status },
    );
  }

  async *events(request: ClientRequest): AsyncGenerator<ServerEvent, void> {
    const { body } = await this.send({ ...request, accept: 'text/event-stream' });
    try {
      if (body) yield* readEvents(body);
    } catch (error) {
      throw this.#lost(request.signal, error);
    }
  }
}
