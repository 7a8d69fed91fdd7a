/** Stand-in for endpoints of models: answers on each wire by its path, and records the requests. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { meaningOf } from './fake-embeddings.ts';
import { eventsOf } from './provider-wire.ts';
import { startSite } from './site.ts';

export type WireRequest = Readonly<{
  path: string;
  headers: IncomingHttpHeaders;
  body: any;
}>;

/** Score of a text for a query; default: the number of the query's words in it. */
export type Relevance = (query: string, text: string) => number;

export interface ModelWires {
  readonly url: string;
  readonly requests: WireRequest[];
  /** What a chat model says. */
  text: string;
  relevance: Relevance;
  /** Answers every request instead; returns false to let the wire answer. */
  instead: ((request: WireRequest, response: ServerResponse) => boolean | undefined) | undefined;
}

const pieces = (text: string) => text.match(/[\s\S]{1,9}/g) ?? [];
const sse = (events: readonly object[], isNamed = false) =>
  events
    .map(
      (one) =>
        `${isNamed ? `event: ${(one as { type: string }).type}\n` : ''}data: ${JSON.stringify(one)}\n\n`,
    )
    .join('');

const openAiEvents = (text: string, request: WireRequest) => eventsOf(request, pieces(text));

function anthropicEvents(text: string) {
  const message = {
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] },
    ...{ stop_reason: null, stop_sequence: null },
    usage: { input_tokens: 11, output_tokens: 1 },
  };
  return sse(
    [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...pieces(text).map((part) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: part },
      })),
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 7 },
      },
      { type: 'message_stop' },
    ],
    true,
  );
}

function googleEvents(text: string) {
  const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };
  const candidate = (part: string, more: object = {}) => ({
    content: { role: 'model', parts: [{ text: part }] },
    index: 0,
    ...more,
  });
  return sse([
    ...pieces(text).map((part) => ({ candidates: [candidate(part)], modelVersion: 'm' })),
    { candidates: [candidate('', { finishReason: 'STOP' })], usageMetadata, modelVersion: 'm' },
  ]);
}

const chatWires = [
  [/\/chat\/completions$/, openAiEvents],
  [/\/messages$/, anthropicEvents],
  [/:streamGenerateContent/, googleEvents],
] as const;

const wordsInCommon: Relevance = (query, text) => {
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu));
  return (query.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => words.has(word)).length;
};

function answer(request: WireRequest, { text, relevance }: ModelWires, response: ServerResponse) {
  const { path, body } = request;
  const [, events] = chatWires.find(([pattern]) => pattern.test(path)) ?? [];
  if (events) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events(text, request));
    return;
  }
  const sendJson = (value: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (/\/embeddings$/.test(path)) {
    const data = body.input.map((one: string, index: number) => ({
      object: 'embedding',
      index,
      embedding: meaningOf(one),
    }));
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    sendJson({ object: 'list', model: body.model, data, usage });
  } else if (/\/rerank$/.test(path)) {
    const scored = (body.documents as string[]).map((one, index) => ({
      index,
      relevance_score: relevance(body.query, one),
    }));
    sendJson({
      model: body.model,
      results: scored.sort((a, b) => b.relevance_score - a.relevance_score),
      usage: { total_tokens: 21 },
    });
  } else response.writeHead(404).end('{}');
}

export async function startModelWires(): Promise<ModelWires> {
  const { url } = await startSite({}, (path) => async (incoming, response) => {
    const text = await textOf(incoming);
    const { headers } = incoming;
    const request = { path, headers, body: text === '' ? undefined : JSON.parse(text) };
    wires.requests.push(request);
    if (wires.instead?.(request, response) !== true) answer(request, wires, response);
  });
  const wires: ModelWires = {
    url: `${url}/v1`,
    requests: [],
    text: '',
    relevance: wordsInCommon,
    instead: undefined,
  };
  return wires;
}

/** Answers with a status and a text that quotes the key, as some providers do. */
export const failing =
  (status: number, headers: Record<string, string> = {}): ModelWires['instead'] =>
  ({ headers: sent }, response) => {
    const message = `no ${sent.authorization ?? sent['x-api-key'] ?? sent['x-goog-api-key']}`;
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { message } }));
    return true;
  };
