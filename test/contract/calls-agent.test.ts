import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  callSearch,
  type FakeProvider,
  type ProviderRequest,
  startFakeProvider,
} from '../support/fake-provider.ts';
import { mcpCall } from '../support/operation-bodies.ts';
import {
  callsOf,
  clock,
  sumOf,
  tokenOf,
  trusted,
  users,
  withUsers,
  writeCalls,
} from '../support/own-calls.ts';
import { numberOf } from '../support/stand-in.ts';
import { startService, type TestService } from '../support/workspace.ts';

const returned = 'A missed call is returned within 4 working hours.';
const files = {
  'docs/policy.md': `# Call policy\n\n## Missed calls\n\n${returned}\n\n## Recordings\n\nRecordings of calls are kept for 90 days.\n`,
  'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
};
const path = '/api/agents/knowledge/generate';
const bodyOf = (content: string, more = {}) => ({
  messages: [{ role: 'user', content }],
  toolParams: { namespace: 'docs' },
  ...more,
});
const bothParts =
  '@agent How long did my calls last week take, and what does the policy say about missed calls?';
const user = users[0] as string;
const other = users[1] as string;
const lastWeek = callsOf(user, { period: 'last_week' });
const minutes = sumOf(lastWeek, 'totalDurationInMinutes');

const start = async (settings: Record<string, string> = {}) =>
  startService(
    { CALLS_FILE: await writeCalls(), CALLS_TOOLS: 'true', ...withUsers, ...settings },
    files,
    { clock },
  );
/** Servers of the tests that change nothing. */
let keyless: TestService;
let withModel: { provider: FakeProvider; service: TestService };
beforeAll(async () => {
  keyless = await start();
  withModel = await startWithModel();
});
beforeEach(() => withModel.provider.reset());

async function startWithModel(
  settings: Record<string, string> = {},
): Promise<{ provider: FakeProvider; service: TestService }> {
  const provider = await startFakeProvider();
  return { provider, service: await start({ LLM_BASE_URL: provider.baseUrl, ...settings }) };
}

const ask = async ({ post }: TestService, content = bothParts, more = {}) =>
  post(path, bodyOf(content, more), await tokenOf(user));
const toolNames = ({ body }: ProviderRequest): string[] =>
  ((body.tools ?? []) as any[]).map((tool) => tool.function.name).sort();
const offered = ({ requests }: FakeProvider) => requests.map(toolNames);
const namesOf = (body: any) => body.toolCalls.map(({ toolName }: any) => toolName);
type Script = (request: ProviderRequest) => string;
const citesPolicy: Script = (request) => `${returned} [${numberOf(request, returned)}]`;
/** Replies with a tool call, then with the text of the script. */
const calling =
  (name: string, input: object, then: Script) =>
  (request: ProviderRequest, response: Parameters<typeof callSearch>[1]) =>
    request.body.tools === undefined
      ? then(request)
      : callSearch(request, response, input, { name });

