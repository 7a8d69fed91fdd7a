import { expect, it } from 'vitest';
import { startService } from '../support/workspace.ts';

const start = () =>
  startService(
    {},
    {
      'docs/refunds.md': '# Refunds\n\nRefunds are paid to your card within 30 days.\n',
      'docs/ja.md': '# 返金\n\n返金は購入から30日以内です。\n',
    },
  );

it('without explain the response has no such field', async () => {
  const { post } = await start();
  const body = { namespace: 'docs', query: 'when is a refund paid?' };
  const plain = await post('/api/tools/searchDocs', body);
  expect(Object.keys(plain.body.results[0])).not.toContain('matched');
  expect((await post('/api/tools/searchDocs', { ...body, explain: false })).body).toEqual(
    plain.body,
  );
  const { results, ...rest } = (await post('/api/tools/searchDocs', { ...body, explain: true }))
    .body;
  const unexplained = results.map(({ matched: _, ...result }: Record<string, unknown>) => result);
  expect({ ...rest, results: unexplained }).toEqual(plain.body);
});
