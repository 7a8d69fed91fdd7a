/** Checks a sentence against several passages, and different forms of the same statement. */
import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../packages/grounding/src/rules.ts';
import {
  createSentenceCheck,
  isSupportedSentence,
} from '../../../packages/grounding/src/sentence-check.ts';
import { toCheckedPassage } from '../../../src/ask/reply/checked-passage.ts';
import { listed } from '../../support/listed.ts';
import { passageOf } from '../../support/passages.ts';

const snippet = (text: string, title: string, position: number) =>
  passageOf(text, title, { document: { id: `d${position}`, source: `${position}.md` } });

function check(
  sentence: string,
  passages: readonly (readonly [title: string, text: string])[],
  numbers: readonly number[] = [],
) {
  const one = createSentenceCheck(
    passages.map(([title, text], position) =>
      toCheckedPassage(snippet(text, title, position), position),
    ),
  );
  const { found } = one({ text: sentence, numbers, kind: 'sentence' });
  return isSupportedSentence(found)
    ? [found.text, ...found.places.map(({ passage }) => passage)]
    : found;
}

const verifierOf = (text: string) => createVerifier([{ text, context: '', language: 'en' }]);
const supports = (passage: string, sentence: string) =>
  verifierOf(passage)(sentence).reason === undefined;

describe('a sentence that no passage supports as a whole', () => {
  const relay = [
    'Relay router',
    'The Relay router has four Ethernet ports for wired devices.',
  ] as const;
  const wall = [
    'Relay router',
    'The Relay router is mounted on the wall with two screws.',
  ] as const;
  const both =
    'The Relay router has four Ethernet ports and is mounted on the wall with two screws.';

  it('cites two if each supports a part of it, whatever it cites', () => {
    for (const numbers of [[], [2, 1], [1]])
      expect(check(both, [relay, wall], numbers)).toEqual([both, 0, 1]);
  });

  it('is dropped if a half has another figure or no passage', () => {
    for (const lie of [
      both.replace('two', 'five'),
      both.replace('four', 'six'),
      'The Relay router has four Ethernet ports and comes with a lifetime replacement guarantee.',
    ])
      expect(check(lie, [relay, wall]), lie).toBeTypeOf('string');
  });
});

describe('an addition to a true sentence', () => {
  const refunds = [
    'Refunds',
    'Approved refunds take 5 to 10 business days to reach your card.',
  ] as const;
  it('drops the sentence if most words at its end are unknown to the passage', () => {
    const long = `${refunds[1]} The days count from the approval of the refund by the billing team of your region.`;
    const sentence =
      'Approved refunds take 5 to 10 business days to reach your card from approval by billing unless helpdesk password resets pend.';
    expect(check(sentence, [['Refunds', long]])).toBe('score');
  });
  it('keeps a remark that the passage contains', () => {
    const remark = 'Refunds take 5 to 10 business days to reach your card, once approved.';
    expect(check(remark, [refunds])).toEqual([remark, 0]);
  });
});

const paid = 'Refunds are paid within 30 days of purchase.';

it('a sentence keeps its citation if that passage supports it, even if another one is verbatim', () => {
  const report = 'In short, refunds are paid within 30 days of the purchase, as before.';
  const passages = [['Refunds', paid] as const, ['Report', report] as const];
  expect(check(paid, passages, [2])).toEqual([paid, 1]);
});

describe('a passage', () => {
  const dated = 'The handbook was published on June 16 , 1972 by the press office .';
  const counter =
    'The counter closes at 8:30 p.m. and opens on Mondays at 4 a.m. for everybody who applies.';

  it.each([
    [
      'with a stop apart',
      'The north gate is not staffed . The south gate has guards during the day.',
      'The south gate has guards.',
    ],
    [
      'with a stop without a space',
      'The north gate is not staffed.The south gate has guards during the day.',
      'The south gate has guards.',
    ],
    [
      'with a condition that is negated in other words',
      'If you cannot afford the filing fee, you can ask for a fee waiver.',
      "If you can't afford the filing fee, you can request a fee waiver.",
    ],
    [
      'with a negated condition after its consequence',
      'The chamber meets at once to vote for a president if no candidate receives a majority.',
      'If no candidate receives a majority, the chamber meets to vote for a president.',
    ],
    [
      'with a date of spaced figures',
      dated,
      'The handbook was published on June 16, 1972.',
      'The handbook was published on June 16, 1973.',
      'The handbook was published on June 17, 1972.',
    ],
    [
      'with figures before a comma',
      counter,
      'The counter closes at 8:30 p.m., Mondays it opens at 4 a.m.',
      'The counter closes at 8:40 p.m., Mondays it opens at 4 a.m.',
    ],
    [
      'about a business, before a sentence with weekdays,',
      'The tax rate depends on the state where the firm is registered. Appeals take five weekdays.',
      "The tax rate depends on the state where the owner's business is registered.",
    ],
    [
      'with days',
      'Appeals take five days.',
      'Appeals take 5 days.',
      'Appeals take five business days.',
    ],
  ])('%s supports the true sentence only: %s', (_, passage, honest, ...lies) => {
    expect(supports(passage, honest)).toBe(true);
    for (const lie of lies) expect(supports(passage, lie), lie).toBe(false);
  });
});

