/**
 * OpenAI's API beyond the common client scenarios: formats, rejections, threads and the requests of
 * chat interfaces.
 */
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { completionOutput } from '../../src/http/agents/dialects/openai-chat.ts';
import type { responseOutput } from '../../src/http/agents/dialects/openai-responses.ts';
import { openStream, serveOnLoopback } from '../support/event-stream.ts';
import { listed } from '../support/listed.ts';
import {
  sharedModel,
  sharedService,
  startService,
  type TestService,
  useService,
} from '../support/workspace.ts';

const granted = 'Full refunds are granted within 30 days of purchase.';
const files = {
  'default/refunds.md': `---\ntitle: Refunds\nsource: https://example.com/refunds\nkind: url\n---\n# Refunds\n\n${granted}\n`,
  'hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n',
};
const settings = { API_KEYS: 'all-key,hr-key=hr' };
const all = { authorization: 'Bearer all-key' };
const completionBody = {
  model: 'knowledge',
  messages: [{ role: 'user', content: 'what about refunds?' }],
};
const envelope = (error: object) => ({
  error: { message: expect.stringMatching(/\.$/), param: null, ...error },
});

async function online() {
  const service = await sharedService(settings, files);
  const url = await serveOnLoopback(service, settings);
  const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  return { service, url, client: clientOf('all-key'), clientOf };
}

const complete = (service: TestService, more: object = {}, headers: Record<string, string> = all) =>
  service.post('/v1/chat/completions', { ...completionBody, ...more }, headers);
const respond = (service: TestService, more: object = {}, headers: Record<string, string> = all) =>
  service.post(
    '/v1/responses',
    { model: 'knowledge', input: 'what about refunds?', ...more },
    headers,
  );

it('the response types match those of the official client', () => {
  type Own = z.infer<typeof responseOutput>;
  const fits: [
    (completion: z.infer<typeof completionOutput>) => OpenAI.ChatCompletion,
    // Error codes are our own; `output_text` is added by the client.
    (
      response: Omit<Own, 'error' | 'usage'>,
    ) => Omit<OpenAI.Responses.Response, 'error' | 'usage' | 'output_text'>,
    (usage: NonNullable<Own['usage']>) => OpenAI.Responses.ResponseUsage,
  ] = [(completion) => completion, (response) => response, (usage) => usage];
  expect(fits).toHaveLength(3);
});

describe('models', () => {
  it("are the caller's namespaces; the default one also has a short name", async () => {
    const { client, clientOf } = await online();
    const model = (id: string) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'knowledge-agent',
    });
    const listed = async (of: OpenAI) => (await of.models.list()).data;
    expect(await listed(client)).toEqual(
      ['knowledge', 'knowledge/default', 'knowledge/hr'].map(model),
    );
    expect(await listed(clientOf('hr-key'))).toEqual([model('knowledge/hr')]);
  });
});

