import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { Context } from '../../src/context.ts';
import { createApp } from '../../src/http/app.ts';
import { foldersIn, startService, temporaryFolder, writeFiles } from '../support/workspace.ts';

/** A service during its startup: it listens but has read nothing. */
async function startingService() {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  });
  const config = parseConfig({
    ...foldersIn(folder),
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  const parts = new Context(config);
  onTestFinished(() => parts.close());
  // Opening may take longer than a request waits, so the test decides when the server is open.
  const opened = Promise.withResolvers<void>();
  let isReady = false;
  const api = { ...parts.api, isReady: () => isReady, whenReady: opened.promise };
  const open = () => {
    isReady = true;
    opened.resolve();
  };
  const app = createApp(config, api, parts.logger);
  const send = async (path: string, body?: object) => {
    const response = await app.request(path, {
      method: body ? 'POST' : 'GET',
      headers: { apikey: 'x', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = text.startsWith('{');
    return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
  };
  return { parts, open, send };
}

it('a request during startup waits, and is answered from all documents and calls', async () => {
  const { parts, send, open } = await startingService();
  await parts.open();
  const calls = send('/v3/calls?perPage=1');
  const messages = '@agent how long do refunds take?';
  const answer = send('/api/agents/knowledge/generate', { messages });
  open();
  expect((await calls).body.meta.pagination.total).toBe(500);
  const { status, body } = await answer;
  expect([status, body.answered]).toEqual([200, true]);
  // The first answers are stored too.
  expect((await send(`/api/answers/${body.runId}`)).status).toBe(200);
  expect((await send('/ready')).body).toEqual({ status: 'ready' });
});

it.each([
  'answers/answers.db',
  'conversations/conversations.db',
  'model-tokens.json',
  'chat-webhooks.jsonl.older',
  'calls-events.jsonl',
  'jobs/11111111-2222-4333-8444-555555555555.jsonl',
])('is refused if a folder has %s of version 0.5.0, which stays', async (file) => {
  for (const setting of ['STATE_DIR', 'INDEX_DIR']) {
    const folder = await temporaryFolder();
    await writeFiles(folder, { [file]: 'kept' });
    await expect(startService({ [setting]: folder })).rejects.toThrow(
      `${join(folder, file)} was written by an unreleased version. Move it away`,
    );
    expect(readFileSync(join(folder, file), 'utf8')).toBe('kept');
    expect(existsSync(join(folder, 'state.db'))).toBe(false);
  }
});

it('during startup the metrics respond, and failed probes are not counted as failed requests', async () => {
  const { send } = await startingService();
  for (const path of ['/ready', '/health', '/ready']) await send(path);
  const { status, text } = await send('/metrics');
  expect([status, text]).toEqual([
    200,
    expect.not.stringMatching(/_errors_total\{|^knowledge_documents /m),
  ]);
  await send('/api/namespaces');
  expect((await send('/metrics')).text).toContain('knowledge_errors_total{code="not_ready"} 1');
});
