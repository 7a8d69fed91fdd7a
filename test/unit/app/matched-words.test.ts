import { expect, it } from 'vitest';
import { matchedWords, termsOfQuery } from '../../../src/app/search/search-docs.ts';
import type { Passage } from '../../../src/documents/document.ts';
import type { Language } from '../../../src/language/languages.ts';
import { terms } from '../../../src/language/tokens.ts';

const matchedIn = (text: string, query: string, language: Language = 'en') => {
  const document = {
    id: '',
    namespace: '',
    file: '',
    title: '',
    source: '',
    kind: 'text',
    revision: '',
    bytes: 0,
    textLanguage: language,
  } as const;
  const place = { chunkId: '', start: 0, end: text.length, headingPath: [], anchor: null, page: null, score: 1 };
  const asked = [...terms(query, language)].map((term) => ({ word: term, forms: [{ term, weight: 1 }], idf: 1, isName: false }));
  return matchedWords({ ...place, text, document } satisfies Passage, termsOfQuery(asked));
};

it('are the words as they stand there, each once, in order, whatever their form', () => {
  const text = 'Refunds are paid to the card. A refund is paid once; REFUNDING twice is an error.';
  expect(matchedIn(text, 'paying the refunds')).toEqual(['Refunds', 'refund', 'REFUNDING']);
  expect(matchedIn(text, 'paid refund card')).toEqual(['Refunds', 'paid', 'card', 'refund', 'REFUNDING']);
});

it('leave out stop words, also where the query asks for one', () => {
  expect(matchedIn('Who is the owner of the key?', 'who is the owner')).toEqual(['owner']);
});

it('are whole words where a part of one was asked for', () => {
  expect(matchedIn('Die Umsatzsteuernummer steht oben.', 'nummer', 'de')).toEqual(['Umsatzsteuernummer']);
  expect(matchedIn('Call getUserById first.', 'user')).toEqual(['getUserById']);
});

it('are the pieces that pairs of characters cover, where a script writes no spaces', () => {
  expect(matchedIn('返金は購入から30日以内に行われます。', '返金 購入', 'ja')).toEqual(['返金', '購入']);
  expect(matchedIn('退款政策说明：退款在30天内。', '退款政策', 'zh')).toEqual(['退款政策', '退款']);
  expect(matchedIn('Node設定を開く', 'node 設定', 'ja')).toEqual(['Node', '設定']);
});

it('are at most fifty, and none where nothing is shared', () => {
  const many = Array.from({ length: 80 }, (_, number) => `item${number}`).join(' ');
  expect(matchedIn(many, many)).toHaveLength(50);
  expect(matchedIn(many, 'refund')).toEqual([]);
});
