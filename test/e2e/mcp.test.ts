import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startFakeProvider } from '../support/fake-provider.ts';
import { askMcp, callTool, connectMcp, connectModernMcp } from '../support/mcp-client.ts';
import { runCommand } from '../support/run-command.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function setUp() {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/default/refunds.md':
      '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n',
  });
  await writeFiles(folder, {
    'knowledge/hr/leave.md': '# Leave\n\nEmployees have 25 days of leave.\n',
  });
  return {
    folder,
    settings: { KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') },
  };
}

const clients = {
  '@modelcontextprotocol/sdk': { Transport: StdioClientTransport, connect: connectMcp },
  '@modelcontextprotocol/client': { Transport: ModernTransport, connect: connectModernMcp },
};

it.each(Object.entries(clients))(
  'npm run --silent mcp writes only protocol messages to stdout, for %s',
  async (_, { Transport, connect }) => {
    const { folder, settings } = await setUp();
    // As a desktop client starts it: from another folder, with few environment variables.
    const transport = new Transport({
      command: 'npm',
      args: ['--prefix', root, 'run', '--silent', 'mcp', '--', '--namespace', 'hr'],
      cwd: folder,
      env: { ...settings, PUBLIC_URL: 'https://agent.example.com' },
      stderr: 'pipe',
    });
    const unreadable: Error[] = [];
    transport.onerror = (error) => void unreadable.push(error);
    const client = await connect(transport);
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'askKnowledge',
      'searchDocs',
      'listCalls',
      'summarizeCalls',
    ]);
    const seen: string[] = [];
    const onprogress = ({ message = '' }) => void seen.push(message);
    const question = 'how much leave is there?';
    const asked = await callTool(client, 'askKnowledge', { question }, { onprogress });
    expect(asked.content).toMatchObject([
      { text: expect.stringMatching(/^\*\*Leave\*\*\n\nEmployees have 25 days of leave\. \[1\]/) },
      { uri: expect.stringMatching(/^https:\/\/agent\.example\.com\/#\/documents\/hr\//) },
    ]);
    expect(seen.at(-1)).toBe(asked.content[0].text);
    expect(
      (await askMcp(client, { text: 'how long are full refunds granted?', namespace: 'default' }))
        .text,
    ).toContain('within 30 days');
    expect(await callTool(client, 'searchDocs', { query: 'x', namespace: 'no' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/You can read "default", "hr"\. \(namespace_not_/) }],
    });
    const calls = await callTool(client, 'listCalls', {});
    expect([calls.isError, calls.content[0].text]).toEqual([
      true,
      expect.stringContaining('(acting_user_required)'),
    ]);
    await writeFiles(folder, { 'knowledge/hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n' });
    await vi.waitUntil(
      async () => {
        const { structuredContent } = await callTool(client, 'searchDocs', { query: 'salaries' });
        return structuredContent.sources.includes('pay.md');
      },
      { timeout: 300_000, interval: 500 },
    );
    expect(unreadable).toEqual([]);
  },
);

async function start(more: Record<string, string> = {}) {
  const { settings } = await setUp();
  const env = { PATH: process.env['PATH'], ...settings, ...more };
  const child: ChildProcess = spawn(process.execPath, ['src/cli/main.ts', 'mcp'], {
    cwd: root,
    env,
  });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('the child process has no pipes');
  return { child, stdin, out: text(stdout), err: text(stderr), ended: once(child, 'exit') };
}

it('npm run mcp ends on SIGTERM', async () => {
  const { child, stdin, ended } = await start();
  stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(child.stdout ?? child, 'data');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it.each([
  [['--help'], 0, /^$/],
  [['--nothing'], 2, /--nothing/],
  [['--namespace', 'A B'], 1, /namespace name/],
])('npm run mcp %j exits with %d', async (args, code, expected) => {
  const { settings } = await setUp();
  const ran = await runCommand(['mcp', ...args], settings);
  expect([ran.code, ran.out.length > 0]).toEqual([code, code === 0]);
  expect(ran.err).toMatch(expected);
});

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

it('npm run mcp answers pending requests when its input ends and ignores invalid messages', async () => {
  const { stdin, out, ended } = await start({ LOG_LEVEL: 'debug' });
  stdin.end(`hello\n{"jsonrpc":"2.0"}\n${initialize}${questionLine(1)}${questionLine(2)}`);
  expect(await ended).toEqual([0, null]);
  const answers = (await out)
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(answers.map(({ id }) => id).sort()).toEqual([0, 1, 2]);
  expect(
    answers.filter(({ result }) => result.content?.[0].text.includes('within 30 days')),
  ).toHaveLength(2);
});

it('npm run mcp does not wait for cancelled requests or a silent model', async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.reply(() => new Promise(() => undefined));
  const { stdin, out, ended } = await start({ LLM_BASE_URL: provider.baseUrl });
  stdin.write(initialize + questionLine(1));
  await vi.waitUntil(() => provider.requests.length > 0, { timeout: 300_000 });
  stdin.write(line({ method: 'notifications/cancelled', params: { requestId: 1 } }));
  stdin.write(questionLine(2));
  await vi.waitUntil(() => provider.requests.length > 1, { timeout: 300_000 });
  stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(
    (await out)
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text).id),
  ).toEqual([0]);
});

it('npm run mcp reports an oversized message and exits with 1', async () => {
  const { stdin, err, ended } = await start();
  stdin.on('error', () => undefined);
  stdin.write(initialize + questionLine(1, 'x'.repeat(11 * 1024 * 1024)));
  expect(await ended).toEqual([1, null]);
  expect(await err).toBe('Stopped: a message on standard input is longer than 10 MiB.\n');
});

it('npm run mcp ends quietly when its output is closed', async () => {
  const { child, stdin, out, err, ended } = await start();
  out.catch(() => undefined);
  stdin.on('error', () => undefined);
  stdin.write(initialize);
  await once(child.stdout ?? child, 'data');
  child.stdout?.destroy();
  stdin.write(line({ id: 1, method: 'ping' }) + line({ id: 2, method: 'ping' }));
  expect([await ended, await err]).toEqual([[0, null], '']);
});

it.each([
  [
    'KNOWLEDGE_DIR',
    'mistyped',
    /^The settings have a problem:\n {2}KNOWLEDGE_DIR: .*mistyped does not exist\n$/,
  ],
  // Below /proc, mkdir fails as if the parent were missing.
  ['INDEX_DIR', '/proc/index', /^The settings have a problem:\n {2}INDEX_DIR: \/proc\/index .*\n$/],
])('npm run mcp reports %s %s and creates nothing', async (setting, name, sentence) => {
  const path = resolve(await temporaryFolder(), name);
  const { settings } = await setUp();
  const { code, out, err } = await runCommand(
    ['mcp'],
    { ...settings, [setting]: path },
    initialize,
  );
  expect([code, out, existsSync(path)]).toEqual([1, '', false]);
  expect(err).toMatch(sentence);
});
