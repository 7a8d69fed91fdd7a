/**
 * Fake model provider: speaks OpenAI's chat completions on loopback, replies as scripted and
 * records requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { event, lastEvents, sse } from './provider-wire.ts';
import { startSite } from './site.ts';

export interface ProviderRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    model: string;
    tools?: unknown;
    temperature?: number;
    max_tokens?: number;
    max_completion_tokens?: number;
    messages: { role: string; content: string | { type: string; text?: string }[] }[];
  };
}

export type Script = (
  request: ProviderRequest,
  response: ServerResponse,
) => string | undefined | Promise<string | undefined>;

/** Streamed reply that a test writes piece by piece. */
export interface LiveReply {
  readonly request: ProviderRequest;
  say(text: string): void;
  finish(): void;
  /** Sends an error within the stream, as providers do. */
  fail(message: string): void;
  reset(): void;
  /** Resolves when the client disconnects or the reply ends. */
  readonly closed: Promise<void>;
}

export interface FakeProvider {
  readonly baseUrl: string;
  readonly requests: ProviderRequest[];
  /** Sets the reply. A script that returns undefined has responded itself. */
  reply(script: string | Script): void;
  /** Resolves with the next request; the test sends its reply. */
  nextLive(): Promise<LiveReply>;
  reset(): void;
  close(): Promise<void>;
}

function liveReply(request: ProviderRequest, response: ServerResponse): LiveReply {
  const write = (text: string) => {
    if (!response.headersSent) response.writeHead(200, sse);
    response.write(text);
  };
  return {
    request,
    say: (text) => write(event(request, { content: text })),
    finish() {
      write(lastEvents(request));
      response.end();
    },
    fail: (message) =>
      write(
        `data: ${JSON.stringify({ error: { message, type: 'server_error', code: 'boom' } })}\n\n`,
      ),
    reset: () => void response.destroy(),
    closed: new Promise((resolve) => response.once('close', resolve)),
  };
}

/** Replies with a tool call (default: the search), optionally after a text. */
export function callSearch(
  request: ProviderRequest,
  response: ServerResponse,
  input: object,
  { id = 'call_again', text = '', name = 'docsRetriever' } = {},
): undefined {
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  response.writeHead(200, sse);
  response.write(
    event(request, { role: 'assistant', content: text, tool_calls: [{ index: 0, ...call }] }),
  );
  response.end(lastEvents(request, 'tool_calls'));
}

function answer(response: ServerResponse, request: ProviderRequest, text: string) {
  const live = liveReply(request, response);
  for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) live.say(piece);
  live.finish();
}

/** Ends with the test or the file. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const requests: ProviderRequest[] = [];
  const noAnswer: Script = () => 'NO_ANSWER';
  let script = noAnswer;
  const { url, close } = await startSite({}, () => async (incoming, response) => {
    const body = JSON.parse(await textOf(incoming));
    const request: ProviderRequest = { headers: incoming.headers, body };
    requests.push(request);
    const reply = await script(request, response);
    if (reply !== undefined) answer(response, request, reply);
  });
  return {
    baseUrl: `${url}/v1`,
    requests,
    nextLive: () =>
      new Promise((resolve) => {
        script = (request, response) => {
          resolve(liveReply(request, response));
          return undefined;
        };
      }),
    reset() {
      requests.length = 0;
      script = noAnswer;
    },
    reply(next) {
      script = typeof next === 'string' ? () => next : next;
    },
    close,
  };
}

export const textIn = (content: ProviderRequest['body']['messages'][number]['content']): string =>
  typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n');

export const lastText = ({ body }: ProviderRequest): string =>
  textIn(body.messages.at(-1)?.content ?? '');
