/**
 * Writes provider replies with arbitrary pieces, fields, bytes and ends. The service asks for
 * streams only.
 */
import type { ServerResponse } from 'node:http';
import type { ProviderRequest } from './fake-provider.ts';

type Json = Record<string, unknown>;
/** Provider script that writes the response itself. */
export type Wire = (
  request: ProviderRequest,
  response: ServerResponse,
) => undefined | Promise<undefined>;

export const sse = { 'content-type': 'text/event-stream' };
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const common = (request: ProviderRequest) => ({
  id: 'chatcmpl-1',
  created: 1,
  model: request.body.model,
});

export const event = (
  request: ProviderRequest,
  delta: unknown,
  finish: unknown = null,
  index = 0,
): string =>
  `data: ${JSON.stringify({ ...common(request), object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: finish }] })}\n\n`;

export const lastEvents = (request: ProviderRequest, finish: unknown = 'stop'): string =>
  `${event(request, {}, finish)}data: ${JSON.stringify({ ...common(request), object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`;

/** Sends raw bytes in pieces of `size`. */
export async function sendBytes(
  response: ServerResponse,
  content: string | Buffer,
  size = Number.POSITIVE_INFINITY,
): Promise<undefined> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  response.writeHead(200, sse);
  for (let at = 0; at < bytes.length; at += size) {
    if (response.destroyed) return undefined;
    response.write(bytes.subarray(at, at + size));
    if (size < bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
  return undefined;
}

/** Sends a message with any fields and finish reason as one delta. */
export const saying =
  (message: Json, finish: unknown = 'stop'): Wire =>
  (request, response) =>
    sendBytes(
      response,
      event(request, { role: 'assistant', ...message }) + lastEvents(request, finish),
    );

export const eventsOf = (request: ProviderRequest, pieces: readonly string[]) =>
  pieces.map((content) => event(request, { content })).join('') + lastEvents(request);

/** Sends text in pieces of `size` UTF-16 units, which may split a character. */
export const inPieces =
  (text: string, size: number, bytesAtOnce?: number): Wire =>
  (request, response) => {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    );
    return sendBytes(response, eventsOf(request, pieces), bytesAtOnce);
  };

/** Ends or resets the reply after a share of its bytes. */
export const cutAfter =
  (text: string, share: number, isReset: boolean): Wire =>
  async (request, response) => {
    const whole = Buffer.from(eventsOf(request, [...text]));
    response.writeHead(200, sse);
    await new Promise<void>((resolve) =>
      response.write(whole.subarray(0, Math.floor(whole.length * share)), () => resolve()),
    );
    if (isReset) response.socket?.resetAndDestroy();
    else response.end();
    return undefined;
  };

/** Sends the reply with `bytes` in place of `mark`. */
export const withBytes =
  (text: string, mark: string, bytes: Buffer): Wire =>
  (request, response) => {
    const [before = '', after = ''] = eventsOf(request, [text]).split(mark);
    return sendBytes(response, Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]), 11);
  };

export const calling =
  (
    calls: readonly { readonly name: string; readonly args: string }[],
    content: string | null = null,
  ): Wire =>
  (request, response) => {
    const toolCalls = calls.map(({ name, args }, index) => ({
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name, arguments: args },
    }));
    return saying({ content, tool_calls: toolCalls }, 'tool_calls')(request, response);
  };

export const raw =
  (
    status: number,
    headers: Record<string, string>,
    body: string | ((request: ProviderRequest) => string),
  ): Wire =>
  (request, response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : body(request));
    return undefined;
  };