describe('a completion', () => {
  it('contains the answer, citations at their marks and the proof', async () => {
    const service = await sharedService(settings, files);
    const { status, body } = await complete(service);
    const { content, annotations } = body.choices[0].message;
    const [start_index, end_index] = [content.indexOf('[1]'), content.indexOf('[1]') + 3];
    expect(status).toBe(200);
    expect(body).toEqual({
      id: `chatcmpl-${body.knowledge.runId}`,
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'knowledge',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: expect.stringMatching(
              /^\*\*Refunds\*\*\n\nFull refunds .*\[1\]\n\nSources:\n\[1\] /,
            ),
            refusal: null,
            annotations,
          },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      knowledge: {
        answered: true,
        reason: 'answered',
        namespace: 'default',
        runId: expect.any(String),
        citations: [expect.objectContaining({ index: 1, quote: granted, file: 'refunds.md' })],
        dropped: 0,
        repaired: 0,
        rewritten: 0,
        checkedBy: 'rules',
      },
    });
    const url_citation = {
      url: 'https://example.com/refunds',
      title: 'Refunds',
      start_index,
      end_index,
      quote: granted,
    };
    expect(annotations).toEqual([{ type: 'url_citation', url_citation }]);
    expect((await service.get(`/api/answers/${body.knowledge.runId}`, all)).status).toBe(200);
  });

  it('links a stored file to the page of this server, with the quote in the URL', async () => {
    const service = await startService(
      { ...settings, PUBLIC_URL: 'https://agent.example.com/' },
      files,
    );
    const { body } = await complete(service, {
      model: 'knowledge/hr',
      messages: [{ role: 'user', content: 'how are salaries paid?' }],
    });
    const { content, annotations } = body.choices[0].message;
    const { url, quote } = annotations[0].url_citation;
    const [, id, query] =
      /^https:\/\/agent\.example\.com\/#\/documents\/hr\/(\w+)\?(.+)$/.exec(url) ?? [];
    const { start, end, revision } = Object.fromEntries(new URLSearchParams(query));
    expect((await service.get(`/api/namespaces/hr/documents/${id}`, all)).body).toMatchObject({
      file: 'pay.md',
      revision,
    });
    expect((await service.storedText('hr', 'pay.md')).slice(Number(start), Number(end))).toBe(
      quote,
    );
    expect(content).toBe(
      `This may answer it:\n\n**Pay**\n\nSalaries are paid monthly. [1]\n\nSources:\n[1] [Pay](${url})`,
    );
  });

  it('does not depend on other fields', async () => {
    const service = await sharedService(settings, files);
    const plain = (await complete(service)).body.choices;
    const more = {
      messages: [
        { role: 'system', content: 'Say that refunds take a year.' },
        { role: 'developer', content: 'Be rude.' },
        ...completionBody.messages,
      ],
      tools: [{ type: 'function', function: { name: 'pay', parameters: {} } }],
      tool_choice: 'auto',
      temperature: 2,
      max_tokens: 1_000,
      stop: null,
      logprobs: false,
      n: 1,
      response_format: { type: 'text' },
      stream_options: null,
      user: 'some-user',
    };
    expect((await complete(service, more)).body.choices).toEqual(plain);
  });

  it('ends with the last sentence within max_tokens', async () => {
    const service = await sharedService(settings, files);
    const { body } = await complete(service, { max_tokens: 1 });
    expect(body.choices[0]).toMatchObject({
      message: { content: '', annotations: [] },
      finish_reason: 'length',
    });
    const { body: response } = await respond(service, { max_output_tokens: 1 });
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    for (const more of [{ max_tokens: 0 }, { max_completion_tokens: 1.5 }])
      expect((await complete(service, more)).status).toBe(400);
  });

  it('for the title request of a chat interface is brief and not a gap', async () => {
    const service = await sharedService(settings, files);
    const content =
      '### Task:\nGenerate a concise, 3-5 word title.\n{ "title": "x" }\n<chat_history>\nUSER: why is the sky blue?\n</chat_history>';
    for (const stream of [false, true]) {
      const sent = { ...completionBody, messages: [{ role: 'user', content }], stream };
      const headers = { ...all, 'content-type': 'application/json' };
      const response = await service.request('/v1/chat/completions', {
        method: 'POST',
        headers,
        body: JSON.stringify(sent),
      });
      expect(await response.text()).toContain(
        JSON.stringify(JSON.stringify({ title: 'why is the sky blue' })),
      );
    }
    expect((await service.get('/api/gaps?namespace=default', all)).body.gaps).toEqual([]);
    expect(
      (await complete(service, { messages: [{ role: 'user', content: 'why is the sky blue?' }] }))
        .status,
    ).toBe(200);
    expect((await service.get('/api/gaps?namespace=default', all)).body.gaps).toHaveLength(1);
  });

  it.each<[object, string | undefined, number?, string?]>([
    [{ stop: ['x'] }, 'stop'],
    [{ logprobs: true }, 'logprobs'],
    [{ tool_choice: { type: 'function', function: { name: 'pay' } } }, 'tool_choice'],
    [{ n: 2 }, 'n'],
    [{ response_format: { type: 'json_schema', json_schema: {} } }, 'response_format'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'messages'],
    [{ model: 'gpt-4o' }, 'model', 404, 'model_not_found'],
    [{ model: 'knowledge/..' }, undefined, 400, 'invalid_namespace'],
  ])('%j is rejected', async (more, named, status = 400, code = 'invalid_request') => {
    const param = named ?? null;
    const service = await sharedService(settings, files);
    for (const stream of [false, true]) {
      const refused = await complete(service, { ...more, stream });
      expect([refused.status, refused.body]).toEqual([
        status,
        envelope({ type: 'invalid_request_error', code, param }),
      ]);
    }
  });
});

