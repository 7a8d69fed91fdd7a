import { expect, it } from 'vitest';
import { ingestRequest, sourceInput, toRequest } from '../../../src/ingest/source.ts';

it.each([
  './policies/sla.pdf',
  { url: 'https://example.com/', refreshEvery: '24h' },
  {
    url: 'https://example.com/',
    crawl: { maxPages: 5, include: ['/docs/*'] },
    refreshEvery: 'off',
  },
  { path: 'handbook', glob: '**/*.md', refreshEvery: '7d' },
  { text: 'Refunds are paid.', title: ' Refund FAQ ', author: ' Ann Lee ', reviewBy: '2027-05-01' },
])('keeps the request %j unchanged when a job saves it', (input) => {
  const request = toRequest(sourceInput.parse(input));
  expect(ingestRequest.parse(JSON.parse(JSON.stringify(request)))).toEqual(request);
});
