/**
 * The client against the real app on loopback, and against scripted servers for failures that the
 * app does not produce on demand.
 */

import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  createKnowledgeClient,
  type IngestJob,
  type IngestRow,
  type KnowledgeClientOptions,
  type QuestionOptions,
  type StreamPart,
} from '../../../packages/client/src/index.ts';
import { serveOnLoopback } from '../../support/event-stream.ts';
import { read } from '../../support/repository.ts';
import { type Page, startSite } from '../../support/site.ts';
import {
  sharedModel,
  sharedService,
  startService,
  temporaryFolder,
} from '../../support/workspace.ts';

const refunds = {
  'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
};
const leave = { 'hr/leave.md': '# Leave\n\nEmployees have 25 days of leave each year.\n' };
const question = 'How long do refunds take?';
const noPause = { firstPauseMs: 0 };

/** A client of the real app, and the requests that it sent. Only tests that write start their own. */
async function connected(
  options: Partial<KnowledgeClientOptions> = {},
  settings: Record<string, string> = {},
  files: Readonly<Record<string, string>> = { ...refunds, ...leave },
  start = sharedService,
) {
  const service = await start(settings, files);
  const url = await serveOnLoopback(service, settings);
  const sent: { url: string; body: any; headers: Headers }[] = [];
  const recorded: typeof fetch = (input, init) => {
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : init?.body;
    sent.push({ url: String(input), body, headers: new Headers(init?.headers) });
    return fetch(input, init);
  };
  const client = createKnowledgeClient({ url, fetch: recorded, ...options });
  return { service, url, sent, client };
}

