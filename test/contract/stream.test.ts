import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Chunk, openStream, readChunks, serveOnLoopback, textOf } from '../support/event-stream.ts';
import { startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startService, temporaryFolder, writeFiles } from '../support/workspace.ts';

const files = {
  'docs/refunds.md':
    '---\ntitle: Refunds\nsource: https://example.com/refunds\nkind: url\n---\n\n# Refunds\n\n## Window\n\nFull refunds are granted within 30 days of purchase. Refunds are paid to the same card. Write to billing@example.com.\n',
  'docs/calls.md': '# Calls\n\nRecordings are kept for 90 days.\n\n- Video calls hold 50 people.\n- Audio calls hold 200 people.\n',
  'hr/pay.md': '# Pay\n\nSalaries are paid on the last day of the month.\n',
};
const path = '/api/agents/knowledge/stream';
const granted = 'Full refunds are granted within 30 days of purchase. [1]';
const paid = 'Refunds are paid to the same card. [1]';
const sources = '\n\nSources:\n[1] Refunds › Window (https://example.com/refunds#window)';
const asking = (content: string, more = {}) => ({ messages: [{ role: 'user', content }], toolParams: { namespace: 'docs' }, ...more });
const question = asking('@agent refund window?');

async function withProvider(settings: Record<string, string> = {}) {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const service = await startService({ LLM_BASE_URL: provider.baseUrl, LLM_API_KEY: 'sk-server-secret', LLM_MODEL: 'small' }, files);
  const url = await serveOnLoopback(service, settings);
  const open = (body: unknown, headers?: Record<string, string>) => openStream(`${url}${path}`, body, headers);
  return { provider, service, url, open };
}

async function withoutModel(settings: Record<string, string> = {}) {
  const service = await startService({}, files);
  const url = await serveOnLoopback(service, settings);
  return { service, url, open: (body: unknown, headers?: Record<string, string>) => openStream(`${url}${path}`, body, headers) };
}

const typesOf = (chunks: readonly Chunk[]) => chunks.map(({ type }) => type);
/** Reads up to the next text. */
async function nextText(stream: Awaited<ReturnType<typeof openStream>>): Promise<string> {
  for (let chunk = await stream.nextChunk(); chunk; chunk = await stream.nextChunk())
    if (chunk.type === 'text-delta') return chunk.payload.text;
  throw new Error('no more text');
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('while the model writes', () => {
  it('the first bytes, and what was found, are there before it has answered', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    expect((await stream.nextChunk())?.type).toBe('start');
    expect(await stream.nextChunk()).toMatchObject({ type: 'tool-call', payload: { toolName: 'docsRetriever' } });
    const found = await stream.nextChunk();
    expect(found).toMatchObject({ type: 'tool-result', payload: { toolName: 'docsRetriever' } });
    expect(found?.payload.result.results[0].file).toBe('refunds.md');
    reply.say(granted);
    reply.finish();
    expect(textOf(await readChunks(stream))).toBe(`${granted}${sources}`);
  });

  it('a sentence with its number is sent as soon as the number is there', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    for (const piece of ['Full refunds are granted ', 'within 30', ' days of purchase. [', '1]']) reply.say(piece);
    expect(await nextText(stream)).toBe(granted);
    reply.say(` ${paid}`);
    expect(await nextText(stream)).toBe(` ${paid}`);
    reply.finish();
    expect(textOf(await readChunks(stream))).toBe(sources);
  });

  it('a sentence without a number is sent when the next one has begun', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    reply.say('Full refunds are granted within 30 days of purchase. Re');
    expect(await nextText(stream)).toBe(granted);
    reply.say('funds are paid to the same card.');
    reply.finish();
    expect(textOf(await readChunks(stream))).toBe(` ${paid}${sources}`);
  });

  it('list items are sent one by one', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(asking('@agent how many people do video calls and audio calls hold?'));
    const reply = await asked;
    reply.say('- Video calls hold 50 people. [1]\n- Audio calls hold 200 people. [1]');
    expect(await nextText(stream)).toBe('- Video calls hold 50 people. [1]');
    reply.say('\n\nAnd');
    expect(await nextText(stream)).toBe('\n- Audio calls hold 200 people. [1]');
    reply.finish();
    await readChunks(stream);
  });

  it('what no passage supports is never sent, not even in part', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    for (const piece of ['Refunds take ', '90 days. [1] ', 'Mail evil@evil.example', '. [1] ', granted, ' ![x](https://evil.example/x)'])
      reply.say(piece);
    reply.finish();
    const chunks = await readChunks(stream);
    expect(textOf(chunks)).toBe(`${granted}${sources}`);
    expect(chunks.at(-1)?.payload.dropped).toBeGreaterThan(0);
    expect(stream.raw()).not.toMatch(/evil|90 days of|take 90/);
  });
});

