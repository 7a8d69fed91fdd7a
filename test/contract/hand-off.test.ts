import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../src/log.ts';
import { streamed } from '../support/answer-contract.ts';
import { webhookKey, webhookSecret } from '../support/chat-platform.ts';
import { startReceiver } from '../support/site.ts';
import { reopened, startService, type TestService } from '../support/workspace.ts';

const files = {
  'docs/refunds.md':
    '# Refunds\n\n## Window\n\nFull refunds are granted within 30 days of purchase.\n',
  'docs/vouchers.md': '# Vouchers\n\nVouchers of lost parcels are sent by post.\n',
};
const unknown = 'what is the capital of France?';
/** A document has two of its words, but covers it badly. */
const near = 'do penguins and astronauts near volcanoes send vouchers by post to Mongolia?';
const covered = 'who signs full refunds?';
const promise = 'I have passed your question to a person.';
const memory = { thread: 't1', resource: 'ann' };
const polling = { timeout: 60_000, interval: 10 };
const limits = { pollMs: 20, firstBackoffMs: 10, claimMs: 5_000 };

async function startDesk(statusOf: (attempt: number) => number = () => 204) {
  const { url, host, delivered } = await startReceiver(statusOf);
  const settings = {
    HANDOFF_WEBHOOK_URL: `${url}/desk`,
    HANDOFF_WEBHOOK_SECRET: webhookSecret,
    ALLOWED_URL_HOSTS: host,
  };
  const untilDelivered = (times: number) =>
    vi.waitFor(() => expect(delivered.length).toBeGreaterThanOrEqual(times), polling);
  const triggers = () => delivered.map(({ body }) => body.data.trigger).sort();
  return { delivered, settings, untilDelivered, triggers };
}

