import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { botEvent, messageEvent, signed, webhookSecret } from '../support/chat-platform.ts';
import { startSite } from '../support/site.ts';
import { storeIn } from '../support/state.ts';
import { startService, writeFiles } from '../support/workspace.ts';

const refunds = (days: number) =>
  `# Refunds\n\nRefunds are paid within ${days} days of purchase.\n`;
const files = { 'default/refunds.md': refunds(30) };
const polling = { timeout: 60_000, interval: 10 };

const privateEvent = (sender: string, receiver: string, data: object, more: object = {}) =>
  messageEvent('', {
    ...{ conversationId: 'ann_user_knowledge', receiverType: 'user', sender, receiver, data },
    ...more,
  });
const reactionEvent = (messageId: string, reaction: string, isRemoved = false, uid = 'ann') => ({
  trigger: isRemoved ? 'message_reaction_removed' : 'message_reaction_added',
  data: {
    reaction: {
      id: randomUUID(),
      messageId,
      reaction,
      uid,
      reactedAt: 1_700_655_536,
      reactedBy: { uid, name: uid },
    },
  },
  appId: 'app',
});

async function setUp(settings: Record<string, string> = {}) {
  const sent: any[] = [];
  const listener: RequestListener = async (request, response) => {
    sent.push(JSON.parse(await textOf(request)));
    response.writeHead(200).end('{"data":{}}');
  };
  const bot = '/v3/bots/knowledge/messages';
  const site = await startSite({
    '/v3/messages': listener,
    [bot]: listener,
    '/desk': { body: '' },
  });
  const chat = {
    CHAT_WEBHOOK_SECRET: webhookSecret,
    CHAT_CALLBACK_URL: `${site.url}/v3/messages`,
    HANDOFF_WEBHOOK_URL: `${site.url}/desk`,
  };
  const service = await startService({ ...chat, ALLOWED_URL_HOSTS: site.host, ...settings }, files);
  const push = async (event: object) => {
    const body = JSON.stringify(event);
    const headers = signed(body);
    const response = await service.request('/api/webhooks/chat', { method: 'POST', headers, body });
    return (await response.json()) as any;
  };
  /** Asks in a chat. @returns the run, and the platform's report of the answer */
  const answer = async (text = 'When are refunds paid?') => {
    await push(privateEvent('ann', 'knowledge', { text }));
    const before = sent.length;
    await vi.waitFor(
      () => expect(sent.length).toBeGreaterThanOrEqual(Math.max(1, before)),
      polling,
    );
    const { data, receiver } = sent.at(-1);
    return {
      runId: data.metadata.knowledge.runId as string,
      report: privateEvent('knowledge', receiver, data),
    };
  };
  const feedback = async (runId: string) =>
    (await service.get(`/api/answers/${runId}`)).body.feedback.map((one: any) => one.rating);
  const gaps = async () => (await service.get('/api/gaps')).body.gaps;
  return { service, push, answer, feedback, gaps, sent, requests: site.requests };
}

