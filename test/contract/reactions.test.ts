import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { botEvent, messageEvent, signed, webhookSecret } from '../support/chat-platform.ts';
import { startReceiver } from '../support/site.ts';
import { storeIn } from '../support/state.ts';
import { sharedBy, startService, writeFiles } from '../support/workspace.ts';

const refunds = (days: number) =>
  `# Refunds\n\nRefunds are paid within ${days} days of purchase.\n`;
const files = { 'default/refunds.md': refunds(30) };
const polling = { timeout: 60_000, interval: 10 };
const question = 'When are refunds paid?';

const privateEvent = (sender: string, receiver: string, data: object, more: object = {}) =>
  messageEvent('', {
    ...{ conversationId: 'ann_user_knowledge', receiverType: 'user', sender, receiver, data },
    ...more,
  });
const reactionEvent = (messageId: string, reaction: string, isRemoved = false, uid = 'ann') => ({
  trigger: isRemoved ? 'message_reaction_removed' : 'message_reaction_added',
  data: { reaction: { id: randomUUID(), messageId, reaction, reactedBy: { uid, name: uid } } },
});

async function setUp(settings: Record<string, string> = {}) {
  const { url, host, delivered } = await startReceiver();
  const chat = {
    CHAT_WEBHOOK_SECRET: webhookSecret,
    CHAT_CALLBACK_URL: `${url}/v3/messages`,
    HANDOFF_WEBHOOK_URL: `${url}/desk`,
    ALLOWED_URL_HOSTS: host,
  };
  const service = await startService({ ...chat, ...settings }, files);
  const sent = () => delivered.filter(({ path }) => path !== '/desk');
  const untilSent = (times: number) =>
    vi.waitFor(() => expect(sent()).toHaveLength(times), polling);
  const push = async (event: object) => {
    const body = JSON.stringify(event);
    const headers = signed(body);
    const response = await service.request('/api/webhooks/chat', { method: 'POST', headers, body });
    return ((await response.json()) as any).status;
  };
  /** Sends a message to the agent. @returns its answer, as the platform receives it */
  const ask = async (event: object) => {
    const before = sent().length;
    await push(event);
    await untilSent(before + 1);
    const { data, receiver } = sent().at(-1)!.body;
    return { data, receiver, runId: data.metadata.knowledge.runId as string };
  };
  return { service, push, ask, sent, untilSent, delivered };
}
type Server = Awaited<ReturnType<typeof setUp>>;

describe('a reaction', () => {
  /** An answer in a private chat. @returns the run, and the platform's report of the answer */
  async function withAnswer() {
    const { push, ask, service } = await sharedBy('private chat', () => setUp());
    const event = privateEvent('ann', 'knowledge', { text: question });
    const { runId, data, receiver } = await ask(event);
    const feedback = async (run = runId) =>
      (await service.get(`/api/answers/${run}`)).body.feedback
        .map(({ rating }: { rating: string }) => rating)
        .sort();
    return { service, push, feedback, runId, report: privateEvent('knowledge', receiver, data) };
  }

  it('rates the answer in its message, once per user, and its removal takes the rating back', async () => {
    const { push, feedback, report } = await withAnswer();
    const { id } = report.data.message;
    expect(await push(report)).toBe('ignored');
    expect(await push(reactionEvent(id, '👍🏽'))).toBe('rated');
    expect(await push(reactionEvent(id, '❤️', false, 'bob'))).toBe('rated');
    expect(await feedback()).toEqual(['up', 'up']);
    expect(await push(reactionEvent(id, '👎'))).toBe('rated');
    // The user has changed the rating, so the removal of the first reaction has no effect.
    await push(reactionEvent(id, '👍🏽', true));
    expect(await feedback()).toEqual(['down', 'up']);
    await push(reactionEvent(id, '👎', true));
    // Another emoji, the agent itself, and an unknown message.
    for (const event of [
      reactionEvent(id, '🏒'),
      reactionEvent(id, '👍', false, 'knowledge'),
      reactionEvent('999', '👍'),
    ])
      expect(await push(event)).toBe('ignored');
    expect(await feedback()).toEqual(['up']);
  });

  it('does not rate the answer of another conversation, or one that a user claims to be', async () => {
    const { service, push, feedback, runId, report } = await withAnswer();
    const { body: other } = await service.generate({ messages: `@agent ${question}` });
    const knowledge = (id: string) => ({ text: 'Hi', metadata: { knowledge: { runId: id } } });
    const elsewhere = { conversationId: 'mallory_user_knowledge' };
    const forged = [
      privateEvent('mallory', 'ann', knowledge(runId)),
      privateEvent('knowledge', 'mallory', knowledge(runId), elsewhere),
      privateEvent('knowledge', 'ann', knowledge(other.runId)),
    ];
    for (const event of forged) {
      await push(event);
      const bad = reactionEvent(event.data.message.id, '👎', false, 'mallory');
      expect(await push(bad)).toBe('ignored');
    }
    expect([await feedback(), await feedback(other.runId)]).toEqual([[], []]);
    // The first report of the platform counts; a later one cannot take the answer over.
    await push(report);
    const again = privateEvent('knowledge', 'ann', knowledge(runId));
    await push(again);
    expect(await push(reactionEvent(again.data.message.id, '👎'))).toBe('ignored');
  });
});