describe('without a model key', () => {
  it('a failed lookup of calls is an error, not a gap; if the question also concerns documents, they answer', async () => {
    const service = await start({
      CALLS_BASE_URL: 'http://127.0.0.1:9',
      CALLS_API_KEY: 'upstream-key',
      CALLS_FILE: '',
    });
    const { status, body } = await ask(service, '@agent How long did my calls take last week?');
    expect([status, body.code]).toEqual([502, 'upstream_failed']);
    expect((await ask(service)).body.text).toContain(returned);
    expect((await service.get('/api/gaps', await tokenOf(user))).body.gaps).toEqual([]);
  });

  it('a question about calls and documents is answered from both', async () => {
    const { body } = await ask(keyless);
    expect(body).toMatchObject({ answered: true, reason: 'answered', model: 'extractive' });
    expect(body.text).toMatch(/^Your \d+ calls last week/);
    for (const said of [
      `${minutes} minutes`,
      `\n\n**Call policy › Missed calls**\n\n${returned} [2]`,
      '\n[1] Your calls last week (from 2026-11-09 to 2026-11-15)\n[2] Call policy › Missed calls',
    ])
      expect(body.text).toContain(said);
    expect(namesOf(body)).toEqual(['docsRetriever', 'summarizeCalls']);
    expect(body.toolCalls[1].args).toMatchObject({ period: 'last_week' });
    expect(body.toolResults.map(({ toolCallId }: any) => toolCallId)).toEqual(
      body.toolCalls.map(({ toolCallId }: any) => toolCallId),
    );
    expect(body.toolResults[1].result.total).toMatchObject({
      calls: lastWeek.length,
      durationMinutes: expect.closeTo(minutes, 3),
    });
  });

  it('neither HTTP nor MCP shows calls to a caller without the right', async () => {
    const toolsOf = async (scope: string) => {
      const headers = await tokenOf(user, { scope });
      const { body } = await keyless.post(path, bodyOf(bothParts), headers);
      const args = { question: bothParts.replace('@agent ', ''), namespace: 'docs' };
      const { result } = (await keyless.post('/mcp', mcpCall('askKnowledge', args), headers)).body;
      const isShown = (text: string) => text.includes('calls last week');
      return [namesOf(body), isShown(body.text), isShown(result.content[0].text)];
    };
    expect(await toolsOf('read calls')).toEqual([['docsRetriever', 'summarizeCalls'], true, true]);
    expect(await toolsOf('read')).toEqual([['docsRetriever'], false, false]);
  });

  it('a call is cited with its id and time', async () => {
    const own = callsOf(user, { period: 'yesterday' });
    const { body } = await ask(keyless, '@agent which calls did I have yesterday?');
    expect(body.toolResults[1].result.data).toEqual(own.slice(0, 10));
    const { sessionId, initiatedAt } = own[0] as (typeof own)[0];
    const when = new Date(initiatedAt * 1000).toISOString().slice(0, 16).replace('T', ' ');
    const title = `Call ${sessionId} of ${when}`;
    expect(body.text).toContain(`\n[2] ${title}\n`);
    const citation = body.citations.find((one: any) => one.title === title);
    const source = `v3/calls/${sessionId}`;
    expect(citation).toMatchObject({ index: 2, file: source, source, start: 0 });
    expect(citation.quote).toHaveLength(citation.end);
    expect(citation.quote).toContain(when);
    expect(citation.revision).toMatch(/^sha256-[0-9a-f]{64}$/);
  });
});

describe('a model', () => {
  it('answers from calls and documents with two model calls', async () => {
    const { provider, service } = withModel;
    provider.reply(
      calling('summarizeCalls', { period: 'last_week' }, (request) => {
        const cited = numberOf(request, 'in total');
        return `Your calls took ${minutes} minutes. [${cited}] ${citesPolicy(request)}`;
      }),
    );
    const { status, body } = await ask(service);
    expect([status, body.answered, body.dropped]).toEqual([200, true, 0]);
    expect(body.text).toContain(`Your calls took ${minutes} minutes. [1] A missed call`);
    expect(offered(provider)).toEqual([['listCalls', 'summarizeCalls'], []]);
    expect(body.usage.totalTokens).toBe(36);
    expect(namesOf(body)).toEqual(['docsRetriever', 'summarizeCalls']);
    // The server knows the user; a model can neither choose nor read it.
    const tools = JSON.stringify(provider.requests[0]?.body.tools);
    expect(tools).not.toMatch(/onBehalfOf|actingUser/);
  });

  it.each(['Your calls took 9999 minutes.', `Your calls of 2026-11-01 took ${minutes} minutes.`])(
    'never shows a false sentence about calls: %s',
    async (lie) => {
      const { provider, service } = withModel;
      const says: Script = (request) =>
        `${lie} [${numberOf(request, 'in total')}] ${citesPolicy(request)}`;
      provider.reply(calling('summarizeCalls', { period: 'last_week', by: [] }, says));
      const { body } = await ask(service);
      expect(body.text).toContain(returned);
      expect(body.text).not.toMatch(/9999|2026-11-01/);
      expect(body.dropped + body.repaired).toBe(1);
    },
  );

  it('is called only twice if it keeps calling tools', async () => {
    const { provider, service } = withModel;
    let calls = 0;
    provider.reply((request, response) => {
      const call = { name: 'summarizeCalls', id: `call_${calls++}` };
      return callSearch(request, response, { period: 'last_week' }, call);
    });
    // A reply that only calls a tool which was not offered has no text.
    expect((await ask(service, bothParts, { maxSteps: 9 })).body.code).toBe('model_failed');
    expect(offered(provider)).toEqual([['listCalls', 'summarizeCalls'], []]);
  });

  it.each<[string, string, unknown]>([
    ['another user', 'summarizeCalls', { period: 'last_week', uid: other }],
    ['no object', 'listCalls', 'all of them'],
  ])(
    'is called once more after a tool call with %s, and the documents answer',
    async (_, name, input) => {
      const { provider, service } = withModel;
      provider.reply(calling(name, input as object, citesPolicy));
      const { status, body } = await ask(service);
      expect([status, body.answered], JSON.stringify(body)).toEqual([200, true]);
      expect(body.text).toMatch(/^A missed call is returned within 4 working hours\. \[1\]/);
      expect(offered(provider)).toEqual([['listCalls', 'summarizeCalls'], []]);
      expect(namesOf(body)).toEqual(['docsRetriever']);
    },
  );

  it('is not called again after it calls a tool that was not offered', async () => {
    const { provider, service } = withModel;
    provider.reply(calling('docsRetriever', { query: 'missed calls' }, () => returned));
    const { status, body } = await ask(service);
    expect([status, body.code, provider.requests.length]).toEqual([502, 'model_failed', 1]);
  });
});

