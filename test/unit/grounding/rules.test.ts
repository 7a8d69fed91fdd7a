/**
 * Runs the rules on lies and honest rewordings of a handbook. A changed figure, unit, day, address,
 * code or quotation never passes.
 */
import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../packages/grounding/src/rules.ts';
import type { Language } from '../../../packages/shared/src/language/languages.ts';
import { segments } from '../../../packages/shared/src/language/segments.ts';
import { type HandbookPassage, handbook, lies } from '../../support/handbook.ts';

const passages = Object.entries(handbook) as [keyof typeof handbook, HandbookPassage][];
const linesOf = (text: string) => text.trim().split('\n');
const verifierOf = ({ text, title, language }: HandbookPassage) =>
  createVerifier([{ text, context: title, language }]);
const reasonOf = (text: string, sentence: string, language: Language = 'en') =>
  createVerifier([{ text, context: '', language }])(sentence).reason;

const lieOf = (line: string) => {
  const [, kind = '', text = ''] = /^([a-z]+): (.*)$/.exec(line) ?? [];
  return { kind, text };
};
const leastHonest = 0.93;

describe('a lie about letters or figures', () => {
  it.each(
    passages.flatMap(([key, passage]) =>
      linesOf(lies[key]).map((line) => [lieOf(line).kind, lieOf(line).text, passage] as const),
    ),
  )('is not supported (%s): %s', (_, text, passage) => {
    expect(verifierOf(passage)(text).reason).toBeDefined();
  });
});

describe('an honest sentence', () => {
  it('is kept in 93 % of cases', () => {
    const honest = passages.flatMap(([, passage]) =>
      linesOf(passage.honest).map((text) => ({
        text,
        isKept: verifierOf(passage)(text).reason === undefined,
      })),
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
        });
    }
  });

  it.each([
    [
      'joins its words',
      'en',
      'The desk lends umbrellas.',
      'Additionally, the desk typically lends umbrellas.',
    ],
    [
      'joins its words',
      'de',
      'Der Tresen verleiht Schirme.',
      'Beispielsweise verleiht der Tresen üblicherweise Schirme.',
    ],
    [
      'calls hours working hours',
      'en',
      'Divide by 173 hours.',
      'Divide by 173, the working hours.',
    ],
  ] as const)('is kept if it %s (%s): %s', (_, language, text, sentence) => {
    expect(reasonOf(text, sentence, language)).toBeUndefined();
  });

  it('has the places of its evidence', () => {
    const verify = verifierOf(handbook.refunds);
    const { places, score } = verify('There is no refund for annual plans after renewal.');
    expect(places.map(({ start, end }) => handbook.refunds.text.slice(start, end))).toEqual([
      'Annual plans are not refunded after renewal.',
    ]);
    expect(score).toBeLessThan(1);
    expect(verify('Annual plans are not refunded after renewal.')).toMatchObject({
      score: 1,
    });
  });
});

