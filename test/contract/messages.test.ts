import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generated, streamed } from '../support/answer-contract.ts';
import { startService } from '../support/workspace.ts';

const refunds = '# Refunds\n\n## Window\n\nFull refunds are granted within 30 days of purchase.';
const files = { 'docs/refunds.md': refunds, 'other/refunds.md': refunds };
const builtIn = 'I could not find that in the documents.\n\nSources: none';
const question = 'what is the capital of France?';

async function start(more: Readonly<Record<string, string>> = {}) {
  const service = await startService({}, { ...files, ...more });
  const put = (path: string, text: string) => writeFile(join(service.knowledgeDir, path), text);
  const say = async (message = question, namespace = 'docs') =>
    (await generated(service, message, namespace)).text;
  const stream = async (message = question) => (await streamed(service, message)).text;
  return { service, put, say, stream };
}

const eventually = (look: () => Promise<unknown>) =>
  expect.poll(look, { timeout: 60_000, interval: 25 });

describe("the operator's own messages", () => {
  it('apply while the server runs, to whole answers and streams, only in their namespace', async () => {
    const { service, put, say, stream } = await start();
    expect(await say()).toBe(builtIn);
    await put(
      'docs/.messages.yaml',
      'refusal: { de: Leider nichts gefunden., en: Sorry, other: Pardon }\nhandoff: Write to help@shop.example.\n',
    );
    await eventually(say).toBe('Sorry\n\nWrite to help@shop.example.\n\nSources: none');
    expect(await stream()).toBe('Sorry\n\nWrite to help@shop.example.\n\nSources: none');
    expect(await say('Wie heißt die Hauptstadt von Frankreich?')).toMatch(
      /^Leider nichts gefunden\.\n\nWrite/,
    );
    expect(await stream('Quelle est la capitale de la Mongolie ?')).toMatch(/^Pardon\n\nWrite/);
    expect(await say(question, 'other')).toBe(builtIn);
    await rm(join(service.knowledgeDir, 'docs/.messages.yaml'));
    await eventually(say).toBe(builtIn);
  });

  it('fall back to the built-in ones while the file is invalid, with a health warning', async () => {
    const { service, put, say } = await start({
      'docs/.messages.yaml': 'refusal: "Sources: none"',
    });
    const warnings = async () => (await service.get('/health')).body.warnings;
    expect(await say()).toBe(builtIn);
    expect(await warnings()).toEqual([
      { code: 'messages_invalid', count: 1, namespaces: ['docs'] },
    ]);
    await put('docs/.messages.yaml', 'refusal: Sorry.\n');
    await eventually(say).toBe('Sorry.\n\nSources: none');
    expect(await warnings()).toBeUndefined();
  });
});
