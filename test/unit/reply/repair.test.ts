/** A unit of the cited passage replaces a sentence that the passage does not support. */
import { describe, expect, it } from 'vitest';
import { AnswerWriter } from '../../../src/reply/answer-writer.ts';
import { groundReply } from '../../support/grounded.ts';
import { passageOf } from '../../support/passages.ts';

const refund = 'Refunds are paid within 30 days of purchase.';
const giftCard = 'Gift cards are replaced within 10 days of a complaint.';
const parcel = 'Parcels are shipped within 2 days of an order.';
const shop = [refund, giftCard, parcel].join(' ');
const wrongRefund = 'Refunds are paid within 40 days of purchase.';
const wrongGiftCard = 'Gift cards are replaced within 20 days of a complaint.';
const wrongParcel = 'Parcels are shipped within 5 days of an order.';
const table =
  '| Plan | Price | Seats |\n|---|---|---|\n| Basic | $10 | 5 seats |\n| Team | $20 | 25 seats |';

const repaired = (reply: string, ...texts: readonly string[]) => {
  const answer = groundReply(
    reply,
    texts.map((text, number) => passageOf(text, `Document ${number}`)),
  );
  return { ...answer, body: answer.text.split('\n\nSources:')[0] };
};

describe('a false sentence', () => {
  it('becomes the unit of the cited passage, and the answer names the sentence and its reason', () => {
    const {
      body,
      reason,
      dropped,
      repaired: count,
      sentences,
    } = repaired(`${wrongRefund} [1]`, shop);
    expect({ body, reason, dropped, count }).toEqual({
      body: `${refund} [1]`,
      reason: 'answered',
      dropped: 0,
      count: 1,
    });
    expect(sentences).toEqual([
      { text: refund, index: 1, score: 1, repaired: { text: wrongRefund, reason: 'figure' } },
    ]);
  });

  it.each([
    ['cites no passage', wrongRefund],
    ['cites a passage about something else', `${wrongRefund} [2]`],
    ['shares no words with the cited passage', 'The bicycle cellar is locked at eight. [1]'],
  ])('is dropped if it %s', (_, reply) => {
    expect(repaired(reply, shop, 'Recordings of calls stay in the archive.')).toMatchObject({
      reason: 'closest',
      dropped: 1,
      repaired: 0,
    });
  });

  it.each([
    ['a supported sentence showed', refund],
    ['a repair showed', wrongRefund],
  ])('is dropped if %s its unit already', (_, first) => {
    const { body, dropped } = repaired(
      `${first} [1] Refunds of a purchase are paid within 50 days. [1]`,
      shop,
    );
    expect([body, dropped]).toEqual([`${refund} [1]`, 1]);
  });

  it('is dropped after two repairs in a row from its passage', () => {
    const {
      body,
      dropped,
      repaired: count,
    } = repaired(`${wrongRefund} [1] ${wrongGiftCard} [1] ${wrongParcel} [1]`, shop);
    expect({ body, dropped, count }).toEqual({
      body: `${refund} [1] ${giftCard} [1]`,
      dropped: 1,
      count: 2,
    });
  });

  it.each([
    ['a supported sentence', 'Vouchers never expire. [1]', 'Vouchers never expire.'],
    [
      'a repair from another passage',
      'Recordings are kept for 7 weeks. [2]',
      'Recordings are kept for 2 weeks.',
    ],
  ])('is repaired again after %s', (_, between, shown) => {
    const reply = `${wrongRefund} [1] ${wrongGiftCard} [1] ${between} ${wrongParcel} [1]`;
    const { sentences } = repaired(
      reply,
      `${shop} Vouchers never expire.`,
      'Recordings are kept for 2 weeks.',
    );
    expect(sentences.map(({ text }) => text)).toEqual([refund, giftCard, shown, parcel]);
  });

  it('keeps the marker of its list item', () => {
    const { body } = repaired(`1. ${giftCard} [1]\n2. ${wrongRefund} [1]`, shop);
    expect(body).toBe(`1. ${giftCard} [1]\n2. ${refund} [1]`);
  });
});

it('repairs a sentence by a table row with its header', () => {
  const { body } = repaired('The Team plan costs $30 and has 25 seats. [1]', table);
  expect(body).toBe('| Plan | Price | Seats |\n| --- | --- | --- |\n| Team | $20 | 25 seats [1] |');
});

describe('a changed code block', () => {
  const blockOf = (lines: number) =>
    Array.from({ length: lines }, (_, at) => `shop install --part ${at}`).join('\n');
  const reply = '```sh\nshop install --part 77\nshop install --part 1\n```\n[1]';
  const passage = (lines: number) =>
    `Install the parts of the shop:\n\n\`\`\`sh\n${blockOf(lines)}\n\`\`\``;

  it.each([1, 12])("becomes the passage's own block of %d lines", (lines) => {
    const { body, sentences } = repaired(reply, passage(lines));
    expect(body).toBe(`\`\`\`\n${blockOf(lines)}\n\`\`\`\n[1]`);
    expect(sentences[0]?.repaired?.reason).toBe('exact');
  });

  it('is dropped if the block of the passage is longer', () => {
    expect(repaired(reply, passage(13))).toMatchObject({ dropped: 1, repaired: 0 });
  });

  it('is not replaced by prose', () => {
    expect(repaired(reply, 'Run shop install for each part of the shop.')).toMatchObject({
      dropped: 1,
      repaired: 0,
    });
  });
});

it('streams the same text, however the reply is cut', () => {
  const reply = `${refund} [1] ${wrongGiftCard} [1]\n\n- ${wrongParcel} [1]\n`;
  const whole = groundReply(reply, [passageOf(shop)]);
  for (const size of [1, 7, 40]) {
    const writer = new AnswerWriter({ passages: [passageOf(shop)] });
    let text = '';
    for (let at = 0; at < reply.length; at += size) text += writer.push(reply.slice(at, at + size));
    const { rest, answer } = writer.end();
    expect([text + rest, answer]).toEqual([whole.text, whole]);
  }
});