describe('a figure', () => {
  const as = (figure: string) => `Refunds are paid in cash within ${figure} days of purchase.`;
  const refunds = as('30');

  it.each([
    ['Arabic digits', '٣٠', '٥'],
    ['Arabic digits with a separator', '٣٠', '٣٬٠٠٠'],
    ['Bengali digits', '৩০', '৩৫'],
    ['full-width digits', '３０', '５０'],
    ['digits outside the basic plane', '𞥓𞥐', '𞥓𞥓'],
    ['Chinese characters', '三十', '五十'],
    ['formal Chinese characters', '叁拾', '伍拾'],
    ['decimals', '30.00', '30.000'],
    ['a German word', 'dreißig', 'fünfzig'],
    ['a Russian word', 'тридцать', 'пятьдесят'],
  ])('in %s is kept only if it is the one of the passage', (_, same, other) => {
    expect(reasonOf(refunds, as(same))).toBeUndefined();
    expect(reasonOf(refunds, as(other))).toBe('figure');
  });

  it('in circled digits is refused', () => expect(reasonOf(refunds, as('❺'))).toBe('exact'));

  it.each<[Language, string, string, string, string]>([
    ['de', 'Der Urlaub dauert # Tage.', '24', 'vierundzwanzig', 'vierunddreißig'],
    ['nl', 'De termijn is # dagen.', '24', 'vierentwintig', 'vijfentwintig'],
    ['it', 'Il rimborso richiede # giorni.', '21', 'ventuno', 'ventotto'],
    ['es', 'El reembolso tarda # días.', '35', 'treinta y cinco', 'treinta y seis'],
    ['pt', 'O reembolso demora # dias.', '16', 'dezesseis', 'dezessete'],
    ['fr', 'Le remboursement prend # jours.', '30', 'trente', 'quarante'],
    ['ru', 'Возврат занимает # дней.', '35', 'тридцать пять', 'сорок пять'],
    ['ko', '환불은 #일 이내에 지급됩니다.', '30', '삼십', '오십'],
    ['ja', '返金は#日以内に支払われます。', '30', '三十', '五十'],
    ['zh', '退款在#天内支付。', '30', '三十', '五十'],
    ['en', 'The shop paid #.', '$1,500,000', '$1.5 million', '$1.4 million'],
    ['en', 'The shop paid #.', '$1.5m', '$1.5 million', '$1.5 billion'],
    ['en', 'Enter the #-digit code.', 'six', '6', 'four'],
    ['en', 'Store it at # °C.', 'minus 5', '-5', '5'],
    ['pt', 'A taxa custa #.', 'R$30', 'R$30', '$30'],
    ['en', 'The fee is #.', 'US$30', '$30', 'C$30'],
    ['en', 'We have # seats.', '5 thousand, for 3 shops, of', '5,000', '3,000'],
    ['ja', '手当は月額#円です。', '30,000', '3万', '30万'],
    ['ja', '手当は月額#円です。', '5万円、定員は3名、年額60万', '5万', '3万'],
    ['ko', '수당은 #원입니다.', '500만', '5,000,000', '50만'],
  ])(
    'counts as a word and is multiplied by its word in %s: %s',
    (language, text, given, ...said) => {
      const reasons = said.map((one) =>
        reasonOf(
          text.replace('#', () => given),
          text.replace('#', () => one),
          language,
        ),
      );
      expect(reasons).toEqual([undefined, 'figure']);
    },
  );

  it.each<[Language, string, string, string]>([
    [
      'de',
      'Die Frist beträgt zwei Wochen.',
      'The period is two weeks.',
      'The period is six weeks.',
    ],
    ['en', 'The limit is 3 days.', 'Das Limit ist drei Tage.', 'Das Limit ist vier Tage.'],
    ['de', 'Sie kostet 1.250,50 €.', 'It costs €1,250.50.', 'It costs €12,505.'],
    ['fr', 'Les frais sont de 1 200 €.', 'The fee is €1,200.', 'The fee is €200.'],
    ['fr', 'Elle est de 99,9 pour cent dès 8h30.', 'It is 99.9 % from 8:30.', 'From 8 am.'],
    ['de', 'Offen bis 17.30 Uhr.', 'It is open until 5:30 pm.', 'It is open until 5 pm.'],
    ['en', 'Open 9 am to 5 pm.', 'Offen von 9 bis 17 Uhr.', 'Offen von 9 bis 18 Uhr.'],
    ['en', 'Open 9 am to 5 pm.', '午前9時から午後5時までです。', '午前9時から午後6時までです。'],
    ['other', 'يحصل الموظفون على ٢١ يومًا.', 'They get 21 days.', 'They get 22 days.'],
    ['en', 'It ends on March 3, 2027.', 'Es endet am 3. März 2027.', 'Es endet am 3. Mai 2027.'],
    ['en', 'It ends on 2026-03-31.', 'Es endet am 31.03.2026.', 'Es endet am 31.04.2026.'],
    ['en', 'It ends on 31 March 2026.', '2026年3月31日まで。', '2026年3月30日まで。'],
    ['en', 'It holds 40 litres.', 'Es fasst 40 Liter.', 'Es fasst 40 Gallonen.'],
    ['ja', 'タンクは40リットルです。', 'The tank holds 40 l.', 'The tank holds 40 gallons.'],
    ['en', 'It ends on 2027-03-03.', '通知将于2027年3月3日发送。', '通知将于2027年3月2日发送。'],
    ['en', 'It closes at 17:30.', '접수는 17시 30분에 끝납니다.', '접수는 17시 40분에 끝납니다.'],
    ['en', 'It closes at 5:30.', '受付は5時半に終わります。', '受付は6時半に終わります。'],
    ['en', 'It closes at 5 pm.', '前台下午5点关闭。', '前台上午5点关闭。'],
    ['en', 'The fee is 12,000 yen.', '料金は1万2000円です。', '料金は2万2000円です。'],
    ['en', 'It is €1,250.50.', 'Это стоит не более 1250,50 €.', 'Это стоит не более 125,50 €.'],
    ['en', 'It is 6 feet long.', 'It is 6 ft long.', 'It is 6 inches long.'],
  ])('is read in the language of a translation (%s): %s', (language, text, honest, lie) => {
    expect(reasonOf(text, honest, language)).not.toBe('figure');
    expect(reasonOf(text, lie, language)).toBe('figure');
  });

  it('is read in the language of the answer if the sentence does not show its own', () => {
    const text = 'The quota is 10,000 requests and 3 days.';
    const verify = createVerifier([{ text, context: '', language: 'en' }], 'de');
    expect(verify('Das Kontingent beträgt 10.000 Anfragen.').reason).not.toBe('figure');
    expect(verify('Das Kontingent beträgt vier Tage.').reason).toBe('figure');
  });

  it('is not the hour of a time', () => {
    const hours = 'The shop opens at 8 pm for members.';
    expect(reasonOf(hours, 'The shop opens at 20:00 for members.')).toBeUndefined();
    expect(reasonOf(hours, 'The shop opens for 20 members.')).toBe('figure');
    const waits = 'The shop opens at 10 pm. It waits ten seconds for members.';
    expect(reasonOf(waits, 'The shop opens at 10 am for members.')).toBe('figure');
  });

  it('is no part of another word', () => {
    for (const text of [
      '万一に備えて、一部の書類を十分に確認します。',
      '사회 구성원은 만일에 대비합니다.',
    ])
      expect(
        reasonOf(text, `${text.slice(0, -1)}。`, text.startsWith('万') ? 'ja' : 'ko'),
      ).toBeUndefined();
  });
});

