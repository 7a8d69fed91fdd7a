/** `WORKERS`: threads return the same answers to questions without a model. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { AnswerThreads } from '../../src/agent/answer-threads.ts';
import type { Lookups } from '../../src/agent/thread-messages.ts';
import { startService, type TestService } from '../support/workspace.ts';

const path = '/api/agents/knowledge/generate';
const files = {
  'docs/shop.md':
    '# Refunds\n\nRefunds are paid within 30 days of purchase.\n\n# Shipping\n\nParcels leave the warehouse on Mondays.\n',
  'docs/.messages.yaml': 'no_context:\n  en: Nothing about that here.\n',
};
const messages = {
  'a question': '@agent within how many days are refunds paid?',
  'a question with only close passages': '@agent how are parcels insured?',
  'a question without an answer': '@agent who invented the zeppelin?',
  'a request for help': '@agent help',
  'a message without a mention': 'within how many days are refunds paid?',
};

describe('the server with threads', () => {
  let withoutThreads: TestService;
  let withThreads: TestService;
  beforeAll(async () => {
    withoutThreads = await startService({}, files);
    withThreads = await startService({ WORKERS: '2' }, files);
  });

  it.each(Object.entries(messages))(
    'answers %s the same as without threads, whole and streamed',
    async (_, message) => {
      const asked = { messages: message, toolParams: { namespace: 'docs' } };
      const whole = async ({ post }: typeof withoutThreads) => {
        const { status, body } = await post(path, asked);
        const { runId: _, toolCalls, toolResults, ...same } = body;
        return {
          status,
          same,
          tools: toolCalls.map(({ args }: { args: unknown }) => args),
          found: toolResults.length,
        };
      };
      expect(await whole(withThreads)).toEqual(await whole(withoutThreads));
      const streamed = async ({ request }: typeof withoutThreads) => {
        const init = {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(asked),
        };
        const text = await (await request('/api/agents/knowledge/stream', init)).text();
        return text.replaceAll(
          /"(runId|toolCallId|messageId|id|from)":"[^"]*"|"(timestamp|ms)":\d+/g,
          '',
        );
      };
      expect(await streamed(withThreads)).toBe(await streamed(withoutThreads));
    },
  );

  it('reports a missing namespace', async () => {
    const { status, body } = await withThreads.post(path, {
      messages: messages['a question'],
      toolParams: { namespace: 'none' },
    });
    expect([status, body.code]).toEqual([404, 'namespace_not_found']);
  });

  it('finds a stored document at once, and no longer after its deletion', async () => {
    const { post, request } = withThreads;
    const asked = {
      messages: '@agent when does the canteen open?',
      toolParams: { namespace: 'docs' },
    };
    const source = { text: 'The canteen opens at eleven.', title: 'Canteen' };
    const { body: stored } = await post('/api/tools/ingestSources', {
      namespace: 'docs',
      sources: [source],
    });
    expect((await post(path, asked)).body.text).toContain('The canteen opens at eleven.');
    await request(`/api/namespaces/docs/documents/${stored.results[0].document.id}`, {
      method: 'DELETE',
    });
    expect((await post(path, asked)).body.answered).toBe(false);
  });

  it('measures the duration of a check in a thread', async () => {
    await withThreads.post(path, {
      messages: messages['a question'],
      toolParams: { namespace: 'docs' },
    });
    expect(await withThreads.api.metrics.read()).toMatch(/stage="check"[^\n]* [1-9]/);
  });
});

describe('a thread', () => {
  const unavailable = new KnowledgeError('storage_unavailable', 'Away.', { retryAfterSeconds: 7 });
  const settings = {
    threads: 1,
    card: { id: 'knowledge', name: 'Knowledge', description: '' },
    mentions: ['@agent'],
    requireMention: true,
    allowedNamespaces: undefined,
  };
  const nothing = {
    passages: [],
    coverage: 0,
    mode: 'lexical',
    asked: [],
    degraded: undefined,
  } as Awaited<ReturnType<Lookups['search']>>;

  function start(search: Lookups['search']) {
    const lookups = {
      search,
      listTopics: async () => ({ titles: [], more: 0 }),
      messagesOf: async () => ({ own: [] }),
    };
    const threads = new AnswerThreads({ ...settings, lookups });
    onTestFinished(() => threads.close());
    const requestWith = (signal: AbortSignal) => {
      const messages = [{ role: 'user', content: '@agent how are bicycles insured?' } as const];
      return {
        messages,
        namespace: 'docs',
        runId: 'r',
        countedAs: '',
        conversationId: undefined,
        signal,
      };
    };
    const ask = (signal = new AbortController().signal) => threads.generate(requestWith(signal));
    const stream = () => threads.stream(requestWith(new AbortController().signal));
    return { threads, ask, stream };
  }

  it('passes the error of a failed search to the caller', async () => {
    const { ask } = start(() => Promise.reject(unavailable));
    const { turn } = await ask();
    expect(turn?.error).toMatchObject({
      code: 'storage_unavailable',
      message: 'Away.',
      retryAfterSeconds: 7,
    });
    expect(turn?.error).toBeInstanceOf(KnowledgeError);
  });

  it('stops a question when its caller leaves, and answers the next one', async () => {
    const searching = Promise.withResolvers<void>();
    let searches = 0;
    const { ask } = start(() => {
      searching.resolve();
      return searches++ === 0 ? new Promise(() => undefined) : Promise.resolve(nothing);
    });
    const leaving = new AbortController();
    const left = ask(leaving.signal);
    await searching.promise;
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect((await ask()).turn?.answer?.reason).toBe('no_context');
  });

  it('stays usable after a reader leaves a stream early', async () => {
    const { stream } = start(() => Promise.resolve(nothing));
    for await (const { turn } of stream()) {
      expect(turn?.question).toBe('how are bicycles insured?');
      break;
    }
    let steps = 0;
    for await (const _ of stream()) steps++;
    expect(steps).toBeGreaterThan(1);
  });

  it('rejects its open questions when it ends', async () => {
    const searching = Promise.withResolvers<void>();
    const { threads, ask } = start(() => {
      searching.resolve();
      return new Promise(() => undefined);
    });
    const asked = ask();
    await searching.promise;
    await Promise.all([expect(asked).rejects.toMatchObject({ code: 'internal' }), threads.close()]);
  });
});
