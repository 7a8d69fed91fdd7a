/**
 * Tests each operation of the OpenAPI document (and each tool over each endpoint) × each right × a
 * namespace of the caller, a forbidden one and a missing one × each form of a credential. The
 * expected results come from the table of operations and the rules below. An operation outside the
 * table, or a route outside the document, fails.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { dialects } from '../../src/http/agents/agent-routes.ts';
import { createApp } from '../../src/http/app.ts';
import { type OperationCard, operations, toolCards } from '../../src/http/operations.ts';
import { hashKey } from '../../src/keys.ts';
import { type Right, rights, withoutParts, withParts } from '../../src/rights.ts';
import { unanswered } from '../support/answer-entries.ts';
import { cases } from '../support/depth.ts';
import { bodiesFor, mcpCall, pathOf } from '../support/operation-bodies.ts';
import { bearerOf, jwtSecret, signToken } from '../support/tokens.ts';
import { startService, temporaryFolder, useService } from '../support/workspace.ts';

const cards: Readonly<Record<string, OperationCard>> = {
  ...operations,
  ...Object.fromEntries(
    dialects
      .flatMap((dialect) => [...dialect.operations, ...(dialect.pages ?? [])])
      .map(({ card }) => [card.id, card] as const),
  ),
};
const webhook = 'receiveChatMessage';

/** The caller may use `docs` and `ghost`, which does not exist; the others are forbidden. */
const places = ['docs', 'ghost', 'payroll', 'nowhere'] as const;
type Place = (typeof places)[number];
const isTheirs = (place: Place) => place === 'docs' || place === 'ghost';

const rightSets: Readonly<Record<string, readonly Right[]>> = {
  none: [],
  visitor: ['ask', 'search'],
  ...Object.fromEntries(rights.map((right) => [right, [right]])),
  all: rights,
};
type SetName = string;

type Headers = Readonly<Record<string, string>>;

const claimsOf = (set: SetName) => ({
  namespaces: ['docs', 'ghost'],
  scope: ['openid', ...(rightSets[set] ?? [])].join(' '),
});

/** Valid credentials with the rights of the set, limited to docs and ghost. */
const validCredentials: Readonly<Record<string, (set: SetName) => Promise<Headers> | Headers>> = {
  'a key in Authorization': (set) => ({ authorization: `Bearer key-${set}` }),
  'a key in x-api-key': (set) => ({ 'x-api-key': `key-${set}` }),
  'a key in both': (set) => ({ 'x-api-key': `key-${set}`, authorization: `bearer key-${set}` }),
  'a key in apikey': (set) => ({ apikey: `key-${set}` }),
  'a trusted key for a user': (set) => ({ 'x-api-key': `key-${set}`, onBehalfOf: 'ann' }),
  'a key of the file': (set) => ({ authorization: `Bearer ka_${set}` }),
  'a token': (set) => bearerOf(claimsOf(set)),
  'a token of a user': (set) => bearerOf({ ...claimsOf(set), sub: 'ann' }),
  'a token with lists': (set) => bearerOf({ namespaces: 'docs,ghost', scope: rightSets[set] }),
};

const invalidCredentials: Readonly<Record<string, (path: string) => Promise<Headers> | Headers>> = {
  'no key': () => ({}),
  'a wrong key': () => ({ 'x-api-key': 'key-wrong' }),
  'a key of another scheme': () => ({ authorization: 'Basic key-all' }),
  'a key of the file in another case': () => ({ 'x-api-key': 'KA_all' }),
  'the entry of a key': () => ({ 'x-api-key': 'key-all=docs+ghost:read+write+calls+admin' }),
  'a token of another secret': async () => ({
    authorization: `Bearer ${(await signToken(claimsOf('all'))).slice(0, -4)}AAAA`,
  }),
  'an expired token': async () => ({
    authorization: `Bearer ${await signToken(claimsOf('all'), 1)}`,
  }),
  'a key in apikey outside /v3': (path): Headers =>
    path.startsWith('/v3') ? {} : { apikey: 'key-all' },
  'two keys that disagree': () => ({ 'x-api-key': 'key-read', authorization: 'Bearer key-all' }),
  'a key and a token': async () => ({
    'x-api-key': 'key-all',
    ...(await bearerOf(claimsOf('all'))),
  }),
  'a key and a wrong one': () => ({ 'x-api-key': 'wrong', authorization: 'Bearer key-all' }),
  'an expired key of the file': () => ({ 'x-api-key': 'ka_over' }),
};

