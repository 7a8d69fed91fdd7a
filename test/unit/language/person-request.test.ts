import { describe, expect, it } from 'vitest';
import { personRequestIn } from '../../../packages/shared/src/language/person-request.ts';

const requests: Readonly<Record<string, readonly string[]>> = {
  en: [
    'talk to a human',
    'Can I talk to a person please?',
    'I want to speak with a real person',
    'connect me to an agent',
    'please transfer me to a representative',
    'I need a human!',
    'Get me a real human now',
    'human please',
    "I'd like to chat with someone from your team",
    "This doesn't help. I want to talk to a human.",
    'That is not what I meant, can I speak to someone?',
    'Could I speak to someone about my invoice from last month?',
    "I don't want a bot, let me talk to a real person",
    'Is there any way to talk to a human being?',
    'Hi, can you put me through to customer service?',
    'can someone call me back please',
    'Hello! Could you please connect me with a live agent?',
    'how can I speak to a human',
    'I would rather talk to an actual person instead of a bot',
  ],
  de: [
    'Mitarbeiter sprechen',
    'Ich möchte mit einem Menschen sprechen',
    'Kann ich bitte mit einem Mitarbeiter reden?',
    'Verbinden Sie mich mit einem echten Menschen',
    'ich will jetzt mit jemandem vom Support sprechen',
    'Ich brauche einen Ansprechpartner',
    'Könnte mich bitte jemand zurückrufen?',
    'Das hilft mir nicht weiter, ich möchte mit einer Person sprechen',
    'Ich würde gerne mit einem Berater sprechen wegen meiner Rechnung',
    'Können Sie mich mit dem Kundenservice verbinden?',
  ],
  fr: [
    'Je veux parler à un humain',
    'Puis-je parler à quelqu’un ?',
    "J'aimerais discuter avec un conseiller s'il vous plaît",
    'Pouvez-vous me mettre en relation avec un agent ?',
    'parler à une vraie personne',
    'Passez-moi un conseiller svp',
  ],
  es: [
    'Quiero hablar con una persona',
    '¿Puedo hablar con un agente, por favor?',
    'páseme con un operador',
    'Necesito hablar con alguien real',
    'Me gustaría hablar con atención al cliente',
    'Quisiera comunicarme con un asesor sobre mi pedido',
  ],
  it: [
    'Vorrei parlare con un operatore',
    'Posso parlare con una persona reale?',
    'Mi passi un operatore per favore',
    'voglio parlare con qualcuno dell’assistenza',
  ],
  pt: [
    'Quero falar com um atendente',
    'Posso falar com uma pessoa de verdade?',
    'Gostaria de falar com um humano, por favor',
    'Preciso falar com alguém do suporte',
  ],
  nl: [
    'Ik wil met een medewerker spreken',
    'Kan ik met een echt persoon praten?',
    'Verbind me door met een medewerker alstublieft',
    'mag ik iemand van de klantenservice spreken',
  ],
  ru: [
    'Хочу поговорить с человеком',
    'Соедините меня с оператором, пожалуйста',
    'Позовите оператора',
    'Можно поговорить с живым человеком?',
  ],
  ja: [
    '人間と話したいです',
    '担当者につないでください',
    'オペレーターをお願いします',
    'スタッフと話せますか？',
  ],
  zh: ['转人工', '我想和真人说话', '请帮我转接人工客服', '我要找客服'],
  ko: [
    '상담원 연결해 주세요',
    '사람과 이야기하고 싶어요',
    '담당자와 통화하고 싶습니다',
    '상담원 바꿔 주세요',
  ],
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
    'how many people work here',
    'Can a human resources manager approve leave?',
    'Who is the representative of the works council?',
    'What does an operator do?',
    'How do I contact customer support?',
    'What are the opening hours of customer service?',
    'Can an agent transfer a call to a supervisor?',
    'How do agents talk to customers?',
    'Do I need a human resources approval?',
    'When may I speak to the press?',
    'What should I say when a customer writes "I want to talk to a human"?',
    'Can I talk to someone at the IRS?',
    'Who can I talk to about my leave?',
    'What is human-in-the-loop?',
    'Is there a person responsible for data protection?',
    'Can you help me?',
    'Are you a human or a robot?',
    'I need a person id for the form',
    'How do I add a real person to a group?',
    'Wie viele Mitarbeiter hat die Firma?',
    'Kann ein Mitarbeiter Urlaub übertragen?',
    'Mit welchem Mitarbeiter muss ich über Urlaub sprechen?',
    'Welche Person genehmigt Reisen?',
    'Brauche ich einen Ansprechpartner im Einkauf?',
    '¿Cuántas personas trabajan aquí?',
    'Combien de personnes travaillent ici ?',
    'Un agent peut-il annuler une réservation ?',
    'Quante persone lavorano qui?',
    'Сколько человек работает в компании?',
    '担当者は誰ですか？',
    'この会社には何人いますか',
    '客服的工作时间是什么？',
    '如何联系客服',
    '상담원은 몇 명인가요?',
    '',
    'thanks',
  ])('is none: %s', (text) => {
    expect(personRequestIn(text)).toBeUndefined();
  });
});
