/**
 * Two servers with one database: edits and deletes reach the server that answers, and a question
 * without an answer becomes an answer, whichever server each step reaches.
 */

import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { messageEvent } from '../support/chat-platform.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { postgres } from '../support/postgres.ts';
import { startReceiver } from '../support/site.ts';
import { startService, type TestService } from '../support/workspace.ts';

const polling = { timeout: 60_000, interval: 20 };
const basic = { authorization: `Basic ${btoa('hook:password')}` };
const files = { 'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' };

async function startReplicas(more: Record<string, string> = {}) {
  const chat = await startReceiver();
  const desk = await startReceiver();
  const sent = () => chat.delivered.map(({ body }) => body);
  const all = {
    DATABASE_URL: await postgres.newDatabase(),
    ALLOWED_URL_HOSTS: `${chat.host},${desk.host}`,
    CHAT_WEBHOOK_PASSWORD: 'password',
    CHAT_CALLBACK_URL: `${chat.url}/messages`,
    HANDOFF_WEBHOOK_URL: `${desk.url}/desk`,
    ...more,
  };
  const one = await startService(all, files);
  const other = await startService(all);
  const push = async (to: TestService, event: object) =>
    (await to.post('/api/webhooks/chat', event, basic)).body.status;
  const untilSent = (times: number) =>
    vi.waitFor(() => expect(sent()).toHaveLength(times), polling);
  return { one, other, push, sent, untilSent };
}

describe('a message of a chat', () => {
  const reply = 'Refunds are paid within 30 days. [1]';
  /** Starts servers whose model answers the first question when the test says so. */
  async function startAsked() {
    const provider = await startFakeProvider();
    const first = Promise.withResolvers<string>();
    provider.reply(() => first.promise);
    const replicas = await startReplicas({ LLM_BASE_URL: provider.baseUrl });
    const id = randomUUID();
    const change = (text: string, trigger = 'message_edited') =>
      messageEvent(text, { id }, trigger);
    const question = messageEvent('@agent when are refunds paid?', { id });
    expect(await replicas.push(replicas.one, question)).toBe('accepted');
    await vi.waitFor(() => expect(provider.requests.length).toBeGreaterThan(0), polling);
    const answerFirst = async () => {
      first.resolve(reply);
      for (const { endChat } of [replicas.one, replicas.other]) await endChat(30_000);
    };
    provider.reply(() => reply);
    return { ...replicas, provider, change, answerFirst };
  }

  it('gets one answer, to the last text, if it is edited at one server after the other', async () => {
    const { one, other, push, sent, untilSent, change, answerFirst, provider } = await startAsked();
    const second = Promise.withResolvers<string>();
    provider.reply(() => second.promise);
    const asked = provider.requests.length;
    for (const fate of ['accepted', 'duplicate'])
      expect(await push(other, change('@agent how are refunds paid?'))).toBe(fate);
    await vi.waitFor(() => expect(provider.requests.length).toBeGreaterThan(asked), polling);
    provider.reply(() => reply);
    const last = change('@agent are refunds paid within 30 days?');
    expect(await push(one, last)).toBe('accepted');
    await untilSent(1);
    expect(JSON.stringify(provider.requests.at(-1))).toContain('are refunds paid within');
    second.resolve(reply);
    await answerFirst();
    for (const server of [one, other]) expect(await push(server, last)).toBe('ignored');
    expect(sent()).toHaveLength(1);
  });

  it('gets no answer if it is deleted at another server', async () => {
    const { one, other, push, sent, change, answerFirst } = await startAsked();
    expect(await push(other, change('', 'message_deleted'))).toBe('withdrawn');
    expect(await push(other, change('@agent again?'))).toBe('ignored');
    const early = { id: randomUUID() };
    expect(await push(other, messageEvent('', early, 'message_deleted'))).toBe('ignored');
    expect(await push(one, messageEvent('@agent when?', early))).toBe('withdrawn');
    await answerFirst();
    expect(sent()).toEqual([]);
  });
});

describe('a question without an answer', () => {
  const question = 'who feeds the office zebra?';
  const ask = async (service: TestService) =>
    (await service.generate({ messages: `@agent ${question}` })).body;
  const gaps = async (service: TestService) => (await service.get('/api/gaps?state=all')).body.gaps;
  const documents = async (service: TestService) =>
    (await service.get('/api/namespaces/default/documents')).body.documents.length;

  it('becomes one draft, one document and an answer over two servers', async () => {
    const { one, other, push, untilSent } = await startReplicas();
    await push(one, messageEvent(`@agent ${question}`, { id: '17' }));
    await untilSent(1);
    await vi.waitFor(async () => expect(await gaps(other)).toHaveLength(1), polling);
    const reply = messageEvent('The office zebra is fed by Carl.', {
      sender: 'bob',
      parentId: '17',
    });
    expect(await Promise.all([one, other].map((to) => push(to, reply)))).toEqual([
      'drafted',
      'drafted',
    ]);
    const [{ id, drafts }] = await gaps(one);
    expect(drafts).toMatchObject([{ author: 'bob', text: 'The office zebra is fed by Carl.' }]);
    expect((await ask(one)).answered).toBe(false);
    // Two reviewers press the button at the same time.
    const approved = await Promise.all(
      [one, other].map((to, at) =>
        to.post(`/api/gaps/${id}/approve`, { text: `The office zebra is fed by Carl, ${at}.` }),
      ),
    );
    expect(approved.map(({ status }) => status)).toEqual([200, 200]);
    const [{ body }] = approved as [(typeof approved)[0]];
    expect(new Set(approved.map((each) => each.body.document.id)).size).toBe(1);
    for (const server of [one, other]) {
      await vi.waitFor(async () => expect(await documents(server)).toBe(2), polling);
      const [gap, ...none] = await gaps(server);
      expect([none, gap.state, gap.drafts.length]).toEqual([[], 'answered', 1]);
      const stored = await server.storedText('default', body.document.file);
      expect(stored).toContain(gap.drafts[0].text);
      const { answered, citations } = await ask(server);
      expect([answered, citations[0]?.documentId]).toEqual([true, body.document.id]);
    }
    const again = await other.post(`/api/gaps/${id}/approve`, {});
    expect([again.status, again.body.document]).toEqual([200, body.document]);
  });
});

