import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { cases } from '../support/depth.ts';
import { answerWithMeaning, startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { temporaryFolder } from '../support/workspace.ts';

const script = fileURLToPath(new URL('../support/embed-documents.ts', import.meta.url));
const documents = 400;
const kills = Math.min(8, cases(2));
/** Two batches of eight in flight, and one that may not be on disk yet. */
const lostPerKill = 24;

it(`completes an embedding that is killed ${kills} times and repeats only batches in flight`, async () => {
  const provider = await startFakeEmbeddings();
  const folder = await temporaryFolder();
  const texts = () => provider.requests.flatMap(({ input }) => input);

  const start = () =>
    spawn(process.execPath, [script, provider.baseUrl, folder, String(documents)], {
      stdio: 'inherit',
    });

  for (let turn = 0; turn <= kills; turn++) {
    const child = start();
    const killAt = provider.requests.length + 5;
    provider.script((request, response) => {
      if (turn < kills && provider.requests.length === killAt) child.kill('SIGKILL');
      return answerWithMeaning(request, response);
    });
    const [code, signal] = await once(child, 'exit');
    expect([code, signal]).toEqual(turn < kills ? [null, 'SIGKILL'] : [0, null]);
  }
  expect(new Set(texts()).size).toBe(documents);
  expect(texts().length).toBeLessThanOrEqual(documents + kills * lostPerKill);

  const before = provider.requests.length;
  expect((await once(start(), 'exit'))[0]).toBe(0);
  expect(provider.requests).toHaveLength(before);
});
