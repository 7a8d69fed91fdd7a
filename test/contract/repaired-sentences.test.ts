import { expect, it } from 'vitest';
import { sharedModel } from '../support/workspace.ts';

const code = 'shop install --port 8080\nshop start';
const files = {
  'default/shop.md': `---\ntitle: Shop\nsource: https://example.com/shop\nkind: url\n---\n# Shop\n\nRefunds are paid within 30 days of purchase. Gift cards are replaced within 10 days of a complaint.\n\nInstall the shop and start it:\n\n\`\`\`sh\n${code}\n\`\`\`\n`,
};
const question =
  'within how many days are refunds paid and gift cards replaced, and how do I install the shop?';
const lie = 'Gift cards are replaced within 40 days of a complaint.';
const changed = 'shop install --port 9090\nshop start';
const reply = `Refunds are paid within 30 days of purchase. [1] ${lie} [1]\n\n\`\`\`sh\n${changed}\n\`\`\`\n[1]`;

it("the stored answer lists the repaired sentences, their reasons and the model's words", async () => {
  const { provider, service } = await sharedModel({}, files);
  provider.reply(reply);
  const { body } = await service.post('/api/agents/knowledge/generate', {
    messages: `@agent ${question}`,
  });
  expect(body).toMatchObject({ answered: true, dropped: 0, repaired: 2 });
  expect(JSON.stringify(body)).not.toMatch(/40 days|9090/);
  const { answer: storedAnswer, check } = (await service.get(`/api/answers/${body.runId}`)).body;
  expect(storedAnswer.repaired).toBe(2);
  expect(check).toEqual({
    kept: [
      { text: 'Refunds are paid within 30 days of purchase.', index: 1, score: 1 },
      {
        text: 'Gift cards are replaced within 10 days of a complaint.',
        index: 1,
        score: 1,
        repaired: true,
        reason: 'figure',
        instead: lie,
      },
      {
        text: code,
        index: 1,
        score: 1,
        repaired: true,
        reason: 'exact',
        instead: changed.replaceAll('\n', ' '),
      },
    ],
    dropped: 0,
    repaired: 2,
    droppedSentences: [],
  });
});