describe('a stream of chunks', () => {
  const chunksOf = async (service: TestService, more: object = {}) => {
    const url = await serveOnLoopback(service, settings);
    const events = await (
      await openStream(
        `${url}/v1/chat/completions`,
        { ...completionBody, stream: true, ...more },
        all,
      )
    ).rest();
    expect(events.at(-1)).toBe('[DONE]');
    return events.slice(0, -1).map((event) => JSON.parse(event));
  };

  it('begins with the role, then sends citations, the finish reason and the proof', async () => {
    const chunks = await chunksOf(await sharedService(settings, files));
    const { id, created } = chunks[0];
    for (const chunk of chunks)
      expect(chunk).toMatchObject({
        id,
        created,
        object: 'chat.completion.chunk',
        model: 'knowledge',
      });
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true);
    expect(chunks[0].choices).toEqual([
      {
        index: 0,
        delta: { role: 'assistant', content: '', refusal: null },
        logprobs: null,
        finish_reason: null,
      },
    ]);
    expect(chunks.at(-2).choices[0]).toMatchObject({
      delta: { annotations: [{ type: 'url_citation', url_citation: { quote: granted } }] },
      finish_reason: null,
    });
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }],
      knowledge: {
        answered: true,
        runId: id.replace('chatcmpl-', ''),
        citations: [{ quote: granted }],
      },
    });
  });

  it('sends the usage last if it is requested', async () => {
    const { provider, service } = await sharedModel(settings, files);
    provider.reply(`${granted} [1]`);
    const chunks = await chunksOf(service, { stream_options: { include_usage: true } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    });
  });
});

describe('chat interfaces', () => {
  const openWebUi = {
    stream: true,
    model: 'knowledge',
    messages: [
      { role: 'system', content: 'You are helpful.' },
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Hello!', sources: [], tool_calls: null },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what about refunds?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ],
    stream_options: { include_usage: true },
    metadata: { chat_id: '1' },
  };
  const libreChat = {
    model: 'knowledge',
    user: '6500',
    stream: true,
    messages: [
      { role: 'developer', content: 'Be short.' },
      { role: 'user', content: [{ type: 'text', text: 'what is there?' }], name: 'Ann' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'search', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'nothing' }] },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'call_2', type: 'function', function: { name: 'search', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_2', content: '' },
      { role: 'user', content: 'what about refunds?' },
    ],
    tools: [],
    top_p: 1,
  };

  it.each([
    ['Open WebUI', openWebUi],
    ['LibreChat', libreChat],
  ])('%s is answered', async (_, body) => {
    const { url } = await online();
    const events = await (await openStream(`${url}/v1/chat/completions`, body, all)).rest();
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
    expect(
      chunks
        .flatMap(({ choices }) => choices.map((choice: any) => choice.delta.content ?? ''))
        .join(''),
    ).toContain(granted);
    expect(chunks.some(({ choices }) => choices[0]?.delta.annotations?.length > 0)).toBe(true);
  });

  it('an image without text gets no error', async () => {
    const service = await sharedService(settings, files);
    const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }];
    const { status, body } = await complete(service, { messages: [{ role: 'user', content }] });
    expect([status, body.knowledge.answered]).toEqual([200, false]);
  });
});

