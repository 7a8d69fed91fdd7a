/**
 * Runs the judge on near-true lies and honest rewordings of a handbook. A changed figure, unit,
 * address, code, quotation or negation never passes.
 */
import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../packages/grounding/src/verifier.ts';
import { segments } from '../../../packages/shared/src/language/segments.ts';
import { type HandbookPassage, handbook } from '../../support/handbook.ts';
import { lies } from '../../support/lies.ts';

const passages = Object.entries(handbook) as [keyof typeof handbook, HandbookPassage][];
const linesOf = (text: string) => text.trim().split('\n');
const verifierOf = ({ text, title, language }: HandbookPassage) =>
  createVerifier([{ text, context: title, language }]);
const isSupported = (passage: HandbookPassage, sentence: string) =>
  verifierOf(passage)(sentence).reason === undefined;

interface Lie {
  readonly kind: string;
  readonly text: string;
  readonly isKnownLimit: boolean;
}

const liesOf = (key: keyof typeof handbook): Lie[] =>
  linesOf(lies[key]).map((line) => {
    const [, limit, kind = '', text = ''] = /^(~?)([a-z]+): (.*)$/.exec(line) ?? [];
    return { kind, text, isKnownLimit: limit === '~' };
  });

/** Kinds of lies that may never pass, not even as a known limit. */
const exact = new Set(['figure', 'unit', 'email', 'url', 'code', 'quotation', 'negation', 'day']);
const leastHonest = 0.93;

describe('a near-true lie', () => {
  it.each(
    passages.flatMap(([key, passage]) =>
      liesOf(key).map((lie) => [lie.kind, lie.text, passage, lie] as const),
    ),
  )('is not supported (%s): %s', (_, text, passage, { isKnownLimit }) => {
    // Remove the `~` of a lie that the judge now detects.
    expect(isSupported(passage, text)).toBe(isKnownLimit);
  });

  it('is one of more than 150, and no known limit changes an exact part', () => {
    const all = passages.flatMap(([key]) => liesOf(key));
    expect(all.length).toBeGreaterThan(150);
    expect(all.every(({ kind }) => kind !== '')).toBe(true);
    expect(all.filter(({ kind, isKnownLimit }) => isKnownLimit && exact.has(kind))).toEqual([]);
    expect(all.filter(({ isKnownLimit }) => isKnownLimit).length).toBeLessThanOrEqual(
      all.length * 0.09,
    );
  });
});

describe('an honest sentence', () => {
  it('is kept in 93 % of cases', () => {
    const honest = passages.flatMap(([, passage]) =>
      linesOf(passage.honest).map((text) => ({ text, isKept: isSupported(passage, text) })),
    );
    expect(honest.length).toBeGreaterThan(80);
    const dropped = honest.filter(({ isKept }) => !isKept).map(({ text }) => text);
    expect(dropped.length, dropped.join('\n')).toBeLessThanOrEqual(
      honest.length * (1 - leastHonest),
    );
  });

  it('is kept as verbatim if it is a unit of the passage', () => {
    for (const [, passage] of passages) {
      const verify = verifierOf(passage);
      for (const { start, end } of segments(passage.text))
        expect(verify(passage.text.slice(start, end))).toMatchObject({
          places: [{ passage: 0, start, end }],
          score: 1,
          isVerbatim: true,
        });
    }
  });

  it('has the places of its evidence', () => {
    const verify = verifierOf(handbook.refunds);
    const { places, isVerbatim } = verify('There is no refund for annual plans after renewal.');
    expect(places.map(({ start, end }) => handbook.refunds.text.slice(start, end))).toEqual([
      'Annual plans are not refunded after renewal.',
    ]);
    expect(isVerbatim).toBe(false);
    expect(verify('Annual plans are not refunded after renewal.')).toMatchObject({
      score: 1,
      isVerbatim: true,
    });
  });
});
