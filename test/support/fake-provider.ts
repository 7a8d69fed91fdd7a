/** A model provider of ours: speaks OpenAI's chat completions over loopback, replies as scripted, remembers what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProviderRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    model: string;
    stream?: boolean;
    tools?: unknown;
    messages: { role: string; content: string | { type: string; text?: string }[] }[];
  };
}

type Script = (request: ProviderRequest, response: ServerResponse) => string | undefined | Promise<string | undefined>;

export interface FakeProvider {
  readonly baseUrl: string;
  readonly requests: ProviderRequest[];
  /** What to reply from now on; a script that returns undefined has answered by itself. */
  reply(script: string | Script): void;
  close(): Promise<void>;
}

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

function answer(response: ServerResponse, request: ProviderRequest, text: string): void {
  const common = { id: 'chatcmpl-1', created: 1, model: request.body.model };
  if (request.body.stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (delta: unknown, finish: string | null) =>
      response.write(
        `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    chunk({ role: 'assistant', content: '' }, null);
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) chunk({ content: piece }, null);
    chunk({}, 'stop');
    response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`);
    response.end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      ...common,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage,
    }),
  );
}

export async function startFakeProvider(): Promise<FakeProvider> {
  const requests: ProviderRequest[] = [];
  let script: Script = () => 'NO_ANSWER';
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.on('data', (part) => (text += part));
    incoming.on('end', async () => {
      const request: ProviderRequest = { headers: incoming.headers, body: JSON.parse(text) };
      requests.push(request);
      const reply = await script(request, response);
      if (reply !== undefined) answer(response, request, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    reply(next) {
      script = typeof next === 'string' ? () => next : next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Text of the last message that a model was given. */
export function lastText({ body }: ProviderRequest): string {
  const content = body.messages.at(-1)?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n');
}
