import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expectProof } from '../support/citations.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The README's calls with the output it shows: ```sh curl … ``` followed by ```json … ```. */
const shown = [
  ...readme.matchAll(/```sh\ncurl -s localhost:4111(\S+) -H 'content-type: application\/json' -d '(.*)'\n```\n\n```json\n([\s\S]*?)\n```/g),
].map(([, path = '', body = '', output = '']) => ({ path, body: JSON.parse(body), output: JSON.parse(output) }));

/** What differs from run to run. */
const steady = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, part) =>
      ['revision', 'runId', 'toolCallId', 'score', 'bytes', 'start', 'end'].includes(key) ? '…' : part,
    ),
  );

describe('the README', () => {
  it('shows three calls whose output is real', async () => {
    expect(shown.map((call) => call.path)).toEqual(['/api/tools/ingestSources', '/api/tools/searchDocs', '/api/agents/knowledge/generate']);
    const folder = await temporaryFolder();
    const server = await startServerProcess({ KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') });
    for (const { path, body, output } of shown) {
      const answer = await server.post(path, body);
      expect(answer.status).toBe(200);
      expect(steady(answer.body)).toEqual(steady(output));
    }
  });

  it('asks the sample documents a question that they answer', async () => {
    const folder = await temporaryFolder();
    const server = await startServerProcess({ KNOWLEDGE_DIR: join(root, 'knowledge'), INDEX_DIR: folder });
    for (const [question, file] of [
      ['how long do refunds take?', 'refund-policy.md'],
      ['What uptime does the Business plan guarantee?', 'service-level-agreement.md'],
      ['How often does Tidewater retry a failed webhook?', 'webhooks.md'],
      ['How many rows can an import file have?', 'importing-and-exporting-data.md'],
      ['What should a program do when it receives status 429?', 'api-errors-and-rate-limits.md'],
    ]) {
      const { body } = await server.post('/api/agents/knowledge/generate', { messages: `@agent ${question}` });
      expect(body.citations[0]?.file, question).toBe(file);
      await expectProof(
        { storedText: async (namespace, name) => readFileSync(join(root, 'knowledge', namespace, name), 'utf8') },
        body,
        true,
      );
    }
    for (const question of ['What is the capital of France?', 'Who won the world cup in 2018?', 'How do I bake sourdough bread?']) {
      expect((await server.post('/api/agents/knowledge/generate', { messages: `@agent ${question}` })).body.reason, question).toBe(
        'no_context',
      );
    }
  });
});

describe('the process', () => {
  it('names every wrong setting and ends with 1', async () => {
    await expect(startServerProcess({ HOST: '0.0.0.0', MAX_BODY_BYTES: 'many' })).rejects.toThrow(
      /ended with 1: The settings have 2 problems:\n {2}(HOST|MAX_BODY_BYTES): .*\n {2}(HOST|MAX_BODY_BYTES): /,
    );
  });

  it('says so and ends with 1 where its port is taken', async () => {
    const folder = await temporaryFolder();
    const dirs = { KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') };
    const server = await startServerProcess(dirs);
    await expect(startServerProcess({ ...dirs, PORT: new URL(server.url).port })).rejects.toThrow(
      /ended with 1: Port \d+ of 127\.0\.0\.1 is already in use; set PORT/,
    );
  });
});
