/** The load of `npm run test:faults` tells a slow machine from a loss. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Workload } from '../../bench/replicas/workload.ts';
import { whenDone } from '../support/when-done.ts';

async function loadOn(answer: RequestListener, timeoutMs?: number) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  whenDone(() => server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const replica = { number: 1, url, isUp: true, changedAt: 0, readyMs: [] };
  const rates = { writesPerSecond: 1_000, searchesPerSecond: 1_000 };
  return new Workload([replica], { ...rates, ...(timeoutMs && { timeoutMs }) });
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

it('names time-outs apart from losses, with a count and one example', async () => {
  const load = await loadOn((request, response) => {
    if (request.url?.endsWith('searchDocs')) response.writeHead(500).end('{"code":"internal"}');
  }, 300);
  load.start();
  await expect.poll(() => load.problems()).toHaveLength(2);
  await load.stop();
  const problems = load.problems();
  for (const kind of [
    /^\d+ × requests timed out: POST \/api\/\S+ on server 1$/,
    /^\d+ × searches returned 500: \{"code":"internal"\}$/,
  ])
    expect(problems).toContainEqual(expect.stringMatching(kind));
  expect(problems).toHaveLength(2);
});
