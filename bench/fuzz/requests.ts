/**
 * Requests of the fuzz, drawn from the operation's own schema and then mutated. Number n of a seed
 * is always the same request, except for ids from earlier responses and the time in webhook
 * signatures.
 */
import { createRandom, type Random } from '../retrieval/random.ts';
import { type FuzzCaller, fuzzNamespaces, webhookHeaders } from './callers.ts';
import type { DocumentPlace, Memory, Remembered } from './memory.ts';
import { breakBody, mutateValue, type Sent, uploadBody, wholeBody } from './mutations.ts';
import type { Operation, OperationParameter, Schema } from './openapi.ts';
import { chance, createValues, type Hints, oddTexts, sentence } from './schema-values.ts';

export interface FuzzRequest {
  readonly number: number;
  readonly operation: Operation;
  /** Kind of mutation. */
  readonly kind: Kind;
  readonly caller: FuzzCaller;
  readonly method: string;
  /** Path with its query, as in the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Sent | undefined;
  /** Whether the HTTP parser may reject it before the server sees it. */
  readonly isBelowHttp: boolean;
  /** Value that its schema must accept, checked with ajv. */
  readonly value?: unknown;
}

/** Percent. */
const kinds = {
  valid: 32,
  edges: 16,
  'another value': 14,
  'broken body': 14,
  path: 8,
  query: 6,
  headers: 6,
  method: 2,
  wire: 2,
} as const;
export type Kind = keyof typeof kinds;

/** Draws by weight. */
function draw<T>(random: Random, weighted: readonly (readonly [T, number])[]): T {
  let left = random.next() * weighted.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of weighted) {
    left -= weight;
    if (left < 0) return value;
  }
  return weighted[0]![0];
}

export interface Surroundings {
  readonly callers: readonly FuzzCaller[];
  /** Site that the server may fetch; undefined: none. */
  readonly siteUrl: string | undefined;
  /** Paths inside and outside ALLOWED_FILE_ROOTS. */
  readonly files: readonly string[];
  readonly pathPrefix: string;
}

const maxRedraws = 8;
/** Characters of a request line with headers; Node's parser accepts 16 KiB. */
const maxHeadChars = 15_000;

/** Kind of id in each path parameter. */
const idKindOf: Readonly<Record<string, Remembered>> = {
  'documents/{id}': 'document',
  'schedules/{scheduleId}': 'schedule',
  'jobs/{id}': 'job',
  'answers/{runId}': 'runId',
  'threads/{threadId}': 'thread',
  'calls/{sessionId}': 'session',
};
const fixed: Readonly<Record<string, readonly string[]>> = {
  agentId: [...Array<string>(9).fill('knowledge'), 'other'],
  toolId: ['searchDocs', 'docsRetriever', 'ingestSources', 'listCalls', 'summarizeCalls', 'none'],
  model: ['knowledge', 'knowledge/hr', 'knowledge/vault', 'knowledge/', 'gpt-5'],
  chatId: ['thread-1', 'thread-2'],
};
const threads = ['thread-1', 'thread-2', 'thread-3', 'thread-4'];
const otherNamespaces = ['vault', 'vault', 'nowhere', 'DEFAULT', '..', 'a b'];

const namespaceOf = (random: Random) =>
  chance(random, 0.85)
    ? random.pick(['default', 'default', ...fuzzNamespaces])
    : random.pick(otherNamespaces);
const questionOf = (random: Random) =>
  `${chance(random, 0.7) ? '@agent ' : ''}${sentence(random)}?`;

function sourceOf(random: Random, { siteUrl, files }: Surroundings): unknown {
  const text = { text: `${sentence(random, 12)}.`, title: `Note ${random.below(30)}` };
  const url = siteUrl && {
    url: `${siteUrl}${random.pick(['/', '/policy', '/redirect', '/broken', '/large', '/slow', '/outside', '/none'])}`,
  };
  return random.pick<unknown>([
    ...[text, text, `${sentence(random, 12)}.`, { path: random.pick(files) }, random.pick(files)],
    ...(url
      ? [url, { ...url, crawl: { maxPages: 3, maxDepth: 1 } }, { ...url, refreshEvery: '24h' }]
      : []),
    ...[
      'https://evil.invalid/x',
      'http://169.254.169.254/latest/meta-data',
      { url: 'http://127.0.0.1:1/' },
      { path: '/', glob: '**' },
    ],
  ]);
}

