import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireFolders } from '../../src/process.ts';
import { runCommand, startProgram } from '../support/run-command.ts';
import { canMount, startServerProcess } from '../support/server-process.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

/**
 * Runs a script to its end. `mount` is a shell command that runs first, in a new mount namespace.
 */
function run(script: string, args: string[], settings: Record<string, string>, mount?: string) {
  const command = [process.execPath, script, ...args];
  return startProgram(
    mount === undefined
      ? command
      : ['unshare', '-rm', 'sh', '-c', `${mount} && exec "$@"`, 'sh', ...command],
    { PORT: '0', ...settings },
  ).ended;
}

const readOnly = (folder: string) => `mount -t tmpfs -o ro none ${folder}`;

async function setUp() {
  const folder = await temporaryFolder();
  await writeFiles(folder, { file: 'no folder' });
  return {
    folder,
    file: join(folder, 'file'),
    knowledge: join(folder, 'knowledge'),
    index: join(folder, 'index'),
  };
}

describe('the server at startup', () => {
  const problemsOf = (...given: Parameters<typeof requireFolders>) =>
    requireFolders(...given).then(
      () => '',
      ({ message }: Error) => message,
    );
  const bad = (knowledgeDir: string, indexDir: string) => problemsOf({ knowledgeDir, indexDir });

  it('rejects a file in place of a folder, and a folder below a file', async () => {
    const { file, knowledge, index } = await setUp();
    const isFile = `${file} is a file but must be a folder`;
    expect(await bad(file, index)).toContain(`KNOWLEDGE_DIR: ${isFile}`);
    expect(await bad(knowledge, file)).toContain(`INDEX_DIR: ${isFile}`);
    expect(await bad(join(file, 'a'), join(file, 'b'))).toMatch(
      /KNOWLEDGE_DIR: .* is below one, but must be a folder\n.*INDEX_DIR: .* is below one, but must be a folder/,
    );
  });

  it.each([
    ['', '.data', ['STATE_DIR']],
    ['state', 'index', ['STATE_DIR', 'INDEX_DIR']],
    ['.state', '.state/index', []],
    ['..', '../index', []],
  ])(
    'rejects state in %j and an index in %j of KNOWLEDGE_DIR only as namespaces',
    async (state, index, rejected) => {
      const { knowledge: knowledgeDir } = await setUp();
      const [stateDir, indexDir] = [join(knowledgeDir, state), join(knowledgeDir, index)];
      const found = await problemsOf({ knowledgeDir, stateDir, indexDir });
      expect(found.match(/\w+(?=: must not be KNOWLEDGE_DIR or below it)/g) ?? []).toEqual(
        rejected,
      );
    },
  );

  it.skipIf(!canMount())('names each unusable folder and exits', async () => {
    const { file, index } = await setUp();
    await mkdir(index);
    const settings = { KNOWLEDGE_DIR: file, INDEX_DIR: index };
    const { code, out, err } = await run('src/main.ts', [], settings, readOnly(index));
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(
      `The settings have 2 problems:\n  KNOWLEDGE_DIR: ${file} is a file but must be a folder\n  INDEX_DIR: ${index} is on a read-only disk\n`,
    );
  });
});

it('reports state that cannot be opened at startup and exits', async () => {
  const { knowledge, index } = await setUp();
  await mkdir(join(index, 'state.db'), { recursive: true });
  const settings = { KNOWLEDGE_DIR: knowledge, INDEX_DIR: index };
  const { code, err } = await run('src/main.ts', [], settings);
  expect(code).toBe(1);
  expect(err).toMatch(/^Startup failed: EISDIR.*\n$/);
});

it.each([
  ['ingest', ['-'], 'KNOWLEDGE_DIR'],
  ['ask', ['refunds?'], 'STATE_DIR'],
  ['mcp', [], 'INDEX_DIR'],
  ['eval', ['samples/questions.jsonl'], 'INDEX_DIR'],
])('the command %s %j reports an unusable %s', async (name, args, setting) => {
  const { file, knowledge, index } = await setUp();
  await mkdir(knowledge);
  const settings = { KNOWLEDGE_DIR: knowledge, INDEX_DIR: index, [setting]: file };
  const { code, err } = await runCommand([name, ...args], settings, 'Refunds are paid.');
  expect(code).toBe(1);
  expect(err).toBe(
    `The settings have a problem:\n  ${setting}: ${file} is a file but must be a folder\n`,
  );
});

it.skipIf(!canMount())('npm run ask works on a read-only disk', async () => {
  const { knowledge, index } = await setUp();
  await writeFiles(knowledge, {
    'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  });
  await mkdir(index);
  const settings = { KNOWLEDGE_DIR: knowledge, INDEX_DIR: index };
  const args = ['ask', 'how long do refunds take?'];
  const { code, out } = await run('src/cli/main.ts', args, settings, readOnly(index));
  expect(out).toContain('within 30 days');
  expect(code).toBe(0);
});

describe('a second server on the same INDEX_DIR', () => {
  it('is refused with the process id of the first, while commands run and a restart after a kill works', async () => {
    const { knowledge, index } = await setUp();
    await writeFiles(knowledge, {
      'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.',
    });
    const settings = { KNOWLEDGE_DIR: knowledge, INDEX_DIR: index };
    const first = await startServerProcess(settings);
    const { code, out, err } = await run('src/main.ts', [], settings);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      new RegExp(
        `^STATE_DIR: another server uses ${index} \\(process ${first.process.pid} on .+, started at .+Z\\)\\. Stop it, .+\\.\n$`,
      ),
    );
    const answer = await runCommand(
      ['ask', '--namespace', 'docs', '@agent how long do refunds take?'],
      settings,
    );
    expect([answer.code, answer.out]).toEqual([0, expect.stringContaining('30 days')]);
    await first.stop('SIGKILL');
    expect(existsSync(join(index, 'server.json'))).toBe(true);
    const next = await startServerProcess(settings);
    expect(await next.stop('SIGTERM')).toBe(0);
    expect(existsSync(join(index, 'server.json'))).toBe(false);
  });
});
