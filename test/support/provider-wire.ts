/** Writes provider replies with arbitrary pieces, fields, bytes and ends, streamed or whole. */
import type { ServerResponse } from 'node:http';
import type { ProviderRequest } from './fake-provider.ts';

type Json = Record<string, unknown>;
/** Provider script that writes the response itself. */
export type Wire = (
  request: ProviderRequest,
  response: ServerResponse,
) => undefined | Promise<undefined>;

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

export const completion = (
  request: ProviderRequest,
  message: Json,
  finish: unknown = 'stop',
  more: Json = {},
): string =>
  JSON.stringify({
    ...common(request),
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    usage,
    ...more,
  });

/** Sends raw bytes in pieces of `size`, with the content type that the service expects. */
export async function sendBytes(
  request: ProviderRequest,
  response: ServerResponse,
  bytes: Buffer,
  size = bytes.length,
): Promise<undefined> {
  response.writeHead(200, {
    'content-type': request.body.stream ? 'text/event-stream' : 'application/json',
  });
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) {
    if (response.destroyed) return undefined;
    response.write(bytes.subarray(at, at + Math.max(1, size)));
    if (size < bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
  return undefined;
}

/** Sends a message with any fields and finish reason, whole or as one delta. */
export const saying =
  (message: Json, finish: unknown = 'stop'): Wire =>
  (request, response) =>
    sendBytes(
      request,
      response,
      Buffer.from(
        request.body.stream
          ? event(request, { role: 'assistant', ...message }) + lastEvents(request, finish)
          : completion(request, message, finish),
      ),
    );

/** Sends text in pieces of `size` UTF-16 units, which may split a character. */
export const inPieces =
  (text: string, size: number): Wire =>
  (request, response) => {
    if (!request.body.stream)
      return sendBytes(request, response, Buffer.from(completion(request, { content: text })));
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += size)
      pieces.push(event(request, { content: text.slice(at, at + size) }));
    return sendBytes(request, response, Buffer.from(pieces.join('') + lastEvents(request)));
  };

/** Ends or resets the reply after a share of its bytes. */
export const cutAfter =
  (text: string, share: number, isReset: boolean): Wire =>
  async (request, response) => {
    const whole = Buffer.from(
      request.body.stream
        ? [...text].map((letter) => event(request, { content: letter })).join('') +
            lastEvents(request)
        : completion(request, { content: text }),
    );
    response.writeHead(200, {
      'content-type': request.body.stream ? 'text/event-stream' : 'application/json',
    });
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
    const whole = Buffer.from(
      request.body.stream
        ? event(request, { content: text }) + lastEvents(request)
        : completion(request, { content: text }),
    );
    const at = whole.indexOf(mark);
    return sendBytes(
      request,
      response,
      Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + Buffer.byteLength(mark))]),
      11,
    );
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
