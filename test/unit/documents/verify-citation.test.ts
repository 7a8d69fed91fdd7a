import { describe, expect, it } from 'vitest';
import { verifyCitation } from '../../../src/documents/verify-citation.ts';

const text = 'Intro.\n\nRefunds take 30 days. Fees take 5.\n\nOutro: Refunds take 30 days.';
const quote = 'Refunds take 30 days.';
const start = text.indexOf(quote);
const cited = { quote, start, end: start + quote.length, revision: 'r1' };

describe('a citation', () => {
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
});