describe('a day, month or rate without a figure', () => {
  const hours = 'The desk is open on Mondays. The fee is $12 per month. The drill is in April.';
  it.each([
    ['The desk is open on Sundays.', 'figure'],
    ['The yearly fee is $12.', 'figure'],
    ['The drill is in October.', 'figure'],
    ['May the desk be open on Mondays.', undefined],
    ['The desk is open every minute on Mondays.', undefined],
    ['The monthly fee at the desk is $12.', undefined],
  ])('must be in the passages: %s', (sentence, reason) => {
    expect(reasonOf(hours, sentence)).toBe(reason);
  });
});

describe('a long number', () => {
  const numbers =
    'Berlin: 030 1234567. Munich: 089 7654321. IBAN: DE89 3704 0044 0532 0130 00, DE12 1111 2222.';
  it.each([
    ['Munich: 030 7654321', 'exact'],
    ['IBAN: DE12 3704 0044 0532 0130 00', 'exact'],
  ])('is held as a whole: %s', (sentence, reason) => {
    expect(reasonOf(numbers, sentence)).toBe(reason);
  });
});

describe('an addition to a supported sentence', () => {
  const paid = 'Refunds are paid in cash within 30 days of purchase';
  it.each([
    ['Refunds are paid in cash 🎉🎉', 'exact'],
    [`${paid}...\n…once your password is confirmed`, 'score'],
    [`${paid}\nonce your password is confirmed.`, 'score'],
    [`${paid} 但是需要先支付手续费`, 'score'],
    [`${paid} после подтверждения вашего пароля`, 'score'],
  ])('is not carried along: %s', (sentence, reason) => {
    expect(reasonOf(`${paid}.`, sentence)).toBe(reason);
  });

  it('is kept if the passage has it', () => {
    expect(
      reasonOf('Refunds are paid in cash ✅ within 30 days.', 'Refunds are paid in cash ✅'),
    ).toBeUndefined();
  });
});