describe('a reaction', () => {
  it('rates the answer in its message, once per user, and its removal takes the rating back', async () => {
    const { push, answer, feedback } = await setUp();
    const { runId, report } = await answer();
    const { id } = report.data.message;
    expect(await push(report)).toEqual({ status: 'ignored' });
    expect(await push(reactionEvent(id, '👍🏽'))).toEqual({ status: 'rated' });
    expect(await push(reactionEvent(id, '❤️', false, 'bob'))).toEqual({ status: 'rated' });
    expect(await feedback(runId)).toEqual(['up', 'up']);
    expect(await push(reactionEvent(id, '👎'))).toEqual({ status: 'rated' });
    expect((await feedback(runId)).sort()).toEqual(['down', 'up']);
    // The user has changed the rating, so the removal of the first reaction has no effect.
    await push(reactionEvent(id, '👍🏽', true));
    expect((await feedback(runId)).sort()).toEqual(['down', 'up']);
    await push(reactionEvent(id, '👎', true));
    expect(await feedback(runId)).toEqual(['up']);
  });

  it('is ignored with another emoji, from the agent, and on unknown messages', async () => {
    const { push, answer, feedback } = await setUp();
    const { runId, report } = await answer();
    await push(report);
    const { id } = report.data.message;
    for (const event of [
      reactionEvent(id, '🏒'),
      reactionEvent(id, '👍', false, 'knowledge'),
      reactionEvent('999', '👍'),
    ])
      expect(await push(event)).toEqual({ status: 'ignored' });
    expect(await feedback(runId)).toEqual([]);
  });

  it('does not rate the answer of another conversation, or one that a user claims to be', async () => {
    const { service, push, answer, feedback } = await setUp();
    const { runId, report } = await answer();
    const { body: other } = await service.generate({
      messages: '@agent when are refunds paid?',
    });
    const knowledge = (id: string) => ({ text: 'Hi', metadata: { knowledge: { runId: id } } });
    const forged = [
      privateEvent('mallory', 'ann', knowledge(runId)),
      privateEvent('knowledge', 'mallory', knowledge(runId), {
        conversationId: 'mallory_user_knowledge',
      }),
      privateEvent('knowledge', 'ann', knowledge(other.runId)),
    ];
    for (const event of forged) {
      await push(event);
      expect(await push(reactionEvent(event.data.message.id, '👎', false, 'mallory'))).toEqual({
        status: 'ignored',
      });
    }
    expect([await feedback(runId), await feedback(other.runId)]).toEqual([[], []]);
    // The first report of the platform counts; a later one cannot take the answer over.
    await push(report);
    const again = privateEvent('knowledge', 'ann', knowledge(runId));
    await push(again);
    expect(await push(reactionEvent(again.data.message.id, '👎'))).toEqual({ status: 'ignored' });
  });
});

