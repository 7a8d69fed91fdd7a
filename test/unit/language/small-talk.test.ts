import { describe, expect, it } from 'vitest';
import {
  messageLanguages,
  type SmallTalk,
  smallTalkOf,
} from '../../../packages/shared/src/language/small-talk.ts';
import { refusal, smallTalkAnswer } from '../../../src/ask/reply/answer.ts';
import { listed } from '../../support/listed.ts';

describe('small talk', () => {
  it.each([
    // English
    ...listed(`
      hi | Hello! | hiii | heyyy there | hey guys | Good morning everyone 😊 | hello, how are you doing today? | what's up | Thanks!
      thaaanks | thx | ty | tnx a lot | Thank you so much for your quick help! | ok thanks, that helps a lot | great answer, thank you
      Perfect 👍 | 👍 | 🎉🎉🎉 | :) | That’s exactly what I needed | awesome, works like a charm | ok | Okay, got it. | makes sense
      no worries | I see, thanks | lol | sorry about that | you are the best | bye | byeee! | see you later | have a great weekend
      that's all for now, thanks | who are you? | Are you a bot? | are you a human or a bot | what can you do? | What is your name?
      help | help me please | can you help me with something? | I have a quick question | @agent hello | **Thanks!**
    `),
    'yes\nthank you\n\n🙏',
    // German
    ...listed(`
      Hallo zusammen | Guten Morgen | Danke schön! | Vielen Dank für die schnelle Antwort | Tschüss, bis morgen | alles klar
      Wer bist du? | Kannst du mir helfen?
    `),
    // French
    ...listed(`
      Bonjour ! | merci beaucoup pour l'aide | D’accord | À bientôt | Qui es-tu ?
    `),
    // Spanish
    '¡Hola! ¿Qué tal?',
    'muchas gracias',
    'hasta luego',
    '¿Qué puedes hacer?',
    // Italian
    'Ciao a tutti',
    'grazie mille',
    'va bene',
    'Come stai?',
    // Portuguese
    'bom dia',
    'muito obrigado',
    'tudo bem?',
    'tchau',
    // Dutch
    'Goedemorgen allemaal',
    'dank je wel',
    'tot ziens',
    'hoe gaat het?',
    // Russian
    ...listed(`
      Привет | Большое спасибо! | до свидания | Ты бот? | как дела?
    `),
    // Japanese
    ...listed(`
      こんにちは | ありがとうございます！ | 了解しました | お疲れ様です | あなたは誰ですか？
    `),
    // Chinese
    ...listed(`
      你好 | 谢谢你！ | 好的，明白了 | 再见 | 你是机器人吗？ | 你能做什么？
    `),
    // Korean
    '안녕하세요',
    '감사 합니다!',
    'ㅋㅋㅋㅋ',
    '네, 알겠습니다',
  ])('is detected in %j', (message) => {
    expect(smallTalkOf(message)).toBeDefined();
  });
});

describe('a question', () => {
  it.each([
    '42',
    // English
    ...listed(`
      thanks, and how long do refunds take? | ok so what about annual plans | hello world example | thank you page setup
      bye period policy | refund | hi, how do I reset my password? | hello, is anyone there who knows the vacation policy
      help center | help with billing | Can you help me cancel my subscription? | who are your subprocessors?
      what can you do about spam? | what can I expense? | how are refunds handled | are you GDPR compliant? | are you a public company
      what is your refund policy | what is your address? | how are you billed | who made the payment | good afternoon shift allowance
      good night mode | nice to have features | welcome email template | yes, cancel it | no internet connection | see you in the logs
      have a great weekend rate? | ok button does nothing | sorry page 404 | got it working, but the webhook fails
      true or false flags | hello() | print("hello")
    `),
    '`thanks`',
    ...listed(`
      --help | /help | hi.example.com | thanks@example.com | thanks 10% | thanks for the invoice | is this a bug | are you down?
      agent | bot | ai | logo | DAG | i need help with my laptop | I have a question about overtime
      can I ask you about parental leave | one moment please error | boot
    `),
    // Other languages
    ...listed(`
      Danke, wie lange dauert die Erstattung? | Hallo, wie viele Urlaubstage habe ich?
      Guten Morgen, wo finde ich meine Gehaltsabrechnung? | Kannst du mir bei der Kündigung helfen?
      Bonjour, comment annuler mon abonnement ? | merci, et pour l'annulation ? | ça marche avec Excel ?
      Hola, ¿cómo cancelo mi cuenta? | gracias por la factura | Ciao, come posso cambiare la password? | grazie, e il rimborso?
      Oi, quanto custa o plano anual? | obrigado, e o reembolso? | Hallo, hoe zeg ik mijn abonnement op?
      Привет, сколько дней отпуска? | спасибо, а как вернуть деньги? | こんにちは、返金について教えてください | 名前 | ありがとうございます、返金はいつですか？ | 谢谢，退款需要多久？
      你好，怎么取消订阅？ | 你能做退款吗？ | 안녕하세요, 환불은 얼마나 걸리나요? | 감사합니다 연차는요?
    `),
  ])('is not detected as small talk: %j', (message) => {
    expect(smallTalkOf(message)).toBeUndefined();
  });

  it('is assumed for long messages', () => {
    expect(smallTalkOf('thanks '.repeat(40).trim())).toBeDefined();
    expect(smallTalkOf('thanks '.repeat(41).trim())).toBeUndefined();
    expect(smallTalkOf(`${' '.repeat(400)}thanks`)).toBeUndefined();
  });
});

