/** The command `knowledge-agent` in its own process, in folders outside of the checkout. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { read, root } from '../support/repository.ts';
import { runCommand, startProgram } from '../support/run-command.ts';
import { inTerminal } from '../support/terminal.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

const main = join(root, 'src/cli/main.ts');
const patient = { timeout: 300_000, interval: 50 };

const start = (cwd: string, command: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  startProgram(command, { HOME: process.env['HOME'], NO_COLOR: '1', ...env }, cwd);
const run = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  start(cwd, [process.execPath, main, ...args], env).ended;
const manifest = JSON.parse(read('package.json'));

describe('knowledge-agent', () => {
  it('prints the version of package.json', async () => {
    expect(await run(await temporaryFolder(), ['--version'])).toEqual({
      code: 0,
      out: `${manifest.version}\n`,
      err: '',
    });
  });

  it.each(['20.20.2', '22.17.1'])('prints one sentence on Node %s', async (version) => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    const args = [
      process.execPath,
      '--import',
      `data:text/javascript,${encodeURIComponent(older)}`,
      main,
      '--version',
    ];
    expect(await start(await temporaryFolder(), args).ended).toEqual({
      code: 1,
      out: '',
      err: `knowledge-agent needs Node ${manifest.engines.node.replace(/^>=|\.0$/g, '')} or newer. This is Node ${version}.\n`,
    });
  });

  it('imports no module before it has checked the version of Node', () => {
    expect(readFileSync(main, 'utf8')).not.toMatch(/^import\b/m);
  });

  it.each(
    'init serve ingest ask eval mcp keys register migrate import export backup restore calls'.split(
      ' ',
    ),
  )('%s --help names the command, and npm run for a checkout', async (name) => {
    const { code, out } = await runCommand([name, '--help']);
    expect([code, manifest.scripts[name]]).toEqual([0, `exec node src/cli/main.ts ${name}`]);
    expect(out).toContain(`\n  knowledge-agent ${name}`);
    expect(out).toMatch(
      /\nIn a checkout, write npm run COMMAND -- instead of knowledge-agent COMMAND\.\n$|^Each command has its own --help\./m,
    );
  });

  it('calls reads the sample of the package if the folder has none', async () => {
    const { code, out } = await run(await temporaryFolder(), ['calls', 'stats', '--json']);
    expect([code, JSON.parse(out).total.calls]).toEqual([0, 500]);
  });
});

describe('knowledge-agent init', () => {
  it('copies the sample documents and a commented .env, and names the next three commands', async () => {
    const folder = join(await temporaryFolder(), 'new');
    const { code, out } = await runCommand(['init', folder]);
    expect([code, out.split('\n').slice(0, 2)]).toEqual([
      0,
      [`created ${folder}/knowledge`, `created ${folder}/.env`],
    ]);
    expect(out.match(/^ {2}knowledge-agent \w+/gm)).toEqual(
      ['ask', 'ingest', 'serve'].map((name) => `  knowledge-agent ${name}`),
    );
    const settings = readFileSync(join(folder, '.env'), 'utf8');
    expect(settings).toContain('\n# PORT=4111\n');
    expect(settings.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
    expect(statSync(join(folder, '.env')).mode & 0o077).toBe(0);
    const question = ['ask', 'how long do refunds take?'];
    expect((await runCommand(question, foldersIn(folder))).out).toContain(
      'Approved refunds take 5 to 10 business days',
    );
  });

  it('changes no existing file', async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { 'knowledge/hr/leave.md': '# Leave\n', '.env': 'PORT=1\n' });
    const { code, out } = await runCommand(['init', folder], { npm_command: 'exec' });
    expect([code, out.split('\n').slice(0, 2)]).toEqual([
      0,
      [`kept    ${folder}/knowledge`, `kept    ${folder}/.env`],
    ]);
    expect(out).toContain('\n  npx knowledge-agent ask ');
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
      '.env',
      'knowledge',
      'knowledge/hr',
      'knowledge/hr/leave.md',
    ]);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('PORT=1\n');
  });

  it('reports a folder that cannot be written', async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { file: '' });
    expect(await runCommand(['init', join(folder, 'file')])).toEqual({
      code: 1,
      out: '',
      err: `${join(folder, 'file')} cannot be written (ENOTDIR).\n`,
    });
  });
});

describe('knowledge-agent serve', () => {
  it('prefers options to the environment, and the environment to .env', async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, {
      'docs/default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
      'docs/outside.md': '# Outside\n',
      '.env': 'HOST=not-an-address\nLOG_LEVEL=info\nKNOWLEDGE_DIR=./not-here\n',
    });
    const options = '--port 0 --knowledge ./docs --state ./state --index ./index'.split(' ');
    const { child, output, ended } = start(folder, [process.execPath, main, 'serve', ...options], {
      HOST: '127.0.0.1',
      PORT: 'invalid',
      STATE_DIR: './elsewhere',
    });
    await vi.waitFor(() => expect(output.out + output.err).toContain('"msg":"ready"'), patient);
    const url = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(output.out)?.[1];
    const body = JSON.stringify({ messages: '@agent when are refunds paid?' });
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const answer = await fetch(`${url}/api/agents/knowledge/generate`, asked);
    expect(await answer.json()).toMatchObject({
      reason: 'closest',
      citations: [{ file: 'refunds.md' }],
    });
    expect((await fetch(`${url}/`)).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(output.err).toBe(
      `Not searched, because outside of a namespace folder: docs/outside.md.\nMove .md files to docs/default, or run "knowledge-agent ingest ./docs" and serve without --knowledge.\n`,
    );
    expect(readdirSync(folder).sort()).toEqual(['.env', 'docs', 'index', 'state']);
  });

  it('names init and exits without a terminal if the folder is missing', async () => {
    const folder = await temporaryFolder();
    const knowledge = join(folder, 'docs');
    const { code, out, err } = await runCommand(['serve', '--knowledge', knowledge]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^There is no folder \S+\/docs with documents: [^.]*"knowledge-agent init" for \.\/knowledge [^.]*\.\n$/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('creates a missing folder if a database has the documents', async () => {
    const folder = await temporaryFolder();
    const { output } = start(folder, [process.execPath, main, 'serve', '--port', '0'], {
      DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c',
    });
    await vi.waitFor(() => expect(output.out + output.err).toContain('listening on '), patient);
    expect(existsSync(join(folder, 'knowledge'))).toBe(true);
  });

  it.each([
    ['y\r', 'copies the samples and starts', 0, true],
    ['n\r', 'does not start', 1, false],
    ['\u0004', 'does not start', 1, false],
  ])('asks on a terminal: after %j it %s', async (answer, _, expected, isCopied) => {
    const folder = await temporaryFolder();
    const command = inTerminal(
      `exec '${process.execPath}' '${main}' serve --port 0 --knowledge docs`,
    );
    const { child, output, ended } = start(folder, ['script', ...command], { TERM: 'dumb' });
    await vi.waitFor(
      () =>
        expect(output.out).toContain(
          'There is no folder docs. Create it with sample documents? [Y/n]',
        ),
      patient,
    );
    child.stdin.write(answer);
    if (isCopied) {
      await vi.waitFor(
        () => expect(output.out).toMatch(/ready {2}namespaces=default {2}documents=\d\d/),
        patient,
      );
      child.stdin.write('\u0003');
    }
    expect((await ended).code).toBe(expected);
    expect(existsSync(join(folder, 'docs/default/refund-policy.md'))).toBe(isCopied);
  });
});
