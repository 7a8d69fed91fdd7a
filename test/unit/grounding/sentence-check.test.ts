/** Checks a sentence against several passages, and different forms of the same statement. */
import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../packages/grounding/src/rules.ts';
import {
  createSentenceCheck,
  isSupportedSentence,
} from '../../../packages/grounding/src/sentence-check.ts';
import { toCheckedPassage } from '../../../src/ask/reply/checked-passage.ts';
import { passageOf } from '../../support/passages.ts';

const snippet = (text: string, title: string, position: number) =>
  passageOf(text, title, {
    document: { id: `d${position}`, file: `${position}.md`, source: `${position}.md` },
  });

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

  it('cites two if each supports a part of it', () => {
    expect(check(both, [relay, wall])).toEqual([both, 0, 1]);
    expect(check(both, [relay, wall], [2, 1])).toEqual([both, 0, 1]);
  });

  it('is dropped if a half has another figure or no passage', () => {
    for (const lie of [
      'The Relay router has four Ethernet ports and is mounted on the wall with five screws.',
      'The Relay router has six Ethernet ports and is mounted on the wall with two screws.',
      'The Relay router has four Ethernet ports and comes with a lifetime replacement guarantee.',
    ])
      expect(check(lie, [relay, wall]), lie).toBeTypeOf('string');
  });

  it('cites a further passage than its own if that has the rest', () => {
    expect(check(both, [relay, wall], [1])).toEqual([both, 0, 1]);
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
    expect(
      check('Refunds take 5 to 10 business days to reach your card, once approved.', [refunds]),
    ).toEqual(['Refunds take 5 to 10 business days to reach your card, once approved.', 0]);
  });
});

describe('a sentence with a citation', () => {
  const window = ['Refunds', 'Refunds are paid within 30 days of purchase.'] as const;
  const report = [
    'Report',
    'In short, refunds are paid within 30 days of the purchase, as before.',
  ] as const;
  const sentence = 'Refunds are paid within 30 days of purchase.';

  it('keeps it if that passage supports it, even if another one is verbatim', () => {
    expect(check(sentence, [window, report], [2])).toEqual([sentence, 1]);
  });

  it('cites the best supporting passage instead if the cited one does not support it', () => {
    expect(
      check(sentence, [['Calls', 'Recordings are kept for two weeks.'], report, window], [1]),
    ).toEqual([sentence, 2]);
  });

  it('is dropped if no passage supports it', () => {
    expect(check('Refunds are paid within 31 days of purchase.', [window, report], [1])).toBeTypeOf(
      'string',
    );
  });
});

describe('a passage', () => {
  it('ends a sentence at a separate stop or a stop without a space', () => {
    for (const stop of [' . ', '.']) {
      const passage = `The north gate is not staffed${stop}The south gate has guards during the day.`;
      expect(supports(passage, 'The south gate has guards.')).toBe(true);
    }
  });

  it('may negate a condition before or after its consequence', () => {
    const fee = 'If you cannot afford the filing fee, you can ask for a fee waiver.';
    expect(supports(fee, "If you can't afford the filing fee, you can request a fee waiver.")).toBe(
      true,
    );
    const vote =
      'The chamber meets at once to vote for a president if no candidate receives a majority of the votes.';
    expect(
      supports(
        vote,
        'If no candidate receives a majority of the votes, the chamber meets to vote for a president.',
      ),
    ).toBe(true);
  });

  it('reads figures joined by a comma or `and` as one date or range', () => {
    const passage =
      'The handbook was published on June 16 , 1972 by the press office . Winds of 80 and 100 mph ( 130 and 160 km / h ) are rare .';
    expect(supports(passage, 'The handbook was published on June 16, 1972.')).toBe(true);
    expect(supports(passage, 'The handbook was published on June 16, 1973.')).toBe(false);
    expect(supports(passage, 'The handbook was published on June 17, 1972.')).toBe(false);
  });

  it('ends the unit of a figure at a comma', () => {
    const passage =
      'The counter closes at 8:30 p.m. and opens on Mondays at 4 a.m. for everybody who applies.';
    expect(supports(passage, 'The counter closes at 8:30 p.m., Mondays it opens at 4 a.m.')).toBe(
      true,
    );
    expect(supports(passage, 'The counter closes at 8:40 p.m., Mondays it opens at 4 a.m.')).toBe(
      false,
    );
  });

  it('does not read `business` as business days', () => {
    const passage =
      'The tax rate of an owner depends on the state where the firm is registered. Appeals take five weekdays.';
    expect(
      supports(
        passage,
        "The tax rate of an owner depends on the state where the owner's business is registered.",
      ),
    ).toBe(true);
    expect(supports('Appeals take five days.', 'Appeals take five business days.')).toBe(false);
  });
});

describe('a sentence for the model that checks', () => {
  const pay = 'Refunds are paid within 30 days of purchase. Gift cards are never refunded.';
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
    expect(verdict('Refunds are paid within 30 days of purchase.')).toEqual(['sure', undefined, 0]);
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
    "https://portal.orbit.example'@evil.example",
    "https://portal.orbit.example'.evil.example",
    'https://portal.orbit.example(.evil.example',
    "<https://portal.orbit.example'@evil.example>",
    "https://portal.orbit.example'/../evil",
    'mailto:help@orbit.example?cc=evil',
    "help@orbit.example'@evil.example",
    'help@orbit',
    '../../evil',
    'C:\\evil',
    '-rf',
    'http:/evil.test/pay',
    'https://portal.orbit.example(evil)',
    '20-45-13',
    `${'never-'.repeat(12)}paid`,
    '»evil«',
    '@evil',
    '$EVIL',
    '‹an evil quotation›',
    '`ORBITMAX=6`',
    '`orbit_max=6`',
  ])('that a browser or a shell reads otherwise is no part of the passage: %s', (evil) => {
    const said = `The portal is at https://portal.orbit.example for members ${evil}.`;
    expect(verifierOf(text)(said).reason).toBe('exact');
  });

  it.each([
    '**https://portal.orbit.example**',
    '[https://portal.orbit.example](https://portal.orbit.example)',
    '(https://portal.orbit.example)',
    '<https://portal.orbit.example>',
  ])('is held in any markup: %s', (address) => {
    expect(supports(text, `The portal is at ${address}, for members.`)).toBe(true);
  });

  it.each([
    ['at evil.**test', 'exact'],
    ['at evil.*test*', 'exact'],
    ['in 30**5 days', 'figure'],
    ['in 30**5** days', 'figure'],
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
    const at = createSentenceCheck([
      {
        ...toCheckedPassage(snippet('Full refunds are granted within 30 days.', 'Refunds', 0), 0),
        url: 'https://orbit.example/guide',
      },
    ]);
    const linked = (target: string) =>
      at({
        text: `[Full refunds](${target}) are granted within 30 days.`,
        numbers: [1],
        kind: 'sentence',
      }).found;
    for (const target of [
      'https://orbit.example/guide "Pay 900"',
      'https://orbit.example/guide#pay-900',
    ])
      expect(linked(target)).toMatchObject({
        text: '[Full refunds](https://orbit.example/guide) are granted within 30 days.',
      });
  });
});
