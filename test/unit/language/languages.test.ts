import { describe, expect, it } from 'vitest';
import {
  fold,
  isStopWord,
  type Language,
  languageOf,
  stem,
  stopWordShares,
} from '../../../packages/shared/src/language/languages.ts';
import { queryWords } from '../../../packages/shared/src/language/query-words.ts';
import { lexiconSynonyms } from '../../../packages/shared/src/language/synonyms.ts';
import {
  compoundParts,
  isNameAt,
  rawWords,
  termsOf,
} from '../../../packages/shared/src/language/tokens.ts';
import { informationOf, isEnglishWord } from '../../../src/search/word-frequency.ts';

const texts: readonly (readonly [Language, string])[] = [
  ['de', 'Wer einen Tarif bucht, kann den Betrag zurückverlangen, ohne einen Grund zu nennen.'],
  ['en', 'You can ask for the full amount, and we do not want to know the reason for it.'],
  ['es', 'Quien contrata un plan de pago puede pedir la devolución en los 14 días siguientes.'],
  ['fr', 'Vous pouvez demander le remboursement dans les 14 jours, sans donner de raison.'],
  ['it', 'Chi acquista un piano può chiedere il rimborso della somma, senza dire il motivo.'],
  ['nl', 'Wie een pakket koopt, kan het bedrag terugvragen zonder dat hij een reden geeft.'],
  ['pt', 'Quem compra um plano pode pedir a devolução, e não é preciso dizer o motivo para nós.'],
  [
    'ru',
    'Вы можете вернуть деньги после покупки, и мы не будем спрашивать, почему вы это сделали.',
  ],
  ['ja', '購入から14日以内であれば、理由を問わず全額を返金します。API の料金も同じです。'],
  ['zh', '购买后14天内可以申请全额退款,无需说明理由。API 的费用也一样。'],
  ['ko', '구매 후 14일 이내에는 이유를 묻지 않고 전액을 환불해 드립니다. API 요금도 같습니다.'],
];

describe('the language of a text', () => {
  it.each(texts)(
    'is detected as %s by words or script, regardless of the declared language',
    (language, text) => {
      expect(languageOf(text)).toBe(language);
      for (const declared of ['en', 'de-DE', 'fi', ''])
        expect(languageOf(text, declared)).toBe(language);
    },
  );
  it.each([
    'npm install --save-dev\nconst port = 3000;\nport: 3000, host: localhost',
    'Widget\nGadget\nSprocket\nFlange',
    '',
  ])('is the declared one, else English, if %j is unclear', (text) => {
    expect(languageOf(text)).toBe('en');
    expect(languageOf(text, '')).toBe('en');
    const declared = ['de', 'pt-BR', 'FR_ca', 'fi'].map((tag) => languageOf(text, tag));
    expect(declared).toEqual(['de', 'pt', 'fr', 'other']);
  });
  it('is not affected by sizes or a few names in another script', () => {
    expect(languageOf('article,size\nhoodie,S\nhoodie,M\nhoodie,L\nshirt,S')).toBe('en');
    expect(languageOf(`${texts[1]![1]} It is called 返金.`)).toBe('en');
  });
  it('is Japanese with some kana, and with kanji alone if that is declared', () => {
    expect(languageOf('有給休暇は何日？')).toBe('ja');
    expect(['ja', 'zh', undefined].map((declared) => languageOf('経費精算', declared))).toEqual([
      'ja',
      'zh',
      'zh',
    ]);
  });
  it('is unclear if two languages have similar numbers of stop words', () => {
    const between = 'de la a para que';
    const [first, second] = [...stopWordShares(between).values()].sort((a, b) => b - a);
    expect(second).toBeGreaterThan(first! / 1.15);
    expect(languageOf(between)).toBe('en');
    expect(languageOf(between, 'es')).toBe('es');
  });
  it('is detected in ASCII as in any other text', () => {
    for (const text of [
      "Don't they say I'll, we'd and 'well' so well? Hell, id.",
      'De la a para que WIE het the THE',
      "it's 'o' x2y a_b c-d ''",
    ])
      expect([...stopWordShares(text)]).toEqual([...stopWordShares(`${text} …`)]);
  });
  it('is detected from the beginning of a long text', () => {
    expect(languageOf(`${texts[0]![1]}\n`.repeat(40) + `${texts[1]![1]}\n`.repeat(40_000))).toBe(
      'de',
    );
  });
});

