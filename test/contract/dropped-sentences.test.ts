import { expect, it } from 'vitest';
import { sharedModel } from '../support/workspace.ts';

const path = '/api/agents/knowledge/generate';
const requestBody = {
  messages: '@agent within how many days are refunds paid, and who pays them?',
  toolParams: { namespace: 'docs' },
};
const shop =
  '# Refunds\n\nRefunds are paid within 30 days of purchase. Damaged goods are replaced free of charge. Gift cards are never refunded.\n';

/** The model replies with sentences without citations, so that none is repaired. */
async function startWithReply(sentences: readonly string[]) {
  const { provider, service } = await sharedModel(
    { LLM_MODEL: 'writer' },
    { 'docs/shop.md': shop },
  );
  provider.reply(sentences.join('\n\n'));
  const droppedOf = async (runId: string) =>
    (await service.get(`/api/answers/${runId}`)).body.check.droppedSentences;
  return { service, droppedOf };
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
  const messages = [{ role: 'user', content: requestBody.messages }];
  for (const [way, more] of [
    ['/api/agents/knowledge/generate', requestBody],
    ['/api/agents/knowledge/stream', requestBody],
    ['/v1/chat/completions', { model: 'knowledge/docs', messages }],
    ['/v1/responses', { model: 'knowledge/docs', input: requestBody.messages }],
    ['/api/agents/knowledge/generate-legacy', requestBody],
  ] as const) {
    const shown = await (await service.send(way, more)).text();
    expect(shown).toContain('within 30 days');
    expect(shown).not.toMatch(/bicycle|droppedSentences/);
  }
});

it('an answer stores no more than twenty dropped sentences', async () => {
  const { service, droppedOf } = await startWithReply(
    Array.from({ length: 40 }, (_, number) => `Bicycle cellar number ${number + 100} is locked.`),
  );
  const { body } = await service.post(path, requestBody);
  expect([body.dropped, (await droppedOf(body.runId)).length]).toEqual([40, 20]);
});
