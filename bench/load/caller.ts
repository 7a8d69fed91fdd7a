/** One caller with its own kept-alive connections, key and loopback source address. */
import { Agent, type FormData, request } from 'undici';

export interface CallerOptions {
  readonly url: string;
  readonly key?: string | undefined;
  /** Source address such as 127.0.0.9; undefined: chosen by the system. */
  readonly address?: string | undefined;
}

export interface Reply {
  readonly status: number;
  /** Parsed JSON; undefined for other types. */
  readonly body: any;
  readonly text: string;
}

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** JSON value, or a raw body. */
  readonly json?: unknown;
  readonly body?: string | Buffer | FormData | AsyncIterable<Uint8Array>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** @throws undici's error if there is no response */
export type Send = (path: string, sent?: Sent) => Promise<Reply>;

export interface Caller {
  readonly send: Send;
  close(): Promise<void>;
}

/** Milliseconds after which a request counts as lost. */
const timeoutMs = 120_000;

export function createCaller({ url, key, address }: CallerOptions): Caller {
  const dispatcher = new Agent({
    connections: 600,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: 30_000 },
    ...(address ? { localAddress: address } : {}),
  });
  const credentials: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${key}` };
  return {
    async send(
      path,
      {
        json,
        body = json === undefined ? undefined : JSON.stringify(json),
        headers,
        signal,
        method = body === undefined ? 'GET' : 'POST',
      } = {},
    ) {
      const type: Record<string, string> =
        json === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await request(url + path, {
        method,
        dispatcher,
        headers: { ...credentials, ...type, ...headers },
        ...(body === undefined ? {} : { body: body as string }),
        ...(signal ? { signal } : {}),
      });
      const text = await answer.body.text();
      const isJson = String(answer.headers['content-type']).includes('json');
      return { status: answer.statusCode, text, body: isJson ? JSON.parse(text) : undefined };
    },
    close: () => dispatcher.destroy(),
  };
}
