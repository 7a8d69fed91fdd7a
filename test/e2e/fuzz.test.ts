/** A short `npm run fuzz`: what is wrong is printed as the command prints it. */
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

it.each(['without a model', 'with a model'])('every answer is one that its operation may give, %s', async (name) => {
  const stage = stages[name]!;
  const { url, around, canaries, restock, isAlive } = stage;
  const common = { url, around, canaries, restock, isAlive, validatorOf, seed, requests, concurrency: 4 };
  const { failures, statuses, misdrawn, ...report } = await runPass(common);
  expect(describeFailures(failures, url, seed)).toBe('');
  expect(logProblems(stage.log(), canaries)).toEqual([]);
  expect(stage.isAlive()).toBe(true);
  expect(report.requests).toBe(requests);
  // It is no fuzz of what stands in front: requests are answered, and refused, in every way.
  const seen = new Set([...statuses.values()].flatMap((own) => [...own.keys()]));
  expect([...seen]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404]));
  expect(misdrawn).toBe(0);
});

it('the same seed draws the same requests, and of every operation', async () => {
  const { url, around } = stages['with a model']!;
  const operations = operationsOf(await readDocument(url));
  const isValid = (schema: Parameters<typeof validatorOf>[0], value: unknown) => validatorOf(schema)(value);
  const drawn = (from: number) => {
    const draw = createRequests({ operations, seed: from, memory: createMemory(), around, isValid });
    return Array.from({ length: 300 }, (_, number) => draw(number));
  };
  // What is signed has the time in it.
  const shown = (from: number) =>
    drawn(from).map(({ method, path, body, headers, operation }) =>
      JSON.stringify([method, path, body, 'webhook-id' in headers ? '' : headers, operation.id]),
    );
  expect(shown(1)).toEqual(shown(1));
  expect(shown(1)).not.toEqual(shown(2));
  expect(new Set(drawn(1).map(({ operation }) => operation.id)).size).toBe(operations.length);
});