async function setUp(more: Record<string, string> = {}, statusOf?: (attempt: number) => number) {
  const desk = await startDesk(statusOf);
  const settings = { ...desk.settings, ...more };
  return { ...desk, service: await startService(settings, files, { handOff: limits }) };
}
/** Waits for deliveries that must not happen. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 6 * limits.pollMs));

const ask = async ({ generate }: TestService, question: string, more: object = {}) =>
  (await generate({ messages: `@agent ${question}`, toolParams: { namespace: 'docs' }, ...more }))
    .body;

describe('the webhook', () => {
  it('receives a refused question with its closest documents, signed', async () => {
    const { service, delivered, untilDelivered } = await setUp({
      PUBLIC_URL: 'https://help.example',
    });
    const { runId, reason, text } = await ask(service, near, { memory });
    expect(reason).toBe('closest');
    await untilDelivered(1);
    const [{ headers, text: sent, body }] = delivered as [(typeof delivered)[0]];
    const id = `handoff_${runId}`;
    const signed = `${id}.${headers['webhook-timestamp']}.${sent}`;
    expect(headers).toMatchObject({
      'webhook-id': id,
      'webhook-signature': `v1,${createHmac('sha256', webhookKey).update(signed).digest('base64')}`,
    });
    expect(body).toEqual({
      type: 'question.handed_off',
      timestamp: expect.stringMatching(/^20\d\d-\d\d-\d\dT/),
      data: {
        ...{ runId, trigger: 'refusal', namespace: 'docs', reason: 'closest' },
        ...{ question: near, previousQuestion: null },
        ...{ thread: 't1', user: null, resource: 'ann', entryPoint: 'generate' },
        link: `https://help.example/#/ask/docs/${runId}`,
        closest: expect.arrayContaining([
          {
            documentId: expect.any(String),
            file: 'vouchers.md',
            title: 'Vouchers',
            source: expect.stringContaining('vouchers.md'),
          },
        ]),
      },
    });
    expect(text).not.toContain('passed your question');
  });

  it('receives a second refusal and a request for a person, once each, and the user learns it', async () => {
    const { service, delivered, untilDelivered } = await setUp();
    await ask(service, unknown, { memory });
    const second = await ask(service, 'what is the capital of Mongolia?', { memory });
    expect(second.text).toBe(
      `I could not find that in the documents.\n\n${promise}\n\nSources: none`,
    );
    const asked = await ask(service, 'Can I talk to a human please?', { memory });
    expect(asked).toMatchObject({
      answered: false,
      reason: 'small_talk',
      text: promise,
      citations: [],
    });
    await untilDelivered(3);
    await pause();
    expect(
      delivered.map(({ body }) => [body.data.trigger, body.data.previousQuestion]).sort(),
    ).toEqual([
      ['asked', 'what is the capital of Mongolia?'],
      ['refusal', null],
      ['second_refusal', unknown],
    ]);
    expect(new Set(delivered.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  it('recognizes a second refusal in the messages of a request', async () => {
    const { service, triggers, untilDelivered } = await setUp();
    const first = await ask(service, unknown);
    const messages = [
      { role: 'user', content: `@agent ${unknown}` },
      { role: 'assistant', content: first.text },
      { role: 'user', content: `@agent ${unknown}` },
    ];
    expect((await ask(service, '', { messages })).text).toContain(promise);
    await untilDelivered(2);
    expect(triggers()).toEqual(['refusal', 'second_refusal']);
  });

  it('receives nothing for answers, covering sections, small talk and messages without a mention', async () => {
    const { service, delivered, untilDelivered } = await setUp();
    for (const [question, reason] of [
      ['what is the refund window?', 'answered'],
      [covered, 'closest'],
      ['thanks!', 'small_talk'],
    ] as const)
      expect(await ask(service, question)).toMatchObject({ reason });
    await ask(service, '', { messages: 'talk to a human' });
    await ask(service, unknown);
    await untilDelivered(1);
    expect(delivered.map(({ body }) => body.data.question)).toEqual([unknown]);
  });

  it('names the entry point', async () => {
    const { service, delivered, untilDelivered } = await setUp();
    const messages = [{ id: '1', role: 'user', content: unknown }];
    const run = { threadId: 't', runId: 'r', state: {}, messages, tools: [], context: [] };
    const body = { ...run, forwardedProps: { toolParams: { namespace: 'docs' } } };
    await (await service.send('/api/agents/knowledge/ag-ui', body)).text();
    await untilDelivered(1);
    expect(delivered[0]?.body.data).toMatchObject({ entryPoint: 'ag-ui', question: unknown });
  });
});

describe('HANDOFF_ON', () => {
  const rate = (service: TestService, runId: string, rating = 'down') =>
    service.post(`/api/answers/${runId}/feedback`, { rating });

  it('hands off the second of two closest sections in a row, and the user learns it', async () => {
    const { service, delivered, untilDelivered } = await setUp({ HANDOFF_ON: 'closest' });
    const first = await ask(service, covered, { memory });
    expect(first).toMatchObject({ reason: 'closest' });
    expect(first.text).not.toContain(promise);
    await ask(service, unknown, { memory });
    expect((await ask(service, covered, { memory })).text).not.toContain(promise);
    const second = await ask(service, covered, { memory });
    expect(second.text).toContain(`\n\n${promise}\n\nSources:`);
    await untilDelivered(1);
    expect(delivered.map(({ body }) => body.data)).toMatchObject([
      { trigger: 'closest', runId: second.runId, previousQuestion: covered, thread: 't1' },
    ]);
  });

  it('hands off an answer rated as not helpful once, with its conversation', async () => {
    const { service, delivered, untilDelivered } = await setUp({ HANDOFF_ON: 'unhelpful' });
    const { runId } = await ask(service, 'what is the refund window?', { memory });
    expect((await rate(service, runId, 'up')).body).not.toHaveProperty('handedOff');
    expect((await rate(service, runId)).body).toMatchObject({ handedOff: promise });
    await untilDelivered(1);
    await rate(service, runId);
    const thanks = await ask(service, 'thanks!', { memory });
    expect((await rate(service, thanks.runId)).body).not.toHaveProperty('handedOff');
    await pause();
    expect(delivered.map(({ body }) => body.data)).toEqual([
      {
        ...{ runId, trigger: 'unhelpful', namespace: 'docs', reason: 'answered' },
        ...{ question: 'what is the refund window?', previousQuestion: null },
        ...{ thread: 't1', user: null, resource: 'ann', entryPoint: 'generate' },
        closest: [expect.objectContaining({ file: 'refunds.md' })],
      },
    ]);
    const stored = JSON.stringify((await service.get(`/api/answers/${runId}`)).body.check);
    expect(stored).not.toContain('ann');
  });

  it('leaves out refusals and requests for a person that it does not name', async () => {
    const { service, triggers, untilDelivered } = await setUp({ HANDOFF_ON: 'unhelpful' });
    await ask(service, unknown, { memory });
    expect((await ask(service, unknown, { memory })).text).not.toContain(promise);
    const asked = await ask(service, 'get me a human', { memory });
    expect(asked.text).toBe('I answer from documents only.');
    const { runId } = await ask(service, covered, { memory });
    await rate(service, runId);
    await untilDelivered(1);
    expect(triggers()).toEqual(['unhelpful']);
  });
});

describe('an undelivered question', () => {
  it('survives a restart', async () => {
    let status = 500;
    const { service, settings, delivered, untilDelivered } = await setUp({}, () => status);
    const { runId } = await ask(service, unknown);
    await untilDelivered(1);
    await service.close();
    const count = delivered.length;
    status = 204;
    await reopened(service, settings).open();
    await untilDelivered(count + 1);
    expect(delivered.at(-1)?.headers['webhook-id']).toBe(`handoff_${runId}`);
  });

  it('loses the titles of deleted documents', async () => {
    let status = 500;
    const { service, delivered, untilDelivered } = await setUp({}, () => status);
    await ask(service, near);
    await untilDelivered(1);
    const { documents } = (await service.get('/api/namespaces/docs/documents')).body;
    const { id } = documents.find(({ file }: { file: string }) => file === 'vouchers.md');
    await service.delete(`/api/namespaces/docs/documents/${id}`);
    status = 204;
    await untilDelivered(delivered.length + 1);
    const { text, body } = delivered.at(-1) as (typeof delivered)[0];
    expect(body.data.question).toBe(near);
    for (const forgotten of [id, '"Vouchers"']) expect(text).not.toContain(forgotten);
  });
});

it('is promised only if it is stored, and an outage is one warning', async () => {
  const { settings, untilDelivered } = await startDesk(() => 503);
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(line) });
  const service = await startService(settings, files, { handOff: limits, logger });
  const promised: boolean[] = [];
  for (let number = 0; number <= 101; number++) {
    const { text } = await ask(service, 'can I talk to a human please?');
    promised.push(text.includes('passed your question'));
  }
  expect(promised).toEqual(promised.map((_, number) => number < 100));
  await untilDelivered(5);
  expect(lines.filter((one) => one.includes('HANDOFF_WEBHOOK_URL failed'))).toHaveLength(1);
  expect(lines.filter((one) => one.includes('not handed off'))).toHaveLength(1);
});

describe('the text', () => {
  const text = 'Write to help@shop.example.';
  const german = 'Ich möchte mit einem Mitarbeiter sprechen';

  it('follows a refusal and answers a request for a person, whole and streamed', async () => {
    const service = await startService({ HANDOFF_TEXT: text }, files);
    expect((await ask(service, unknown)).text).toBe(
      `I could not find that in the documents.\n\n${text}\n\nSources: none`,
    );
    expect((await ask(service, covered)).text).not.toContain(text);
    for (const question of [unknown, german]) {
      const shown = (await streamed(service, question)).text;
      expect(shown).toBe((await ask(service, question)).text);
      expect(shown).toContain(text);
    }
  });

  it('in a namespace has priority over the setting', async () => {
    const own = {
      ...files,
      'docs/.messages.yaml': 'handoff: { de: Fragen Sie Ann., other: Ask Ann. }\n',
    };
    const service = await startService({ HANDOFF_TEXT: text }, own);
    for (const [question, shown] of [
      [german, 'Ich antworte nur aus Dokumenten.\n\nFragen Sie Ann.'],
      ['get me a human', 'I answer from documents only.\n\nAsk Ann.'],
    ] as const)
      expect((await ask(service, question)).text).toBe(shown);
  });
});
