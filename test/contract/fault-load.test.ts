/** The load of `npm run test:faults` tells a slow machine from a loss. */
import { expect, it } from 'vitest';
import { Workload } from '../../bench/replicas/workload.ts';
import { startUpstream } from '../support/upstream.ts';

async function loadOn(answer: Parameters<typeof startUpstream>[0], timeoutMs = 30_000) {
  const { baseUrl: url } = await startUpstream(answer);
  const replica = { number: 1, url, isUp: true, changedAt: 0, readyMs: [] };
  return new Workload([replica], { writesPerSecond: 1_000, searchesPerSecond: 1_000, timeoutMs });
}

it('sends as much as the servers answer', async () => {
  let [open, most, answered] = [0, 0, 0];
  const load = await loadOn((_, response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      answered++;
      response.end('{"results":[{"status":"unchanged","document":{}}]}');
    }, 50);
  });
  load.start();
  await expect.poll(() => answered).toBeGreaterThan(200);
  await load.stop();
  expect(most).toBeLessThan(25);
  expect(load.problems()).toEqual([]);
});

it('counts time-outs apart from losses', async () => {
  const load = await loadOn((request, response) => {
    if (request.url?.endsWith('searchDocs')) response.writeHead(500).end('{"code":"internal"}');
  }, 300);
  load.start();
  await expect.poll(() => load.problems()).toHaveLength(2);
  await load.stop();
  for (const kind of [
    /^\d+ × requests timed out: POST \/api\/\S+ on server 1$/,
    /^\d+ × searches returned 500: \{"code":"internal"\}$/,
  ])
    expect(load.problems()).toContainEqual(expect.stringMatching(kind));
});