describe('a stem', () => {
  it.each([
    ['de', ['Gebühr', 'GEBÜHREN']],
    ['en', ['refund', 'Refunded', 'refunding']],
    ['es', ['reembolso', 'reembolsar']],
    ['fr', ['remboursé', 'remboursées']],
    ['it', ['rimborso', 'rimborsare']],
    ['nl', ['terugbetaling', 'terugbetalingen']],
    ['pt', ['reembolso', 'reembolsar']],
    ['ru', ['возврат', 'возврата']],
  ] as const)('is the same for all inflections of a word: %s', (language, words) => {
    expect(new Set(words.map((word) => stem(word, language))).size).toBe(1);
  });
  it('is the English stem for Latin words in languages without a stemmer', () => {
    for (const language of ['ja', 'zh', 'ko'] as const)
      expect(stem('Refunds', language)).toBe('refund');
    expect(stem('résumés', 'en')).toBe(stem('resumes', 'en'));
  });
  it('is the word itself in other languages, and for figures and versions in all languages', () => {
    expect(stem('Refunds', 'other')).toBe('refunds');
    for (const language of ['en', 'de', 'ru', 'other'] as const) {
      expect(stem('30days', language)).toBe('30days');
      expect(stem('v1', language)).toBe('v1');
    }
  });
});

describe('folding', () => {
  it.each([
    ['Straße', 'strasse'],
    ['Łódź', 'lodz'],
    ['İSTANBUL', 'istanbul'],
    ['ısı', 'isi'],
    ['e\u0301te\u0301', 'ete'],
    ['Ｆｕｌｌ', 'full'],
  ])('turns %s into %s', (word, folded) => expect(fold(word)).toBe(folded));
  it('keeps marks that carry meaning', () => {
    for (const word of ['が', 'パス', 'हिन्दी', '한국어']) expect(fold(word)).toBe(word);
  });
});

describe('a stop word', () => {
  it('is a stop word only in its own language', () => {
    expect(isStopWord('The', 'en')).toBe(true);
    expect(isStopWord('der', 'de')).toBe(true);
    for (const language of ['en', 'ja', 'other'] as const)
      expect(isStopWord('der', language)).toBe(false);
  });
  it.each([
    ['id', "I'd"],
    ['ill', 'I’ll'],
    ['well', "we'll"],
  ])('is not %s, which is also a word, but is %s', (word, contraction) => {
    for (const spelling of [word, word.toUpperCase()])
      expect(isStopWord(spelling, 'en')).toBe(false);
    expect(isStopWord(contraction, 'en')).toBe(true);
  });
});

describe('a compound', () => {
  it.each([
    ['umsatzsteuernummer', 'de', ['umsatzsteuer', 'nummer']],
    ['kündigungsfrist', 'de', ['kündigung', 'frist']],
    ['ziekteverlof', 'nl', ['ziekte', 'verlof']],
  ] as const)(
    '%s (%s) is split into the fewest parts, without linking elements',
    (word, language, parts) => {
      expect(compoundParts(word, language)).toEqual(parts);
    },
  );
  it.each([
    ['rechnung', 'de'],
    ['steuerx', 'de'],
    ['umsatzsteuernummer', 'nl'],
    ['steuer'.repeat(7), 'de'],
  ])('is not detected in %s (%s)', (word, language) =>
    expect(compoundParts(word, language)).toEqual([]),
  );
  it('is indexed by its stem and the stems of its parts', () => {
    expect(termsOf('Kündigungsfrist', 'de')).toEqual([
      stem('Kündigungsfrist', 'de'),
      stem('Kündigung', 'de'),
      stem('Frist', 'de'),
    ]);
  });
});