describe('kinds of small talk', () => {
  it.each<[SmallTalk['kind'], string[]]>([
    ['called', ['', '  ', '?', '...', '!?', '@agent?']],
    [
      'greeting',
      [
        ...listed(`
          hello | Hey agent! | good morning all | Guten Tag | Bonjour | ¿Qué tal? | Ciao | Olá | hoi | как дела? | こんにちは | 你好 | 안녕하세요
          👋
        `),
      ],
    ],
    [
      'thanks',
      [
        ...listed(`
          ok | hi, thank you so much | Danke | merci beaucoup | gracias | grazie | obrigado | bedankt | спасибо | ありがとう | 谢谢 | 감사합니다
          👍
        `),
      ],
    ],
    [
      'bye',
      [
        'thanks, bye',
        'Tschüss',
        'au revoir',
        'adiós',
        'arrivederci',
        'tchau',
        'tot ziens',
        'до свидания',
        'さようなら',
        '再见',
        '잘가요',
      ],
    ],
    [
      'help',
      [
        ...listed(`
          hello, what can you do? | help | who are you? | Was kannst du? | Wobei können Sie mir helfen? | Que peux-tu faire ?
          ¿Qué puedes hacer? | Cosa puoi fare? | O que você pode fazer? | Wat kun je? | Что ты умеешь? | 何ができますか？ | 你能做什么？ | 뭐 할 수 있어?
        `),
      ],
    ],
  ])('include %s', (kind, messages) => {
    expect(messages.map((message) => [message, smallTalkOf(message)?.kind])).toEqual(
      messages.map((message) => [message, kind]),
    );
  });

  it('have a language, which is English for words of several languages', () => {
    const said = [
      'hi',
      'Danke',
      'merci',
      'gracias',
      'grazie',
      'obrigado',
      'bedankt',
      'спасибо',
      'ありがとう',
      '谢谢',
      '감사합니다',
    ];
    expect(said.map((message) => smallTalkOf(message)?.language)).toEqual([...messageLanguages]);
  });
});

describe('the reply to small talk', () => {
  const kinds = ['called', 'greeting', 'thanks', 'bye', 'help'] as const;

  it.each(messageLanguages)(
    'is different for each kind, and without empty placeholders: %s',
    (language) => {
      const texts = kinds.map(
        (kind) => smallTalkAnswer({ kind, language }, [], ['Refunds', 'Calls'], 3).text,
      );
      expect(new Set([...texts, refusal({ language }).text]).size).toBe(kinds.length + 1);
      for (const text of texts) expect(text).toMatch(/^[^{}\n]+$/);
      expect(texts.at(-1)).toMatch(/Refunds.+Calls.+3/);
      expect(smallTalkAnswer({ kind: 'help', language }).text).not.toMatch(/Refunds|[:：] *[.。]/);
      expect(refusal({ language }).text).toMatch(/^[^{}\n]+\n\nSources: none$/);
    },
  );

  it('is English for an unsupported language', () => {
    expect(refusal({ language: 'other' })).toEqual(refusal({ language: 'en' }));
  });
});
