import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { root } from '../support/repository.ts';
import { runCommand } from '../support/run-command.ts';
import { page, startSite } from '../support/site.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

async function setUp() {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'handbook/a.md': '# Leave\n\nEmployees have 25 days of leave.\n',
    'handbook/b.txt': 'Beta.',
    'handbook/c.bin': '\0',
  });
  const run = (
    args: string[],
    { input = '', settings = {} }: { input?: string; settings?: Record<string, string> } = {},
  ) => runCommand(args, { ...foldersIn(folder), ...settings }, input);
  return { folder, run };
}

describe('a command', () => {
  it.each([
    [['ask', '--namespac', 'hr', 'x'], 'Unknown option --namespac. Did you mean --namespace?'],
    [['ask', '--zzzz', 'x'], 'Unknown option --zzzz.\n'],
    [['ask', '--namespace', 'a b', 'x'], 'A namespace name has 1 to 63'],
    [['ingest', '-', '--namespace', 'a b'], 'A namespace name has 1 to 63'],
    [['mcp', '--namespace', 'A B'], 'A namespace name has 1 to 63'],
    [['ingest', '.', '--refresh-every', '1y'], '--refresh-every: must be'],
    [['ingest', '-', '--review-by', 'soon'], '--review-by: must be'],
    [['ingest'], ''],
    [['ingest', 'no-such-file.md'], ''],
    [['ingest', 'http://example.com', '--crawl', '--max-pages', 'many'], ''],
    [['ask'], ''],
  ])('%j is wrong use and says what is right', async (args, message) => {
    const { run } = await setUp();
    const { code, out, err } = await run(args, { input: 'A text.' });
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)]);
    expect(err).toMatch(/Try --help\.\n$/);
    expect(err).not.toMatch(/ {4}at /);
  });

  it.each(['keys', 'calls'])('%s prints its help without a subcommand', async (name) => {
    const { run } = await setUp();
    const { code, out } = await run([name]);
    expect([code, out]).toEqual([2, expect.stringContaining(`knowledge-agent ${name} list`)]);
  });

  it('names the namespaces that there are, and the files that it left out', async () => {
    const { folder, run } = await setUp();
    const { err } = await run(['ingest', join(folder, 'handbook'), '--namespace', 'hr']);
    expect(err).toContain('Left out 1 file of other formats: c.bin.');
    const asked = await run(['ask', '--namespace', 'nosuch', 'how much leave is there?']);
    expect([asked.code, asked.err]).toEqual([
      1,
      expect.stringContaining('You can read "default", "hr".'),
    ]);
  });
});

describe('ingest', () => {
  it('reads a folder outside ALLOWED_FILE_ROOTS, with a line per file and a table', async () => {
    const { folder, run } = await setUp();
    const { code, out, err } = await run(['ingest', join(folder, 'handbook'), '--namespace', 'hr']);
    expect([code, err.match(/^added /gm)?.length]).toEqual([0, 2]);
    expect(out).toMatch(/^status +source +chunks +title or reason\n/);
    expect(out).toContain('hr: 2 added\n');
    expect((await run(['ingest', join(folder, 'handbook'), '-n', 'hr'])).out).toContain(
      'hr: 2 unchanged\n',
    );
    expect((await run(['ask', 'how much leave is there?', '-n', 'hr'])).out).toMatch(
      /^\*\*Leave\*\*\n\nEmployees have 25 days of leave\. \[1\]\n\nSources:\n\[1\] Leave/,
    );
  });

  it('stores a text of standard input with title, author and review date', async () => {
    const { folder, run } = await setUp();
    const reviewed = ['--author', 'Ann Lee', '--review-by', '2027-05-01', '--json'];
    const { out } = await run(['ingest', '-', '--title', 'Refund FAQ', ...reviewed], {
      input: 'Refunds are paid within 30 days.',
    });
    const { file } = JSON.parse(out).results[0].document;
    expect(readFileSync(join(folder, 'knowledge/default', file), 'utf8')).toMatch(
      /\ntitle: Refund FAQ\n[\s\S]*\nauthor: Ann Lee\nreviewedAt: \d{4}-\d\d-\d\d\nreviewBy: 2027-05-01\n/,
    );
  });

  it('crawls a site', async () => {
    const { folder, run } = await setUp();
    const site = await startSite({
      '/': page('Home', 'Welcome.', ['/a', '/b']),
      '/a': page('A', 'Alpha.'),
      '/b': page('B', 'Beta.'),
    });
    const { code, out } = await run(
      ['ingest', `${site.url}/`, '--crawl', '--exclude', '/b', '--json'],
      { settings: { ALLOWED_URL_HOSTS: site.host } },
    );
    expect([code, JSON.parse(out)]).toMatchObject([0, { added: 2 }]);
    expect(readdirSync(join(folder, 'knowledge/default'))).toHaveLength(2);
  });

  it('exits with 1 and the reason if a source fails', async () => {
    const { folder, run } = await setUp();
    const { code, out } = await run([
      'ingest',
      join(folder, 'handbook/a.md'),
      'http://127.0.0.1:1/',
      join(folder, 'handbook/c.bin'),
    ]);
    expect(code).toBe(1);
    expect(out).toMatch(/failed +http:\/\/127\.0\.0\.1:1\/.*ALLOWED_URL_HOSTS/);
    expect(out).toContain('default: 1 added, 2 failed');
  });
});

describe('ask', () => {
  it('exits with 1 without an answer and prints the result as JSON', async () => {
    const { run } = await setUp();
    await run(['ingest', '-'], { input: 'Refunds are paid within 30 days.' });
    const { code, out } = await run(['ask', 'who won the chess championship?', '--json']);
    expect([code, JSON.parse(out).reason]).toEqual([1, 'no_context']);
    expect((await run(['ask', 'x', '-n', 'nowhere'])).err).toBe(
      'There is no namespace "nowhere". Ingesting a source into it creates it. You can read "default".\n',
    );
  });
});

describe('the process of a command', () => {
  const start = (command: string) =>
    promisify(execFile)(process.execPath, ['src/cli/main.ts', command], { cwd: root, env: {} });

  it('lists the commands for --help and for an unknown one', async () => {
    expect((await start('--help')).stdout).toMatch(
      /^Usage: knowledge-agent COMMAND .*\n {2}ask {7}Ask the documents a question\n/s,
    );
    const stderr = expect.stringMatching(
      /^Unknown command "fly"\. Use one of: init, serve, ingest, ask, .*\nTry --help\.\n$/,
    );
    await expect(start('fly')).rejects.toMatchObject({ code: 2, stdout: '', stderr });
    await expect(start('serv')).rejects.toMatchObject({
      code: 2,
      stderr: 'Unknown command "serv". Did you mean serve?\nTry --help.\n',
    });
  });
});
