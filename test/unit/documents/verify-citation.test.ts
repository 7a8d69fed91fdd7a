import { describe, expect, it } from 'vitest';
import { verifyCitation } from '../../../src/documents/verify-citation.ts';

const text = 'Intro.\n\nRefunds take 30 days. Fees take 5.\n\nOutro: Refunds take 30 days.';
const quote = 'Refunds take 30 days.';
const start = text.indexOf(quote);
const cited = { quote, start, end: start + quote.length, revision: 'r1' };

describe('a citation', () => {
  it('holds if the file is unchanged', () => {
    expect(verifyCitation(text, 'r1', cited)).toEqual({ status: 'holds', start, end: cited.end });
  });

  it('has moved after an edit elsewhere, with or without new offsets', () => {
    expect(verifyCitation(`New. ${text}`, 'r2', cited)).toEqual({
      status: 'moved',
      start: start + 5,
      end: cited.end + 5,
    });
    expect(verifyCitation(`${text} New.`, 'r2', cited)).toEqual({
      status: 'moved',
      start,
      end: cited.end,
    });
  });

  it('has moved if its offsets do not match its quote', () => {
    expect(verifyCitation(text, 'r1', { ...cited, start: start + 1 })).toEqual({
      status: 'moved',
      start,
      end: cited.end,
    });
    expect(verifyCitation(text, 'r1', { ...cited, end: cited.end + 1 })).toEqual({
      status: 'moved',
      start,
      end: cited.end,
    });
    const last = text.lastIndexOf(quote);
    expect(
      verifyCitation(text, 'r1', { ...cited, start: last - text.length, end: text.length - 1 }),
    ).toMatchObject({ status: 'moved' });
    expect(verifyCitation(text, 'r1', { ...cited, start: last, end: text.length + 3 })).toEqual({
      status: 'moved',
      start: last,
      end: text.length,
    });
    expect(
      verifyCitation(`${quote} x`, 'r1', { ...cited, start: -quote.length - 2, end: -2 }),
    ).toEqual({
      status: 'moved',
      start: 0,
      end: quote.length,
    });
  });

  it('is gone after an edit of the quote, without the document, and with an empty quote', () => {
    expect(verifyCitation(text.replaceAll('30 days', '14 days'), 'r2', cited)).toEqual({
      status: 'gone',
    });
    expect(verifyCitation(undefined, undefined, cited)).toEqual({ status: 'gone' });
    expect(verifyCitation(text, 'r1', { ...cited, quote: '', end: start })).toEqual({
      status: 'gone',
    });
    expect(verifyCitation('', 'r2', cited)).toEqual({ status: 'gone' });
  });

  it('moves to the occurrence nearest to its old place', () => {
    const many = `ab${'-'.repeat(20)}ab${'-'.repeat(20)}ab`;
    const nearest = (near: number) =>
      verifyCitation(many, 'r2', { quote: 'ab', start: near, end: near + 2, revision: 'r1' });
    expect(
      [0, 10, 11, 12, 30, 34, 1_000_000].map((near) => (nearest(near) as { start: number }).start),
    ).toEqual([0, 0, 0, 22, 22, 44, 44]);
  });
});
