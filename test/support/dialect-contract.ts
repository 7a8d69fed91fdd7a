/** Test suite for every chat dialect, without sockets. */
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { AskEvent, AskResult } from '../../src/ask/ask-result.ts';
import { streamAnswer } from '../../src/http/agents/agent-routes.ts';
import type { DialectStream } from '../../src/http/agents/dialects/dialect.ts';
import type { AppEnv } from '../../src/http/auth/caller.ts';
import { errorResponse } from '../../src/http/error-response.ts';

/** Answer as a client of a dialect reads it. */
export interface ReadAnswer {
  readonly text: string;
  readonly quotes: readonly string[];
  readonly isSilent: boolean;
  /** Whether the client knows that the answer is complete. */
  readonly isOver: boolean;
  readonly errorCode?: string | undefined;
}

const citation = {
  index: 1,
  documentId: 'd1',
  file: 'refunds.md',
  title: 'Refunds',
  source: 'https://example.com/refunds',
  headingPath: ['Refunds'],
  anchor: null,
  page: null,
  quote: 'Refunds take 30 days.',
  start: 10,
  end: 31,
  revision: 'r1',
};

const resultOf = (text: string, reason: AskResult['reason']): AskResult => ({
  text,
  answered: reason === 'answered',
  reason,
  namespace: 'docs',
  runId: 'run-1',
  finishReason: 'stop',
  model: 'extractive',
  citations: reason === 'answered' ? [citation] : [],
  dropped: 0,
  repaired: 0,
  rewritten: 0,
  checkedBy: 'rules',
  toolCalls: [],
  toolResults: [],
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
});

const parts = ['Refunds take 30 days. [1]', '\n\nSources:\n[1] Refunds — “30 days”, 返金\u2028'];
const answered: AskEvent[] = [
  ...parts.map((text) => ({ type: 'text' as const, text })),
  { type: 'finished', result: resultOf(parts.join(''), 'answered') },
];
const secret = new Error('the provider said: sk-server-secret');

async function* emit(
  events: readonly AskEvent[],
  failure?: Error,
  onEnd: () => void = () => undefined,
) {
  try {
    yield* events;
    if (failure) throw failure;
  } finally {
    onEnd();
  }
}

type Written = Pick<DialectStream<object>, 'open' | 'framing' | 'headers'>;
const run = { agentId: 'knowledge', runId: 'run-1', baseUrl: 'https://agent.example.com' };

async function respond(
  dialect: Written,
  events: AsyncGenerator<AskEvent, void>,
  body: object,
): Promise<Response> {
  const app = new Hono<AppEnv>();
  const ignore = () => undefined;
  app.use((c, next) => {
    c.set('requestId', 'request-1');
    c.set('caller', {
      id: 'key:1',
      namespaces: undefined,
      rights: new Set(),
      readsAllCalls: false,
    });
    c.set('streams', new FairQueue({ slots: 1 }));
    c.set('logger', { debug: ignore, info: ignore, warn: ignore, error: ignore, audit: ignore });
    return next();
  });
  app.onError((error, c) => errorResponse(c, error));
  app.get('/', (c) => streamAnswer(c, () => events, dialect, run, body));
  return app.request('/');
}

const dataOf = (wire: string): string[] =>
  wire
    .split('\n\n')
    .map((event) =>
      event
        .split('\n')
        .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : [])),
    )
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'));

/** Data of server-sent events, or lines if the dialect has its own framing. */
const eventsOf = ({ framing }: Written, wire: string): string[] =>
  framing ? wire.split('\n').filter((line) => line !== '') : dataOf(wire);

/** @param read parses the event data, or lines, of one stream like the dialect's client */
export function testDialect(
  dialect: Written,
  read: (events: readonly string[]) => ReadAnswer,
  body: object = {},
): void {
  const answer = async (events: readonly AskEvent[], failure?: Error) => {
    const wire = await (await respond(dialect, emit(events, failure), body)).text();
    return { wire, ...read(eventsOf(dialect, wire)) };
  };

  describe('an answer', () => {
    it('arrives complete and in order', async () => {
      expect(await answer(answered)).toMatchObject({
        text: parts.join(''),
        isSilent: false,
        isOver: true,
        errorCode: undefined,
      });
    });

    it('has its citations', async () =>
      expect((await answer(answered)).quotes).toEqual([citation.quote]));

    it('uses the framing of the dialect and disables proxy buffering', async () => {
      const { headers } = await respond(dialect, emit(answered), body);
      expect(headers.get('content-type')).toBe(dialect.framing?.contentType ?? 'text/event-stream');
      expect(headers.get('x-accel-buffering')).toBe('no');
    });
  });

  it('sends an empty, complete answer if the agent is not mentioned', async () => {
    const silent = await answer([{ type: 'finished', result: resultOf('', 'not_mentioned') }]);
    expect(silent).toMatchObject({ text: '', isSilent: true, isOver: true });
  });

  describe('a failure', () => {
    it('before the first event returns its status', async () => {
      const response = await respond(
        dialect,
        emit([], new KnowledgeError('namespace_not_found', 'There is no such namespace.')),
        body,
      );
      expect(response.status).toBe(404);
    });

    it('after the first event sends its code without the cause and ends the stream', async () => {
      const failed = await answer(answered.slice(0, 1), secret);
      expect(failed).toMatchObject({ text: parts[0], isOver: true, errorCode: 'internal' });
      expect(failed.wire).not.toContain('sk-server-secret');
    });
  });

  it('stops the answer when the client disconnects', async () => {
    const ended = Promise.withResolvers<void>();
    const response = await respond(
      dialect,
      emit(
        [...answered.slice(0, 1), ...Array.from({ length: 1_000 }, () => answered[0] as AskEvent)],
        undefined,
        ended.resolve,
      ),
      body,
    );
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await ended.promise;
  });
}
