import { describe, expect, it } from 'vitest';
import { cases, sampled } from '../support/depth.ts';
import { bothMethods, nothingCounted, places, sendLie, sharedStage } from '../support/lie-stage.ts';
import {
  bulk,
  fences,
  forms,
  hidden,
  html,
  images,
  mails,
  ownSources,
  prompts,
  roles,
  urls,
} from '../support/lies-markup.ts';
import {
  citations,
  fromAnotherPassage,
  type Lie,
  mattersOfFact,
  nearlyTrue,
} from '../support/model-lies.ts';

const families: readonly (readonly [string, readonly Lie[]])[] = [
  ...mattersOfFact,
  ['invented citation', citations],
  ['sentence of another passage', fromAnotherPassage],
  ['invented URL', urls],
  ['invented e-mail', mails],
  ['image', images],
  ['HTML', html],
  ['forged sources', ownSources],
  ['the prompt', prompts],
  ["the passages' marks", fences],
  ['roles and calls as text', roles],
  ['another format', forms],
  ['invisible characters', hidden],
  ['too much or nothing', bulk],
];
const ordered = families.flatMap(([family, lies]) =>
  lies.map((lie, order) => ({ ...lie, family, order })),
);
const isDeep = cases(1) > 1;
const minHonestShare = 0.97;

/**
 * Returns the names of the lies that reach the caller, generated or streamed. Any other problem
 * fails the test.
 */
async function liesSent(lies: readonly (Lie & { readonly order: number })[]): Promise<string[]> {
  const stage = await sharedStage();
  const sent: string[] = [];
  for (const lie of lies) {
    const counted = nothingCounted();
    await sendLie(
      stage,
      lie,
      lie.order,
      'behind',
      counted,
      isDeep ? bothMethods : [bothMethods[lie.order % 2]!],
    );
    expect(counted.problems.filter((problem) => !problem.includes(' was sent: '))).toEqual([]);
    if (counted.problems.length > 0) sent.push(lie.name);
  }
  return sent;
}

describe('with a lying model', () => {
  const total = { lies: 0, honest: 0, lost: 0 };

  it.each(families.map(([family]) => family))(
    '%s: no lie reaches a caller, generated or streamed',
    async (family) => {
      const stage = await sharedStage();
      const counted = nothingCounted();
      const all = ordered.filter((lie) => lie.family === family && lie.fault === undefined);
      const lies = sampled(all, 5);
      // By default a sample is tested, each lie at one place with one method; `npm run test:deep`
      // tests all.
      for (const lie of lies)
        if (isDeep)
          for (const place of places) await sendLie(stage, lie, lie.order, place, counted);
        else
          await sendLie(stage, lie, lie.order, places[lie.order % 3]!, counted, [
            bothMethods[lie.order % 2]!,
          ]);
      total.lies += lies.length;
      total.honest += counted.honest;
      total.lost += counted.lost.length;
      expect(counted.problems).toEqual([]);
    },
  );

  it('exactly the known lies pass, each with its reason', async () => {
    const known = ordered.filter(({ fault }) => fault !== undefined);
    expect(known).toHaveLength(4);
    expect(await liesSent(known)).toEqual(known.map(({ name }) => name));
  });

  it('nearly true: exactly the known lies reach a caller', async () => {
    const passing = nearlyTrue.flatMap(({ name, passes }) => (passes ? name : []));
    expect(await liesSent(nearlyTrue.map((lie, order) => ({ ...lie, order })))).toEqual(passing);
  });

  // Sentences are lost after a very long reply, and if a lie follows without a full stop.
  it('nearly every true sentence next to a lie is kept unchanged', () => {
    expect(total.lies).toBeGreaterThan(70);
    expect(1 - total.lost / total.honest).toBeGreaterThanOrEqual(minHonestShare);
  });
});