describe('a bad reaction to an answer in a thread', () => {
  const inGroup = (sender: string, data: object) =>
    messageEvent('', { sender, data, parentId: '17' });
  /** @returns the id of the message with the answer, and of its run */
  async function asked({ push, ask }: Server, text: string, road = 'webhook') {
    const event = inGroup('ann', { text: `<@uid:knowledge> ${text}` });
    const { message } = event.data;
    const { data, runId } = await ask(road === 'bot' ? botEvent(message, 'knowledge') : event);
    const report = inGroup('knowledge', data);
    await push(report);
    return { id: report.data.message.id, runId };
  }

  it.each([
    ['webhook', '/v3/messages'],
    ['bot', '/v3/bots/knowledge/messages'],
  ])('of the %s hands off, and the thread learns it once', async (road, path) => {
    const parts = await setUp({ HANDOFF_ON: 'unhelpful' });
    const { push, sent, untilSent, delivered, service } = parts;
    const { id, runId } = await asked(parts, question, road);
    expect(await push(reactionEvent(id, '👍'))).toBe('rated');
    expect(await push(reactionEvent(id, '👎'))).toBe('rated');
    await untilSent(2);
    const told = sent()[1]?.body;
    expect(told).toMatchObject({
      ...{ receiver: 'support', receiverType: 'group', parentId: '17' },
      data: {
        text: 'I have passed your question to a person.',
        metadata: { knowledge: { runId, reason: 'handed_off', citations: [] } },
      },
    });
    await vi.waitFor(() => expect(delivered).toHaveLength(3), polling);
    // Neither another user nor a second reaction repeats it, nor one to the sentence itself.
    const report = inGroup('knowledge', told.data);
    expect(await push(report)).toBe('ignored');
    await push(reactionEvent(id, '👎', false, 'bob'));
    await push(reactionEvent(id, '👎', true));
    await push(reactionEvent(id, '👎'));
    expect(await push(reactionEvent(report.data.message.id, '👎'))).toBe('ignored');
    const german = await asked(parts, 'Wann werden Rückerstattungen gezahlt?', road);
    await push(reactionEvent(german.id, '👎'));
    await untilSent(4);
    expect(sent()[3]?.body.data.text).toBe('Ich habe Ihre Frage an einen Menschen weitergegeben.');
    await service.endChat(30_000);
    expect(sent().map((one) => one.path)).toEqual([path, path, path, path]);
  });

  it.each([
    ['without HANDOFF_ON=unhelpful', 'refusal', 0],
    ['if it is not stored', 'unhelpful', 10_000],
  ])('tells nothing %s', async (_, HANDOFF_ON, waiting) => {
    const parts = await setUp({ HANDOFF_ON });
    const { id } = await asked(parts, question);
    await storeIn(join(parts.service.folder, 'index')).query(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${waiting})
      INSERT INTO hand_offs (run_id, namespace, caller, body, created_at, due_at)
      SELECT 'run ' || i, 'n', 'c', '{}', '', 4e12 FROM n`);
    expect(await parts.push(reactionEvent(id, '👎'))).toBe('rated');
    await parts.service.endChat(30_000);
    expect(parts.sent()).toHaveLength(1);
  });
});

describe('a bad rating', () => {
  async function withAnswer() {
    const service = await startService({}, files);
    const ask = async () => (await service.generate({ messages: `@agent ${question}` })).body;
    const answer = await ask();
    const rate = (rating: string) =>
      service.post(`/api/answers/${answer.runId}/feedback`, { rating });
    const gaps = async () => (await service.get('/api/gaps')).body.gaps;
    return { service, ask, answer, rate, gaps };
  }

  it('opens a gap with the answer, which a good rating or an answer from changed documents closes', async () => {
    const { service, ask, answer, rate, gaps } = await withAnswer();
    await rate('down');
    await rate('down');
    await ask();
    const { runId, text, citations } = answer;
    const { documentId } = citations[0];
    expect(await gaps()).toMatchObject([
      { question, count: 1, runId, answer: text, closest: [{ documentId, file: 'refunds.md' }] },
    ]);
    await rate('up');
    expect(await gaps()).toEqual([]);
    await rate('down');
    expect(await gaps()).toHaveLength(1);
    await writeFiles(service.knowledgeDir, { 'default/refunds.md': refunds(14) });
    await vi.waitFor(async () => expect((await ask()).text).toContain('14 days'), polling);
    await vi.waitFor(async () => expect(await gaps()).toEqual([]), polling);
  });

  it('on a personal answer opens a gap without its text', async () => {
    const { service, answer, gaps } = await withAnswer();
    const { answers } = service.api;
    const runId = randomUUID();
    answers.keep({
      ...{ runId, namespace: 'default', question: 'was my call billed?', callerId: 'jwt:ann' },
      ...{ answer: { ...answer, runId }, coverage: 1, closest: [] },
      check: { kept: [], dropped: 0, repaired: 0, droppedSentences: [] },
      isGap: false,
      isPersonal: true,
    });
    await answers.addFeedback(runId, 'jwt:ann', { rating: 'down' });
    expect(await gaps()).toMatchObject([{ question: 'was my call billed?', runId }]);
    expect((await gaps())[0].answer).toBeUndefined();
    // Another caller cannot rate it.
    expect(await answers.addFeedback(runId, 'jwt:bob', { rating: 'up' })).toBeUndefined();
  });

  it('loses the answer with its document', async () => {
    const { service, answer, rate, gaps } = await withAnswer();
    await rate('down');
    await service.delete(`/api/namespaces/default/documents/${answer.citations[0].documentId}`);
    const [gap] = await gaps();
    expect(gap).toMatchObject({ question, closest: [] });
    expect(JSON.stringify(gap)).not.toContain('30 days');
  });
});