describe('a reply of a person', () => {
  const bob = (text: string, more: object, trigger?: string) =>
    messageEvent(text, { sender: 'bob', ...more }, trigger);
  /** Asks, and waits for the answer. @param more of the message of each question */
  async function startAsked(
    questions: Readonly<Record<string, { id?: string | undefined; parentId?: string }>>,
  ) {
    const replicas = await startReplicas();
    for (const [at, [text, more]] of Object.entries(questions).entries()) {
      await replicas.push(replicas.one, messageEvent(`@agent ${text}`, more));
      await replicas.untilSent(at + 1);
    }
    const gaps = async (): Promise<any[]> =>
      (await replicas.other.get('/api/gaps?state=all')).body.gaps;
    const drafts = async () =>
      Object.fromEntries(
        (await gaps()).map((gap) => [gap.question, gap.drafts.map((one: any) => one.text)]),
      );
    return { ...replicas, gaps, drafts };
  }
  const zebra = 'who feeds the zebra?';
  const lama = 'where do lamas sleep?';
  const otter = 'when do otters swim?';

  it('is a draft of the newest question of its thread, and of no other', async () => {
    const asked = { [zebra]: { id: 'z' }, [lama]: { id: 'l' }, [otter]: { parentId: 'l' } };
    const { one, other, push, drafts, sent } = await startAsked(asked);
    for (const ignored of [{ parentId: 'else' }, { parentId: 'z', conversationId: 'g' }])
      expect(await push(one, bob('Lunch?', ignored))).toBe('ignored');
    expect(await push(other, bob('Carl does.', { parentId: 'z' }))).toBe('drafted');
    expect(await push(one, bob('At noon.', { parentId: 'l' }))).toBe('drafted');
    // The thread of an answer.
    const answer = { id: 'a', sender: 'knowledge', data: sent()[1].data };
    await push(other, messageEvent('', answer));
    expect(await push(one, bob('In the barn.', { parentId: 'a' }))).toBe('drafted');
    const wanted = { [zebra]: ['Carl does.'], [lama]: ['In the barn.'], [otter]: ['At noon.'] };
    expect(await drafts()).toEqual(wanted);
  });

  it('without a thread is one of the newest question without a thread', async () => {
    const asked = { [zebra]: { id: undefined }, [otter]: { id: 'o', parentId: 'l' } };
    const { other, push, drafts } = await startAsked(asked);
    expect(await push(other, bob('Lunch?', { parentId: 'z' }))).toBe('ignored');
    expect(await push(other, bob('Carl does.', { id: undefined }))).toBe('drafted');
    expect(await drafts()).toEqual({ [zebra]: ['Carl does.'], [otter]: [] });
  });

  it('changes its draft by edits and deletes at any server until the approval', async () => {
    const { one, other, push, drafts, gaps } = await startAsked({ [zebra]: { id: 'z' } });
    const inThread = { id: 'r', parentId: 'z' };
    const reply = bob('Carl does.', inThread);
    const change = (text: string, more: object = inThread) => bob(text, more, 'message_edited');
    const deletion = (id: string) => bob('', { id }, 'message_deleted');
    expect(await push(one, reply)).toBe('drafted');
    expect(await push(other, change('Mallory.', { ...inThread, sender: 'eve' }))).toBe('ignored');
    expect(await push(other, change('Dora does.'))).toBe('drafted');
    expect(await push(one, reply)).toBe('drafted');
    expect(await drafts()).toEqual({ [zebra]: ['Dora does.'] });
    expect(await push(other, deletion('r'))).toBe('withdrawn');
    for (const late of [reply, change('Dora does.')]) expect(await push(one, late)).toBe('ignored');
    expect(await push(one, deletion('early'))).toBe('ignored');
    expect(await push(other, bob('Early.', { id: 'early', parentId: 'z' }))).toBe('ignored');
    expect(await gaps()).toMatchObject([{ state: 'open', drafts: [] }]);
    await push(one, bob('The zebra is fed by Fay.', { id: 'f', parentId: 'z' }));
    const [{ id }] = await gaps();
    const { body } = await one.post(`/api/gaps/${id}/approve`, {});
    for (const late of [change('Gus.', { id: 'f', parentId: 'z' }), deletion('f')])
      expect(await push(other, late)).toBe('ignored');
    expect(await drafts()).toEqual({ [zebra]: ['The zebra is fed by Fay.'] });
    expect(await one.storedText('default', body.document.file)).toContain('Fay');
  });
});
