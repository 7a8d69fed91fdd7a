import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import type { DriftLimits } from '../../src/app/drift-webhook.ts';
import type { Logger } from '../../src/log.ts';
import { answered } from '../support/answer-entries.ts';
import { postgres } from '../support/postgres.ts';
import { startSite } from '../support/site.ts';
import { startService, type TestService, writeFiles } from '../support/workspace.ts';

const key = Buffer.from('a secret of thirty-two bytes, ok!');
const secret = `whsec_${key.toString('base64')}`;
const refunds = (days: string) => `# Refunds\n\nRefunds are paid within ${days} of purchase.\n`;
const leave = (days: number) => `# Leave\n\nEmployees have ${days} days of paid leave per year.\n`;
const files = { 'docs/refunds.md': refunds('30 days'), 'docs/leave.md': leave(26) };
const polling = { timeout: 60_000, interval: 10 };
const shortDelays = { quietMs: 20, maxWaitMs: 100, firstBackoffMs: 20, firstPauseMs: 1 };

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: any;
}

async function startReceiver(statusOf: (attempt: number) => number = () => 204) {
  const delivered: ReceivedRequest[] = [];
  const listener: RequestListener = async (request, response) => {
    const text = await textOf(request);
    delivered.push({ headers: request.headers, text, body: JSON.parse(text) });
    response.writeHead(statusOf(delivered.length)).end();
  };
  const site = await startSite({ '/drift': listener });
  return {
    delivered,
    settings: { DRIFT_WEBHOOK_URL: `${site.url}/drift`, ALLOWED_URL_HOSTS: site.host },
    untilDelivered: (times: number) =>
      vi.waitFor(() => expect(delivered.length).toBeGreaterThanOrEqual(times), polling),
    /** Reported run ids in order, with repetitions. */
    reported: () =>
      delivered.flatMap(({ body }) =>
        body.data.answers.map(({ runId }: { runId: string }) => runId),
      ),
  };
}

interface Setup {
  readonly settings?: Record<string, string>;
  readonly own?: Record<string, string>;
  readonly limits?: Partial<DriftLimits>;
  readonly statusOf?: (attempt: number) => number;
}

async function setUp({ settings = {}, own = files, limits = {}, statusOf }: Setup = {}) {
  const receiver = await startReceiver(statusOf);
  const warnings: string[] = [];
  const keep = ({ err }: { err?: Error }, message: string) =>
    void warnings.push(`${message} ${err?.message ?? ''}`);
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: keep,
    error: keep,
  } as unknown as Logger;
  const replacements = { driftWebhook: { ...shortDelays, ...limits }, logger };
  const start = (more: Record<string, string> = {}, first = own) =>
    startService({ ...receiver.settings, ...settings, ...more }, first, replacements);
  return { ...receiver, service: await start(), start, warnings };
}

const ask = async (service: TestService, question: string, namespace = 'docs') =>
  (
    await service.post('/api/agents/knowledge/generate', {
      messages: `@agent ${question}`,
      toolParams: { namespace },
    })
  ).body;
const askBoth = async (service: TestService) => [
  await ask(service, 'how long do refunds take?'),
  await ask(service, 'how many days of paid leave do employees have?'),
];
/** Edits files on disk like a person. */
const edit = (service: TestService, changed: Record<string, string>) =>
  writeFiles(service.knowledgeDir, changed);
const staleOf = async (service: TestService) =>
  (await service.get('/api/answers?state=stale')).body.answers;

describe('an outdated answer', () => {
  it('is reported once, as GET /api/answers lists it, with a signature', async () => {
    const { service, delivered, untilDelivered, reported } = await setUp({
      settings: { DRIFT_WEBHOOK_SECRET: secret },
    });
    const [first, second] = await askBoth(service);
    await edit(service, { 'docs/refunds.md': refunds('14 days') });
    await untilDelivered(1);
    const { headers, text, body } = delivered[0] as ReceivedRequest;
    expect(body).toEqual({
      type: 'answers.stale',
      timestamp: expect.stringMatching(/^20\d\d-\d\d-\d\dT/),
      data: { namespace: 'docs', answers: await staleOf(service), isPartial: false },
    });
    expect(body.data.answers).toMatchObject([
      {
        runId: first.runId,
        changed: [
          {
            quote: expect.stringContaining('30 days'),
            now: { text: expect.stringContaining('14 days') },
          },
        ],
      },
    ]);
    const {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    } = headers;
    expect(Math.abs(Date.parse(body.timestamp) / 1_000 - Number(timestamp))).toBeLessThan(2);
    expect(signature).toBe(
      `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')}`,
    );
    // Both are outdated now, but only the second is new.
    await edit(service, { 'docs/refunds.md': refunds('10 days'), 'docs/leave.md': leave(28) });
    await untilDelivered(2);
    expect(await staleOf(service)).toHaveLength(2);
    expect(reported()).toEqual([first.runId, second.runId]);
    expect(delivered[1]?.headers['webhook-id']).not.toBe(id);
  });

  it('is removed without a report if a request deletes its document', async () => {
    const { service, untilDelivered, reported } = await setUp({
      own: { 'docs/refunds.md': refunds('30 days'), 'hr/leave.md': leave(26) },
    });
    const first = await ask(service, 'how long do refunds take?');
    const second = await ask(service, 'how many days of paid leave do employees have?', 'hr');
    await service.request(`/api/namespaces/docs/documents/${first.citations[0].documentId}`, {
      method: 'DELETE',
    });
    await edit(service, { 'hr/leave.md': leave(28) });
    await untilDelivered(1);
    expect(reported()).toEqual([second.runId]);
    expect((await service.get('/api/answers')).body.answers).toMatchObject([
      { runId: second.runId },
    ]);
  });

  it('is not reported if it is personal', async () => {
    const { service, untilDelivered, reported } = await setUp();
    const [first] = await askBoth(service);
    for (const callerId of ['', 'jwt:alice'])
      service.api.answers.keep(
        answered(`mine ${callerId}`, { callerId, answer: { ...first }, isPersonal: true }),
      );
    await edit(service, { 'docs/refunds.md': refunds('14 days') });
    await untilDelivered(1);
    expect(reported()).toEqual([first.runId]);
  });
});

