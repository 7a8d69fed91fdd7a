/**
 * API client. Keeps the key in memory, or in this tab if the user chooses so, and turns every
 * failure into a readable message.
 */
import { signal } from '@webreflection/signal';
import {
  readEvents,
  type ServerEvent,
} from '../../packages/shared/src/concurrency/event-stream.ts';
import { withStorage } from './shared-with-widget.ts';

export class ApiFailure extends Error {
  readonly code;
  readonly status;
  readonly retryAfterSeconds;

  constructor(message: string, code: string, status: number, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const storedKey = `key of ${location.pathname}`;
let key = withStorage((storage) => storage.getItem(storedKey)) ?? '';
/** True from a 401 until the server accepts a key. */
export const keyNeeded = signal(false);
export const keyRefused = signal(false);

export const hasKey = () => key !== '';
/** A header cannot carry other characters; `?` makes the server reject the key. */
export const sendableKey = (text: string) => (/^[!-~]*$/.test(text) ? text : '?');
/** @param isKept whether this tab keeps the key after a reload */
export function useKey(text: string, isKept = false): void {
  key = sendableKey(text);
  keyRefused.value = false;
  withStorage((storage) =>
    isKept ? storage.setItem(storedKey, key) : storage.removeItem(storedKey),
  );
}

/** The reload forgets the data that was read with the key. */
export function signOut(): void {
  useKey('');
  location.reload();
}

type ApiOptions = Readonly<{
  /** Default: POST with a body, GET without one. */
  method?: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  accepts?: readonly number[];
  /** Replaces `fetch`. */
  send?: (path: string, init: RequestInit) => Promise<Response>;
}>;

async function request(
  path: string,
  { body, method = body === undefined ? 'GET' : 'POST', headers, signal, send = fetch }: ApiOptions,
) {
  const isForm = body instanceof FormData;
  // `fetch` cannot send other characters.
  for (const [name, value] of Object.entries(headers ?? {}))
    if (/[^ -ÿ]/.test(value))
      throw new ApiFailure(`${name} can contain only Latin characters.`, 'invalid_request', 400);
  try {
    return await send(path, {
      method,
      credentials: 'omit',
      redirect: 'error',
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch {
    signal?.throwIfAborted();
    const message = 'The server cannot be reached. Check your connection and retry.';
    throw new ApiFailure(message, 'unreachable', 0);
  }
}

async function failureOf(response: Response) {
  const { error, code } = await response.json().catch(() => ({}));
  // Under /v3, `error` is an object.
  const text = typeof error === 'string' ? error : error?.message;
  const wait = response.headers.get('retry-after') ?? '';
  // A date is ignored, and so is a wait that is too long for a timer.
  const seconds = /^\d{1,6}$/.test(wait) ? Number(wait) : undefined;
  const message =
    text ??
    `The request failed (status ${response.status}). If this continues, contact your administrator.`;
  const hint =
    seconds === undefined || /try again|retry/i.test(message)
      ? ''
      : ` Retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  return new ApiFailure(message + hint, code ?? error?.code ?? 'unknown', response.status, seconds);
}

async function checked(path: string, options: ApiOptions) {
  const sent = key;
  const response = await request(path, options);
  if (response.ok || options.accepts?.includes(response.status)) return response;
  // Under /v3, a 401 concerns the calling service's key. A late 401 concerns a former key.
  if (response.status === 401 && path.startsWith('api/') && sent === key) {
    keyRefused.value = hasKey();
    keyNeeded.value = true;
    withStorage((storage) => storage.removeItem(storedKey));
  }
  throw await failureOf(response);
}

export async function api<Answer>(path: string, options: ApiOptions = {}): Promise<Answer> {
  const response = await checked(path, options);
  return response.json().catch(() => {
    const message = 'The server sent an unreadable response. Reload the page.';
    throw new ApiFailure(message, 'unknown', response.status);
  });
}

/** If true, the sign-in form appears instead of the error. */
export const needsKey = (error: unknown) => error instanceof ApiFailure && error.status === 401;

/**
 * Yields server-sent events. A broken connection ends them without an error. @throws ApiFailure if
 * the request fails
 */
export async function* eventsOf(
  path: string,
  options: ApiOptions = {},
): AsyncGenerator<ServerEvent, void> {
  const { body } = await checked(path, options);
  try {
    if (body) yield* readEvents(body);
  } catch {
    // The caller notices the missing last event.
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