interface TestRequest {
  readonly id: string;
  readonly method: string;
  readonly right: Right | 'nothing';
  /** Whether a missing right is reported in a result, as in MCP. */
  readonly isRpc?: boolean;
  readonly to: (place: Place) => { readonly path: string; readonly body?: string | FormData };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

const argumentsOf = (tool: string, namespace: Place) =>
  tool === 'ingestSources'
    ? { namespace, sources: [{ title: 'Note', text: 'A note.' }] }
    : tool.endsWith('Calls')
      ? {}
      : { [tool === 'askKnowledge' ? 'question' : 'query']: 'refunds?', namespace };
const tools = ['searchDocs', 'ingestSources', 'listCalls', 'summarizeCalls'] as const;

function upload(): FormData {
  const body = new FormData();
  body.append('files', new File(['A note.'], 'note.md'));
  return body;
}

/** @param gaps id of a gap by namespace */
function testRequestsOf(
  template: string,
  method: string,
  { operationId: id, parameters = [], requestBody }: Operation,
  gaps: Readonly<Record<string, string>>,
): TestRequest[] {
  const card = cards[id];
  if (!card) throw new Error(`${id} is in no table`);
  const hasNamespaceInQuery = parameters.some(
    ({ name, in: where }) => where === 'query' && name === 'namespace',
  );
  const pathTo = (place: Place, tool: string | undefined) => {
    const values = { namespace: place, model: `knowledge/${place}`, gapId: gaps[place] ?? 'none' };
    const path = pathOf(template, { ...values, ...(tool && { toolId: tool }) });
    return hasNamespaceInQuery ? `${path}?namespace=${place}` : path;
  };
  const request = (
    right: Right | 'nothing',
    bodyFor: (place: Place) => unknown,
    tool?: string,
  ): TestRequest => ({
    ...{ id: tool ? `${id} ${tool}` : id, method, right },
    to(place) {
      const body = bodyFor(place);
      const path = pathTo(place, tool);
      if (body === undefined) return { path };
      return { path, body: body instanceof FormData ? body : JSON.stringify(body) };
    },
  });
  if (id === 'mcp')
    return [
      ...(['askKnowledge', ...tools] as const).map((tool) => ({
        ...request(toolCards[tool].right, (place) => mcpCall(tool, argumentsOf(tool, place)), tool),
        isRpc: true,
      })),
      request('nothing', () => bodiesFor('docs')['mcp']),
    ];
  if (card.right === 'that of the tool')
    return (['docsRetriever', ...(id === 'executeTool' ? tools : [])] as const).map((tool) =>
      request(toolCards[tool].right, (place) => ({ data: argumentsOf(tool, place) }), tool),
    );
  const isUpload = requestBody?.content['multipart/form-data'] !== undefined;
  if (requestBody && !isUpload && bodiesFor('docs')[id] === undefined)
    throw new Error(`${id} takes a body, and has none in operation-bodies.ts`);
  return [
    request(card.right, (place) => {
      if (isUpload) return upload();
      return id === 'ingestSources' ? argumentsOf(id, place) : bodiesFor(place)[id];
    }),
  ];
}

/**
 * Code for a missing namespace if it is not `namespace_not_found`. Undefined: the response is an
 * empty result.
 */
const missingCodes: Readonly<Record<string, string | undefined>> = {
  verifyAnswer: undefined,
  listThreads: undefined,
  readThread: 'thread_not_found',
  listThreadMessages: 'thread_not_found',
  pageThreadMessages: 'thread_not_found',
  deleteThread: 'thread_not_found',
  readModel: 'model_not_found',
  ...Object.fromEntries(
    ['draftAnswer', 'approveAnswer', 'dismissGap', 'reopenGap', 'mergeGaps', 'splitGap'].map(
      (id) => [id, 'gap_not_found'],
    ),
  ),
};

const callsCodes: Readonly<Record<string, string>> = {
  AUTH_ERR_NO_ACCESS: 'right_missing',
  AUTH_ERR_EMPTY_APIKEY: 'unauthorized',
  AUTH_ERR_APIKEY_NOT_FOUND: 'unauthorized',
};

function codeIn(text: string, status: number): string | undefined {
  const body = text.startsWith('{') ? JSON.parse(text) : {};
  const listed = [
    body.code,
    body.error?.data?.code,
    body.error?.data?.[0]?.code,
    body.error?.code,
  ].find((one) => typeof one === 'string');
  const code: string | undefined =
    listed ??
    (body.result?.isError ? /\((\w+)\)$/.exec(body.result.content[0].text)?.[1] : undefined);
  // The code of a missing right and of a wrong webhook credential.
  if (code === 'AUTH_ERR_NO_ACCESS' && status === 401) return 'unauthorized';
  return code && (callsCodes[code] ?? code);
}

const refusals = new Set(['unauthorized', 'right_missing', 'namespace_not_allowed']);

const shopOrigin = 'https://shop.example';
/** No caller may read the question, draft and answer of payroll. */
const textIn = (namespace: string) => `the ${namespace} zebra`;

async function startMatrix(more: Readonly<Record<string, string>> = {}, prefix = '') {
  const folder = await temporaryFolder();
  const file = join(folder, 'keys.jsonl');
  const now = new Date().toISOString();
  const line = (key: string, listed: readonly Right[], more = {}) =>
    JSON.stringify({
      ...{ id: key, name: key, sha256: hashKey(key), namespaces: ['docs', 'ghost'] },
      ...{ rights: listed, createdAt: now, ...more },
    });
  const sets = Object.entries(rightSets).filter(([name]) => name !== 'none');
  const lines = sets.map(([name, listed]) => line(`ka_${name}`, listed));
  lines.push(
    line('ka_over', rights, { expiresAt: now }),
    line('pk_shop', ['ask'], { origins: [shopOrigin] }),
  );
  await writeFile(file, lines.join('\n'));
  const settings = {
    API_KEYS: sets.map(([name, listed]) => `key-${name}=docs+ghost:${listed.join('+')}`).join(','),
    API_KEYS_FILE: file,
    CALLS_TRUSTED_KEYS: sets.map(([name]) => `key-${name}`).join(','),
    JWT_SECRET: jwtSecret,
    RATE_LIMIT_PER_MINUTE: '0,visitor=100000',
    CHAT_WEBHOOK_PASSWORD: 'p',
    CHAT_CALLBACK_URL: 'http://127.0.0.1/',
    ...more,
  };
  const service = await startService(settings, {
    'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
    'payroll/pay.md': '# Pay\n\nSalaries are paid monthly.\n',
  });
  const app = createApp(parseConfig(settings), service.api, service.logger);
  const document = (await service.get(`${prefix}/api/openapi.json`)).body as {
    paths: Record<string, Record<string, Operation>>;
  };
  for (const namespace of ['docs', 'payroll'])
    service.api.answers.keep(
      unanswered(namespace, `who feeds ${textIn(namespace)}?`, { namespace }),
    );
  const gaps = Object.fromEntries(
    (await service.api.answers.gaps(() => true)).map(({ namespace, id }) => [namespace, id]),
  );
  for (const [namespace, id] of Object.entries(gaps))
    await service.api.gapDesk.draft(id, { text: `Ann feeds ${textIn(namespace)}.`, author: 'Bob' });
  const all = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      testRequestsOf(template, method.toUpperCase(), operation, gaps),
    ),
  );

  async function send({ method, to }: TestRequest, place: Place, credentials: Headers) {
    const { path, body } = to(place);
    const headers = {
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...credentials,
    };
    const response = await app.request(prefix + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      code: codeIn(text, response.status),
      headers: Object.fromEntries(response.headers),
    };
  }
  // Deletions in forbidden namespaces come last.
  const isLast = ({ id }: TestRequest) => ['deleteDocument', 'deleteNamespace'].indexOf(id);
  return { app, document, all: all.toSorted((a, b) => isLast(a) - isLast(b)), send };
}

