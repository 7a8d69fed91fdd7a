import { describe, expect, it } from 'vitest';
import type { Language } from '../../../packages/shared/src/language/languages.ts';
import { germanForms } from '../../../src/search/query-plan.ts';
import { document, indexOf, office } from '../../support/indexed.ts';

describe('a typing error', () => {
  it.each([
    ['two letters are swapped', 'recrodings'],
    ['a letter is missing', 'recordngs'],
    ['a letter is added', 'rxecordings'],
    ['a letter is replaced', 'recorfings'],
  ])('is corrected if %s', async (_, typed) => {
    const { found, asked } = await indexOf(...office);
    expect(await found(typed)).toEqual(['calls']);
    expect(await asked(typed)).toEqual([[typed, { record: 0.8 }]]);
  });
  it('covers less than the word itself', async () => {
    const { coverage } = await indexOf(...office);
    expect(await coverage('recrodings')).toBeLessThan(await coverage('recordings'));
  });
  it('is not assumed for an English word that no document has: a taxi is not a tax', async () => {
    const { found, asked } = await indexOf(...office);
    expect(await found('taxi')).toEqual([]);
    expect(await asked('taxi')).toEqual([['taxi', {}]]);
    expect(await found('txaes')).toEqual(['taxes']);
  });
  it('is corrected only in the first unknown words of a long query', async () => {
    const { found } = await indexOf(...office);
    const unknown = (count: number) =>
      Array.from(
        { length: count },
        (_, at) => `zqx${'abcdefghij'[at % 10]}${'klmno'[Math.floor(at / 10)]}vw`,
      ).join(' ');
    expect(await found(`${unknown(5)} recrodings`)).toEqual(['calls']);
    expect(await found(`${unknown(40)} recrodings`)).toEqual([]);
  });
  it('is not assumed for a short word, or if documents have the word', async () => {
    const { found } = await indexOf(
      document('a', 'The cat sat.'),
      document('b', 'Korvat'),
      document('c', 'Korvot'),
    );
    expect(await found('czt')).toEqual([]);
    expect(await found('korvat')).toEqual(['b']);
  });
  it('is ignored in a stop word', async () => {
    const { asked, coverage } = await indexOf(...office);
    expect(await asked('waht are recordings fro')).toEqual([
      ['recordings', { record: 1 }],
      ['fro', {}],
    ]);
    expect(await coverage('waht are recordings')).toBe(await coverage('what are recordings'));
  });
  it('is corrected with the letters of the language', async () => {
    const { found } = await indexOf(
      document('ru', 'Возврат денег за покупку.', { language: 'ru' }),
      document('en', 'Other things.'),
    );
    for (const typed of ['вовзрат', 'возрат', 'возаврат'])
      expect(await found(typed), typed).toEqual(['ru']);
  });
});

describe('a synonym', () => {
  it('scores less than the word itself', async () => {
    const { found, asked } = await indexOf(
      ...office,
      document('word', 'A reimbursement is paid within thirty days of purchase to your card.'),
    );
    expect(await found('reimbursement')).toEqual(['word', 'refunds']);
    expect(await asked('reimbursement')).toEqual([['reimbursement', { reimburs: 1, refund: 0.6 }]]);
  });
  it('divides its weight among the words of a phrase', async () => {
    const { asked } = await indexOf(...office);
    expect(await asked('money back')).toEqual([
      ['money', { refund: 0.3 }],
      ['back', { refund: 0.3 }],
    ]);
  });
  it('is found in Japanese and Chinese', async () => {
    const { found, asked } = await indexOf(
      document('ja', '払い戻しは30日以内に行われます。', { language: 'ja' }),
      document('zh', '退款将在三十天内完成。', { language: 'zh' }),
      document('other', '事務所は朝八時に開きます。', { language: 'ja' }),
    );
    expect((await found('返金はいつ?'))[0]).toBe('ja');
    expect(await asked('返金')).toContainEqual(['返金', { 払い戻し: 0.6, 戻し: 0.6 }]);
    expect((await found('退钱要多久'))[0]).toBe('zh');
  });
});

describe('the ranking', () => {
  const filler = 'Some other words are put here so that the lengths are alike.';
  it('prefers titles to headings, and headings to text', async () => {
    const chunk = (text: string, ...headingPath: string[]) => ({ chunks: [{ text, headingPath }] });
    const { found } = await indexOf(
      document('a-text', '', { title: 'Guide', ...chunk(`Wombats. ${filler}`, 'Part') }),
      document('b-heading', '', { title: 'Guide', ...chunk(`Part. ${filler}`, 'Wombats') }),
      document('c-title', '', { title: 'Wombats', ...chunk(`Part. ${filler}`, 'Guide') }),
    );
    expect(await found('wombats')).toEqual(['c-title', 'b-heading', 'a-text']);
  });
  it('prefers words that are close together', async () => {
    const gap =
      'so it continues for long with one thing after another until all is done here '.repeat(4);
    const { found } = await indexOf(
      document('a-scattered', `The wombat. ${gap} The burrow. ${gap}`),
      document('b-close', `The wombat burrow. ${gap} ${gap} The.`),
    );
    expect(await found('wombat burrow')).toEqual(['b-close', 'a-scattered']);
  });
});