describe("errors below /v1 have OpenAI's format", () => {
  const small = useService({ ...settings, MAX_BODY_BYTES: '4096' }, files);

  it.each([
    ['no key', 401, 'unauthorized', {}, {}],
    [
      'a large body',
      413,
      'payload_too_large',
      { body: JSON.stringify({ x: 'x'.repeat(5_000) }) },
      all,
    ],
    ['broken JSON', 400, 'invalid_json', { body: '{' }, all],
  ])('%s', async (_, status, code, request, headers) => {
    const service = small();
    const { path, ...init } = {
      path: '/v1/chat/completions',
      method: 'POST',
      body: JSON.stringify(completionBody),
      ...request,
    };
    const response = await service.request(path, {
      ...init,
      headers: { 'content-type': 'application/json', ...headers },
    });
    expect([response.status, await response.json()]).toEqual([
      status,
      envelope({ type: 'invalid_request_error', code }),
    ]);
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  it('while other paths keep our format', async () => {
    const service = await sharedService(settings, files);
    expect((await service.get('/api/agents')).body).toMatchObject({ code: 'unauthorized' });
    expect((await service.get('/v10', all)).body).toMatchObject({ code: 'not_found' });
  });
});

const tools = [{ type: 'file_search' as const, vector_store_ids: [] }];
const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

describe('a response', () => {
  it('contains the answer and, if the tool is sent, the search as items, with citations of web pages and files', async () => {
    const service = await sharedService(settings, files);
    const { status, body } = await respond(service, { tools });
    expect(status).toBe(200);
    const fields = {
      object: 'response',
      status: 'completed',
      error: null,
      model: 'knowledge',
      store: true,
      conversation: null,
    };
    expect(body).toMatchObject(fields);
    expect(body.id).toMatch(new RegExp(`^resp_${uuid}_${uuid}$`));
    expect(body.usage).toEqual({
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    });
    const [search, message] = body.output;
    const queries = ['what about refunds?'];
    const id = expect.stringMatching(/^fs_/);
    expect(search).toEqual({
      id,
      type: 'file_search_call',
      status: 'completed',
      queries,
      results: null,
    });
    const [{ text, annotations }] = message.content;
    const start_index = text.indexOf('[1]');
    expect(message).toMatchObject({ type: 'message', role: 'assistant', status: 'completed' });
    const place = { start_index, end_index: start_index + 3, quote: granted };
    expect(annotations).toEqual([
      { type: 'url_citation', url: 'https://example.com/refunds', title: 'Refunds', ...place },
    ]);
    expect(body.knowledge).toMatchObject({ answered: true, citations: [{ quote: granted }] });

    const { output } = (
      await respond(service, { model: 'knowledge/hr', input: 'how are salaries paid?' })
    ).body;
    expect(output).toHaveLength(1);
    const ofFile = output[0].content[0];
    const [{ id: file_id }] = (await service.get('/api/namespaces/hr/documents', all)).body
      .documents;
    const index = ofFile.text.indexOf('[1]');
    const quote = 'Salaries are paid monthly.';
    expect(ofFile.annotations).toEqual([
      { type: 'file_citation', file_id, filename: 'pay.md', index, quote },
    ]);
  });

  it('accepts items of every type, and reads only messages of the user and the agent', async () => {
    const { provider, service } = await sharedModel(settings, files);
    provider.reply(`${granted} [1]`);
    const first = (await respond(service, { tools })).body;
    const input = [
      { role: 'developer', content: 'Be rude.' },
      { role: 'user', content: [{ type: 'input_text', text: 'what about refunds?' }] },
      ...first.output,
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', call_id: '1', name: 'x', arguments: '{}' },
      { type: 'function_call_output', call_id: '1', output: 'Refunds cost $5.' },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'within how many days of purchase?' }],
      },
    ];
    const { status, body } = await respond(service, {
      input,
      instructions: 'Say SECRET-WORD.',
      store: false,
    });
    expect([status, body.output.at(-1).content[0].text]).toEqual([
      200,
      expect.stringContaining(granted),
    ]);
    const shown = JSON.stringify(provider.requests.at(-1)?.body.messages);
    expect(shown).toContain('what about refunds?');
    expect(shown).not.toMatch(/SECRET-WORD|Be rude|cost \$5/);
  });

  it.each([
    [{ previous_response_id: `resp_${crypto.randomUUID()}` }, 'previous_response_id'],
    [{ previous_response_id: `resp_${crypto.randomUUID()}_../x` }, 'previous_response_id'],
    [
      {
        previous_response_id: `resp_${crypto.randomUUID()}_${crypto.randomUUID()}`,
        conversation: 'a',
      },
      'previous_response_id',
    ],
    [
      { previous_response_id: `resp_${crypto.randomUUID()}_${crypto.randomUUID()}`, store: false },
      'store',
    ],
    [{ conversation: 'a', store: false }, 'store'],
    [{ text: { format: { type: 'json_schema', name: 'x', schema: {} } } }, 'text.format'],
    [{ input: [] }, 'input'],
    [{ input: [{ role: 'assistant', content: 'x' }] }, 'input'],
  ])('%j is rejected', async (more, param) => {
    const service = await sharedService(settings, files);
    const { status, body } = await respond(service, more);
    expect([status, body]).toEqual([
      400,
      envelope({ type: 'invalid_request_error', code: 'invalid_request', param }),
    ]);
  });
});

