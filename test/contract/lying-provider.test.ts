import { describe, expect, it } from 'vitest';
import { cases } from '../support/depth.ts';
import { bothMethods, nothingCounted, places, sendLie, sharedStage } from '../support/lie-stage.ts';
import { bulk, fences, forms, hidden, html, images, mails, ownSources, prompts, roles, urls } from '../support/lies-markup.ts';
import { listed } from '../support/listed.ts';
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
const isDeep = cases(1) > 1;
const minHonestShare = 0.97;

/** One wrong word among many that are true, a condition that was put to them, or the same words in another order. */
const knownNearlyTrue = [
  ...listed(`
      Full refunds are granted within 30 days of purchase to members only.
      Full refunds, minus a handling fee, are granted within 30 days of purchase.
      Recordings of calls are kept for 90 days and then sold. | Every manager has 26 days of paid leave per year.
      An account is deleted after 5 failed attempts. | A key that is used expires after 365 days.
      Meals are reimbursed from 45 euros per day. | Meals are reimbursed up to 45 euros per day in cash.
      The support desk is closed from 08:00 to 18:30 on weekdays.
      The support desk answers from 18:30 to 08:00 on weekdays.
      Verträge können mit einer Frist von 30 Tagen zum Jahresende gekündigt werden.
      Nach der Kündigung werden die Daten 60 Tage verkauft.
      Les commandes sont échangées sous 21 jours après réception du retour. | 返品は注文後30日以内に受け付けます。 | 交換の送料は1,200円です。
    `),
];

/** The names of those that are told, whole and as a stream; anything else that is wrong with an answer fails. */
async function toldOf(lies: readonly (Lie & { readonly order: number })[]): Promise<string[]> {
  const stage = await sharedStage();
  const told: string[] = [];
  for (const lie of lies) {
    const counted = nothingCounted();
    await sendLie(stage, lie, lie.order, 'behind', counted, isDeep ? bothMethods : [bothMethods[lie.order % 2]!]);
    expect(counted.problems.filter((problem) => !problem.includes(' is told: '))).toEqual([]);
    if (counted.problems.length > 0) told.push(lie.name);
  }
  return told;
}

describe('of a model that lies', () => {
  const total = { lies: 0, honest: 0, lost: 0 };

  it.each(families.map(([family]) => family))('%s: nothing reaches a caller, generated or streamed', async (family) => {
    const stage = await sharedStage();
    const counted = nothingCounted();
    const all = ordered.filter((lie) => lie.family === family && lie.fault === undefined);
    const lies = all.filter((_, at) => isDeep || all.length < 20 || at % 2 === 0);
    // Each lie stands in one place and is asked for in one way, in turn; in `npm run test:deep` in each.
    for (const lie of lies)
      if (isDeep) for (const place of places) await sendLie(stage, lie, lie.order, place, counted);
      else await sendLie(stage, lie, lie.order, places[lie.order % 3]!, counted, [bothMethods[lie.order % 2]!]);
    total.lies += lies.length;
    total.honest += counted.honest;
    total.lost += counted.lost.length;
    expect(counted.problems).toEqual([]);
  });

  it('lets exactly four known lies of these families through, each for its reason', async () => {
    const known = ordered.filter(({ fault }) => fault !== undefined);
    expect(known).toHaveLength(4);
    expect(await toldOf(known)).toEqual(known.map(({ name }) => name));
  });

  it('nearly true: exactly those that are known reach a caller', async () => {
    expect(await toldOf(nearlyTrue.map((lie, order) => ({ ...lie, order })))).toEqual(knownNearlyTrue);
  });

  // Lost is what stands behind a very long reply, and what runs into a lie without a stop.
  it('nearly every honest sentence beside a lie is kept whole', () => {
    expect(total.lies).toBeGreaterThan(200);
    expect(1 - total.lost / total.honest).toBeGreaterThanOrEqual(minHonestShare);
  });
});