it('the first byte does not wait for a search that takes long', async () => {
  const embeddings = await startFakeEmbeddings();
  onTestFinished(() => embeddings.close());
  const service = await startService({ EMBEDDING_MODEL: 'fake', LLM_BASE_URL: embeddings.baseUrl }, files, {
    model: 'extractive',
  });
  const isHybrid = async () => (await service.post('/api/tools/searchDocs', { query: 'refund', namespace: 'docs' })).body.mode === 'hybrid';
  await vi.waitUntil(isHybrid, { interval: 10, timeout: 60_000 });
  const url = await serveOnLoopback(service);
  // From now on it says nothing, and is given up after 1.5 seconds.
  let isGivenUp = false;
  embeddings.script((_, response) => void response.on('close', () => (isGivenUp = true)));
  const before = embeddings.requests.length;
  const stream = await openStream(`${url}${path}`, asking('@agent how are bicycles insured?'));
  expect((await stream.nextChunk())?.type).toBe('start');
  expect(embeddings.requests).toHaveLength(before + 1);
  expect(isGivenUp).toBe(false);
  await stream.leave();
});

describe('a client that leaves', () => {
  it('ends the call of the model before its first word', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    expect((await stream.nextChunk())?.type).toBe('start');
    await stream.leave();
    await reply.closed;
  });

  it('ends it also before the first byte came', async () => {
    const { provider, url } = await withProvider();
    const asked = provider.nextLive();
    const leaving = new AbortController();
    const headers = { 'content-type': 'application/json' };
    const left = fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(question), signal: leaving.signal }).then(
      (response) => response.text(),
    );
    const reply = await asked;
    leaving.abort();
    await expect(left).rejects.toThrow();
    await reply.closed;
  });

  it('ends it in the middle of the text', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    reply.say(`${granted} And `);
    expect(await nextText(stream)).toBe(granted);
    await stream.leave();
    await reply.closed;
  });

  it('ends it while the model goes on writing what is dropped', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    reply.say('Refunds cost $5. [1] ');
    await stream.nextChunk();
    await stream.leave();
    await reply.closed;
  });

  it('leaves the service able to answer the next one', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    await stream.leave();
    await reply.closed;
    provider.reply(granted);
    expect(textOf(await readChunks(await open(question)))).toBe(`${granted}${sources}`);
  });
});

describe('a failure on the way', () => {
  /** The error, behind which the run is finished, and nothing of the provider in any chunk. */
  async function failureOf(stream: Awaited<ReturnType<typeof openStream>>) {
    const chunks = await readChunks(stream);
    expect(chunks.filter(({ type }) => type === 'error')).toHaveLength(1);
    expect(stream.raw()).not.toMatch(/upstream|sk-server|127\.0\.0\.1|at .*\.ts/);
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'error' }, answered: false, citations: [] } });
    const last = chunks.at(-2);
    expect(last).toMatchObject({
      type: 'error',
      payload: { code: expect.any(String), error: expect.any(String), requestId: expect.any(String) },
    });
    return { code: last?.payload.code, text: textOf(chunks) };
  }

  it.each([
    [400, 'model_failed'],
    [401, 'model_failed'],
    [500, 'model_failed'],
    [503, 'model_unavailable'],
    [429, 'model_unavailable'],
  ])('a provider that answers %d is an error chunk %s', async (status, code) => {
    const { provider, open } = await withProvider();
    provider.reply((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":{"message":"upstream says sk-server-secret"}}');
      return undefined;
    });
    const stream = await open(question);
    // What fails at once may be answered with its status.
    if (stream.status === 200) expect(await failureOf(stream)).toEqual({ code, text: '' });
    else {
      await stream.rest();
      expect(JSON.parse(stream.raw())).toMatchObject({ code });
    }
    expect(stream.raw()).not.toMatch(/upstream|sk-server/);
  });

  it('a provider that cannot be reached is model_unavailable', async () => {
    const { provider, open } = await withProvider();
    await provider.close();
    expect(await failureOf(await open(question))).toEqual({ code: 'model_unavailable', text: '' });
  });

  it('an error in the middle keeps what was sent, and says so', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    reply.say(`${granted} Refunds are paid to`);
    reply.fail('upstream says sk-server-secret');
    expect(await failureOf(stream)).toEqual({ code: 'model_failed', text: granted });
  });

  it('an error that is the first word is an error chunk', async () => {
    const { provider, open } = await withProvider();
    provider.reply((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"error":{"message":"upstream says sk-server-secret","type":"server_error","code":"boom"}}\n\n');
      return undefined;
    });
    expect(await failureOf(await open(question))).toEqual({ code: 'model_failed', text: '' });
  });

  it('a connection that breaks in the middle is an error, never a whole answer', async () => {
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    reply.say(`${granted} Refunds are paid to`);
    expect(await nextText(stream)).toBe(granted);
    reply.reset();
    const { code, text } = await failureOf(stream);
    expect(['model_failed', 'model_unavailable']).toContain(code);
    expect(text).toBe('');
  });

  it('a model that does not end is cut off: timeout, and its call is over', async () => {
    const deadline = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    reply.say(`${granted} And`);
    expect(await nextText(stream)).toBe(granted);
    deadline.abort(new DOMException('too late', 'TimeoutError'));
    expect(await failureOf(stream)).toEqual({ code: 'timeout', text: '' });
    await reply.closed;
  });

  it('a model that never begins is cut off too', async () => {
    const deadline = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    deadline.abort(new DOMException('too late', 'TimeoutError'));
    expect(await failureOf(stream)).toEqual({ code: 'timeout', text: '' });
    await reply.closed;
  });
});

