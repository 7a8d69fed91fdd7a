/**
 * Model provider on loopback: answers with the first sentence of the first passage, whole or
 * streamed. Questions with the word `qxslowly` are answered at one word per second. Also serves
 * small pages that a server can ingest.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoadModel {
  readonly host: string;
  readonly baseUrl: string;
  /** Number of questions so far. */
  asked(): number;
  close(): void;
}

const slowMark = 'qxslowly';
const thinkMs = 20;
const slowWordMs = 1_000;
const slowWords = 30;

interface Asked {
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly content: string | readonly { readonly text?: string }[];
  }[];
}

function lastTextOf({ messages }: Asked): string {
  const content = messages.at(-1)?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}

/** Finds the passages by the prompt's text around them. */
function replyTo(prompt: string): string {
  const boundary = /<<<(\S+) \[1\]/.exec(prompt)?.[1];
  const [, passage = ''] = boundary
    ? (prompt
        .split(`<<<${boundary} [1]`)[1]
        ?.split(`${boundary}>>>`)[0]
        ?.split(/\n([\s\S]*)/) ?? [])
    : [];
  const sentence = /[^.!?#|\n]{20,300}[.!?]/.exec(passage)?.[0].trim();
  return sentence ? `${sentence} [1]` : 'NO_ANSWER';
}

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const head = { id: 'c', created: 1, model: 'm' };
const chunkOf = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const endOfStream = `${chunkOf({}, 'stop')}data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`;

function answerSlowly(response: ServerResponse): void {
  let words = 0;
  const timer = setInterval(() => {
    response.write(chunkOf({ content: ' and' }));
    if (++words < slowWords) return;
    clearInterval(timer);
    response.end(endOfStream);
  }, slowWordMs);
  response.once('close', () => clearInterval(timer));
}

function answer(response: ServerResponse, asked: Asked): void {
  const prompt = lastTextOf(asked);
  const text = replyTo(prompt);
  if (asked.stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (prompt.includes(slowMark)) answerSlowly(response);
    else
      response.end(
        (text.match(/\s*\S+/g) ?? []).map((content) => chunkOf({ content })).join('') + endOfStream,
      );
    return;
  }
  const choices = [
    { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' },
  ];
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
}

const page = (path: string) =>
  `<html><head><title>Page ${path}</title></head><body><main><p>This page is about ${path}.</p></main></body></html>`;

export async function startModel(): Promise<LoadModel> {
  let count = 0;
  const server = createServer((request: IncomingMessage, response) => {
    if (request.method === 'GET') {
      const isPage = request.url?.startsWith('/pages/') === true;
      response
        .writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' })
        .end(isPage ? page(request.url ?? '') : '');
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      count++;
      setTimeout(() => answer(response, JSON.parse(body)), thinkMs);
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    baseUrl: `http://${host}/v1`,
    asked: () => count,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