const isOpen = ({ id, right }: TestRequest) => cards[id]?.group === 'Server' && right === 'nothing';
const namesOne = ({ to }: TestRequest) => {
  const [docs, payroll] = [to('docs'), to('payroll')];
  return (
    docs.path !== payroll.path || (typeof docs.body === 'string' && docs.body !== payroll.body)
  );
};

/** Applies the rules in order. @returns a code; `passed`: any other result */
function expected(testRequest: TestRequest, set: SetName, place: Place): string | undefined {
  if (testRequest.id === webhook) return 'unauthorized';
  if (isOpen(testRequest)) return 'passed';
  // Only callers with a key see the MCP tool that ingests sources.
  if (testRequest.id === 'mcp ingestSources') return 'not_found';
  const held = withParts(rightSets[set] ?? []);
  if (testRequest.right !== 'nothing' && !held.has(testRequest.right)) return 'right_missing';
  if (testRequest.id === 'approveAnswer' && !held.has('write')) return 'right_missing';
  // Metrics cover all namespaces, and each caller here is limited to some.
  if (testRequest.id === 'readMetrics') return 'right_missing';
  if (!namesOne(testRequest) || isTheirs(place)) return 'passed';
  if (testRequest.right === 'write') return 'namespace_not_allowed';
  return testRequest.id in missingCodes ? missingCodes[testRequest.id] : 'namespace_not_found';
}