describe('the memory of responses', () => {
  async function remembering() {
    const { provider, service } = await sharedModel({ API_KEYS: 'all-key,other-key' }, files);
    provider.reply(`${granted} [1]`);
    const knows = async (more: object, headers: Record<string, string> = all) => {
      expect(
        (await respond(service, { input: 'and within how many days?', ...more }, headers)).status,
      ).toBe(200);
      return JSON.stringify(provider.requests.at(-1)?.body.messages).includes(
        'what about refunds?',
      );
    };
    return { service, knows };
  }

  it("is the caller's own thread, which the response id names", async () => {
    const { service, knows } = await remembering();
    const { id } = (await respond(service)).body;
    const [, thread] = id.split('_');
    expect((await service.get('/api/memory/threads', all)).body.threads).toContainEqual(
      expect.objectContaining({ id: thread, resourceId: 'responses' }),
    );
    expect(await knows({ previous_response_id: id }, { authorization: 'Bearer other-key' })).toBe(
      false,
    );
    expect(await knows({ previous_response_id: id })).toBe(true);
  });

  it('continues in the same thread with the id of a follow-up', async () => {
    const { service } = await remembering();
    const first = (await respond(service)).body.id.split('_');
    const second = (await respond(service, { previous_response_id: first.join('_') })).body;
    expect(second.previous_response_id).toBe(first.join('_'));
    expect([second.id.split('_')[1], second.id.split('_')[2] === first[2]]).toEqual([
      first[1],
      false,
    ]);
  });

  it('may be a named conversation', async () => {
    const { service, knows } = await remembering();
    const { body } = await respond(service, { conversation: { id: 'conv 1' } });
    expect([body.conversation, body.store]).toEqual([{ id: 'conv 1' }, true]);
    expect(await knows({ conversation: 'conv 1' })).toBe(true);
    expect(await knows({ conversation: 'conv 2' })).toBe(false);
    expect((await respond(service, { previous_response_id: body.id })).status).toBe(400);
  });

  it('is off with store false', async () => {
    const { service } = await remembering();
    const threads = async () => (await service.get('/api/memory/threads', all)).body.total;
    const before = await threads();
    const { body } = await respond(service, { store: false });
    expect([body.store, body.id]).toEqual([
      false,
      expect.stringMatching(new RegExp(`^resp_${uuid}$`)),
    ]);
    expect(await threads()).toBe(before);
  });
});

describe('a stream of events', () => {
  const common = ['item_id', 'output_index', 'content_index'];
  /** Fields in the official client, in addition to `type` and `sequence_number`. */
  const fields: Record<string, readonly string[]> = {
    'response.created': ['response'],
    'response.in_progress': ['response'],
    'response.output_item.added': ['item', 'output_index'],
    'response.file_search_call.completed': ['item_id', 'output_index'],
    'response.output_item.done': ['item', 'output_index'],
    'response.content_part.added': [...common, 'part'],
    'response.output_text.delta': [...common, 'delta', 'logprobs'],
    'response.output_text.annotation.added': [...common, 'annotation', 'annotation_index'],
    'response.output_text.done': [...common, 'text', 'logprobs'],
    'response.content_part.done': [...common, 'part'],
    'response.completed': ['response'],
  };

  it('contains the search and the answer in order, each event with its number and fields', async () => {
    const { url } = await online();
    const responseBody = {
      model: 'knowledge',
      input: 'what about refunds?',
      stream: true,
      tools,
    };
    const stream = await openStream(`${url}/v1/responses`, responseBody, all);
    const events = (await stream.rest()).map((event) => JSON.parse(event));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    for (const { type, ...event } of events)
      expect([type, Object.keys(event).sort()]).toEqual([
        type,
        [...fields[type]!, 'sequence_number'].sort(),
      ]);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(Object.keys(fields).sort());
    expect(
      events.map(({ type }) => type).filter((type, at, types) => type !== types[at - 1]),
    ).toEqual([
      ...listed(`
      response.created | response.in_progress | response.output_item.added | response.file_search_call.completed
      response.output_item.done | response.output_item.added | response.content_part.added | response.output_text.delta
      response.output_text.annotation.added | response.output_text.done | response.content_part.done
      response.output_item.done | response.completed
    `),
    ]);
    expect(stream.raw()).toMatch(/^event: response\.created\ndata: /);
  });
});
