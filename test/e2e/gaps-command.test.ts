import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AnswerEntry, AnswerLog } from '../../src/answers/answer-log.ts';
import { unanswered } from '../support/answer-entries.ts';
import { runCommand } from '../support/run-command.ts';
import { answersIn } from '../support/state.ts';
import { temporaryFolder } from '../support/workspace.ts';

async function setUp(entries: readonly AnswerEntry[]) {
  const folder = await temporaryFolder();
  const index = join(folder, 'index');
  const log = new AnswerLog({
    rows: answersIn(index),
    maxAnswers: 10,
    clock: () => new Date('2026-03-04T05:06:07Z'),
    onWarning: () => undefined,
  });
  for (const entry of entries) log.keep(entry);
  await log.close();
  const run = (args: string[], settings: Record<string, string> = {}) =>
    runCommand(['gaps', ...args], {
      KNOWLEDGE_DIR: join(folder, 'knowledge'),
      INDEX_DIR: join(folder, 'index'),
      ...settings,
    });
  return { folder, index, run };
}

const entries = [
  unanswered('a', 'How do I reset my password?', { coverage: 0.25 }),
  unanswered('b', 'how can we reset the password'),
  unanswered('c', 'what does \u001b[31mMary earn?', { namespace: 'hr' }),
];

describe('npm run gaps', () => {
  it('prints the most frequent questions first, with the closest document, without loading documents', async () => {
    const { run, folder } = await setUp(entries);
    const { code, out, err } = await run([]);
    expect([code, err]).toEqual([0, '']);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(
      /^asked +last +coverage +namespace +question +closest document +answer rated not helpful$/,
    );
    expect(lines[2]).toMatch(
      /^2 +2026-03-04 +0\.25 +docs +how do i reset my password\? +refunds\.md$/i,
    );
    expect(lines[3]).toMatch(/^1 +2026-03-04 +0\.20 +hr +what does \[31mMary earn\? +refunds\.md$/);
    expect(existsSync(join(folder, 'knowledge'))).toBe(false);
  });

  it('supports --namespace, --limit and --json', async () => {
    const { run } = await setUp(entries);
    expect(JSON.parse((await run(['--namespace', 'HR', '--json'])).out).gaps).toMatchObject([
      { namespace: 'hr', count: 1 },
    ]);
    const { out } = await run(['--limit', '1']);
    expect(out).toMatch(/\n… and 1 more\n$/);
    expect(JSON.parse((await run(['-l', '1', '--json'])).out).gaps).toHaveLength(1);
  });

  it('reports that there are no gaps or that answers are not stored, and deletes nothing', async () => {
    const { run, index } = await setUp(entries);
    expect((await run([], { LIMITS: 'answers=0' })).out).toContain('LIMITS has answers=0');
    expect(existsSync(join(index, 'state.db'))).toBe(true);
    const empty = await setUp([]);
    expect(await empty.run([])).toMatchObject({
      code: 0,
      out: 'There are no unanswered questions.\n',
    });
    expect(existsSync(join(empty.index, 'state.db'))).toBe(false);
  });

  it.each([
    [['--limit', '0']],
    [['--limit', 'many']],
    [['--limit', '501']],
    [['extra']],
    [['--colour']],
  ])('exits with 2 and a hint for %j', async (args) => {
    const { run } = await setUp([]);
    const { code, err, out } = await run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/Try --help\.\n$/);
  });

  it('prints help and rejects an invalid namespace name', async () => {
    const { run } = await setUp([]);
    expect((await run(['--help'])).out).toContain('knowledge-agent gaps ');
    expect(await run(['-n', '..'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('A namespace name'),
    });
  });
});
