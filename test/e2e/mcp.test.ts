import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { startFakeProvider } from '../support/fake-provider.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { root } from '../support/repository.ts';
import { runCommand, startProgram } from '../support/run-command.ts';
import { forFile } from '../support/when-done.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

async function setUp() {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/default/refunds.md':
      '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n',
    'knowledge/hr/leave.md': '# Leave\n\nEmployees have 25 days of leave.\n',
  });
  return { folder, settings: foldersIn(folder) };
}

async function start(more: Record<string, string> = {}) {
  const { settings } = await setUp();
  return startProgram([process.execPath, 'src/cli/main.ts', 'mcp'], { ...settings, ...more });
}

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const questionLine = (id: number, question = 'how long are full refunds granted?') =>
  line({ id, method: 'tools/call', params: { name: 'askKnowledge', arguments: { question } } });
const initialize = line({
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
});

/** A silent model costs ten seconds, in which the other tests run. */
async function startSilent() {
  const provider = await startFakeProvider();
  provider.reply(() => new Promise(() => undefined));
  const started = await start({ LLM_BASE_URL: provider.baseUrl });
  started.child.stdin.write(initialize + questionLine(1));
  await vi.waitUntil(() => provider.requests.length > 0, { timeout: 300_000 });
  const cancel = line({ method: 'notifications/cancelled', params: { requestId: 1 } });
  started.child.stdin.end(cancel + questionLine(2));
  return started;
}

let silent: ReturnType<typeof startSilent>;
beforeAll(() => {
  silent = forFile(startSilent);
});

it('npm run --silent mcp writes only protocol messages to stdout', async () => {
  const { folder, settings } = await setUp();
  // As a desktop client starts it: from another folder, with few environment variables.
  const transport = new StdioClientTransport({
    command: 'npm',
    args: ['--prefix', root, 'run', '--silent', 'mcp', '--', '--namespace', 'hr'],
    cwd: folder,
    env: { ...settings, PUBLIC_URL: 'https://agent.example.com' },
    stderr: 'pipe',
  });
  const unreadable: Error[] = [];
  transport.onerror = (error) => void unreadable.push(error);
  const client = await connectMcp(transport);
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    'askKnowledge',
    'searchDocs',
    'listCalls',
    'summarizeCalls',
  ]);
  const question = 'how much leave is there?';
  const asked = await callTool(client, 'askKnowledge', { question });
  expect(asked.content).toMatchObject([
    { text: expect.stringMatching(/^\*\*Leave\*\*\n\nEmployees have 25 days of leave\. \[1\]/) },
    { uri: expect.stringMatching(/^https:\/\/agent\.example\.com\/#\/documents\/hr\//) },
  ]);
  const calls = await callTool(client, 'listCalls', {});
  expect([calls.isError, calls.content[0].text]).toEqual([
    true,
    expect.stringContaining('(acting_user_required)'),
  ]);
  expect(unreadable).toEqual([]);
});

it('npm run mcp ends on SIGTERM', async () => {
  const { child, ended } = await start();
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

it('npm run mcp answers pending requests when its input ends and ignores invalid messages', async () => {
  const input = `hello\n{"jsonrpc":"2.0"}\n${initialize}${questionLine(1)}${questionLine(2)}`;
  const { code, out } = await runCommand(['mcp'], (await setUp()).settings, input);
  const answers = out
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect([code, answers.map(({ id }) => id).sort()]).toEqual([0, [0, 1, 2]]);
  expect(
    answers.filter(({ result }) => result.content?.[0].text.includes('within 30 days')),
  ).toHaveLength(2);
});

it('npm run mcp does not wait for cancelled requests or a silent model', async () => {
  const { code, out } = await (await silent).ended;
  expect(code).toBe(0);
  const lines = out.trim().split('\n');
  expect(lines.map((text) => JSON.parse(text).id)).toEqual([0]);
});

it('npm run mcp reports an oversized message and exits with 1', async () => {
  const input = initialize + questionLine(1, 'x'.repeat(11 * 1024 * 1024));
  expect(await runCommand(['mcp'], (await setUp()).settings, input)).toMatchObject({
    code: 1,
    err: 'Stopped: a message on standard input is longer than 10 MiB.\n',
  });
});

it('npm run mcp ends quietly when its output is closed', async () => {
  const { child, ended } = await start();
  child.stdin.on('error', () => undefined).write(initialize);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stdin.write(line({ id: 1, method: 'ping' }) + line({ id: 2, method: 'ping' }));
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

it('npm run mcp reports a mistyped KNOWLEDGE_DIR and creates nothing', async () => {
  const { settings, folder } = await setUp();
  const path = join(folder, 'mistyped');
  const { code, out, err } = await runCommand(['mcp'], { ...settings, KNOWLEDGE_DIR: path });
  expect([code, out, existsSync(path)]).toEqual([1, '', false]);
  expect(err).toMatch(
    /^The settings have a problem:\n {2}KNOWLEDGE_DIR: .*mistyped does not exist\n$/,
  );
});
