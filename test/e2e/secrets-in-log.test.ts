/**
 * Searches the server's output for secrets that clients send to every entry point and failing
 * upstreams echo in errors.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { messageEvent, secondsNow } from '../support/chat-platform.ts';
import { bodiesFor, mcpCall } from '../support/operation-bodies.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startSite } from '../support/site.ts';
import { signToken } from '../support/tokens.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

/** No secret is part of a word of the program. Some contain characters that encodings change. */
const secrets = {
  apiKey: 'zqBoss/Key+1f~"a',
  limitedKey: 'zqLimitedKey2e',
  wrongKey: 'zqWrongKey3d',
  llmKey: 'sk-zqModelKey4c',
  judgeKey: 'sk-zqJudgeKey4d',
  embeddingKey: 'zqEmbeddingKey4e',
  rerankKey: 'zqRerankKey4f',
  jwtSecret: 'zqJwtSecret5b-zqJwtSecret5b-zqJwtSecret5b',
  prefix: 'zqPrefix6a-zqPrefix6a',
  callsKey: 'zqCallsKey79',
  callerCallsKey: 'zqCallerKey80',
  webhookSecret: 'zqWebhookSecret97',
  webhookPassword: 'zqWebhookPass98',
  callbackKey: 'zqCallbackKey96',
  collectorKey: 'zqCollectorKey95',
  urlPassword: 'zqUrlPassword94',
  question: 'zqQuokka',
  document: 'zqOcelot',
  title: 'zqTitle',
  thread: 'zqThread93',
  resource: 'zqResource92',
  file: 'zqFile91',
  field: 'zqField90',
  // Not a valid namespace name: those are logged.
  path: 'zqPath~89',
  query: 'zqQuery88',
  header: 'zqHeader87',
  cookie: 'zqCookie86',
  comment: 'zqComment85',
  agent: 'zqAgent84',
};

const reversed = (text: string) => [...text].reverse().join('');
/** Base64 at each of the three alignments, without the characters that depend on neighbours. */
const inBase64 = (text: string, encoding: 'base64' | 'base64url') =>
  [0, 1, 2].map((before) =>
    Buffer.from('x'.repeat(before) + text)
      .toString(encoding)
      .replace(/=+$/, '')
      .slice(before === 0 ? 0 : before + 1, -2),
  );
const formsOf = (secret: string): string[] =>
  [secret, secret.toLowerCase(), secret.toUpperCase()].flatMap((text) => {
    const hex = Buffer.from(text).toString('hex');
    return [
      ...[text, reversed(text), JSON.stringify(text).slice(1, -1), encodeURIComponent(text)],
      ...[text, reversed(text)].flatMap((one) => [
        ...inBase64(one, 'base64'),
        ...inBase64(one, 'base64url'),
      ]),
      ...[hex, hex.toUpperCase(), hex.replace(/../g, '%$&')],
    ];
  });

/**
 * Fails and echoes the request: as an OpenAI error, plain text, invalid JSON and within a stream.
 */
async function startEcho(): Promise<string> {
  let turn = 0;
  const { url } = await startSite({}, () => async (request, response) => {
    const echo = `${JSON.stringify(request.headers)} ${request.url} ${await textOf(request)}`;
    const error = JSON.stringify({ error: { message: echo, type: echo, code: echo, param: echo } });
    const reply = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type }).end(body);
    const location = `http://127.0.0.1:1/${encodeURIComponent(echo.slice(0, 500))}`;
    const responses: (() => unknown)[] = [
      () => reply(500, 'application/json', error),
      () => reply(401, 'application/json', error),
      () => reply(400, 'text/plain', echo),
      () => reply(200, 'application/json', echo),
      () => reply(200, 'application/json', JSON.stringify({ choices: echo, data: [echo], echo })),
      () => reply(200, 'text/event-stream', `data: ${error}\n\ndata: ${echo}\n\n`),
      () => response.writeHead(302, { location }).end(),
      () => request.socket.destroy(),
    ];
    responses[turn++ % responses.length]?.();
  });
  return url;
}

async function sendRaw(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(text);
  socket.on('error', () => undefined).resume();
  await once(socket, 'close');
}

