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

it('with explain each result lists its words that match the query', async () => {
  const { post } = await start();
  const found = async (query: string) =>
    (
      await post('/api/tools/searchDocs', {
        namespace: 'docs',
        query,
        explain: true,
        maxResults: 1,
      })
    ).body.results[0].matched;
  expect(await found('when is a refund paid to the card?')).toEqual(['Refunds', 'paid', 'card']);
  // A typing error and a synonym.
  expect(await found('refunnd to the credit card')).toEqual(
    expect.arrayContaining(['Refunds', 'card']),
  );
  expect(await found('返金はいつですか')).toContain('返金');
});

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