describe('a word', () => {
  const finds = async (language: Language, text: string, ...queries: string[]) => {
    const other = language === 'de' ? 'Das Büro öffnet um acht Uhr.' : 'Something else is here.';
    const { found } = await indexOf(
      document('wanted', text, { language }),
      document('other', other, { language }),
    );
    for (const query of queries) expect((await found(query))[0], query).toBe('wanted');
  };
  it.each([
    ['de', 'Die Kündigung kostet eine Gebühr und ist nötig.', 'gebuehren', 'Gebuhr', 'noetig'],
    ['de', 'Ein neues Abenteuer für aktuelle Nutzer.', 'neues', 'aktuell', 'Abenteuer'],
    ['fr', "L'abonnement est résilié à l'échéance.", 'abonnement', 'resilie', 'échéance'],
    ['ja', '返金は購入後30日以内に行われます。', '返金', '購入後の返金について', '30日以内'],
    ['other', 'الدُّخولُ مَجّانيٌّ للأطفال.', 'الدخول', 'للاطفال', 'مجانيّ'],
    ['other', 'הַכְּנִיסָה חוֹפְשִׁית', 'הכניסה'],
    ['other', 'کلید یدکی ۲۵', 'كليد', 'يدكي', '25'],
    ['other', 'Комп’ютер у п’ятій кімнаті.', "комп'ютер", 'компʼютер'],
    ['zh', '钥匙在门卫处。', '鑰匙', '門衛'],
    ['ko', '열쇠함은 현관에 있습니다.', '열쇠함이', '열쇠함을', '현관'],
    ['en', 'Use the pay slip and sign up early.', 'payslip', 'signup'],
    ['en', 'The handbook and the database', 'hand book', 'data base'],
    ['en', 'Valve QR-5512 is new.', 'QR5512', 'QR 5512'],
    ['en', 'Valve QR5512 is new.', 'QR-5512', 'QR 5512'],
    ['en', 'Call getUserById or POST /v3/calls.', 'getuserbyid', 'user', '/v3/calls'],
    ['en', 'ERR_CALL_BUSY means busy since v1.2.3.', 'ERR_CALL_BUSY', 'err busy', 'v1.2.3'],
    ['en', 'See docs.example.com.', 'example', 'docs.example.com'],
  ] as const)('is found in other spellings and by its parts (%s): %s', finds);
  it('has further forms in German', () => {
    for (const word of ['neuen', 'quelle', 'abenteuer']) expect(germanForms(word)).toEqual([]);
    expect(germanForms('gekuendigt')).toEqual(['gekündigt', 'kuendigen', 'kündigen']);
    expect(germanForms('heruntergeladen')).toEqual(['herunterladen']);
  });
  it('is found as a whole identifier before its parts', async () => {
    const { found } = await indexOf(
      document('whole', 'Use getUserById here.'),
      document('parts', 'The user has an id to get by name.'),
    );
    expect(await found('getUserById')).toEqual(['whole', 'parts']);
  });
  it.each([
    ['en', 'Open Thu and Dec.', 'Thursday', 'December'],
    ['de', 'Offen Mi und Okt.', 'Mittwoch', 'Oktober'],
    ['es', 'Abierto vie. y ene.', 'viernes', 'enero'],
    ['fr', 'Ouvert ven. et févr.', 'vendredi', 'février'],
    ['it', 'Aperto ven. e ott.', 'venerdì', 'ottobre'],
    ['nl', 'Open vr en okt.', 'vrijdag', 'oktober'],
    ['pt', 'Aberto sex. e fev.', 'sexta-feira', 'fevereiro'],
    ['ru', 'Открыто пт и окт.', 'пятница', 'октябрь'],
    ['ja', '金曜に休み。', '金曜日'],
    ['zh', '周五休息。', '星期五', '禮拜五'],
  ] as const)('is found as a short day or month: %s', finds);
});

describe('a question in a script without spaces', () => {
  it('is covered by its subject alone', async () => {
    const { coverage } = await indexOf(
      document('zh', '车库在北楼地下。', { language: 'zh' }),
      document('ko', '세탁실은 지하에 있습니다.', { language: 'ko' }),
    );
    for (const question of [
      '车库在哪里？',
      '車庫在哪兒？',
      '세탁실이 어디예요?',
      '세탁실은 어디에 있나요?',
    ])
      expect(await coverage(question)).toBeGreaterThan(0.4);
  });
});

describe('a question for a telephone number or an address', () => {
  it('is covered by one beside its subject', async () => {
    const { coverage, index } = await indexOf(
      document('a', 'Dial 555-0199 for the canteen.'),
      document('b', 'canteen@example.com takes orders.'),
      document('c', 'The canteen has soup on 2024-05-01.'),
    );
    const first = async (query: string) => (await index.search(query, 1)).hits[0]?.documentId;
    expect(await first('phone number of the canteen')).toBe('a');
    expect(await first('email address of the canteen')).toBe('b');
    expect(await coverage('phone number of the canteen')).toBeGreaterThan(0.4);
  });
});