describe('a sentence for the model that checks', () => {
  const pay = `${paid} Gift cards are never refunded.`;
  const verdict = (text: string, texts = [pay]) => {
    const passages = texts.map((one, at) => toCheckedPassage(snippet(one, 'Refunds', at), at));
    const sentence = { text, numbers: [1], kind: 'sentence' } as const;
    const { found } = createSentenceCheck(passages, true)(sentence);
    if (!isSupportedSentence(found)) return found;
    return [
      found.isUnsure ? 'unsure' : 'sure',
      found.reason,
      ...found.places.map(({ passage }) => passage),
    ];
  };
  const likely = 'Refunds are paid to customers within 30 days of purchase.';
  const unlikely =
    'Refunds are paid by bank transfer to every satisfied customer of the branch office within 30 days of purchase.';

  it('passes the rules for letters and figures and is not verbatim; the verdict of the check is kept', () => {
    expect(verdict(likely)).toEqual(['unsure', undefined, 0]);
    expect(verdict(unlikely)).toEqual(['unsure', 'score', 0]);
    expect(verdict(paid)).toEqual(['sure', undefined, 0]);
  });

  it('is not sent if another passage than the cited one supports it', () => {
    const says = `${unlikely} Cheques are not used.`;
    expect(verdict(unlikely, [pay, says])).toEqual(['sure', undefined, 1]);
  });
});

describe('an address', () => {
  const text =
    'The portal is at https://portal.orbit.example for members. Write to help@orbit.example. Set `ORBIT_MAX=6` for members.';
  it.each([
    ...listed(`
      https://portal.orbit.example'@evil.example
      https://portal.orbit.example(.evil.example
      mailto:help@orbit.example?cc=evil | help@orbit | ../../evil | -rf
      http:/evil.test/pay | https://portal.orbit.example(evil) | 20-45-13 | »evil« | @evil | $EVIL
      \`ORBITMAX=6\` | \`orbit_max=6\`
    `),
    'C:\\evil',
    `${'never-'.repeat(12)}paid`,
  ])('that a browser or a shell reads otherwise is no part of the passage: %s', (evil) => {
    const said = `The portal is at https://portal.orbit.example for members ${evil}.`;
    expect(verifierOf(text)(said).reason).toBe('exact');
  });

  it.each([
    '**https://portal.orbit.example**',
    '[https://portal.orbit.example](https://portal.orbit.example)',
    '<https://portal.orbit.example>',
  ])('is held in any markup: %s', (address) => {
    expect(supports(text, `The portal is at ${address}, for members.`)).toBe(true);
  });

  it.each([
    ['at evil.**test', 'exact'],
    ['in 30**5 days', 'figure'],
    ['in 1.*5* days', 'figure'],
    ['in 2\\.5 days', 'figure'],
    ['in 30&shy;5 days', 'markup'],
    ['~~not~~ yet', 'markup'],
    ['[to [all] members](http:/evil.test)', 'markup'],
  ])('and figures are those that a reader sees: %s', (part, reason) => {
    const passage = 'The portal is for members, not yet for all, in 30 or 1, 2 and 5 days.';
    expect(check(`The portal is for members ${part}.`, [['Portal', passage]])).toBe(reason);
  });

  it('keeps the case of its path', () => {
    const short = 'Members pay at https://bit.ly/3aBcD only.';
    expect(supports(short, 'Members only pay at https://BIT.ly/3aBcD.')).toBe(true);
    expect(supports(short, 'Members only pay at https://bit.ly/3AbCd.')).toBe(false);
  });

  it('in a link loses its title and fragment, which nothing checks', () => {
    const url = 'https://orbit.example/guide';
    const passage = snippet('Full refunds are granted within 30 days.', 'Refunds', 0);
    const checkOf = createSentenceCheck([{ ...toCheckedPassage(passage, 0), url }]);
    for (const target of [`${url} "Pay 900"`, `${url}#pay-900`]) {
      const text = `[Full refunds](${target}) are granted within 30 days.`;
      const shown = { text: `[Full refunds](${url}) are granted within 30 days.` };
      expect(checkOf({ text, numbers: [1], kind: 'sentence' }).found).toMatchObject(shown);
    }
  });
});
