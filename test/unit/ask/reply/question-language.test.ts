import { describe, expect, it } from 'vitest';
import { questionLanguage } from '../../../../src/ask/reply/question-language.ts';
import { listed } from '../../../support/listed.ts';

const all = (questions: string, documents?: Parameters<typeof questionLanguage>[1]) => [
  ...new Set(listed(questions).map((question) => questionLanguage(question, documents))),
];

describe('the language of a short question', () => {
  it.each([
    ['de', 'Wie viel? | Wo kann ich parken?'],
    ['en', 'a son and a mother | phone number | what about the night?'],
    ['es', '¿Dónde está el taller? | ¿Tiempo mañana?'],
    ['fr', 'Où est le garage ?'],
    ['it', 'Dove posso andare? | Quando apre il negozio?'],
    ['nl', 'Hoe laat? | Waar is de winkel?'],
    ['pt', 'Onde fica a loja? | Quando não abre?'],
    ['ru', 'Где касса? | Сколько дней мы ждём?'],
    ['ja', '駐車場はどこですか？'],
    ['ko', '주차장이 어디예요?'],
    ['zh', '停车场在哪里？'],
  ] as const)('is %s', (language, questions) => {
    expect(all(questions, 'other')).toEqual([language]);
  });
  it('is that of the documents if it has only characters that they share', () => {
    expect(questionLanguage('経費精算', 'ja')).toBe('ja');
    expect(questionLanguage('経費精算')).toBe('zh');
  });
  it('is that of the documents if it has no messages', () => {
    const foreign = `скільки коштує замок? | колко струва ключът? | kolik stojí zámek? | hur mycket kostar låset? | cât costă cheia?`;
    expect(all(foreign)).toEqual(['en']);
    expect(all(foreign, 'de')).toEqual(['de']);
  });
  it('is that of the documents if it shares only an English word with another', () => {
    expect(all('car rental | war room booking | SSO plus')).toEqual(['en']);
  });
  it('is that of the documents if its words are in several languages, or in none', () => {
    expect(questionLanguage('Quanto?', 'it')).toBe('it');
    expect(questionLanguage('Quanto?', 'pt')).toBe('pt');
    expect(all('VPN? | QX-7 | 12', 'fr')).toEqual(['fr']);
  });
});
