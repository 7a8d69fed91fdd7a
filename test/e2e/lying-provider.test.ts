import { describe, expect, it } from 'vitest';
import { nothingCounted, places, startStage, tell } from '../support/lie-stage.ts';
import { bulk, fences, forms, hidden, html, images, mails, ownSources, prompts, roles, urls } from '../support/lies-markup.ts';
import { citations, fromAnotherPassage, type Lie, mattersOfFact, nearlyTrue } from '../support/model-lies.ts';

const families: readonly (readonly [string, readonly Lie[]])[] = [
  ...mattersOfFact,
  ['citation that was not given', citations],
  ['sentence of another passage', fromAnotherPassage],
  ['invented URL', urls],
  ['invented e-mail', mails],
  ['image', images],
  ['HTML', html],
  ['sources of its own', ownSources],
  ['the prompt', prompts],
  ["the passages' fence", fences],
  ['roles and calls as text', roles],
  ['another form', forms],
  ['characters that nobody sees', hidden],
  ['too much or nothing', bulk],
];
const ordered = families.flatMap(([family, lies]) => lies.map((lie, order) => ({ ...lie, family, order })));
const minHonestShare = 0.97;

describe('of a model that lies', () => {
  const total = { lies: 0, honest: 0, lost: 0 };

  it.each(families.map(([family]) => family))(
    '%s: nothing reaches a caller, generated or streamed',
    { timeout: 300_000 },
    async (family) => {
      const stage = await startStage();
      const counted = nothingCounted();
      const lies = ordered.filter((lie) => lie.family === family && lie.fault === undefined);
      for (const lie of lies) for (const place of places) await tell(stage, lie, lie.order, place, counted);
      total.lies += lies.length;
      total.honest += counted.honest;
      total.lost += counted.lost.length;
      console.log(
        `${family}: ${lies.length} lies, ${counted.honest - counted.lost.length} of ${counted.honest} honest sentences kept whole`,
      );
      expect(counted.problems).toEqual([]);
    },
  );

  it.fails.each(ordered.filter(({ fault }) => fault !== undefined))('$name reaches a caller: $fault', async (lie) => {
    const counted = nothingCounted();
    await tell(await startStage(), lie, lie.order, 'behind', counted);
    expect(counted.problems).toEqual([]);
  });

  it('nearly true: no figure, address or prompt that the passages do not hold reaches a caller', { timeout: 60_000 }, async () => {
    const stage = await startStage();
    const counted = nothingCounted();
    for (const [order, lie] of nearlyTrue.entries()) await tell(stage, { ...lie, tells: [] }, order, 'behind', counted);
    expect(counted.problems).toEqual([]);
  });

  // One wrong word among many that are true, a condition that was put to them, or the same words in another order.
  it.fails('nearly true: none reaches a caller', { timeout: 60_000 }, async () => {
    const stage = await startStage();
    const counted = nothingCounted();
    for (const [order, lie] of nearlyTrue.entries()) await tell(stage, lie, order, 'behind', counted);
    console.log(`nearly true: ${counted.problems.length / 2} of ${nearlyTrue.length} reach a caller`);
    expect(counted.problems).toEqual([]);
  });

  it('more than two hundred lies were told', () => {
    console.log(
      `${total.lies} lies, ${(100 - (100 * total.lost) / total.honest).toFixed(2)} % of ${total.honest} honest sentences kept whole`,
    );
    expect(total.lies).toBeGreaterThan(200);
  });

  // Lost is what stands behind a very long reply, and what runs into a lie without a stop.
  it('nearly every honest sentence beside a lie is kept whole', () => {
    expect(1 - total.lost / total.honest).toBeGreaterThanOrEqual(minHonestShare);
  });
});