const statusOf: Readonly<Record<string, number>> = {
  unauthorized: 401,
  right_missing: 403,
  namespace_not_allowed: 403,
};
const placesFor = (testRequest: TestRequest): readonly Place[] => {
  if (!namesOne(testRequest)) return ['docs'];
  // A write to a missing namespace creates it.
  return testRequest.right === 'write' ? ['docs', 'payroll', 'nowhere'] : places;
};

/** Returns the parts of a response that must not depend on the requested namespace. */
function shape(
  { status, text, headers }: { status: number; text: string; headers: Record<string, string> },
  place: Place,
): unknown {
  const { 'x-request-id': id = 'none', ...others } = headers;
  const body = text
    .replaceAll(id, 'ID')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(place, 'PLACE');
  const { 'content-length': _, ...comparedHeaders } = others;
  return { status, body, comparedHeaders };
}

it('every operation accepts only callers with its right in their namespaces', async () => {
  const { all, send } = await startMatrix();
  for (const testRequest of all)
    for (const set of Object.keys(rightSets)) {
      const { id } = testRequest;
      const shapes = new Map<Place, unknown>();
      // The rights do not depend on the namespace, so few sets ask in each.
      const isEverywhere = cases(1) > 1 || ['visitor', 'write', 'all'].includes(set);
      for (const place of placesFor(testRequest).slice(0, isEverywhere ? undefined : 1)) {
        const token = await bearerOf({ ...claimsOf(set), sub: 'ann' });
        const answer = await send(testRequest, place, token);
        const { status, code, text } = answer;
        const where = `${id} with ${set} in ${place}: ${status} ${text.slice(0, 150)}`;
        expect(text, where).not.toContain(textIn('payroll'));
        const wanted = expected(testRequest, set, place);
        if (wanted !== 'passed') {
          expect(code, where).toBe(wanted);
          const refused = wanted?.endsWith('_not_found') ? 404 : statusOf[wanted ?? ''];
          if (refused) expect(status, where).toBe(testRequest.isRpc ? 200 : refused);
        } else {
          expect([...refusals], where).not.toContain(code);
          if (place !== 'ghost' && id !== 'deleteNamespace')
            expect(code, where).not.toBe('namespace_not_found');
        }
        shapes.set(place, shape(answer, place));
      }
      // A forbidden namespace looks like a missing one.
      for (const place of ['nowhere', 'ghost'] as const)
        if (shapes.has(place))
          expect(shapes.get(place), `${id} with ${set} in ${place}`).toEqual(shapes.get('payroll'));
    }
});

let shared: Awaited<ReturnType<typeof startMatrix>>;
beforeAll(async () => {
  shared = await startMatrix();
});
const readOnlyServer = () => shared;

it.each(Object.entries(validCredentials))(
  '%s grants its rights in its namespaces',
  async (name, credential) => {
    const { app } = readOnlyServer();
    for (const [set, listed] of Object.entries(rightSets)) {
      // Each key has a right.
      if (set === 'none' && !name.includes('token')) continue;
      const headers = await credential(set);
      const read = async (path: string) => {
        const response = await app.request(path, { headers });
        return { status: response.status, body: (await response.json()) as any };
      };
      const { status } = await read('/v3/calls');
      expect([set, status]).toEqual([set, listed.includes('calls') ? 200 : 403]);
      // Only below /v3 is it a credential.
      if (name === 'a key in apikey') continue;
      const { caller } = (await read('/api/state')).body;
      expect([set, caller.rights]).toEqual([set, withoutParts(listed)]);
      const { namespaces = [] } = (await read('/api/namespaces')).body;
      expect(namespaces).toMatchObject(caller.rights.includes('read') ? [{ name: 'docs' }] : []);
    }
  },
);