describe('the call tools', () => {
  it('are neither offered nor listed without the setting', async () => {
    const { provider, service } = await startWithModel({ CALLS_TOOLS: 'false' });
    provider.reply('NO_ANSWER');
    await ask(service, bothParts, { activeTools: ['listCalls'], toolChoice: 'required' });
    expect(offered(provider)).toEqual([[]]);
    expect(JSON.stringify(provider.requests[0]?.body)).not.toMatch(/listCalls|summarizeCalls/);
    const listed = async (from: TestService) =>
      Object.keys((await from.get('/api/agents', await tokenOf(user))).body.knowledge.tools);
    expect(await listed(service)).toEqual(['docsRetriever']);
    expect((await listed(keyless)).sort()).toEqual([
      'docsRetriever',
      'listCalls',
      'summarizeCalls',
    ]);
  });

  it('are not offered for a question without calls', async () => {
    const { provider, service } = withModel;
    await ask(service, '@agent within how many days are refunds paid?');
    expect(offered(provider)).toEqual([[]]);
  });
});

describe('an answer about calls', () => {
  it('can be read later only by its caller, not by others in the namespace', async () => {
    const { post, get } = keyless;
    const question = '@agent How long did my calls last week take?';
    const { body } = await ask(keyless, question);
    expect(body.text).toContain(String(minutes));
    expect((await get(`/api/answers/${body.runId}`, await tokenOf(user))).body.answer.text).toBe(
      body.text,
    );
    for (const headers of [await tokenOf(other), { 'x-api-key': 'other-key' }, trusted(other)]) {
      const read = await get(`/api/answers/${body.runId}`, headers);
      const path = `/api/answers/${body.runId}/feedback`;
      const rated = await post(path, { rating: 'up' }, headers);
      expect([read.body.code, rated.status]).toEqual(['answer_not_found', 404]);
    }
    const { runId } = (await ask(keyless, '@agent when is a missed call returned?')).body;
    expect((await get(`/api/answers/${runId}`, await tokenOf(other))).status).toBe(200);
  });

  it('is remembered only for its user, even if one key serves several users', async () => {
    const { provider, service } = withModel;
    const inThread = { memory: { thread: 'main', resource: 'chat' } };
    provider.reply('NO_ANSWER');
    const said = async (content: string, headers: Record<string, string>) => {
      await service.post(path, bodyOf(`@agent ${content}`, inThread), headers);
      return JSON.stringify(provider.requests.at(-1)?.body);
    };
    await said('I think of 4711 calls', trusted(user));
    expect(await said('and what of my missed calls?', trusted(user))).toContain('4711');
    for (const headers of [trusted(other), { 'x-api-key': 'trusted-key' }])
      expect(await said('and what of my missed calls?', headers)).not.toContain('4711');
  });
});