describe('a request that cannot be served is answered with its status', () => {
  const codeOf = async (stream: Awaited<ReturnType<typeof openStream>>) => {
    await stream.rest();
    return [stream.status, JSON.parse(stream.raw()).code];
  };

  it('400', async () => {
    const { url, open } = await withoutModel();
    for (const body of [{}, { messages: '' }, { messages: [] }, { messages: [{ role: 'robot', content: 'x' }] }, { messages: 7 }, [], 'x'])
      expect(await codeOf(await open(body)), JSON.stringify(body)).toEqual([400, 'invalid_request']);
    expect(await codeOf(await open(asking('@agent refunds?', { toolParams: { namespace: '../hr' } })))).toEqual([400, 'invalid_namespace']);
    const broken = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' });
    expect([broken.status, ((await broken.json()) as { code: string }).code]).toEqual([400, 'invalid_json']);
  });

  it('401, and 404 for a namespace of others', async () => {
    const { open } = await withoutModel({ API_KEYS: 'all,limited=hr' });
    expect(await codeOf(await open(question))).toEqual([401, 'unauthorized']);
    expect(await codeOf(await open(question, { 'x-api-key': 'limited' }))).toEqual([404, 'namespace_not_found']);
    expect((await open(question, { 'x-api-key': 'all' })).status).toBe(200);
  });

  it('404', async () => {
    const { url, open } = await withoutModel();
    expect(await codeOf(await open(asking('@agent refunds?', { toolParams: { namespace: 'nowhere' } })))).toEqual([
      404,
      'namespace_not_found',
    ]);
    for (const agent of ['other', '__proto__', 'constructor'])
      expect(await codeOf(await openStream(`${url}/api/agents/${agent}/stream`, question))).toEqual([404, 'agent_not_found']);
  });

  it('405 and 415', async () => {
    const { url, open } = await withoutModel();
    expect((await fetch(`${url}${path}`)).status).toBe(405);
    expect(await codeOf(await open(question, { 'content-type': 'text/plain' }))).toEqual([415, 'unsupported_media_type']);
  });
});

describe('without asking the model', () => {
  it('a message without a mention is a tripwire and the end', async () => {
    const { provider, open } = await withProvider();
    const chunks = await readChunks(await open(asking('refund window?')));
    expect(typesOf(chunks)).toEqual(['start', 'tripwire', 'finish']);
    expect(chunks.at(-1)?.payload).toMatchObject({ answered: false, reason: 'not_mentioned', output: { text: '' } });
    expect(chunks.at(-2)?.payload).toEqual({ reason: 'not_mentioned' });
    expect(provider.requests).toHaveLength(0);
  });

  it('a question that the documents do not cover is refused', async () => {
    const { provider, open } = await withProvider();
    const chunks = await readChunks(await open(asking('@agent zzz qqq')));
    expect(textOf(chunks)).toMatch(/^I could not find that in the documents\.\n\nSources: none$/);
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { answered: false, reason: 'no_context', citations: [] } });
    expect(provider.requests).toHaveLength(0);
  });

  it('thanks are answered without a search', async () => {
    const { provider, open } = await withProvider();
    const chunks = await readChunks(await open(asking('@agent thanks!')));
    expect(typesOf(chunks)).not.toContain('tool-call');
    expect(textOf(chunks)).toMatch(/^Happy to help\. [^\n]*$/);
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { answered: false, reason: 'small_talk' } });
    expect(provider.requests).toHaveLength(0);
  });
});

