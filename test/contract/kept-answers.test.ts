import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { createLogger } from '../../src/log.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startService } from '../support/workspace.ts';

const files = {
  'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
};
const asking = (messages: string) => ({ messages, toolParams: { namespace: 'docs' } });

it('a stored answer contains its request id and tokens, and the log line of the request its run id', async () => {
  const provider = await startFakeProvider();
  provider.reply('Refunds are paid within 30 days of purchase [1].');
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('debug', { write: (line) => void lines.push(JSON.parse(line)) });
  const settings = { LLM_BASE_URL: provider.baseUrl, LLM_MODEL: 'writer' };
  const service = await startService(settings, files, { logger });
  const { body } = await service.generate(asking('@agent how long do refunds take?'), {
    'x-request-id': 'request-of-ann',
  });
  expect((await service.get(`/api/answers/${body.runId}`)).body).toMatchObject({
    requestId: 'request-of-ann',
    answer: { usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 } },
  });
  await service.get('/health');
  const requestLines = lines
    .filter(({ msg }) => msg === 'request')
    .map(({ level, operation, runId, tokens }) => ({ level, operation, runId, tokens }));
  expect(requestLines).toEqual([
    { level: 'info', operation: 'generate', runId: body.runId, tokens: { input: 11, output: 7 } },
    { level: 'info', operation: 'readAnswer', runId: undefined, tokens: undefined },
    { level: 'debug', operation: 'health', runId: undefined, tokens: undefined },
  ]);
});

it('invalid rows are skipped with one warning; all others are shown and deleted', async () => {
  const service = await startService({}, files);
  const ask = async (question: string) => (await service.generate(asking(question))).body;
  for (const question of ['who feeds the office cat?', 'where is the printer room?'])
    await ask(`@agent ${question}`);
  const [good, bad] = [
    await ask('@agent how long do refunds take?'),
    await ask('@agent how long do refunds take after purchase?'),
  ];
  await service.get('/api/gaps');
  const database = new DatabaseSync(join(service.folder, 'index/state.db'));
  const [{ documentId }] = good.citations;
  database
    .prepare("UPDATE gaps SET closest = ? WHERE question LIKE '%cat%'")
    .run(`[{"documentId":${JSON.stringify(documentId)}`);
  database.prepare("UPDATE answers SET answer = '{' WHERE run_id = ?").run(bad.runId);
  database.close();
  const { body } = await service.get('/api/gaps');
  expect(body.gaps).toMatchObject([{ question: 'where is the printer room?' }]);
  expect((await service.get(`/api/answers/${bad.runId}`)).status).toBe(404);
  expect((await service.get('/api/answers?state=all')).body.answers).toMatchObject([
    { runId: good.runId },
  ]);
  expect((await service.get('/health')).body.warnings).toEqual([
    { code: 'rows_invalid', count: 1 },
  ]);
  const path = `/api/namespaces/docs/documents/${documentId}`;
  expect((await service.delete(path)).status).toBe(200);
});