it('writes no secret in any encoding, whatever clients send and whatever fails', async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/docs/refunds.md': `# Refunds\n\nRefunds of ${secrets.document} are paid within 30 days.\n`,
  });
  const echo = await startEcho();
  const server = await startServerProcess({
    LOG_LEVEL: 'debug',
    ...foldersIn(folder),
    API_KEYS: `${secrets.apiKey},${secrets.limitedKey}=docs:read`,
    JWT_SECRET: secrets.jwtSecret,
    PATH_PREFIX: `/${secrets.prefix}`,
    LLM_BASE_URL: `${echo}/v1`,
    LLM_API_KEY: secrets.llmKey,
    LLM_MODEL: 'writer',
    JUDGE_MODEL: 'judge',
    JUDGE_BASE_URL: `${echo}/judge/v1`,
    JUDGE_API_KEY: secrets.judgeKey,
    EMBEDDING_MODEL: 'meaning',
    EMBEDDING_BASE_URL: `${echo}/embedding/v1`,
    EMBEDDING_API_KEY: secrets.embeddingKey,
    RERANK_MODEL: 'order',
    RERANK_BASE_URL: `${echo.replace('//', `//:${encodeURIComponent(secrets.rerankKey)}@`)}/rerank/v1`,
    CALLS_BASE_URL: `${echo}/v3`,
    CALLS_API_KEY: secrets.callsKey,
    CALLS_TOOLS: 'true',
    CHAT_WEBHOOK_SECRET: secrets.webhookSecret,
    CHAT_WEBHOOK_PASSWORD: secrets.webhookPassword,
    CHAT_CALLBACK_URL: `${echo}/messages`,
    CHAT_CALLBACK_KEY: secrets.callbackKey,
    CHAT_NAMESPACE: 'docs',
    ALLOWED_URL_HOSTS: '127.0.0.1',
    ALLOWED_FILE_ROOTS: folder,
    OTEL_EXPORTER_OTLP_ENDPOINT: echo,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${secrets.collectorKey}`,
  });
  // Other tests measure the event loop; cold code would fail that limit here.
  server.process.disconnect();
  const base = `${server.url}/${secrets.prefix}`;
  const claims = { sub: 'ann', namespaces: 'docs', scope: 'read' };
  const token = await signToken(claims, '5m', secrets.jwtSecret);
  const boss = { 'x-api-key': secrets.apiKey };
  let sent = 0;
  const pending = new Set<Promise<unknown>>();
  /** Keeps at most twelve requests in flight. */
  const send = async (...request: Parameters<typeof ask>) => {
    sent++;
    const answered = ask(...request).finally(() => pending.delete(answered));
    pending.add(answered);
    while (pending.size >= 12) await Promise.race(pending);
  };
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = boss,
    from = base,
  ) => {
    const isForm = body instanceof FormData;
    const isJson = body !== undefined && typeof body !== 'string' && !isForm;
    await fetch(from + path, {
      method,
      headers: {
        'user-agent': secrets.agent,
        cookie: `session=${secrets.cookie}`,
        'x-other': secrets.header,
        referer: secrets.header,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isJson ? JSON.stringify(body) : ((body ?? null) as string | FormData | null),
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
    })
      .then((response) => response.text())
      .catch(() => undefined);
  };

  // Valid and invalid keys of every kind, in right and wrong headers.
  const { apiKey, limitedKey, wrongKey, llmKey, judgeKey } = secrets;
  const { embeddingKey, rerankKey, callerCallsKey } = secrets;
  const keys = [
    ...[apiKey, limitedKey, wrongKey, llmKey, judgeKey, embeddingKey, rerankKey, callerCallsKey],
    ...[token, `${token}x`],
  ];
  for (const [at, key] of keys.entries()) {
    const forms: Record<string, string>[] = [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: `Basic ${btoa(`user:${key}`)}` },
      { authorization: key },
      { apikey: key },
      { 'x-api-key': key, authorization: `Bearer ${secrets.wrongKey}` },
    ];
    const paths = [
      '/api/namespaces',
      '/v3/calls',
      `/${encodeURIComponent(key)}`,
      `/api/jobs/${encodeURIComponent(key)}?key=${encodeURIComponent(key)}`,
    ];
    // Each key in each header, on one path after the other.
    for (const [turn, headers] of forms.entries()) {
      await send('GET', paths[(at + turn) % paths.length] ?? '', undefined, headers);
      if (turn === at % forms.length)
        await send('POST', '/api/webhooks/chat', { text: secrets.question }, headers);
    }
  }

  // Every operation, with valid and with foreign fields and namespaces.
  const asked = `@agent how are refunds of ${secrets.question} paid?`;
  const words: Readonly<Record<string, string>> = {
    t: secrets.thread,
    c: secrets.thread,
    ann: secrets.resource,
    x: secrets.document,
    none: secrets.path,
  };
  const laced = (body: unknown) =>
    JSON.parse(JSON.stringify(body), (_, value) =>
      typeof value !== 'string' ? value : /refunds/i.test(value) ? asked : (words[value] ?? value),
    );
  const values: Readonly<Record<string, string>> = { agentId: 'knowledge', toolId: 'searchDocs' };
  const { paths } = (await (await fetch(`${base}/api/openapi.json`)).json()) as any;
  const tokenFor = { authorization: `Bearer ${token}`, onBehalfOf: secrets.header };
  for (const namespace of ['docs', secrets.path])
    for (const [template, methods] of Object.entries<Record<string, any>>(paths))
      for (const [method, { operationId }] of Object.entries(methods)) {
        if (method === 'delete') continue;
        const body = bodiesFor(namespace)[operationId];
        const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
          name === 'namespace' ? namespace : (values[name] ?? secrets.path),
        );
        if (!body) await send(method.toUpperCase(), `${path}?namespace=${namespace}`);
        else {
          await send('POST', path, laced(body));
          await send('POST', path, { ...laced(body), [secrets.field]: secrets.field }, tokenFor);
        }
      }
  const generate = '/api/agents/knowledge/generate';
  const memory = { thread: secrets.thread, resource: secrets.resource };
  const askArgs = { question: asked, thread: secrets.thread, namespace: 'docs' };
  for (const [path, body] of [
    [generate, { messages: asked, toolParams: { namespace: 'docs' }, memory }],
    [generate, `{"messages": "${secrets.question}`],
    ['/mcp', mcpCall('askKnowledge', askArgs)],
    ['/mcp', mcpCall(secrets.field, { [secrets.field]: secrets.question })],
    ['/mcp', { jsonrpc: '2.0', id: secrets.field, method: secrets.field, params: {} }],
    [`/api/tools/${secrets.path}/execute`, { data: { query: secrets.question } }],
    [`/api/answers/${secrets.path}/feedback`, { rating: 'up', comment: secrets.comment }],
    ['/api/webhooks/chat', { trigger: 'message_sent', data: { message: { text: asked } } }],
  ] as const)
    await send('POST', path, body);

  // Ingested sources and their addresses.
  const address = `${echo.replace('http://', `http://user:${secrets.urlPassword}@`)}/${secrets.path}?key=${secrets.query}`;
  const sources = [
    { text: `Refunds of ${secrets.document}.`, title: secrets.title },
    { url: address },
    { url: `${echo}/${secrets.path}?key=${secrets.query}` },
    { url: `http://127.0.0.1:1/${secrets.path}` },
    { url: `ftp://${secrets.path}` },
    { site: `${echo}/${secrets.path}` },
    { path: join(folder, `${secrets.file}.md`) },
    { path: `/${secrets.file}/../${secrets.file}` },
  ];
  const ingest = '/api/tools/ingestSources';
  for (const source of sources)
    for (const wait of [true, false])
      await send('POST', ingest, { namespace: 'docs', sources: [source], wait });
  await send('POST', ingest, { namespace: secrets.path, sources });
  await send('POST', '/api/namespaces/docs/refresh', {});
  for (const [before, ending] of [
    ['', 'md'],
    ['../', 'pdf'],
    ['', 'docx'],
    ['', 'zip'],
    ['', 'exe'],
  ]) {
    const form = new FormData();
    const name = `${before}${secrets.file}.${ending}`;
    form.append('files', new File([`# ${secrets.title}\n\n${secrets.document}`], name));
    form.append(secrets.field, secrets.field);
    await send('POST', '/api/namespaces/docs/documents', form);
  }
  await send('POST', '/api/namespaces/docs/documents', `--${secrets.field}\r\nbroken`, {
    ...boss,
    'content-type': `multipart/form-data; boundary=${secrets.field}`,
  });

  // Paths, queries and methods inside, next to and outside the prefix.
  const { query } = secrets;
  for (const path of [
    `/${secrets.path}`,
    `/api/namespaces/${secrets.path}/documents/${secrets.file}`,
    `/api/memory/threads/${secrets.thread}`,
    `/page/${secrets.path}`,
  ])
    for (const [method, from] of [
      ['GET', base],
      ['POST', server.url],
      ['DELETE', `${base.slice(0, -1)}x`],
      ['PUT', base.toUpperCase().replace(/^HTTP/, 'http')],
      ['PATCH', base],
    ] as const)
      await send(method, `${path}?${query}=${query}&uid=${query}`, undefined, boss, from);
  await send('GET', `/v3/calls?${query}=1`);
  const onBehalfOf = secrets.header;
  await send('GET', `/v3/calls?uid=${query}`, undefined, { ...boss, onBehalfOf });
  await send('GET', `/v3/calls/${secrets.path}`, undefined, { apikey: secrets.callerCallsKey });
  for (let time = 0; time < 8; time++) await send('GET', `/v3/calls?uid=${query}`);

  await Promise.all(pending);
  // Signed messages of the chat platform, whose callbacks fail.
  const from = { conversationId: secrets.thread, sender: secrets.resource, sentAt: secondsNow() };
  const push = (text: string, headers: Record<string, string>) => {
    const event = messageEvent(text, { id: String(text.length), ...from });
    return send('POST', '/api/webhooks/chat', event, headers);
  };
  const basic = (password: string) => ({ authorization: `Basic ${btoa(`platform:${password}`)}` });
  for (const end of ['', '!']) await push(asked + end, basic(secrets.webhookPassword));
  await push(asked, basic(secrets.wrongKey));
  await push(asked, {
    'webhook-id': secrets.header,
    'webhook-timestamp': String(secondsNow()),
    'webhook-signature': `v1,${btoa(secrets.wrongKey)}`,
  });

  // Invalid HTTP.
  for (const text of [
    `GET /${secrets.prefix}/${secrets.path} HTTP/1.1\r\nHost: ${secrets.header}\r\nx-api-key: ${secrets.apiKey}\r\nbad header ${secrets.header}\r\n\r\n`,
    `${secrets.path} ${secrets.query}\r\n\r\n`,
    `POST /${secrets.prefix}/api/tools/searchDocs HTTP/1.1\r\nHost: a\r\nx-api-key: ${secrets.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"query":"${secrets.question}`,
    `GET http://user:${secrets.urlPassword}@${secrets.header}/${secrets.path} HTTP/1.1\r\nHost: ${secrets.header}\r\n\r\n`,
    `GET /${secrets.prefix}/%zz${secrets.path}%00 HTTP/1.1\r\nHost: a\r\nx-api-key: ${secrets.apiKey}\r\nconnection: close\r\n\r\n`,
  ])
    await sendRaw(server.url, text);

  await Promise.all(pending);
  await server.stop('SIGTERM');
  const output = server.output();
  expect(sent).toBeGreaterThan(150);
  // The requests had their intended effect: model failures, refusals, writes.
  const lines = output
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  expect(lines.map(({ code }) => code)).toEqual(
    expect.arrayContaining([
      ...['model_failed', 'unauthorized', 'right_missing'],
      ...['not_found', 'invalid_json', 'invalid_request'],
    ]),
  );
  expect(lines.map(({ msg }) => msg)).toContain('request failed');

  const written = output.split('\n');
  const found = Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret).flatMap((form) => {
      const line = written.find((one) => one.includes(form));
      return line === undefined ? [] : [[name, line.slice(0, 1_500)]];
    }),
  );
  expect(found).toEqual([]);
});
