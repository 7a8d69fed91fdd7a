/** The operator's own messages. `messages-file.test.ts` tests what a file may contain. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generated, streamed } from '../support/answer-contract.ts';
import { startService } from '../support/workspace.ts';

const refunds = '# Refunds\n\n## Window\n\nFull refunds are granted within 30 days of purchase.';
const builtIn = 'I could not find that in the documents.\n\nSources: none';
const own = 'Sorry\n\nWrite to help@shop.example.\n\nSources: none';
const messages = 'docs/.messages.yaml';

async function start(content: Readonly<Record<string, string>> = {}) {
  const files = { 'docs/refunds.md': refunds, 'other/refunds.md': refunds, ...content };
  const service = await startService({}, files);
  const question = 'what is the capital of France?';
  return {
    file: join(service.knowledgeDir, messages),
    say: async (namespace?: string) => (await generated(service, question, namespace)).text,
    stream: async () => (await streamed(service, question)).text,
    warnings: async () => (await service.get('/health')).body.warnings,
  };
}

const eventually = (look: () => Promise<unknown>) =>
  expect.poll(look, { timeout: 60_000, interval: 25 });

it('own messages apply while the server runs, to whole answers and streams, only in their namespace', async () => {
  const { file, say, stream } = await start();
  expect(await say()).toBe(builtIn);
  await writeFile(file, 'refusal: Sorry\nhandoff: Write to help@shop.example.\n');
  await eventually(say).toBe(own);
  expect([await stream(), await say('other')]).toEqual([own, builtIn]);
  await rm(file);
  await eventually(say).toBe(builtIn);
});

it('an invalid file of messages is a health warning, and the built-in ones apply', async () => {
  const { file, say, stream, warnings } = await start({ [messages]: 'refusal: "Sources: none"\n' });
  expect([await say(), await stream()]).toEqual([builtIn, builtIn]);
  expect(await warnings()).toEqual([{ code: 'messages_invalid', count: 1, namespaces: ['docs'] }]);
  await writeFile(file, 'refusal: Sorry.\n');
  await eventually(say).toBe('Sorry.\n\nSources: none');
  expect(await warnings()).toBeUndefined();
});
