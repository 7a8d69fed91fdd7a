/**
 * Fake embedding provider: speaks OpenAI's `POST /v1/embeddings` on loopback and records requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { vi } from 'vitest';
import { type Embedder, embeddableTexts, toUnitVector } from '../../src/search/vectors/embedder.ts';
import type { EmbeddingQueue } from '../../src/search/vectors/embedding-queue.ts';
import { startSite } from './site.ts';

const dimensions = 64;
/** Synonyms map to one word. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/money back|reimbursements?|refunds?/g, 'refund'],
  [/log in|sign in|log on/g, 'login'],
];

/**
 * Deterministic embedding: hashes each word (FNV-1a) to a dimension and a sign, so that texts with
 * common meanings are close.
 */
export function meaningOf(text: string): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  // A text without words needs a direction too.
  vector[0] = 0.001;
  const words =
    meanings
      .reduce((current, [pattern, word]) => current.replace(pattern, word), text.toLowerCase())
      .match(/\p{L}+/gu) ?? [];
  for (const word of words) {
    let hash = 0x811c9dc5;
    for (const character of word)
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    vector[(hash >>> 0) % dimensions]! += hash & 0x40000000 ? 1 : -1;
  }
  return vector;
}

export type EmbeddingRequest = Readonly<{
  headers: IncomingMessage['headers'];
  model: string;
  input: readonly string[];
}>;

type Vectors = readonly (readonly number[])[];
/** Returns vectors, or writes the response itself and returns undefined. */
type Script = (
  request: EmbeddingRequest,
  response: ServerResponse,
) => Vectors | undefined | Promise<Vectors>;

export const answerWithMeaning: Script = ({ input }) => input.map(meaningOf);

export const answerWithStatus =
  (status: number, headers: Record<string, string> = {}, message = 'no'): Script =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message, type: 'error', param: null, code: null } }));
    return undefined;
  };

export interface FakeEmbeddings {
  readonly baseUrl: string;
  readonly requests: EmbeddingRequest[];
  /** Sets one script per request; the last one repeats. */
  script(...scripts: [Script, ...Script[]]): void;
  close(): Promise<void>;
}

/** Ends with the test or the file. */
export async function startFakeEmbeddings(): Promise<FakeEmbeddings> {
  const requests: EmbeddingRequest[] = [];
  let scripts: readonly Script[] = [answerWithMeaning];
  const { url, close } = await startSite({}, () => async (incoming, response) => {
    const body = JSON.parse(await textOf(incoming));
    const request: EmbeddingRequest = { headers: incoming.headers, ...body };
    requests.push(request);
    const [next = answerWithMeaning, ...rest] = scripts;
    if (rest.length > 0) scripts = rest;
    const vectors = await next(request, response);
    if (!vectors) return;
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', model: request.model, data, usage }));
  });
  return {
    baseUrl: `${url}/v1`,
    requests,
    script(...next) {
      scripts = next;
    },
    close,
  };
}

/** In-process embedder with the same meanings, for tests without HTTP. */
export interface FakeEmbedder extends Embedder {
  readonly asked: (readonly string[])[];
  /** Asked texts without their title. */
  askedTexts(): string[];
  /** Called before each response; may throw. */
  before: (texts: readonly string[], signal: AbortSignal) => unknown;
}

export function createFakeEmbedder(maxBatch = 8, model = 'fake'): FakeEmbedder {
  const fake: FakeEmbedder = {
    model,
    maxBatch,
    asked: [],
    askedTexts: () => fake.asked.flat().map((text) => text.slice(text.indexOf('\n\n') + 2)),
    before: () => undefined,
    async embed(texts, signal) {
      fake.asked.push(texts);
      await fake.before(texts, signal);
      return texts.map((text) => toUnitVector(meaningOf(text)));
    },
  };
  return fake;
}

export const textsOf = (...texts: string[]) =>
  embeddableTexts({ title: 'T', chunks: texts.map((text) => ({ headingPath: [], text })) });
export const keysOf = (...texts: string[]) => textsOf(...texts).map(({ key }) => key);
export const many = (count: number) =>
  Array.from({ length: count }, (_, number) => `text ${number}`);

/** Waits until nothing is left to embed. */
export const embeddedBy = (queue: EmbeddingQueue) =>
  vi.waitUntil(() => queue.progress().done + queue.progress().refused === queue.progress().wanted, {
    interval: 2,
    timeout: 60_000,
  });
