import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AnswerLog } from '../../src/answers/answer-log.ts';
import { documentIdOf } from '../../src/documents/document-file.ts';
import { answered } from '../support/answer-entries.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { runCommand } from '../support/run-command.ts';
import { startSite } from '../support/site.ts';
import { answersIn } from '../support/state.ts';
import { startService, temporaryFolder, writeFiles } from '../support/workspace.ts';

const old = 'Refunds are paid within 30 days of purchase.';
const files = {
  'docs/refunds.md': '# Refunds\n\nRefunds are paid within 14 days of purchase.\n',
  'hr/menu.md': '# Menu\n\nTomato soup is served hot.\n',
};

const run = (args: readonly string[], settings: Record<string, string>) =>
  runCommand(['drift', ...args], settings);

const outdatedAnswer = (runId: string, namespace: string, file: string) => {
  const citation = {
    index: 1,
    documentId: documentIdOf(namespace, file),
    file,
    title: 'Refunds',
    headingPath: ['Refunds'],
  };
  const quoted = { quote: old, start: 11, end: 11 + old.length, revision: 'sha256-earlier' };
  return answered(runId, {
    namespace,
    answer: { reason: 'answered', text: `${old} [1]`, citations: [{ ...citation, ...quoted }] },
  });
};

async function setUp(
  entries = [
    outdatedAnswer('first', 'docs', 'refunds.md'),
    outdatedAnswer('second', 'hr', 'menu.md'),
  ],
) {
  const folder = await temporaryFolder();
  const settings = { KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') };
  await writeFiles(settings.KNOWLEDGE_DIR, files);
  const log = new AnswerLog({
    rows: answersIn(settings.INDEX_DIR),
    maxAnswers: 10,
    clock: () => new Date('2026-03-04T05:06:07Z'),
    onWarning: () => undefined,
  });
  await writeFiles(settings.INDEX_DIR, {});
  for (const entry of entries) {
    log.keep(entry);
    await log.get(entry.runId);
  }
  await log.addFeedback('first', 'a', { rating: 'down' });
  await log.close();
  return {
    settings,
    run: (args: readonly string[] = [], more: Record<string, string> = {}) =>
      run(args, { ...settings, ...more }),
  };
}

describe('npm run drift', () => {
  it('prints old quotes and current text, newest first, and what to do', async () => {
    const { run } = await setUp();
    const { code, out, err } = await run();
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')).toEqual([
      'how long do refunds take?',
      '  hr · asked 2026-03-04 05:06 UTC · 0 up, 0 down · run second',
      '',
      '  [1] Refunds (menu.md)',
      `  was  ${old}`,
      '  now  no similar text is left',
      '',
      '',
      'how long do refunds take?',
      '  docs · asked 2026-03-04 05:06 UTC · 0 up, 1 down · run first',
      '',
      '  [1] Refunds (refunds.md)',
      `  was  ${old}`,
      `  now  ${old.replace('30', '14')}`,
      '',
      '',
      '2 of 2 checked answers quote text that the documents no longer contain.',
      expect.stringMatching(/^Inform the users who got them/),
      '',
    ]);
  });

  it('queries a running server with a key and reports why it refuses', async () => {
    const { settings } = await setUp();
    const keys = { API_KEYS: 'all,reader=docs:read' };
    const url = await serveOnLoopback(await startService({ ...settings, ...keys }), keys);
    const at = (args: readonly string[], key: string) =>
      run(['--server', url, ...args], { KNOWLEDGE_API_KEY: key });
    expect((await at(['-n', 'docs'], 'all')).out).toContain(`  now  ${old.replace('30', '14')}\n`);
    expect(JSON.parse((await at(['--json'], 'all')).out).answers).toHaveLength(2);
    expect(await at([], 'reader')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('admin'),
    });
    expect(await at(['-n', 'none'], 'all')).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'There is no namespace "none". Ingesting a source into it creates it.',
      ),
    });
    const site = await startSite({ '/api/answers?state=stale&limit=50': { body: '<p>hello</p>' } });
    expect(await run(['--server', site.url], {})).toMatchObject({
      code: 1,
      err: expect.stringContaining('an unknown format'),
    });
  });

  it('prints help, exits with 2 for wrong arguments and with 1 on failure', async () => {
    const { run } = await setUp([]);
    expect((await run(['--help'])).out).toContain('knowledge-agent drift ');
    for (const args of [
      ['--limit', '0'],
      ['--limit', '501'],
      ['extra'],
      ['--colour'],
      ['--server', 'ftp://x'],
    ])
      expect(await run(args)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/Try --help\.\n$/),
      });
    expect(await run(['-n', 'none'])).toMatchObject({
      code: 1,
      err: 'There is no namespace "none". Ingesting a source into it creates it.\n',
    });
  });
});