/** A client of a scripted server. */
async function scripted(
  pages: Parameters<typeof startSite>[0],
  options: Partial<KnowledgeClientOptions> = {},
) {
  const site = await startSite(pages);
  return { site, client: createKnowledgeClient({ url: site.url, retry: noPause, ...options }) };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Page => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const events = (...all: readonly (readonly [event: string, data: unknown])[]): Page => ({
  headers: { 'content-type': 'text/event-stream' },
  body: all
    .map(
      ([event, data]) =>
        `event: ${event}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    )
    .join(''),
});
const searchPath = '/api/tools/searchDocs';
const streamPath = '/api/agents/knowledge/stream';

async function partsOf(stream: AsyncIterable<StreamPart>) {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return { text, answers: parts.flatMap((part) => (part.type === 'answer' ? [part.answer] : [])) };
}

describe('ask', () => {
  it('answers with text, citations, sources and reason, without a key and without a mention in the question', async () => {
    const { client } = await connected();
    const answer = await client.ask(question);
    const sources = [{ file: 'refunds.md' }];
    expect(answer).toMatchObject({ answered: true, namespace: 'default', sources });
    expect(answer.text).toContain('within 30 days');
  });

  it('lists each cited document once', async () => {
    const text =
      '# Refunds\n\n## Time\n\nRefunds take 30 days.\n\n## Way\n\nRefunds go to the card.\n';
    const { client } = await connected({}, {}, { 'default/refunds.md': text });
    const { citations, sources } = await client.ask(
      'How long do refunds take, and where do refunds go?',
    );
    expect(citations.length).toBeGreaterThan(1);
    expect(sources).toEqual([citations[0]]);
  });

  it('takes namespace and agent from the client, and the namespace of a request before it', async () => {
    const { client, sent } = await connected(
      { namespace: 'hr', agent: 'direct' },
      { DIRECT_AGENT_ID: 'direct' },
    );
    expect((await client.ask('How many days of leave are there?')).namespace).toBe('hr');
    expect((await client.ask(question, { namespace: 'default' })).namespace).toBe('default');
    expect(new URL(sent[0]?.url ?? '').pathname).toBe('/api/agents/direct/generate');
  });

  it('mentions the agent as the server is configured, and only in the question of a conversation', async () => {
    const { client, sent } = await connected(
      { mention: '@helpdesk' },
      { AGENT_MENTIONS: '@helpdesk' },
    );
    const conversation = [
      { role: 'user', content: question },
      { role: 'assistant', content: '30 days.' },
      { role: 'user', content: 'What about refunds?' },
    ] as const;
    expect((await client.ask(conversation)).answered).toBe(true);
    expect(sent[0]?.body.messages).toEqual([
      ...conversation.slice(0, 2),
      { role: 'user', content: '@helpdesk What about refunds?' },
    ]);
    await expect(client.ask([])).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  });

  it('adds no empty mention, which a secret key allows, and sends thread, context and addressed', async () => {
    const { client, sent } = await connected({ apiKey: 'key', mention: '' }, { API_KEYS: 'key' });
    const more = { memory: { thread: 'one', resource: 'me' }, requestContext: { channel: 'web' } };
    expect((await client.ask(question, more)).reason).toBe('answered');
    const messages = [{ role: 'user', content: question }];
    expect(sent[0]?.body).toMatchObject({ messages, ...more });
    const silent = await client.ask(question, { addressed: false });
    expect(silent).toMatchObject({ reason: 'not_mentioned', text: '' });
  });
});

describe('stream', () => {
  it('yields checked text, then the same answer as ask', async () => {
    const { client, sent } = await connected();
    const { text, answers } = await partsOf(client.stream(question, { namespace: 'default' }));
    expect(answers).toEqual([{ ...(await client.ask(question)), runId: expect.any(String) }]);
    expect(text).toBe(answers[0]?.text);
    expect(sent[0]?.headers.get('accept')).toBe('text/event-stream');
  });

  /** A stream whose model has said one sentence and continues. */
  async function beginning(options: QuestionOptions = {}) {
    const { provider, service } = await sharedModel({}, refunds);
    const client = createKnowledgeClient({ url: await serveOnLoopback(service) });
    const reply = provider.nextLive();
    const parts = client.stream(question, options);
    const first = parts.next();
    const live = await reply;
    live.say('Refunds are paid within 30 days of purchase [1]. ');
    live.say('The moon is made of green cheese. ');
    return { parts, live, first: (await first).value };
  }

  it('yields a sentence before the model has finished', async () => {
    const { parts, live, first } = await beginning();
    expect(first).toMatchObject({ text: expect.stringContaining('within 30 days') });
    live.finish();
    const { text, answers } = await partsOf(parts);
    expect(text).not.toContain('cheese');
    expect(answers).toMatchObject([{ dropped: 1 }]);
  });

  it('ends with the reason of its signal', async () => {
    const ending = new AbortController();
    const { parts, live } = await beginning({ signal: ending.signal });
    ending.abort(new Error('enough'));
    await expect(parts.next()).rejects.toThrow('enough');
    await live.closed;
  });

  it('throws the error that the server sends within a stream', async () => {
    const payload = { error: 'The model failed.', code: 'model_failed', requestId: 'r1' };
    const { client } = await scripted({
      [streamPath]: events(['message', { type: 'error', payload }]),
    });
    const { error: message, ...rest } = payload;
    await expect(partsOf(client.stream('x'))).rejects.toMatchObject({ message, ...rest });
  });

  it('throws if the connection ends or breaks before the answer', async () => {
    const started = 'data: {"type":"text-delta","payload":{"text":"Refunds"}}\n\n';
    const { client, site } = await scripted({
      [streamPath]: { headers: { 'content-type': 'text/event-stream' }, body: started },
    });
    const unreachable = { code: 'unreachable', status: undefined };
    await expect(partsOf(client.stream('x'))).rejects.toMatchObject(unreachable);
    site.set(streamPath, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(started, () => response.destroy());
    });
    await expect(partsOf(client.stream('x'))).rejects.toMatchObject(unreachable);
  });
});

describe('search', () => {
  it('returns passages of the namespace, and takes maxResults and explain', async () => {
    const { client, sent } = await connected({ namespace: 'hr' });
    const more = { maxResults: 1, explain: true };
    expect((await client.search('days of leave', more)).results).toMatchObject([
      { file: 'leave.md', matched: expect.any(Array) },
    ]);
    expect(sent[0]?.body).toEqual({ query: 'days of leave', namespace: 'hr', ...more });
    const plain = await client.search('refunds', { namespace: 'default' });
    expect(plain.sources).toEqual(['refunds.md']);
  });
});

describe('ingest', () => {
  it('follows the job to its report, and reports rows and progress', async () => {
    const { client } = await connected({}, {}, {}, startService);
    const [rows, jobs]: [IngestRow[], Omit<IngestJob, 'results'>[]] = [[], []];
    const sources = [{ text: 'Calls are kept for 90 days.', title: 'Calls' }, 'missing.pdf'];
    const report = await client.ingest(sources, {
      onResult: (row) => rows.push(row),
      onProgress: (job) => jobs.push(job),
    });
    expect(report).toMatchObject({ status: 'completed', added: 1, failed: 1, results: rows });
    expect(rows.map(({ status }) => status).toSorted()).toEqual(['added', 'failed']);
    expect(jobs.every(({ id, stages }) => id === report.id && stages.done <= 2)).toBe(true);
    expect((await client.ask('How long are calls kept?')).text).toContain('90 days');
  });

  it('ingests into the namespace of the client or of the request, and sends prune', async () => {
    const { client, sent } = await connected({ namespace: 'fees' }, {}, {}, startService);
    expect((await client.ingest(['The fee is 5 euros.'])).namespace).toBe('fees');
    const other = await client.ingest(['A text.'], { namespace: 'other', prune: true });
    expect(other.namespace).toBe('other');
    expect(sent.at(-2)?.body).toMatchObject({ prune: true, wait: false });
  });

  const job = { id: 'j1', namespace: 'default', status: 'completed' };
  const row = (source: string) => ({ source, kind: 'text', status: 'added' });
  const started = { '/api/tools/ingestSources': json(job, 202) };

  it('reconnects however often the connection ends while rows come, also to a server that restarts, and reports each row once', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => row(String(at)));
    const starting = { error: 'The server is starting.', code: 'starting', requestId: 'r' };
    let asked = 0;
    const { client } = await scripted({
      ...started,
      '/api/jobs/j1/events': (_, response) => {
        const known = rows.slice(0, ++asked).map((one) => ['result', one] as const);
        const end = asked === rows.length ? [['end', job] as const] : [];
        const page = asked === 3 ? json(starting, 503) : events(...known, ...end);
        response.writeHead(page.status ?? 200, page.headers).end(page.body);
      },
    });
    const reported: IngestRow[] = [];
    const onResult = (one: IngestRow) => reported.push(one);
    expect(await client.ingest(['a'], { onResult })).toEqual({ ...job, results: rows });
    expect(reported).toEqual(rows);
  });

  it('names the job if its connection stays lost', async () => {
    const { client, site } = await scripted(
      { ...started, '/api/jobs/j1/events': events() },
      { retry: { ...noPause, maxAttempts: 2 } },
    );
    const message =
      'The connection to job j1 was lost. The server continues the job: GET /api/jobs/j1 shows it.';
    await expect(client.ingest(['a'])).rejects.toMatchObject({ code: 'unreachable', message });
    expect(site.requests.filter((path) => path.endsWith('/events'))).toHaveLength(2);
  });

  it('does not reconnect after a refusal', async () => {
    const gone = json({ error: 'Job not found.', code: 'job_not_found', requestId: 'r' }, 404);
    const { client, site } = await scripted({ ...started, '/api/jobs/j1/events': gone });
    await expect(client.ingest(['a'])).rejects.toMatchObject({ code: 'job_not_found' });
    expect(site.requests).toHaveLength(2);
  });

  it('cancels the job if its signal aborts', async () => {
    const site = await startSite({ '/slow': () => undefined });
    const settings = { ALLOWED_URL_HOSTS: site.host };
    const { client, service } = await connected({}, settings, {}, startService);
    const ending = new AbortController();
    let id = '';
    const onProgress = (one: Omit<IngestJob, 'results'>) => {
      id = one.id;
      if (one.current) ending.abort(new Error('enough'));
    };
    await expect(
      client.ingest([`${site.url}/slow`], { signal: ending.signal, onProgress }),
    ).rejects.toThrow('enough');
    await expect
      .poll(async () => (await service.get(`/api/jobs/${id}`)).body.status)
      .toBe('cancelled');
  });
});

describe('upload', () => {
  it('sends files and named blobs, and reports each, also if all fail', async () => {
    const { client } = await connected({ namespace: 'new' }, {}, {}, startService);
    const file = new File(['Visitors sign in at the desk.'], 'visitors.md');
    const named = { name: 'policies/sla.txt', file: new Blob(['The SLA is 99.9 percent.']) };
    expect(await client.upload([file, named])).toMatchObject({
      namespace: 'new',
      added: 2,
      results: [{ source: 'visitors.md' }, { source: 'policies/sla.txt' }],
    });
    expect((await client.upload([file], { namespace: 'other' })).namespace).toBe('other');
    const failed = await client.upload([new File(['\0'], 'picture.png')]);
    expect(failed).toMatchObject({ failed: 1, results: [{ source: 'picture.png' }] });
  });
});

describe('verify and feedback', () => {
  it('report whether quotes still match, and store a rating', async () => {
    const { client } = await connected({ namespace: 'hr' });
    const { citations, runId } = await client.ask('How many days of leave are there?');
    for (const [given, status] of [
      [{ citations }, 'holds'],
      [{ citations, namespace: 'default' }, 'gone'],
    ] as const)
      expect((await client.verify(given)).citations).toMatchObject([{ index: 1, status }]);
    expect(await client.feedback(runId, 'down', 'too short')).toMatchObject({
      runId,
      feedback: { rating: 'down', comment: 'too short' },
    });
    await expect(client.feedback('a/b', 'up')).rejects.toMatchObject({ code: 'answer_not_found' });
  });
});

describe('a failed request', () => {
  it.each([
    'knowledge.example.com',
    'ftp://example.com',
    'https://user:password@example.com',
    'https://example.com?x=1',
    'https://example.com#x',
    '',
  ])('rejects the url "%s"', (url) => {
    expect(() => createKnowledgeClient({ url })).toThrow(
      expect.objectContaining({ code: 'invalid_option', name: 'KnowledgeClientError' }),
    );
  });

  it('rejects a key that no header can carry, without quoting it', () => {
    expect(() => createKnowledgeClient({ url: 'https://example.com', apiKey: 'a key' })).toThrow(
      /^apiKey must be visible ASCII/,
    );
  });

  it('has code, status, requestId and invalid fields of the server', async () => {
    const wrong = await connected({ apiKey: 'wrong' }, { API_KEYS: 'key' });
    await expect(wrong.client.search('refunds')).rejects.toMatchObject({
      code: 'unauthorized',
      status: 401,
      requestId: expect.stringMatching(/./),
    });
    expect(wrong.sent[0]?.headers.get('authorization')).toBe('Bearer wrong');
    const { client } = await connected();
    await expect(client.search('refunds', { maxResults: 0 })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'maxResults', message: expect.any(String) }],
    });
  });

  it('is unreachable without a whole response, with the cause', async () => {
    const { client, site } = await scripted({
      [searchPath]: (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"results":', () => response.destroy());
      },
    });
    const unreachable = { code: 'unreachable', status: undefined, cause: expect.any(TypeError) };
    await expect(client.search('x')).rejects.toMatchObject(unreachable);
    await site.close();
    await expect(client.search('x')).rejects.toMatchObject(unreachable);
  });

  it.each([
    ['a page of a proxy', { status: 502, body: '<h1>Bad gateway</h1>' }, 502],
    ['a page instead of JSON', { body: '<h1>Hello</h1>' }, 200],
    ['JSON of another service', json({ found: [] }), 200],
  ])('is unexpected_response for %s', async (_, page: Page, status) => {
    const { client } = await scripted({ [searchPath]: page });
    await expect(client.search('x')).rejects.toMatchObject({
      code: 'unexpected_response',
      status,
      message: expect.stringContaining('http'),
    });
  });

  it('has a message of at most 500 characters', async () => {
    const { client } = await scripted({
      [searchPath]: json({ error: 'x'.repeat(9_000), code: 'internal', requestId: 'r' }, 500),
    });
    await expect(client.search('x')).rejects.toMatchObject({
      code: 'internal',
      message: 'x'.repeat(500),
    });
  });

  it('follows no redirect, so that the key goes to no other origin', async () => {
    const other = await startSite();
    const moved: Page = { status: 307, headers: { location: `${other.url}${searchPath}` } };
    const { client, site } = await scripted({ [searchPath]: moved }, { apiKey: 'key' });
    await expect(client.search('x')).rejects.toMatchObject({ code: 'redirect', status: 307 });
    expect([site.requests, other.requests]).toEqual([[searchPath], []]);
    // Browsers return this response instead.
    const response = Object.defineProperties(new Response(), {
      type: { value: 'opaqueredirect' },
      ok: { value: false },
      status: { value: 0 },
    });
    const opaque = createKnowledgeClient({ url: site.url, fetch: async () => response });
    await expect(opaque.search('x')).rejects.toMatchObject({ code: 'redirect' });
  });
});

describe('a busy server', () => {
  /** @param rejections number of requests that it rejects first */
  async function busy(rejections: number, status: number, retryAfter: number) {
    const pauses: number[] = [];
    let left = rejections;
    const sleep = async (ms: number) => void pauses.push(ms);
    const rejection = json({ error: 'Busy.', code: 'rate_limited', requestId: 'r' }, status, {
      'retry-after': String(retryAfter),
    });
    const { client, site } = await scripted(
      {
        [searchPath]: (_, response) => {
          const page = left-- > 0 ? rejection : json({ results: [] });
          response.writeHead(page.status ?? 200, page.headers).end(page.body);
        },
      },
      { retry: { sleep, random: () => 0.5 } },
    );
    return { client, site, pauses };
  }

  it.each([429, 503])(
    'is asked again after its Retry-After and a random pause (%i)',
    async (status) => {
      const { client, pauses } = await busy(2, status, 3);
      expect(await client.search('x')).toEqual({ results: [] });
      expect(pauses).toEqual([3_250, 3_500]);
    },
  );

  it.each([
    [429, 7, 4],
    [429, 61, 1],
    [500, 1, 1],
    [502, 1, 1],
    [404, 1, 1],
  ])('with %i and a pause of %i seconds is asked %i times', async (status, retryAfter, times) => {
    const { client, site } = await busy(9, status, retryAfter);
    await expect(client.search('x')).rejects.toMatchObject({ status, retryAfter });
    expect(site.requests).toHaveLength(times);
  });

  it('is not asked again after its caller has aborted, and the pause ends', async () => {
    const ending = new AbortController();
    const { client, site } = await scripted({
      [searchPath]: (_, response) => {
        response.writeHead(429, { 'retry-after': '50' }).end('{}');
        setTimeout(() => ending.abort(new Error('enough')), 50);
      },
    });
    await expect(client.search('x', { signal: ending.signal })).rejects.toThrow('enough');
    expect(site.requests).toHaveLength(1);
  });
});

describe('the package', () => {
  it('reaches no module of Node or npm, and no global of Node', async () => {
    const reached = new Set<string>();
    const visit = (path: string) => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const [, to = ''] of read(path).matchAll(
        /^(?:import|export)(?! type) [^;]*from '(.*)';/gm,
      )) {
        expect(to).toMatch(/^\.\.?\//);
        visit(join(dirname(path), to));
      }
    };
    visit('packages/client/src/index.ts');
    expect(reached.size).toBeGreaterThan(4);
    for (const path of reached)
      expect(read(path)).not.toMatch(/\b(?:node:|Buffer|process\.|setImmediate|require\()/);
    expect(JSON.parse(read('packages/client/package.json'))).not.toHaveProperty('dependencies');
  });

  it('has an example that works, and its README shows it', async () => {
    const example = read('packages/client/example.ts');
    expect(read('packages/client/README.md')).toContain(`\`\`\`ts\n${example}\`\`\``);
    const { url } = await connected({}, {}, {}, startService);
    vi.stubEnv('KNOWLEDGE_URL', url);
    const path = join(await temporaryFolder(), 'example.ts');
    const source = new URL('../../../packages/client/src/index.ts', import.meta.url).href;
    await writeFile(path, example.replace('@knowledge-agent/client', source));
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      await import(path);
      expect(write.mock.calls.map(([text]) => text).join('')).toMatch(
        /within 30 days.*\n.*within 30 days/s,
      );
    } finally {
      write.mockRestore();
      vi.unstubAllEnvs();
    }
  });
});