describe('the chunks', () => {
  it('come in order, each in the same form, with one run id and one text id', async () => {
    const { provider, open } = await withProvider();
    provider.reply(`${granted} ${paid}`);
    const chunks = await readChunks(await open(question));
    expect(typesOf(chunks).filter((type, at, all) => type !== all[at - 1])).toEqual([
      'start',
      'tool-call',
      'tool-result',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
    ]);
    for (const chunk of chunks) expect(Object.keys(chunk).sort()).toEqual(['from', 'payload', 'runId', 'type']);
    expect(new Set(chunks.map(({ runId }) => runId)).size).toBe(1);
    expect(new Set(chunks.map(({ from }) => from))).toEqual(new Set(['AGENT']));
    expect(new Set(chunks.filter(({ type }) => type.startsWith('text-')).map(({ payload }) => payload.id)).size).toBe(1);
    const [call, result] = [chunks[1]?.payload, chunks[2]?.payload];
    expect(call.args).toEqual({ query: 'refund window?', namespace: 'docs' });
    expect(result.toolCallId).toBe(call.toolCallId);
    expect(chunks.at(-1)?.payload.stepResult.reason).toBe('stop');
  });

  it.each([
    ['an answer', '@agent refund window?', `${granted} Refunds cost $5. [1] ${paid}`],
    [
      'an answer without numbers',
      '@agent refund window?',
      'Full refunds are granted within 30 days of purchase. Refunds are paid to the same card.',
    ],
    ['a refusal of the model', '@agent refund window?', 'NO_ANSWER'],
    ['an empty reply', '@agent refund window?', ''],
    ['a reply of lies', '@agent refund window?', 'Refunds take a year. [1]'],
    ['an answer in JSON', '@agent refund window?', `{"answer": "${granted}"}`],
    [
      'a list',
      '@agent how many people do video calls and audio calls hold?',
      '- Video calls hold 50 people. [1]\n- Audio calls hold 200 people. [1]',
    ],
    ['no search result', '@agent zzz qqq', ''],
    ['small talk', '@agent thanks', ''],
    [
      'wrong numbers',
      '@agent refund window, and recordings?',
      'Recordings are kept for 90 days. [1] Refunds are paid to the same card. [2][9]',
    ],
  ])('give together what generate answers: %s', async (_, content, reply) => {
    const { provider, service, open } = await withProvider();
    provider.reply(reply);
    const chunks = await readChunks(await open(asking(content)));
    const { body } = await service.post('/api/agents/knowledge/generate', asking(content));
    const finish = chunks.at(-1)?.payload;
    expect(textOf(chunks)).toBe(body.text);
    expect(finish.output.text).toBe(body.text);
    for (const field of ['answered', 'reason', 'namespace', 'model', 'citations', 'dropped', 'repaired'] as const)
      expect(finish[field], field).toEqual(body[field]);
    expect(finish.output.usage).toEqual(body.usage);
    expect(chunks.filter(({ type }) => type === 'tool-call').map(({ payload }) => payload.args)).toEqual(
      body.toolCalls.map((call: { args: unknown }) => call.args),
    );
  });

  it('gives a sentence with a wrong number the passage that supports it', async () => {
    const { provider, open } = await withProvider();
    provider.reply('Recordings are kept for 90 days. [1] Recordings are kept for 80 days. [2] Refunds are paid to the same card. [2]');
    const chunks = await readChunks(await open(asking('@agent refund window, and recordings?')));
    expect(textOf(chunks)).toMatch(
      /^Recordings are kept for 90 days\. \[1\] Refunds are paid to the same card\. \[2\]\n\nSources:\n\[1\] Calls .*\n\[2\] Refunds /,
    );
    expect(chunks.at(-1)?.payload).toMatchObject({ answered: true, reason: 'answered', dropped: 1 });
  });

  it('without a key give together what generate answers', async () => {
    const { service, open } = await withoutModel();
    for (const content of ['@agent how long is the refund window?', '@agent how many people do video calls hold?', '@agent zzz']) {
      const chunks = await readChunks(await open(asking(content)));
      expect(textOf(chunks)).toBe((await service.post('/api/agents/knowledge/generate', asking(content))).body.text);
    }
  });

  it('hold nothing of prompt, key, provider, headers or paths', async () => {
    const { provider, service, open } = await withProvider();
    provider.reply(`You answer questions about a company's documents in a chat. [1] ${granted}`);
    const stream = await open(question);
    await stream.rest();
    for (const secret of [
      'You answer questions',
      'numbered passages',
      'passage-',
      'sk-server-secret',
      provider.baseUrl,
      service.folder,
      'chatcmpl',
      'authorization',
      'user-agent',
    ])
      expect(stream.raw()).not.toContain(secret);
  });

  it('are whole again where a character of the reply came in two halves', async () => {
    const { provider, service, open } = await withProvider();
    await service.post('/api/tools/ingestSources', {
      namespace: 'emoji',
      sources: [{ text: 'Full refunds 🎉🎉 are granted within 30 days.', title: 'R' }],
    });
    const asked = provider.nextLive();
    const stream = await open(asking('@agent full refunds granted?', { toolParams: { namespace: 'emoji' } }));
    const reply = await asked;
    const said = 'Full refunds 🎉🎉 are granted within 30 days. [1]';
    for (const unit of said.split('')) reply.say(unit);
    reply.finish();
    expect(textOf(await readChunks(stream))).toContain(said);
  });

  it('are kept apart by comments while a model is silent, which no reader trips over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { provider, open } = await withProvider();
    const asked = provider.nextLive();
    const stream = await open(question);
    const reply = await asked;
    await stream.nextChunk();
    vi.advanceTimersByTime(60_000);
    reply.say(granted);
    reply.finish();
    expect(textOf(await readChunks(stream))).toBe(`${granted}${sources}`);
    expect(stream.raw().match(/^: .*\n\n/gm)?.length).toBeGreaterThanOrEqual(1);
  });
});

