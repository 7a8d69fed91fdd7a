import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { askMcp, connectMcp } from '../support/mcp-client.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function setUp() {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'knowledge/default/refunds.md': '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n' });
  await writeFiles(folder, { 'knowledge/hr/leave.md': '# Leave\n\nEmployees have 25 days of leave.\n' });
  return { folder, settings: { KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') } };
}

/** As a desktop client starts it: from a folder of its own, with few of its variables. @returns what it could not read */
async function connectThrough(args: readonly string[]) {
  const { folder, settings } = await setUp();
  const transport = new StdioClientTransport({
    command: 'npm',
    args: ['--prefix', root, ...args],
    cwd: folder,
    env: settings,
    stderr: 'pipe',
  });
  const unreadable: Error[] = [];
  transport.onerror = (error) => void unreadable.push(error);
  const client = await connectMcp(transport);
  onTestFinished(() => client.close());
  return { client, folder, unreadable };
}

it('npm run --silent mcp is a server whose output is the protocol alone', async () => {
  const { client, folder, unreadable } = await connectThrough(['run', '--silent', 'mcp', '--', '--namespace', 'hr']);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['askKnowledge', 'searchDocs', 'listCalls', 'summarizeCalls']);
  expect((await askMcp(client, { text: 'how many days of leave do employees have?' })).text).toMatch(
    /^Employees have 25 days of leave\. \[1\]/,
  );
  expect((await askMcp(client, { text: 'how long are full refunds granted?', namespace: 'default' })).text).toContain('within 30 days');
  const { resources } = await client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(['refunds.md', 'leave.md']);
  expect((await client.readResource({ uri: resources[1]?.uri ?? '' })).contents).toMatchObject([
    { text: expect.stringContaining('25 days') },
  ]);
  const calls: any = await client.callTool({ name: 'listCalls', arguments: {} });
  expect([calls.isError, calls.content[0].text]).toEqual([true, expect.stringContaining('(acting_user_required)')]);
  await writeFiles(folder, { 'knowledge/hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n' });
  await vi.waitUntil(async () => (await client.listResources()).resources.length === 3, { timeout: 60_000 });
  expect(unreadable).toEqual([]);
});

it('without --silent npm’s banner comes first, which the official client reports and passes over', async () => {
  const { client, unreadable } = await connectThrough(['run', 'mcp']);
  expect((await askMcp(client, { text: 'how long are full refunds granted?' })).text).toContain('within 30 days');
  expect(unreadable.length).toBeGreaterThan(0);
});

async function start(args: readonly string[], more: Record<string, string> = {}) {
  const { settings } = await setUp();
  const env = { PATH: process.env['PATH'], ...settings, ...more };
  const child: ChildProcess = spawn(process.execPath, ['src/cli/main.ts', 'mcp', ...args], { cwd: root, env });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('a child without pipes');
  return { child, stdin, out: text(stdout), err: text(stderr), ended: once(child, 'exit') };
}

it('ends with its input, and what is no message does nothing', async () => {
  const { stdin, out, ended } = await start([], { LOG_LEVEL: 'debug' });
  stdin.write('hello\n{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(await out)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
});

it('ends with a signal', async () => {
  const { child, stdin, ended } = await start([]);
  stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(child.stdout ?? child, 'data');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it.each([
  [['--help'], 0, /^$/],
  [['--nothing'], 2, /--nothing/],
  [['--namespace', 'A B'], 1, /namespace name/],
])('%j ends with %d', async (args, code, expected) => {
  const { stdin, out, err, ended } = await start(args);
  stdin.end();
  expect((await ended)[0]).toBe(code);
  expect(await err).toMatch(expected);
  expect((await out).length > 0).toBe(code === 0);
});
