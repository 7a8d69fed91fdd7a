import { describe, expect, it } from 'vitest';
import { personRequestIn } from '../../../packages/shared/src/language/person-request.ts';

const requests: Readonly<Record<string, readonly string[]>> = {
  en: [
    'talk to a human',
    'please transfer me to a representative',
    'Get me a real human now',
    'human please',
    "I'd like to chat with someone from your team",
    "This doesn't help. I want to talk to a human.",
    'That is not what I meant, can I speak to someone?',
    'Could I speak to someone about my invoice from last month?',
    "I don't want a bot, let me talk to a real person",
    'Hi, can you put me through to customer service?',
    'can someone call me back please',
    'how can I speak to a human',
  ],
  de: [
    'Mitarbeiter sprechen',
    'Verbinden Sie mich mit einem echten Menschen',
    'Ich brauche einen Ansprechpartner',
    'Könnte mich bitte jemand zurückrufen?',
    'Das hilft mir nicht weiter, ich möchte mit einer Person sprechen',
    'Ich würde gerne mit einem Berater sprechen wegen meiner Rechnung',
  ],
  fr: [
    'Puis-je parler à quelqu’un ?',
    "J'aimerais discuter avec un conseiller s'il vous plaît",
    'Passez-moi un conseiller svp',
  ],
  es: [
    '¿Puedo hablar con un agente, por favor?',
    'páseme con un operador',
    'Quisiera comunicarme con un asesor sobre mi pedido',
  ],
  it: ['Posso parlare con una persona reale?', 'Mi passi un operatore per favore'],
  pt: ['Posso falar com uma pessoa de verdade?', 'Preciso falar com alguém do suporte'],
  nl: ['Kan ik met een echt persoon praten?', 'mag ik iemand van de klantenservice spreken'],
  ru: ['Соедините меня с оператором, пожалуйста', 'Можно поговорить с живым человеком?'],
  ja: ['人間と話したいです', '担当者につないでください'],
  zh: ['转人工', '我想和真人说话', '请帮我转接人工客服'],
  ko: ['상담원 연결해 주세요', '사람과 이야기하고 싶어요'],
};

describe('a request for a person', () => {
  it.each(
    Object.entries(requests).flatMap(([language, texts]) =>
      texts.map((text) => [language, text] as const),
    ),
  )('is found in %s: %s', (language, text) => {
    expect(personRequestIn(text)).toBe(language);
  });
});

describe('another question', () => {
  it.each([
    'Can a human resources manager approve leave?',
    'How do I contact customer support?',
    'Can an agent transfer a call to a supervisor?',
    'Do I need a human resources approval?',
    'When may I speak to the press?',
    'What should I say when a customer writes "I want to talk to a human"?',
    'Can I talk to someone at the IRS?',
    'Who can I talk to about my leave?',
    'Can you help me?',
    'I need a person id for the form',
    'Mit welchem Mitarbeiter muss ich über Urlaub sprechen?',
    'Brauche ich einen Ansprechpartner im Einkauf?',
    '¿Cuántas personas trabajan aquí?',
    'Un agent peut-il annuler une réservation ?',
    '担当者は誰ですか？',
    '客服的工作时间是什么？',
    '상담원은 몇 명인가요?',
    '',
  ])('is none: %s', (text) => {
    expect(personRequestIn(text)).toBeUndefined();
  });
});
