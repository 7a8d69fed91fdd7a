/** The server, as the page asks it: the key is kept here, in memory, and every failure is one sentence for a person. */
import { signal } from '@webreflection/signal';
import { readEvents, type ServerEvent } from '../concurrency/event-stream.ts';

export class ApiFailure extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, code: string, status: number, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

let key = '';
/** Set when the server wants a key or refuses the given one, until it accepts one. */
export const keyNeeded = signal(false);
export const keyRefused = signal(false);

export const hasKey = () => key !== '';
export function useKey(given: string): void {
  // What no header can hold is no key.
  key = /^[!-~]*$/.test(given) ? given : '?';
  keyRefused.value = false;
}

export interface ApiOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly accepts?: readonly number[];
}

async function request(path: string, { method = 'GET', body, headers, signal }: ApiOptions): Promise<Response> {
  const isForm = body instanceof FormData;
  try {
    return await fetch(path, {
      method,
      credentials: 'omit',
      redirect: 'error',
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch {
    signal?.throwIfAborted();
    throw new ApiFailure('The server cannot be reached. Is it running?', 'unreachable', 0);
  }
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const { error, code } = await response.json().catch(() => ({}));
  // Below /v3 the error is an object.
  const said = typeof error === 'string' ? error : error?.message;
  const wait = response.headers.get('retry-after');
  const message = said ?? `The server answered with status ${response.status}.`;
  const hint = wait && !message.includes('try again') ? ` Try again in ${wait} seconds.` : '';
  return new ApiFailure(message + hint, code ?? error?.code ?? 'unknown', response.status, wait ? Number(wait) : undefined);
}

async function checked(path: string, options: ApiOptions): Promise<Response> {
  const response = await request(path, options);
  if (response.ok || options.accepts?.includes(response.status)) return response;
  // Below /v3 a 401 is about the calling service's key.
  if (response.status === 401 && path.startsWith('api/')) {
    keyRefused.value = hasKey();
    keyNeeded.value = true;
  }
  throw await failureOf(response);
}

export async function api<Answer>(path: string, options: ApiOptions = {}): Promise<Answer> {
  const response = await checked(path, options);
  return response.json().catch(() => {
    throw new ApiFailure('The answer cannot be read.', 'unknown', response.status);
  });
}

/** Server-sent events; a broken connection ends them. @throws ApiFailure */
export async function* eventsOf(path: string, options: ApiOptions = {}): AsyncGenerator<ServerEvent, void> {
  const { body } = await checked(path, options);
  try {
    if (body) yield* readEvents(body);
  } catch {
    // The caller sees that the last event is missing.
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
