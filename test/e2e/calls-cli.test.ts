import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callRecords, toJsonLines } from '../../scripts/call-records.ts';
import { pageByOracle } from '../support/calls-oracle.ts';
import { runCommand } from '../support/run-command.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const tomorrow = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400;
const records = [...callRecords({ count: 200, seed: 4, until: tomorrow, days: 20 })];

async function setUp(settings: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'calls.jsonl': toJsonLines(records) });
  const file = join(folder, 'calls.jsonl');
  return (...args: string[]) => runCommand(['calls', ...args], { CALLS_FILE: file, ...settings });
}

it('npm run calls lists and summarizes calls', async () => {
  const run = await setUp();
  const weekAgo = Math.floor(Date.now() / 1000) - 7 * 86_400;
  const { data, meta } = pageByOracle(records, {
    statuses: ['ended', 'busy'],
    initiatedAt: { gte: weekAgo },
    perPage: 5,
  });
  const listed = await run('list', '--status', 'ended,busy', '--since', '7d', '--per-page', '5');
  expect(listed.out).toMatch(
    /^started \(UTC\) +status +type +mode +from +to +minutes +users +rec +session\n/,
  );
  expect(
    listed.out
      .split('\n')
      .slice(2, 7)
      .map((line) => line.split(/ +/).at(-1)),
  ).toEqual(data.map(({ sessionId }) => sessionId));
  expect(listed.out).toMatch(
    new RegExp(`\n${meta.pagination.total} calls, page 1 of ${meta.pagination.total_pages}\n$`),
  );
  const minutes = ['--min-minutes', '1.5', '--max-minutes', '30'];
  const json = await run('list', '--uid', 'liam.murphy', ...minutes, '--json');
  expect(JSON.parse(json.out)).toEqual(
    pageByOracle(records, { uid: 'liam.murphy', duration: { gte: 1.5, lte: 30 } }),
  );
  const stats = JSON.parse((await run('stats', '--by', 'status', '--type', 'voice', '--json')).out);
  expect(stats.total.calls).toBe(pageByOracle(records, { type: 'voice' }).meta.pagination.total);
  expect((await run('stats')).out).toMatch(
    /^all +calls +minutes +voice +video\n[\s\S]*\nday \(UTC\) [\s\S]*\nuser /,
  );
});

describe('npm run calls with wrong arguments', () => {
  it.each([
    [['fly']],
    [['list', '--status', 'finished']],
    [['list', '--per-page', '101'], '--per-page must be a whole number from 1 to 100'],
    [['stats', '--by', 'month']],
    [['stats', '--time-zone', 'Mars/Olympus'], '--time-zone must be'],
  ])('exits with 2 and a hint for %j', async (args, hint = '') => {
    const run = await setUp();
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(hint);
    expect(err).toMatch(/Try --help\.\n$/);
  });
});

it('npm run calls exits with 1 and the reason if the file is missing', async () => {
  const run = await setUp({ CALLS_FILE: join(await temporaryFolder(), 'missing.jsonl') });
  const { code, out, err } = await run('list');
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('The calls cannot be read. The operator must check CALLS_FILE.');
});
