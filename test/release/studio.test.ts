/**
 * Runs `src/mastra/index.ts` like Mastra's tools: bundled to `.mastra/output` with a package.json,
 * in another working directory, behind Mastra's own HTTP server. Asks it with the client that
 * Studio uses.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MastraClient } from '@mastra/client-js';
import { expect, it, vi } from 'vitest';
import { read, root } from '../support/repository.ts';
import { forFile, whenDone } from '../support/when-done.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

/** Links each package of the checkout and of the release suite. */
async function linkPackages(project: string): Promise<void> {
  const link = async (from: string, to: string) => {
    for (const name of readdirSync(from)) {
      if (!name.startsWith('@')) await symlink(join(from, name), join(to, name)).catch(() => {});
      else {
        await mkdir(join(to, name), { recursive: true });
        await link(join(from, name), join(to, name));
      }
    }
  };
  const modules = join(project, 'node_modules');
  await mkdir(modules);
  for (const folder of ['node_modules', 'test/release/node_modules'])
    await link(join(root, folder), modules);
}

async function startStudio() {
  const project = await temporaryFolder();
  // Copied, because modules behind a link would not find the packages of the release suite.
  for (const name of ['src', 'packages', 'samples', 'package.json'])
    await cp(join(root, name), join(project, name), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|dist)$/.test(path),
    });
  await linkPackages(project);
  await writeFiles(project, {
    'knowledge/default/refunds.md':
      '# Refunds\n\nRefunds are open for 30 days.\n\n## Annual plans\n\nAnnual plans can be refunded within 60 days.\n',
    'hours.html': '<title>Hours</title><main><h1>Hours</h1><p>The office opens at nine.</p></main>',
    '.mastra/output/package.json': '{"name":"server","type":"module"}',
    '.mastra/output/index.mjs': stripTypeScriptTypes(read('src/mastra/index.ts')),
    'public/.keep': '',
  });
  const server = spawn(
    process.execPath,
    [join(root, 'test/release/studio-server.ts'), '../.mastra/output/index.mjs'],
    {
      cwd: join(project, 'public'),
      env: { PATH: process.env['PATH'], ALLOWED_FILE_ROOTS: '.', LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  whenDone(async () => {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const [, port] = /^listens on (\d+)$/.exec(line) ?? [];
    if (port)
      return {
        project,
        client: new MastraClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 }),
      };
  }
  throw new Error('the server ended');
}

let started: ReturnType<typeof startStudio> | undefined;
const studio = () => (started ??= forFile(startStudio));

async function ask(question: string, thread: string, requestContext: any = {}) {
  const agent = (await studio()).client.getAgent('knowledge');
  return agent.generate(question, { memory: { thread, resource: 'knowledge' }, requestContext });
}

it('uses the documents and settings of the project from any working directory', async () => {
  const { client, project } = await studio();
  expect(
    await client.getTool('ingestSources').execute({ data: { sources: [{ path: 'hours.html' }] } }),
  ).toMatchObject({ failed: 0 });
  expect((await ask('@agent when does the office open?', 'hours')).text).toContain(
    'The office opens at nine. [1]',
  );
  expect(readdirSync(join(project, 'public'))).toEqual(['.keep']);
  expect(readdirSync(join(project, 'knowledge/default'))).toHaveLength(2);
});

it('lists all tools, and the MCP server with its tools', async () => {
  const { client } = await studio();
  const { tools } = await client.getAgent('knowledge').details();
  const ofAgent = ['docsRetriever', 'listCalls', 'summarizeCalls'];
  expect(Object.keys(tools).sort()).toEqual(ofAgent);
  expect(Object.keys(await client.listTools())).toEqual(
    expect.arrayContaining([...ofAgent, 'ingestSources', 'searchDocs']),
  );
  expect(await client.getMcpServers()).toMatchObject({
    servers: [{ id: 'knowledge' }],
    total_count: 1,
  });
  const names = (await client.getMcpServerTools('knowledge')).tools.map(({ name }) => name);
  expect(names.sort()).toEqual(['askKnowledge', 'listCalls', 'searchDocs', 'summarizeCalls']);
  const asked = { data: { question: 'how long are refunds open?' } };
  const tool = client.getMcpServerTool('knowledge', 'askKnowledge');
  const text = expect.stringContaining('Refunds are open for 30 days.');
  expect(await tool.execute(asked as any)).toMatchObject({
    result: { output: { reason: 'closest', text } },
  });
});

it('keeps conversations, and answers follow-ups from them', async () => {
  const { client } = await studio();
  expect((await ask('@agent how long are refunds open?', 'follow-up')).text).toContain(
    'Refunds are open for 30 days.',
  );
  expect((await ask('@agent and for annual plans?', 'follow-up')).text).toContain(
    'Annual plans can be refunded within 60 days. [1]',
  );
  // Without the first question, the words of this one cover no document.
  expect((await ask('@agent how long is it?', 'other')).text).toContain('Sources: none');
  expect((await ask('@agent how long is it?', 'follow-up')).text).toContain('60 days. [1]');
  const { messages }: { messages: any[] } = await client.listThreadMessages('follow-up', {
    agentId: 'knowledge',
  });
  const turn = ['user', 'assistant'];
  expect(messages.map(({ role }) => role)).toEqual([...turn, ...turn, ...turn]);
  const results = expect.arrayContaining([expect.objectContaining({ file: 'refunds.md' })]);
  expect(messages[1].content.parts).toMatchObject([
    // As a tool call, Studio would show the answer twice.
    { type: 'data-tool-use', data: { toolName: 'docsRetriever', result: { results } } },
    { type: 'text' },
  ]);
});

it('reads calls only for the acting user of the request context', async () => {
  const { client } = await studio();
  const question = '@agent how many calls did I have?';
  const asUser = { actingUser: 'elena.petrova' };
  expect((await ask(question, 'calls', asUser)).text).toMatch(/^Your \d+ calls took [^[]+ \[1\]/);
  expect((await ask(question, 'calls')).text).not.toMatch(/^Your/);
  const listCalls = client.getTool('listCalls');
  await expect(listCalls.execute({ data: {} })).rejects.toThrow('Calls need a user.');
  const { data }: any = await listCalls.execute({
    data: { perPage: 1 },
    requestContext: asUser as any,
  });
  expect(JSON.stringify(data)).toContain('elena.petrova');
});

it('keeps the scores of answers, but none for silence', async () => {
  const { client } = await studio();
  const scoresOf = async (scorerId: string, thread: string) =>
    (await client.listScoresByScorerId({ scorerId, perPage: 100 })).scores.filter(
      ({ threadId }) => threadId === thread,
    );
  expect(Object.keys(await client.listScorers()).sort()).toEqual([
    'citations',
    'grounding',
    'refusal',
  ]);
  expect((await ask('how long are refunds open?', 'scores')).text).toBe('');
  await ask('@agent how long are refunds open?', 'scores');
  await ask('@agent what is the capital of France?', 'scores');
  await vi.waitFor(async () => expect(await scoresOf('refusal', 'scores')).toHaveLength(2), 20_000);
  // Sections of documents are not judged sentence by sentence.
  for (const id of ['grounding', 'citations']) expect(await scoresOf(id, 'scores')).toEqual([]);
});

it('lists traces and logs', async () => {
  const { client } = await studio();
  await ask('@agent how long are refunds open?', 'traces');
  await client
    .getTool('listCalls')
    .execute({ data: {} })
    .catch(() => undefined);
  const isAgent = ({ name }: { readonly name: string }) => name.includes('agent');
  const pagination = { perPage: 100 };
  await vi.waitFor(
    async () => expect((await client.listTraces({ pagination })).spans.some(isAgent)).toBe(true),
    20_000,
  );
  const timeRange = {
    from: new Date(Date.now() - 86_400_000).toISOString(),
    to: new Date().toISOString(),
  };
  // Studio's page of traces sends this query.
  expect(JSON.stringify(await client.queryTraces({ timeRange } as any))).toContain(
    'Knowledge Agent',
  );
  await vi.waitFor(
    async () => expect((await client.listLogsVNext()).logs.length).toBeGreaterThan(0),
    20_000,
  );
});
