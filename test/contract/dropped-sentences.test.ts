import { expect, it } from 'vitest';
import { openStream, readChunks, serveOnLoopback } from '../support/event-stream.ts';
import { sharedModel } from '../support/workspace.ts';

const path = '/api/agents/knowledge/generate';
const requestBody = {
  messages: '@agent within how many days are refunds paid, and who pays them?',
  toolParams: { namespace: 'docs' },
};
const shop =
  '# Refunds\n\nRefunds are paid within 30 days of purchase. Damaged goods are replaced free of charge. Gift cards are never refunded.\n';

const more = {
  'docs/shop.md': `${shop}\nOrders leave the shop on Mondays. Parcels are insured by the carrier. Letters need a stamp of one euro. Pallets leave the shop on Tuesdays. Vouchers are sent by post. The shop closes in August.\n`,
};

/** The model replies with sentences without citations, so that none is repaired. */
async function startWithReply(
  replySentences: readonly string[],
  verdict = 'no',
  settings: Record<string, string> = {},
  files: Record<string, string> = {},
) {
  const { provider, service } = await sharedModel(
    { LLM_MODEL: 'writer', ...settings },
    { 'docs/shop.md': shop, ...files },
  );
  provider.reply(({ body }) => {
    if (body.model !== 'writer') return `1: ${verdict}`;
    const system = body.messages[0]?.content;
    return replySentences
      .map((sentence) => (sentence === 'PROMPT' ? String(system) : sentence))
      .join('\n\n');
  });
  const droppedOf = async (runId: string) =>
    (await service.get(`/api/answers/${runId}`)).body.check.droppedSentences;
  return { service, provider, droppedOf };
}

const wrong = [
  ['Refunds are paid within 40 days of purchase by bank transfer.', 'figure'],
  ['Refunds are paid with `pay_out` within 30 days of purchase.', 'exact'],
  ['The bicycle cellar is locked in the evening.', 'score'],
] as const;

it('only the stored answer lists the dropped sentences and their reasons', async () => {
  const { service, droppedOf } = await startWithReply([
    'Refunds are paid within 30 days of purchase.',
    ...wrong.map(([text]) => text),
  ]);
  const { body } = await service.post(path, requestBody);
  expect(body).toMatchObject({ answered: true, dropped: 3 });
  expect(await droppedOf(body.runId)).toEqual(wrong.map(([text, reason]) => ({ text, reason })));
  expect(JSON.stringify(body)).not.toMatch(/bicycle|droppedSentences/);
  const chunks = await readChunks(
    await openStream(`${await serveOnLoopback(service)}/api/agents/knowledge/stream`, requestBody),
  );
  expect(JSON.stringify(chunks)).not.toMatch(/bicycle|droppedSentences/);
  for (const [way, more] of [
    [
      '/v1/chat/completions',
      { model: 'knowledge/docs', messages: [{ role: 'user', content: requestBody.messages }] },
    ],
    ['/v1/responses', { model: 'knowledge/docs', input: requestBody.messages }],
    ['/api/agents/knowledge/generate-legacy', requestBody],
  ] as const)
    expect(JSON.stringify((await service.post(way, more)).body)).not.toMatch(
      /bicycle|droppedSentences/,
    );
});

it('a sentence that the judge denied and one above the limit have their own reasons', async () => {
  const unsure = 'Gift cards bought online in the shop are never refunded.';
  const judged = await startWithReply(['Gift cards are never refunded.', unsure], 'no', {
    JUDGE_MODEL: 'judge',
  });
  const denied = await judged.service.post(path, requestBody);
  expect(await judged.droppedOf(denied.body.runId)).toEqual([{ text: unsure, reason: 'model' }]);
  // Repeated sentences count once.
  const eight = [
    'Orders leave the shop on Mondays.',
    'Parcels are insured by the carrier.',
    'Pallets leave the shop on Tuesdays.',
    'Vouchers are sent by post.',
    'The shop closes in August.',
    ...shop.match(/(?:Refunds are|Damaged|Gift)[^.]*\./g)!,
  ];
  const { service, droppedOf } = await startWithReply(
    [...eight, 'Letters need a stamp of one euro.', wrong[2][0]],
    'no',
    {},
    more,
  );
  const { body } = await service.post(path, requestBody);
  expect(body.dropped).toBe(0);
  expect(await droppedOf(body.runId)).toEqual(
    ['Letters need a stamp of one euro.', wrong[2][0]].map((text) => ({ text, reason: 'limit' })),
  );
});

it('an answer stores no more than twenty dropped sentences', async () => {
  const { service, droppedOf } = await startWithReply(
    Array.from({ length: 40 }, (_, number) => `Bicycle cellar number ${number + 100} is locked.`),
  );
  const { body } = await service.post(path, requestBody);
  expect([body.dropped, (await droppedOf(body.runId)).length]).toEqual([40, 20]);
});
