import { expect, it } from 'vitest';
import { verifyCitation } from '../../../src/documents/verify-citation.ts';

const quote = 'Refunds take 30 days.';
const text = `Intro. ${quote}`;
const [start, end] = [text.indexOf(quote), text.length];
const cited = { quote, start, end, revision: 'r1' };

it('a citation has moved if its offsets lie outside the text', () => {
  const moved = { status: 'moved', start, end };
  expect(verifyCitation(text, 'r1', { ...cited, end: end + 3 })).toEqual(moved);
  expect(verifyCitation(text, 'r1', { ...cited, start: -quote.length })).toEqual(moved);
  expect(
    verifyCitation(`${quote} x`, 'r1', { ...cited, start: -quote.length - 2, end: -2 }),
  ).toEqual({ status: 'moved', start: 0, end: quote.length });
});

it('a citation is gone without the document or with an empty quote', () => {
  expect(verifyCitation(undefined, undefined, cited)).toEqual({ status: 'gone' });
  expect(verifyCitation(text, 'r1', { ...cited, quote: '', end: start })).toEqual({
    status: 'gone',
  });
});
