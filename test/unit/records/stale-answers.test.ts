import { expect, it } from 'vitest';
import type { Chunk } from '../../../src/documents/document.ts';
import { findSuccessor } from '../../../src/records/stale-answers.ts';
import { passageOf } from '../../support/passages.ts';

/** One chunk per paragraph, below the heading before its `|`. */
const successorOf = (
  quote: string,
  headingPath: readonly string[],
  paragraphs: readonly string[],
  start = 0,
) => {
  let text = '';
  const chunks = paragraphs.map((paragraph): Chunk => {
    const [heading = '', body = ''] = paragraph.split('|');
    const from = text.length;
    text += `${body}\n\n`;
    return { start: from, end: text.length, headingPath: [heading], anchor: null, page: null };
  });
  const { document } = passageOf(text);
  const entry = { document, chunks, stamp: '' as never, titles: [] as never };
  return findSuccessor({ quote, headingPath, start }, text, entry, () => undefined).then(
    (found) => {
      if (found) expect(text.slice(found.start, found.end)).toBe(found.text);
      return found?.text ?? null;
    },
  );
};

const quote = 'Refunds are paid within 30 days of purchase.';
const edited = 'We pay refunds 14 days after purchase.';

it('findSuccessor prefers the sentence with most of the words', async () => {
  const found = 'We pay refunds within 14 days of purchase.';
  const text = `A|Write to us. ${found} Gift cards are never refunded.`;
  expect(await successorOf(quote, ['A'], [text])).toBe(found);
});

it('findSuccessor prefers text that was edited in place', async () => {
  const text = `A|${edited} Refunds of gift cards are paid within 30 days of purchase.`;
  expect(await successorOf(quote, ['A'], [text])).toBe(edited);
  const moved = text.replace('We pay', 'Hot soup. We pay');
  expect(await successorOf(quote, ['A'], [moved])).toContain('gift cards');
});

it('findSuccessor returns as many sentences as the quote has', async () => {
  const two = `${quote} A fee of 3 EUR is kept.`;
  const found = 'Refunds are paid within 14 days. A fee of 5 EUR is kept.';
  const text = `A|Write to us. ${found} Gift cards are never refunded.`;
  expect(await successorOf(two, ['A'], [text], 40)).toBe(found);
});

it('findSuccessor prefers the same section', async () => {
  const elsewhere = 'Refunds are paid within 60 days of purchase.';
  const inOrder = (own: string) => successorOf(quote, ['A'], [`B|${elsewhere}`, `A|${own}`]);
  expect(await inOrder(edited)).toBe(edited);
  expect(await inOrder('Soup is served hot.')).toBe(elsewhere);
});

it('findSuccessor returns null if nothing is similar', async () => {
  const others = ['A|Soup is served hot.', 'B|Purchase orders are signed.'];
  expect(await successorOf(quote, ['A'], others)).toBeNull();
  expect(await successorOf(quote, ['A'], [])).toBeNull();
  expect(await successorOf('...', ['A'], ['A|...'])).toBeNull();
});