describe('the words of a query', () => {
  const words = (query: string, ...languages: Language[]) =>
    queryWords(query, languages, languages);
  const termsIn = (query: string, ...languages: Language[]) =>
    words(query, ...languages).flatMap(({ terms }) => terms);

  it('are distinct and exclude stop words', () => {
    expect(termsIn('How long do refunds and a Refund take?', 'en')).toEqual(['refund']);
    expect(termsIn('Wo finde ich die Rechnung?', 'de')).not.toContain('die');
  });
  it('include stop words if there are no others', () => {
    expect(termsIn('who is it', 'en')).toEqual(['who', 'is', 'it']);
    expect(termsIn('', 'en')).toEqual([]);
  });
  it('are stemmed in every language of the documents', () => {
    expect(words('Rechnungen', 'de', 'en')[0]?.terms).toEqual([
      stem('Rechnungen', 'de'),
      stem('Rechnungen', 'en'),
    ]);
  });
  it('include a compound, marked as optional, and its parts', () => {
    const shown = (query: string, language: Language) =>
      words(query, language).map(({ word, isOptional, position }) => [word, isOptional, position]);
    expect(shown('Kündigungsfrist', 'de')).toEqual([
      ['kundigungsfrist', true, 0],
      ['kundig', false, 0],
      ['frist', false, 0],
    ]);
    expect(shown('getUserById fails', 'en')).toEqual([
      ['getuserbyid', true, 0],
      ['user', false, 0],
      ['id', false, 0],
      ['fails', false, 1],
    ]);
  });
  it('are pairs in Chinese and Japanese, with less weight across words, and without question words', () => {
    const shares = (query: string, language: Language) =>
      words(query, language).map(({ word, share }) => [word, share]);
    expect(shares('如何申请退款', 'zh')).toEqual([
      ['何申', 0.3],
      ['申请', 1],
      ['请退', 0.3],
      ['退款', 1],
    ]);
    expect(shares('返金はいつですか', 'ja')).toEqual([
      ['返金', 1],
      ['金は', 0.3],
    ]);
    const parts = { パス: 0.25, スワ: 0.25, ワー: 0.25, ード: 0.25 };
    expect(Object.fromEntries(shares('パスワード', 'ja'))).toEqual({ ...parts, パスワード: 1 });
  });
  it('are names if they have a figure, or a capital inside a sentence, except capitals in German', () => {
    const names = (query: string, language: Language) =>
      words(query, language).flatMap(({ word, isName }) => (isName ? [word] : []));
    expect(names('Does plan 3 cover France? Yes: Ask.', 'en')).toEqual(['3', 'france']);
    expect(names('Wo ist die Rechnung für 2026?', 'de')).toEqual(['2026']);
    for (const word of ['返金', '返金2件'])
      expect(isNameAt(`Is ${word} here`, 3, word, 'en')).toBe(false);
  });
});

describe('synonyms', () => {
  it('match phrases, with the range of their words', () => {
    expect(lexiconSynonyms('en').phrasesIn(rawWords('how do I get my money back'))).toEqual([
      { from: 5, to: 7, stems: ['refund', 'reimburs', 'repai'], phrases: [] },
    ]);
    expect(lexiconSynonyms('en').phrasesIn(rawWords('how do I get my money'))).toEqual([]);
    for (const language of ['de', 'ko', 'other'] as const)
      expect(lexiconSynonyms(language).phrasesIn(rawWords('money back'))).toEqual([]);
  });
  it('match words by stem, and exclude the word itself', () => {
    expect(lexiconSynonyms('en').of('refund')).toEqual(['reimburs', 'repai']);
    expect(lexiconSynonyms('de').of(stem('Rückerstattung', 'de'))).toContain(
      stem('Erstattung', 'de'),
    );
    expect(lexiconSynonyms('ko').of('refund')).toEqual([]);
  });
});

describe('English words', () => {
  it('are detected, unlike misspellings', () => {
    for (const word of ['taxi', 'taxes', 'refund', 'resume'])
      expect(isEnglishWord(word), word).toBe(true);
    for (const word of ['invoise', 'kubernetes', 'tael', '返金', ''])
      expect(isEnglishWord(word), word).toBe(false);
  });
  it('have more information if they are rarer, from 0.2 to 1', () => {
    const shares = ['the', 'money', 'refund', 'qwzx'].map(informationOf);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares[0]).toBe(0.2);
    expect(shares.at(-1)).toBe(1);
  });
});