it.each(Object.entries(invalidCredentials))(
  'with %s only public operations answer',
  async (_, credential) => {
    const { all, send } = readOnlyServer();
    for (const testRequest of all) {
      const credentials = await credential(testRequest.to('docs').path);
      const { status, code } = await send(testRequest, 'docs', credentials);
      const wanted = isOpen(testRequest) ? [200, undefined] : [401, 'unauthorized'];
      expect([testRequest.id, status, code]).toEqual([testRequest.id, ...wanted]);
    }
  },
);

const prefix = '/k/Zm9vYmFyYmF6cXV4MTIzNA';
const withoutKeys = { API_KEYS: '', API_KEYS_FILE: '', JWT_SECRET: '', CALLS_TRUSTED_KEYS: '' };

it.each<[Readonly<Record<string, string>>, SetName]>([
  [{ PATH_PREFIX: prefix }, 'read'],
  [{ PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'calls' }, 'calls'],
  [{ ALLOW_ANONYMOUS: 'read', ANONYMOUS_NAMESPACES: 'docs,ghost' }, 'visitor'],
])('a caller without a key on a server with %j has the rights of %s', async (settings, set) => {
  const isPrefixed = 'PATH_PREFIX' in settings;
  const { all, send } = await startMatrix({ ...withoutKeys, ...settings }, settings['PATH_PREFIX']);
  // Callers below PATH_PREFIX are not limited to namespaces.
  for (const testRequest of all)
    for (const place of isPrefixed ? (['docs'] as const) : placesFor(testRequest)) {
      // Below /v3 a caller without a key of this server sends its own key of the calling service.
      const isOwn = isPrefixed && testRequest.to(place).path.startsWith('/v3');
      const { status, code } = await send(testRequest, place, isOwn ? { apikey: 'own' } : {});
      const wanted = expected(testRequest, set, place);
      const where = `${testRequest.id} in ${place}: ${status} ${code}`;
      if (wanted !== 'passed') expect([where, code]).toEqual([where, wanted]);
      else expect([where, refusals.has(code ?? '')]).toEqual([where, false]);
    }
});

const publishableIds = new Set(
  Object.entries(cards).flatMap(([id, { at, work }]) =>
    work === 'ask' || at.endsWith('/suggestions') || id === 'giveFeedback' ? [id] : [],
  ),
);

describe('with a publishable key', () => {
  it('a page of a listed origin may ask in the namespaces of the key and rate answers, and nothing else', async () => {
    const { all, send } = await startMatrix();
    let passed = 0;
    for (const testRequest of all)
      for (const place of placesFor(testRequest)) {
        const page = { 'x-api-key': 'pk_shop', origin: shopOrigin };
        const { status, code } = await send(testRequest, place, page);
        const isForVisitors =
          isOpen(testRequest) || testRequest.id === webhook || publishableIds.has(testRequest.id);
        const wanted = isForVisitors ? expected(testRequest, 'ask', place) : 'right_missing';
        const where = `${testRequest.id} in ${place}: ${status} ${code}`;
        if (wanted !== 'passed') expect([where, code]).toEqual([where, wanted]);
        else if (place !== 'ghost')
          expect([where, status]).toEqual([where, testRequest.id === 'giveFeedback' ? 404 : 200]);
        if (wanted === 'passed' && !isOpen(testRequest)) passed++;
      }
    // A rating names an answer and no namespace, so it is sent once.
    expect(passed).toBe(2 * publishableIds.size - 1);
  });

  it.each([undefined, 'https://evil.example', 'http://shop.example', 'https://shop.example:8443'])(
    'every operation refuses the origin %s',
    async (origin) => {
      const { all, send } = readOnlyServer();
      for (const testRequest of all) {
        const page: Headers = { 'x-api-key': 'pk_shop', ...(origin && { origin }) };
        const { status, code } = await send(testRequest, 'docs', page);
        const refusal =
          testRequest.id === webhook ? [401, 'unauthorized'] : [403, 'origin_not_allowed'];
        const wanted = isOpen(testRequest) ? [200, undefined] : refusal;
        expect([testRequest.id, status, code?.replace(/^ERR_/, '').toLowerCase()]).toEqual([
          testRequest.id,
          ...wanted,
        ]);
      }
    },
  );
});

