import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generated, streamed } from '../support/answer-contract.ts';
import { startService } from '../support/workspace.ts';

const refunds = '# Refunds\n\n## Window\n\nFull refunds are granted within 30 days of purchase.';
const files = { 'docs/refunds.md': refunds, 'other/refunds.md': refunds };
const builtIn = 'I could not find that in the documents.\n\nSources: none';
const question = 'what is the capital of France?';

const eventually = (look: () => Promise<unknown>) =>
  expect.poll(look, { timeout: 60_000, interval: 25 });

it("the operator's own messages apply while the server runs, to whole answers and streams, only in their namespace", async () => {
  const service = await startService({}, files);
  const path = join(service.knowledgeDir, 'docs/.messages.yaml');
  const say = async (message = question, namespace = 'docs') =>
    (await generated(service, message, namespace)).text;
  const stream = async (message = question) => (await streamed(service, message)).text;
  expect(await say()).toBe(builtIn);
  await writeFile(
    path,
    'refusal: { de: Leider nichts gefunden., en: Sorry, other: Pardon }\nhandoff: Write to help@shop.example.\n',
  );
  await eventually(say).toBe('Sorry\n\nWrite to help@shop.example.\n\nSources: none');
  expect(await stream()).toBe('Sorry\n\nWrite to help@shop.example.\n\nSources: none');
  expect(await say('Wie heißt die Hauptstadt von Frankreich?')).toMatch(
    /^Leider nichts gefunden\.\n\nWrite/,
  );
  expect(await stream('Quelle est la capitale de la Mongolie ?')).toMatch(/^Pardon\n\nWrite/);
  expect(await say(question, 'other')).toBe(builtIn);
  await rm(path);
  await eventually(say).toBe(builtIn);
});