const hintsOf = (memory: Memory, around: Surroundings): Hints => {
  const documentIdOf = (random: Random) =>
    (memory.recall('document', random) as DocumentPlace | undefined)?.id;
  const table: Readonly<Record<string, (random: Random) => unknown>> = {
    namespace: namespaceOf,
    sources: (random) =>
      Array.from({ length: 1 + random.below(3) }, () => sourceOf(random, around)),
    files: (random) => [random.pick(around.files)],
    messages: (random) =>
      chance(random, 0.3) ? questionOf(random) : [{ role: 'user', content: questionOf(random) }],
    input: questionOf,
    query: (random) => sentence(random),
    question: (random) => sentence(random),
    model: (random) =>
      chance(random, 0.8)
        ? random.pick(['knowledge', 'knowledge/hr'])
        : random.pick(fixed['model']!),
    threadId: (random) => random.pick(threads),
    documentId: documentIdOf,
    documents: (random) => [documentIdOf(random) ?? 'none'],
    messageIds: (random) => [memory.recall('message', random) ?? 'none'],
    citations: (random) => {
      const citation = memory.recall('citation', random);
      return citation === undefined ? undefined : [citation];
    },
    toolParams: (random) => ({ namespace: namespaceOf(random) }),
    memory: (random) => ({ thread: random.pick(threads), resource: 'fuzz' }),
    data: (random) =>
      random.pick<object>([
        { query: sentence(random), namespace: namespaceOf(random) },
        { sources: [sourceOf(random, around)] },
        {},
      ]),
    rating: (random) => random.pick(['up', 'down']),
    orderBy: () => '{"field":"createdAt","direction":"DESC"}',
    selectBy: () => '{"pagination":{"page":0,"perPage":10}}',
    wait: (random) => chance(random, 0.5),
  };
  return (name, random) =>
    Object.hasOwn(table, name) && chance(random, 0.95) ? table[name]?.(random) : undefined;
};

/** Bodies of operations whose schema describes only an envelope. */
function enveloped(id: string, random: Random): unknown {
  if (id !== 'mcp') return undefined;
  const namespace = namespaceOf(random);
  const call = (name: string, args: object) => ({
    method: 'tools/call',
    params: { name, arguments: args },
  });
  return {
    ...{ jsonrpc: '2.0', id: random.below(100) },
    ...random.pick<object>([
      {
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'fuzz', version: '1' },
        },
      },
      ...['ping', 'tools/list', 'server/discover', 'prompts/list'].map((method) => ({ method })),
      call('askKnowledge', {
        question: sentence(random),
        namespace,
        thread: random.pick(threads),
      }),
      call('searchDocs', { query: sentence(random), namespace, maxResults: random.below(60) }),
      call('ingestSources', { namespace, sources: [{ text: sentence(random), title: 'Note' }] }),
      call('listCalls', { statuses: ['ended'] }),
      call('summarizeCalls', { by: ['status'] }),
      call(random.pick(oddTexts), {}),
      { method: random.pick(oddTexts), params: {} },
    ]),
  };
}

const oddSegments = [
  ...[
    '..',
    '.',
    '...',
    '%2e%2e',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..%5c..',
    '%00',
    'a%00b',
    '%',
    '%zz',
    '%c0%ae%c0%ae',
    '%ff',
    '%ed%a0%80',
  ],
  ...[
    '%E8%BF%94%E9%87%91',
    'x'.repeat(2_000),
    '%20',
    '__proto__',
    'constructor',
    '*',
    '%3Fa=b',
    '%23',
    'a;b',
    '0',
    '-1',
    'null',
    '%F0%9F%98%80',
  ],
  ...['%2F', '%252e%252e%252f', '{id}', ':id', '%0d%0aset-cookie:x=1', '~', '@', 'a,b', 'CON'],
];