it('a credential without rights has all of them; one limited to namespaces has no admin and no calls right', async () => {
  const settings = { API_KEYS: 'plain,limited=docs', JWT_SECRET: jwtSecret };
  const { get } = await startService(settings, { 'docs/a.md': '# A\n\nText.' });
  const state = async (headers: Headers) => (await get('/api/state', headers)).body.caller.rights;
  expect(await state({ 'x-api-key': 'plain' })).toEqual(withoutParts(rights));
  expect(await state(await bearerOf())).toEqual(withoutParts(rights));
  const limited = ['read', 'write'];
  expect(await state({ 'x-api-key': 'limited' })).toEqual(limited);
  expect(await state(await bearerOf({ namespaces: 'docs' }))).toEqual(limited);
  const ofUser = await state(await bearerOf({ namespaces: 'docs', sub: 'ann' }));
  expect(ofUser).toEqual([...limited, 'calls']);
});

const signed = useService({ JWT_SECRET: jwtSecret });
it.each([
  [undefined, withoutParts(rights)],
  ['read', ['read']],
  ['ask', ['ask']],
  ['calls write', ['write', 'calls']],
  ['read x+admin calls,write', ['read']],
  ['read\u00a0admin', []],
  ['read\tadmin\u2003write calls', ['calls']],
  [
    ['admin', 'read', 7],
    ['read', 'admin'],
  ],
  ['READ reads', []],
  ['', []],
  [null, []],
  [{ read: true }, []],
])('the scope claim %j grants %j', async (scope, granted) => {
  const { get } = signed();
  const headers = await bearerOf(scope === undefined ? {} : { scope });
  const { body } = await get('/api/state', headers);
  expect(body.caller.rights).toEqual(granted);
  // Only callers with read access see the number of namespaces.
  expect(body.namespaces).toBe(body.caller.rights.includes('read') ? 1 : 0);
});

it('every route is an operation and refuses callers without its right', async () => {
  const { app, document } = readOnlyServer();
  const headers = await bearerOf({ scope: '' });
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const all = Object.values(cards);
  const emptyLists = all.flatMap((card) => ('emptyList' in card ? [card.at] : []));
  expect(emptyLists.filter((at) => documented.includes(at))).toEqual([]);
  const open = all.flatMap(({ at, right }) => (right === 'nothing' ? [at] : []));
  const isPage = /^(?:\/|\/page\/:file|\/favicon\.ico|\/api\/openapi\.json|\/swagger-ui(?:\/.*)?)$/;
  const routes = app.routes.filter(({ method, path }) => method !== 'ALL' && !isPage.test(path));
  expect(routes.length).toBeGreaterThan(50);
  for (const { method, path } of routes) {
    const template = path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}');
    expect([...documented, ...emptyLists]).toContain(`${method} ${template}`);
    if (open.includes(`${method} ${path}`)) continue;
    const response = await app.request(pathOf(template), { method, headers });
    const code = codeIn(await response.text(), response.status);
    expect([path, response.status, code]).toEqual([path, 403, 'right_missing']);
  }
});

/** Sends the request of this name over MCP with the key of the set. */
async function sendMcp(
  { all, send }: Awaited<ReturnType<typeof startMatrix>>,
  name: string,
  set: SetName,
  place: Place = 'docs',
) {
  const testRequest = all.find(({ id }) => id === name) as TestRequest;
  return send(testRequest, place, { 'x-api-key': `key-${set}` });
}

it.each(
  Object.entries({
    read: ['askKnowledge', 'searchDocs'],
    write: ['ingestSources'],
    calls: ['listCalls', 'summarizeCalls'],
    admin: [],
    ask: ['askKnowledge'],
    search: ['searchDocs'],
    all: ['askKnowledge', 'searchDocs', 'listCalls', 'summarizeCalls', 'ingestSources'],
  }),
)('MCP lists for %s only the tools that the caller may call', async (set, listed) => {
  const { result } = JSON.parse((await sendMcp(readOnlyServer(), 'mcp', set)).text);
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(listed);
});

it.each([
  ['read', 'docs', 'right_missing'],
  ['write', 'payroll', 'namespace_not_allowed'],
  ['write', 'docs', undefined],
] as const)('MCP ingests for a key with %s in %s: %s', async (set, place, wanted) => {
  const { code } = await sendMcp(await startMatrix(), 'mcp ingestSources', set, place);
  expect(code).toBe(wanted);
});