describe('a change', () => {
  const text = 'Refunds are paid within 30 days of purchase.';
  const source = (said: string) => ({
    namespace: 'docs',
    sources: [{ text: said, title: 'Terms' }],
  });
  const later = text.replace('30', '14');

  it.each<[string, (service: TestService, said: string) => Promise<unknown>]>([
    ['an ingest', (service, said) => service.post('/api/tools/ingestSources', source(said))],
    [
      'an edited file',
      (service, said) => edit(service, { 'docs/terms.md': `# Terms\n\n${said}\n` }),
    ],
  ])('is noticed after %s', async (_name, change) => {
    const { service, untilDelivered, reported } = await setUp({ own: {} });
    await change(service, text);
    await vi.waitFor(
      async () => expect((await service.get('/api/namespaces/docs/documents')).body.total).toBe(1),
      polling,
    );
    const { runId } = await ask(service, 'within how many days are refunds paid?');
    await change(service, later);
    await untilDelivered(1);
    expect(reported()).toEqual([runId]);
  });
});

describe('a failing receiver', () => {
  it('gets the same message again later, and the log omits its address', async () => {
    const { service, delivered, untilDelivered, warnings, reported } = await setUp({
      statusOf: (attempt) => (attempt < 7 ? 500 : 200),
    });
    const [first, second] = await askBoth(service);
    await edit(service, { 'docs/refunds.md': refunds('14 days') });
    await untilDelivered(7);
    expect(new Set(delivered.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(warnings).toEqual([
      'sending outdated answers to DRIFT_WEBHOOK_URL failed; will retry The drift webhook rejected the delivery with status 500.',
    ]);
    await edit(service, { 'docs/leave.md': leave(28) });
    await untilDelivered(8);
    expect(reported()).toEqual([...Array.from({ length: 7 }, () => first.runId), second.runId]);
  });

  it('at a forbidden address is reported at startup, and receives nothing', async () => {
    const { service, delivered, warnings } = await setUp({
      settings: { ALLOWED_URL_HOSTS: 'docs.example.com' },
    });
    expect(warnings).toEqual([expect.stringMatching(/^DRIFT_WEBHOOK_URL is refused/)]);
    await askBoth(service);
    await edit(service, { 'docs/refunds.md': refunds('14 days') });
    await vi.waitFor(() => expect(warnings.length).toBeGreaterThan(2), polling);
    expect(warnings[1]).toContain('The drift webhook is blocked.');
    expect(delivered).toEqual([]);
  });
});

it('an answer that a killed server had claimed is reported after the claim expires', async () => {
  const { service, untilDelivered, reported } = await setUp({ limits: { claimMs: 1_000 } });
  const [first] = await askBoth(service);
  expect((await service.api.answers.claimNotification([first.runId], 1_000)).runIds).toEqual([
    first.runId,
  ]);
  await edit(service, { 'docs/refunds.md': refunds('14 days') });
  await untilDelivered(1);
  expect(reported()).toEqual([first.runId]);
});

describe('several servers', () => {
  it('report each answer once, wherever the change was made', async () => {
    const receiver = await startReceiver();
    const settings = { ...receiver.settings, DATABASE_URL: await postgres.newDatabase() };
    // A mirror lags by at most one poll.
    const start = () =>
      startService(
        settings,
        {},
        { driftWebhook: { ...shortDelays, quietMs: 500, maxWaitMs: 1_000 } },
      );
    const [one, other] = [await start(), await start()];
    const ingest = (service: TestService, number: number, days: number) => {
      const sources = [
        {
          text: `Parcels of zone ${number} arrive within ${days} days of the order.`,
          title: `Zone ${number}`,
        },
      ];
      return service.post('/api/tools/ingestSources', { namespace: 'docs', sources });
    };
    const numbers = [1, 2, 3, 4, 5, 6];
    const runIds: string[] = [];
    for (const number of numbers) {
      await ingest(one, number, 30);
      runIds.push(
        (await ask(one, `within how many days do parcels of zone ${number} arrive?`)).runId,
      );
    }
    for (const number of numbers) {
      await ingest(number % 2 ? one : other, number, 14);
      await vi.waitFor(() => expect(receiver.reported()).toContain(runIds[number - 1]), polling);
    }
    expect(receiver.reported()).toEqual(runIds);
  });
});