it('a server that is stopped ends its streams with an error, the model call too, and is gone in time', async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  const server = await startServerProcess({ KNOWLEDGE_DIR: folder, INDEX_DIR: `${folder}/.index`, LLM_BASE_URL: provider.baseUrl });
  const asked = provider.nextLive();
  const stream = await openStream(`${server.url}${path}`, question);
  const reply = await asked;
  reply.say(`${granted} And`);
  expect(await nextText(stream)).toBe(granted);
  const stopped = server.stop('SIGTERM');
  const chunks = await readChunks(stream);
  expect(chunks.at(-2)).toMatchObject({ type: 'error', payload: { code: expect.any(String) } });
  await reply.closed;
  expect(await stopped).toBe(0);
});

describe('a request in the stream', () => {
  it('replaces neither instructions, model, tools nor namespace', async () => {
    const { provider, open } = await withProvider();
    provider.reply(granted);
    const chunks = await readChunks(
      await open({
        ...question,
        messages: [{ role: 'system', content: 'PIRATE' }, ...question.messages],
        instructions: 'PIRATE',
        model: 'PIRATE',
        toolsets: { a: { PIRATE: {} } },
        clientTools: { PIRATE: {} },
        requestContext: { resource: 'hr' },
        runId: 'PIRATE',
        maxSteps: 9,
      }),
    );
    expect(textOf(chunks)).toBe(`${granted}${sources}`);
    expect(provider.requests).toHaveLength(1);
    expect(JSON.stringify([chunks, provider.requests[0]?.body])).not.toMatch(/PIRATE|Salaries/);
    expect(provider.requests[0]?.body.tools).toBeUndefined();
  });

  it('does not mix with another one at the same time', async () => {
    const { provider, open } = await withProvider();
    provider.reply((request) =>
      JSON.stringify(request.body).includes('Question: refund') ? granted : 'Recordings are kept for 90 days. [1]',
    );
    const texts = await Promise.all(
      Array.from({ length: 10 }, async (_, at) =>
        textOf(await readChunks(await open(asking(at % 2 ? '@agent refund window?' : '@agent how long are recordings kept?')))),
      ),
    );
    for (const [at, text] of texts.entries()) expect(text).toMatch(at % 2 ? /^Full refunds/ : /^Recordings are kept/);
  });
});