function pathOf({ template }: Operation, random: Random, memory: Memory, isOdd: boolean): string {
  const odd = isOdd ? random.below([...template.matchAll(/\{/g)].length) : -1;
  let at = -1;
  const isOfDocument = template.includes('documents/{id}') && chance(random, 0.85);
  const document = isOfDocument
    ? (memory.recall('document', random) as DocumentPlace | undefined)
    : undefined;
  const path = template.replaceAll(/(\w+)\/\{(\w+)\}/g, (place, before: string, name: string) => {
    at++;
    if (at === odd) return `${before}/${random.pick(oddSegments)}`;
    const kind = idKindOf[place];
    const known = kind === 'document' ? document?.id : kind && memory.recall(kind, random);
    if (name === 'namespace' && document) return `${before}/${document.namespace}`;
    const value =
      name === 'namespace'
        ? namespaceOf(random)
        : String(known ?? random.pick(fixed[name] ?? ['none', 'thread-1']));
    return `${before}/${encodeURIComponent(value).replaceAll('%2F', name === 'model' ? '/' : '%2F')}`;
  });
  if (!isOdd || template.includes('{')) return path;
  const segment = random.pick(oddSegments);
  return random.pick([
    `${path}/`,
    `${path}/${segment}`,
    `/${path}`,
    path.replace(/\/(\w+)$/, '//$1'),
    `${path}/../state`,
    path.toUpperCase(),
  ]);
}

const escaped = (text: string) => encodeURIComponent(text.toWellFormed());

/** Encodes a parameter: commas in lists, brackets for fields of an object. */
function parameterParts(
  { name, schema, example }: OperationParameter,
  random: Random,
  hints: Hints,
  edges: number,
): string[] {
  const isExample = example !== undefined && chance(random, 0.2);
  const value = isExample
    ? example
    : (hints(name, random) ?? createValues(random, hints, edges)(schema));
  if (Array.isArray(value))
    return value.length === 0 ? [] : [`${escaped(name)}=${escaped(value.join(','))}`];
  if (typeof value !== 'object' || value === null)
    return [`${escaped(name)}=${escaped(String(value))}`];
  return Object.entries(value).map(
    ([operator, one]) => `${escaped(name)}[${escaped(operator)}]=${escaped(String(one))}`,
  );
}

function queryOf({ parameters }: Operation, random: Random, hints: Hints, kind: Kind): string {
  const isOdd = kind === 'query';
  const asked = parameters.filter(
    ({ in: where, required }) =>
      where === 'query' && (required || chance(random, isOdd ? 0.5 : 0.35)),
  );
  const parts = asked.flatMap((one) =>
    parameterParts(one, random, hints, kind === 'edges' ? 0.6 : 0),
  );
  if (!isOdd) return parts.join('&');
  const known = parameters.filter(({ in: where }) => where === 'query').map(({ name }) => name);
  const name = random.pick([...known, 'unknown', 'page', 'limit', '__proto__', 'namespace']);
  const odd = escaped(random.pick(oddTexts.filter((text) => text.length < 5_000)));
  parts.push(
    random.pick([
      ...[
        `${name}=1&${name}=2`,
        `${name}[]=1`,
        `${name}[0]=x&${name}[1]=y`,
        `${name}[gte]=${odd}`,
        `${name}[__proto__][a]=1`,
        `${name}`,
      ],
      ...[
        `${name}=`,
        `=${odd}`,
        `${name}=${odd}`,
        `${odd}=1`,
        `${name}=%`,
        `${name}=%ff%fe`,
        '&&&',
        '?',
        `${name}=${'9'.repeat(400)}`,
      ],
      ...[
        `${name}=-1`,
        `${name}=0`,
        `${name}=1e3`,
        `${name}=0x10`,
        `${name}=null`,
        `a=${'x'.repeat(9_000)}`,
        `${'a=1&'.repeat(1_500)}b=1`,
      ],
    ]),
  );
  return parts.join('&');
}

const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  ...[
    '*/*',
    'text/html',
    'application/xml',
    '',
    'x',
    'application/json;q=0',
    'text/event-stream',
    'a'.repeat(5_000),
  ].map((accept) => ({
    accept,
  })),
  ...['elena.petrova', '', ' ', 'x'.repeat(101), 'a\tb', 'ünï', '__proto__'].map((onbehalfof) => ({
    onbehalfof,
  })),
  ...['127.0.0.1', '::1', '10.0.0.1, 127.0.0.1', 'x'.repeat(3_000), "'; DROP TABLE x"].map(
    (address) => ({ 'x-forwarded-for': address }),
  ),
  ...['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-zz', 'ff-'.repeat(90)].map(
    (traceparent) => ({ traceparent }),
  ),
  ...['an-id', 'x'.repeat(500), '<script>', 'ü', 'a\'b"c'].map((id) => ({ 'x-request-id': id })),
  ...['evil.example', 'localhost:1', '', 'a b', '127.0.0.1@evil.example'].map((host) => ({ host })),
  ...['https://evil.example', 'null', 'file://'].map((origin) => ({
    origin,
    'sec-fetch-site': 'cross-site',
  })),
  ...['true', 'false', 'maybe', ''].map((addressed) => ({ addressed })),
  ...['any', ''].map((apikey) => ({ apikey })),
  ...['POST', 'DELETE', 'TRACE'].map((method) => ({
    'x-http-method-override': method,
    'x-method-override': method,
  })),
  {
    'x-original-url': '/api/namespaces/vault/documents',
    'x-rewrite-url': '/api/gaps',
    'x-forwarded-prefix': '/k',
  },
  {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'javascript',
    forwarded: 'for=127.0.0.1;host=evil.example',
  },
  { cookie: '__proto__=1; session=admin' },
  { 'if-none-match': '*', 'if-modified-since': 'never', range: 'bytes=0-99999999999,5-4' },
  { expect: '100-continue' },
  { 'accept-language': 'x'.repeat(4_000), 'accept-encoding': 'gzip, br, zstd;q=9' },
  { 'mcp-session-id': 'none', 'mcp-protocol-version': '1999-01-01', 'last-event-id': '7' },
  { 'x-vercel-ai-ui-message-stream': 'v9' },
  { connection: 'close' },
];

