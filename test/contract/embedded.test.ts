/**
 * The service inside another program: `createServer` and `createKnowledgeParts`.
 * `test/release/installed.test.ts` uses their packed forms.
 */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { expect, it, vi } from 'vitest';
import {
  ConfigError,
  createServer,
  FolderInUseError,
  type ServerSettings,
} from '../../src/index.ts';
import { createKnowledgeParts } from '../../src/mastra/parts.ts';
import { whenDone } from '../support/when-done.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

async function settings(): Promise<ServerSettings> {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
  });
  return {
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    STATE_DIR: join(folder, 'state'),
    LOG_LEVEL: 'silent',
    SHUTDOWN_SECONDS: 5,
  };
}

const question = () =>
  new Request('http://localhost/api/agents/knowledge/generate', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"messages":"@agent how long do refunds take?"}',
  });

it('answers by fetch and by a listener of Node', async () => {
  const server = await createServer(await settings());
  whenDone(server.close);
  expect(await (await server.fetch(question())).json()).toMatchObject({ answered: true });
  const http = createHttpServer(server.listener).listen(0, '127.0.0.1');
  whenDone(() => void http.close());
  await new Promise((listening) => http.once('listening', listening));
  const response = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/ready`);
  expect(response.status).toBe(200);
});

it('answers running requests before it closes, and refuses later ones', async () => {
  const server = await createServer(await settings());
  const running = Array.from({ length: 10 }, () => server.fetch(question()));
  await server.close();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  const late = await server.fetch(question());
  expect([late.status, await late.json()]).toEqual([
    503,
    { error: 'The server is shutting down. Retry in a moment.', code: 'stopping' },
  ]);
});

it('refuses a second server on the same state or documents, and works again after the first is closed', async () => {
  const [own, other] = [await settings(), await settings()];
  const sameDocuments = { ...other, KNOWLEDGE_DIR: own.KNOWLEDGE_DIR };
  const first = await createServer(own);
  await expect(createServer(own)).rejects.toThrow(FolderInUseError);
  await expect(createServer(sameDocuments)).rejects.toThrow(/^KNOWLEDGE_DIR: another server uses /);
  await first.close();
  for (const one of [own, sameDocuments]) await (await createServer(one)).close();
});

it.each([
  [{ RATE_LIMIT_PER_MINUTE: 'many' }, ConfigError],
  [{ SHUTDOWN_SECONDS: true }, ConfigError],
  [5 as never, TypeError],
])('refuses the settings %j', async (wrong, error) => {
  await expect(createServer(wrong)).rejects.toThrow(error);
});

async function startParts() {
  const parts = await createKnowledgeParts({ settings: await settings() });
  whenDone(parts.close);
  return parts;
}
const asked = '@agent how long do refunds take?';

it('gives a Mastra project an agent that never returns unchecked objects, and citations as sources', async () => {
  const { agent, tools } = await startParts();
  expect(Object.keys(tools)).toEqual(['docsRetriever', 'searchDocs', 'ingestSources']);
  const quote = 'Refunds are paid within 30 days of purchase.';
  const source = {
    ...{ id: '1', sourceType: 'document', title: 'Refunds', filename: 'refunds.md' },
    providerMetadata: { knowledge: expect.objectContaining({ index: 1, quote }) },
  };
  const shown = [expect.objectContaining({ payload: expect.objectContaining(source) })];
  const { text, sources } = await agent.generate(asked);
  expect([text, sources]).toEqual([expect.stringContaining(`${quote} [1]`), shown]);
  const output = await agent.stream(asked);
  await output.consumeStream();
  expect(await output.sources).toEqual(shown);
  const structuredOutput: any = { schema: {}, model: 'openai/gpt-5-mini' };
  const { generate, stream }: any = agent;
  for (const ask of [generate, stream])
    expect(() => ask(asked, { structuredOutput })).toThrow('It has no structured output.');
});

it('in a Mastra project stays silent without a mention, and logs no error', async () => {
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => void lines.push(line);
  using _error = vi.spyOn(console, 'error').mockImplementation(log);
  using _warn = vi.spyOn(console, 'warn').mockImplementation(log);
  const { agent, tools } = await startParts();
  const mastra = new Mastra({ agents: { knowledge: agent }, tools, storage: new InMemoryStore() });
  const { text, tripwire } = await mastra.getAgent('knowledge').generate('how long do they take?');
  expect([text, tripwire?.reason, lines]).toEqual(['', 'not_mentioned', []]);
});

it('in a Mastra project names a namespace that does not exist', async () => {
  using _ = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { agent } = await startParts();
  const requestContext = new RequestContext([['namespace', 'nosuch']]);
  const message = 'There is no namespace "nosuch".';
  await expect(agent.generate(asked, { requestContext })).rejects.toThrow(message);
  const output = await agent.stream(asked, { requestContext });
  await output.consumeStream();
  expect(String(output.error)).toContain(message);
  expect(await output.text).toBe('');
});

it.each([
  ['model', 'openai/gpt-5-mini'],
  ['embedder', { model: 'text-embedding-3-small' }],
])('refuses a %s of the wrong form', async (option, value) => {
  const options: any = { settings: await settings(), [option]: value };
  await expect(createKnowledgeParts(options)).rejects.toThrow(new RegExp(`^${option} `));
});
