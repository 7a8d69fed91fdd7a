import { describe, expect, it } from 'vitest';
import { personRequestIn } from '../../../packages/shared/src/language/person-request.ts';
import { listed } from '../../support/listed.ts';

const requests: Readonly<Record<string, string>> = {
  en: `
    talk to a human | connect me to an agent | I need a human! | Get me a real human now | human please
    I'd like to chat with someone from your team | This doesn't help. I want to talk to a human.
    That is not what I meant, can I speak to someone? | Could I speak to someone about my invoice from last month?
    I don't want a bot, let me talk to a real person | Hi, can you put me through to customer service?
    can someone call me back please | how can I speak to a human | I would rather talk to an actual person instead of a bot
  `,
  de: `
    Mitarbeiter sprechen | Kann ich bitte mit einem Mitarbeiter reden? | Ich brauche einen Ansprechpartner
    Könnte mich bitte jemand zurückrufen? | Das hilft mir nicht weiter, ich möchte mit einer Person sprechen
    Ich würde gerne mit einem Berater sprechen wegen meiner Rechnung | Können Sie mich mit dem Kundenservice verbinden?
  `,
  fr: `
    Puis-je parler à quelqu’un ? | J'aimerais discuter avec un conseiller s'il vous plaît
    Pouvez-vous me mettre en relation avec un agent ?
  `,
  es: `
    ¿Puedo hablar con un agente, por favor? | páseme con un operador | Quisiera comunicarme con un asesor sobre mi pedido
  `,
  it: 'Posso parlare con una persona reale? | Mi passi un operatore per favore',
  pt: 'Gostaria de falar com um humano, por favor | Preciso falar com alguém do suporte',
  nl: 'Kan ik met een echt persoon praten? | Verbind me door met een medewerker alstublieft',
  ru: 'Соедините меня с оператором, пожалуйста | Можно поговорить с живым человеком?',
  ja: '担当者につないでください | スタッフと話せますか？',
  zh: '转人工 | 请帮我转接人工客服',
  ko: '상담원 연결해 주세요 | 사람과 이야기하고 싶어요',
};

describe('a request for a person', () => {
  it.each(
    Object.entries(requests).flatMap(([language, texts]) =>
      listed(texts).map((text) => [language, text] as const),
    ),
  )('is found in %s: %s', (language, text) => {
    expect(personRequestIn(text)).toBe(language);
  });
});

describe('another question', () => {
  it.each([
    ...listed(`
      how many people work here
      How do I contact customer support? | Can an agent transfer a call to a supervisor? | When may I speak to the press?
      What should I say when a customer writes "I want to talk to a human"?
      Who can I talk to about my leave? | Can you help me? | Are you a human or a robot? | I need a person id for the form
      How do I add a real person to a group? | Mit welchem Mitarbeiter muss ich über Urlaub sprechen?
      Brauche ich einen Ansprechpartner im Einkauf?
      Un agent peut-il annuler une réservation ? | 担当者は誰ですか？ | 客服的工作时间是什么？ | 상담원은 몇 명인가요? | thanks
    `),
    '',
  ])('is none: %s', (text) => {
    expect(personRequestIn(text)).toBeUndefined();
  });
});
