/** A short `npm run fuzz`; failures print as in the command. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createValidators } from '../../bench/fuzz/checks.ts';
import { logProblems } from '../../bench/fuzz/leaks.ts';
import { createMemory } from '../../bench/fuzz/memory.ts';
import { operationsOf } from '../../bench/fuzz/openapi.ts';
import { describeFailures } from '../../bench/fuzz/report.ts';
import { createRequests } from '../../bench/fuzz/requests.ts';
import { readDocument, runPass } from '../../bench/fuzz/run.ts';
import { startStage } from '../../bench/fuzz/stage.ts';

const seed = 20_261_122;
const requests = 150;
const validatorOf = createValidators();

let stages: Readonly<Record<string, Awaited<ReturnType<typeof startStage>>>>;
beforeAll(async () => {
  const [without, withModel] = await Promise.all([
    startStage({ hasModel: false, pathPrefix: '/k/fuzz-prefix-3c9e71b2' }),
    startStage({ hasModel: true }),
  ]);
  stages = { 'without a model': without, 'with a model': withModel };
});
afterAll(() => Promise.all(Object.values(stages).map((stage) => stage.stop())));

it.each(['without a model', 'with a model'])(
  'every response matches its operation, %s',
  async (name) => {
    const stage = stages[name]!;
    const { url, around, canaries, restock, isAlive } = stage;
    const given = { url, around, canaries, restock, isAlive, validatorOf };
    const pass = await runPass({ ...given, seed, requests, concurrency: 4 });
    const { failures, statuses, misdrawn, ...report } = pass;
    expect(describeFailures(failures, url, seed)).toBe('');
    expect(logProblems(stage.log(), canaries)).toEqual([]);
    expect(stage.isAlive()).toBe(true);
    expect(report.requests).toBe(requests);
    // Requests get past authentication and validation: both successes and refusals occur.
    const seen = new Set([...statuses.values()].flatMap((own) => [...own.keys()]));
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404]));
    expect(misdrawn).toBe(0);
  },
);

it('draws the same requests for the same seed, covering every operation', async () => {
  const { url, around } = stages['with a model']!;
  const operations = operationsOf(await readDocument(url));
  const isValid = (schema: Parameters<typeof validatorOf>[0], value: unknown) =>
    validatorOf(schema)(value);
  const drawn = (from: number) => {
    const memory = createMemory();
    const draw = createRequests({ operations, seed: from, memory, around, isValid });
    return Array.from({ length: 400 }, (_, number) => draw(number));
  };
  // Signed headers contain the time.
  const describeRequests = (from: number) =>
    drawn(from).map(({ method, path, body, headers, operation }) =>
      JSON.stringify([method, path, body, 'webhook-id' in headers ? '' : headers, operation.id]),
    );
  expect(describeRequests(1)).toEqual(describeRequests(1));
  expect(describeRequests(1)).not.toEqual(describeRequests(2));
  expect(new Set(drawn(1).map(({ operation }) => operation.id)).size).toBe(operations.length);
});