describe.each(['webhook', 'bot'])('a bad reaction to an answer of the %s', (road) => {
  const sentence = 'I have passed your question to a person.';
  const inGroup = (sender: string, data: object) =>
    messageEvent('', { sender, data, parentId: '17' });
  /** Asks in a thread. @returns the id of the message with the answer, and of its run */
  async function asked({ push, sent }: Awaited<ReturnType<typeof setUp>>, text: string) {
    const before = sent.length;
    const event = inGroup('ann', { text: `<@uid:knowledge> ${text}` });
    await push(road === 'bot' ? botEvent(event.data.message, 'knowledge') : event);
    await vi.waitFor(() => expect(sent.length).toBeGreaterThan(before), polling);
    const { data } = sent.at(-1);
    const report = inGroup('knowledge', data);
    await push(report);
    return { id: report.data.message.id, runId: data.metadata.knowledge.runId as string };
  }

  it('hands off, and the thread learns it once, in the language of the question', async () => {
    const parts = await setUp({ HANDOFF_ON: 'unhelpful' });
    const { push, sent, requests, service } = parts;
    const { id, runId } = await asked(parts, 'When are refunds paid?');
    expect(await push(reactionEvent(id, '👍'))).toEqual({ status: 'rated' });
    expect(await push(reactionEvent(id, '👎'))).toEqual({ status: 'rated' });
    await vi.waitFor(() => expect(sent).toHaveLength(2), polling);
    const knowledge = { runId, reason: 'handed_off', citations: [] };
    expect(sent[1]).toMatchObject({
      ...{ receiver: 'support', receiverType: 'group', parentId: '17' },
      data: { text: sentence, metadata: { knowledge } },
    });
    const paths = requests.filter((path) => path !== '/desk');
    const path = road === 'bot' ? '/v3/bots/knowledge/messages' : '/v3/messages';
    expect(paths).toEqual([path, path]);
    await vi.waitFor(() => expect(requests).toContain('/desk'), polling);
    // Neither another user nor a second reaction repeats it, nor one to the sentence itself.
    const report = inGroup('knowledge', sent[1].data);
    expect(await push(report)).toEqual({ status: 'ignored' });
    await push(reactionEvent(id, '👎', false, 'bob'));
    await push(reactionEvent(id, '👎', true));
    await push(reactionEvent(id, '👎'));
    expect(await push(reactionEvent(report.data.message.id, '👎'))).toEqual({ status: 'ignored' });
    const german = await asked(parts, 'Wann werden Rückerstattungen gezahlt?');
    await push(reactionEvent(german.id, '👎'));
    await vi.waitFor(() => expect(sent).toHaveLength(4), polling);
    expect(sent[3].data.text).toBe('Ich habe Ihre Frage an einen Menschen weitergegeben.');
    await service.endChat(30_000);
    expect(sent).toHaveLength(4);
  });

  it('tells nothing after small talk, without HANDOFF_ON=unhelpful, or if it is not stored', async () => {
    const parts = await setUp({ HANDOFF_ON: 'unhelpful' });
    const { id } = await asked(parts, 'thanks!');
    expect(await parts.push(reactionEvent(id, '👎'))).toEqual({ status: 'rated' });
    const others = await setUp({ HANDOFF_ON: 'refusal' });
    const answer = await asked(others, 'When are refunds paid?');
    expect(await others.push(reactionEvent(answer.id, '👎'))).toEqual({ status: 'rated' });
    const full = await setUp({ HANDOFF_ON: 'unhelpful' });
    const lost = await asked(full, 'When are refunds paid?');
    await storeIn(join(full.service.folder, 'index')).query(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO hand_offs (run_id, namespace, caller, body, created_at, due_at)
      SELECT 'run ' || i, 'n', 'c', '{}', '', 4e12 FROM n`);
    expect(await full.push(reactionEvent(lost.id, '👎'))).toEqual({ status: 'rated' });
    for (const { service, sent } of [parts, others, full]) {
      await service.endChat(30_000);
      expect(sent).toHaveLength(1);
    }
  });
});

describe('a bad rating', () => {
  const question = '@agent when are refunds paid?';
  const ask = async ({ service }: Pick<Awaited<ReturnType<typeof setUp>>, 'service'>) =>
    (await service.generate({ messages: question })).body;

  it('opens a gap with the answer, which a good rating of the same caller closes', async () => {
    const { service, gaps } = await setUp();
    const { runId, text, citations } = await ask({ service });
    const rate = (rating: string) => service.post(`/api/answers/${runId}/feedback`, { rating });
    await rate('down');
    await rate('down');
    const [{ documentId }] = citations;
    expect(await gaps()).toEqual([
      expect.objectContaining({
        question: 'when are refunds paid?',
        count: 1,
        runId,
        answer: text,
        coverage: expect.any(Number),
      }),
    ]);
    expect((await gaps())[0].closest).toEqual([
      expect.objectContaining({ documentId, file: 'refunds.md' }),
    ]);
    await rate('up');
    expect(await gaps()).toEqual([]);
  });

  it('stays a gap while the documents are unchanged, and closes with an answer from changed ones', async () => {
    const { service, gaps } = await setUp();
    const { runId } = await ask({ service });
    await service.post(`/api/answers/${runId}/feedback`, { rating: 'down' });
    await ask({ service });
    expect(await gaps()).toHaveLength(1);
    await writeFiles(service.knowledgeDir, { 'default/refunds.md': refunds(14) });
    await vi.waitFor(
      async () => expect((await ask({ service })).text).toContain('14 days'),
      polling,
    );
    await vi.waitFor(async () => expect(await gaps()).toEqual([]), polling);
  });

  it('on a personal answer opens a gap without its text', async () => {
    const { service, gaps } = await setUp();
    const answer = await ask({ service });
    const runId = randomUUID();
    const entry = {
      runId,
      namespace: 'default',
      question: 'was my call billed?',
      callerId: 'jwt:ann',
      answer: { ...answer, runId },
    };
    const check = { kept: [], dropped: 0, repaired: 0, droppedSentences: [] };
    service.api.answers.keep({
      ...entry,
      check,
      coverage: 1,
      closest: [],
      isGap: false,
      isPersonal: true,
    });
    await service.api.answers.addFeedback(runId, 'jwt:ann', { rating: 'down' });
    expect(await gaps()).toMatchObject([{ question: 'was my call billed?', runId }]);
    expect((await gaps())[0].answer).toBeUndefined();
    // Another caller cannot rate it.
    expect(
      await service.api.answers.addFeedback(runId, 'jwt:bob', { rating: 'up' }),
    ).toBeUndefined();
  });

  it('loses the answer with its document', async () => {
    const { service, gaps } = await setUp();
    const { runId, citations } = await ask({ service });
    await service.post(`/api/answers/${runId}/feedback`, { rating: 'down' });
    await service.request(`/api/namespaces/default/documents/${citations[0].documentId}`, {
      method: 'DELETE',
    });
    const [gap] = await gaps();
    expect(gap).toMatchObject({ question: 'when are refunds paid?', closest: [] });
    expect(JSON.stringify(gap)).not.toContain('30 days');
  });
});
