import { expect, it } from 'vitest';
import type { Language } from '../../../packages/shared/src/language/languages.ts';
import { terms } from '../../../packages/shared/src/language/tokens.ts';
import { matchedWords, termsOfQuery } from '../../../src/ask/search-docs.ts';
import { passageOf } from '../../support/passages.ts';

const matchedIn = (text: string, query: string, language: Language = 'en') => {
  const asked = [...terms(query, language)].map((term) => ({
    word: term,
    forms: [{ term, weight: 1 }],
    idf: 1,
    isName: false,
  }));
  const passage = passageOf(text, '', { document: { textLanguage: language } });
  return matchedWords(passage, termsOfQuery(asked));
};

it('matchedWords returns each word of the text once, in order, in any form', () => {
  const text = 'Refunds are paid to the card. A refund is paid once; REFUNDING twice is an error.';
  expect(matchedIn(text, 'paying the refunds')).toEqual(['Refunds', 'refund', 'REFUNDING']);
  expect(matchedIn(text, 'paid refund card')).toEqual([
    'Refunds',
    'paid',
    'card',
    'refund',
    'REFUNDING',
  ]);
});

it('matchedWords omits stop words, even if the query has them', () => {
  expect(matchedIn('Who is the owner of the key?', 'who is the owner')).toEqual(['owner']);
});

it('matchedWords returns whole words if the query has a part of them', () => {
  expect(matchedIn('Die Umsatzsteuernummer steht oben.', 'nummer', 'de')).toEqual([
    'Umsatzsteuernummer',
  ]);
  expect(matchedIn('Call getUserById first.', 'user')).toEqual(['getUserById']);
});

it('matchedWords returns traditional characters for simplified ones', () => {
  expect(matchedIn('鑰匙在門衛處。', '钥匙', 'zh')).toEqual(['鑰匙']);
});

it('matchedWords returns the matched parts in scripts without spaces', () => {
  expect(matchedIn('返金は購入から30日以内に行われます。', '返金 購入', 'ja')).toEqual([
    '返金',
    '購入',
  ]);
  expect(matchedIn('退款政策说明：退款在30天内。', '退款政策', 'zh')).toEqual(['退款政策', '退款']);
  expect(matchedIn('Node設定を開く', 'node 設定', 'ja')).toEqual(['Node', '設定']);
});

it('matchedWords returns at most fifty words, and nothing without a match', () => {
  const many = Array.from({ length: 80 }, (_, number) => `item${number}`).join(' ');
  expect(matchedIn(many, many)).toHaveLength(50);
  expect(matchedIn(many, 'refund')).toEqual([]);
});