/** Headers that the HTTP parser may reject. */
const wireHeaders: readonly Readonly<Record<string, string>>[] = [
  { 'x-large': 'x'.repeat(17_000) },
  { upgrade: 'websocket', connection: 'upgrade' },
  { upgrade: 'h2c', connection: 'upgrade, http2-settings', 'http2-settings': 'AAMAAABkAAQAAP__' },
  { expect: 'a-miracle' },
  { 'content-length': '99999999999' },
  { te: 'trailers, deflate' },
];

const methods = [
  'HEAD',
  'OPTIONS',
  'PUT',
  'PATCH',
  'DELETE',
  'GET',
  'POST',
  'PROPFIND',
  'TRACE',
  'M-SEARCH',
];

const webhookId = 'receiveChatMessage';

export interface RequestSettings {
  readonly operations: readonly Operation[];
  readonly seed: number;
  readonly memory: Memory;
  readonly around: Surroundings;
  readonly isValid: (schema: Schema, value: unknown) => boolean;
}

export function createRequests({ operations, seed, memory, around, isValid }: RequestSettings) {
  const hints = hintsOf(memory, around);

  /** Common values of a field name may violate its schema here; those are drawn again. */
  function validOf(schema: Schema, drawn: () => unknown): unknown {
    let value = drawn();
    for (let times = 0; times < maxRedraws && !isValid(schema, value); times++) value = drawn();
    return value;
  }

  function bodyOf(
    operation: Operation,
    random: Random,
    kind: Kind,
  ): { readonly sent?: Sent; readonly value?: unknown } {
    const [type = '', content] = Object.entries(operation.body)[0] ?? [];
    if (!content) {
      // Operations without a body sometimes get one.
      const isGiven =
        operation.method !== 'GET' && (kind === 'broken body' || kind === 'another value');
      return isGiven ? { sent: breakBody({ a: 1 }, random) } : {};
    }
    if (type === 'multipart/form-data') return { sent: uploadBody(random) };
    const schemaValue = () =>
      createValues(random, hints, kind === 'edges' ? 0.3 : 0)(content.schema);
    const envelope = chance(random, 0.8) ? enveloped(operation.id, random) : undefined;
    const isExample =
      content.example !== undefined && chance(random, operation.id === webhookId ? 0.9 : 0.1);
    const value = envelope ?? (isExample ? content.example : validOf(content.schema, schemaValue));
    if (kind === 'another value') return { sent: wholeBody(mutateValue(value, random)) };
    if (kind === 'broken body') return { sent: breakBody(value, random) };
    return { sent: wholeBody(value), value };
  }

  function credentialsOf(
    operation: Operation,
    random: Random,
    body: Sent | undefined,
    caller: FuzzCaller,
  ): Readonly<Record<string, string>> {
    if (operation.id !== webhookId || chance(random, 0.1)) return caller.headers;
    const isSigned = chance(random, 0.5);
    return webhookHeaders(body?.bytes ?? Buffer.alloc(0), Math.floor(Date.now() / 1_000), isSigned);
  }

  return (number: number): FuzzRequest => {
    // Adjacent numbers need distant seeds.
    const random = createRandom(
      (Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) & 0x7fffffff,
    );
    for (let skipped = 0; skipped < 8; skipped++) random.next();
    // Visits every operation in turn, in another order each round.
    const operation =
      operations[(number + random.below(2) * 7) % operations.length] ?? operations[0]!;
    const kind = draw(random, Object.entries(kinds)) as Kind;
    const drawn = draw(
      random,
      around.callers.map((one) => [one, one.weight]),
    );
    // Calls belong to a user, whom the most frequent caller does not name.
    const isOfUser =
      operation.parameters.some(({ name }) => name === 'onBehalfOf') &&
      !operation.template.startsWith('/v3');
    const forUser =
      isOfUser && chance(random, 0.6)
        ? around.callers.find(({ headers }) => headers['onbehalfof'])
        : undefined;
    const caller = forUser ?? drawn;
    const path = pathOf(operation, random, memory, kind === 'path');
    const query = queryOf(operation, random, hints, kind);
    const { sent, value } = bodyOf(operation, random, kind);
    const method = kind === 'method' ? random.pick(methods) : operation.method;
    const asked = operation.parameters.filter(
      ({ in: where, name }) => where === 'header' && (name === 'apikey' || chance(random, 0.03)),
    );
    const headers = {
      ...(sent ? { 'content-type': 'application/json' } : {}),
      ...sent?.headers,
      ...Object.fromEntries(asked.map((one) => [one.name.toLowerCase(), 'elena.petrova'])),
      ...credentialsOf(operation, random, sent, caller),
      ...(kind === 'headers' ? random.pick(oddHeaders) : {}),
      ...(kind === 'wire' ? random.pick(wireHeaders) : {}),
    };
    const whole = `${around.pathPrefix}${path}${query === '' ? '' : `?${query}`}`;
    return {
      ...{ number, operation, kind, caller, method, headers, path: whole },
      body: method === 'GET' || method === 'HEAD' ? undefined : sent,
      isBelowHttp:
        kind === 'wire' ||
        kind === 'method' ||
        sent?.cutAt !== undefined ||
        'host' in headers ||
        whole.length + JSON.stringify(headers).length > maxHeadChars,
      ...(value === undefined || method !== operation.method ? {} : { value }),
    };
  };
}
