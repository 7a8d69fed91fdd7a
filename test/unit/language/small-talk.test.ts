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
    ...listed(`
      hiii | heyyy there | Good morning everyone 😊 | hello, how are you doing today? | what's up | thaaanks | thx
      Thank you so much for your quick help! | ok thanks, that helps a lot | great answer, thank you | Perfect 👍
      🎉🎉🎉 | :) | That’s exactly what I needed | awesome, works like a charm | Okay, got it. | no worries | lol
      you are the best | byeee! | have a great weekend | that's all for now, thanks | Are you a bot? | What is your name?
      can you help me with something? | I have a quick question | @agent hello | **Thanks!**
      Hallo zusammen | Vielen Dank für die schnelle Antwort | Tschüss, bis morgen | alles klar | Kannst du mir helfen?
      merci beaucoup pour l'aide | D’accord | Qui es-tu ? | ¡Hola! ¿Qué tal? | hasta luego | Ciao a tutti | va bene
      bom dia | tudo bem? | Goedemorgen allemaal | hoe gaat het? | Большое спасибо! | Ты бот? | お疲れ様です
      了解しました | あなたは誰ですか？ | 好的，明白了 | 你是机器人吗？ | 감사 합니다! | ㅋㅋㅋㅋ | 네, 알겠습니다
    `),
    'yes\nthank you\n\n🙏',
  ])('is detected in %j', (message) => {
    expect(smallTalkOf(message)).toBeDefined();
  });
});

describe('a question', () => {
  it.each([
    ...listed(`
      42 | thanks, and how long do refunds take? | hello world example | bye period policy | refund | help center
      hello, is anyone there who knows the vacation policy | Can you help me cancel my subscription?
      what can you do about spam? | what can I expense? | are you GDPR compliant? | what is your refund policy
      how are you billed | good night mode | yes, cancel it | no internet connection | see you in the logs
      have a great weekend rate? | got it working, but the webhook fails | hello() | print("hello") | \`thanks\`
      --help | /help | hi.example.com | thanks@example.com | thanks 10% | thanks for the invoice | is this a bug
      agent | bot | ai | logo | DAG | I have a question about overtime | one moment please error | boot
      Danke, wie lange dauert die Erstattung? | Kannst du mir bei der Kündigung helfen?
      merci, et pour l'annulation ? | ça marche avec Excel ? | gracias por la factura | grazie, e il rimborso?
      obrigado, e o reembolso? | Hallo, hoe zeg ik mijn abonnement op? | спасибо, а как вернуть деньги? | 名前
      ありがとうございます、返金はいつですか？ | 谢谢，退款需要多久？ | 你能做退款吗？ | 감사합니다 연차는요?
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
  it.each<[SmallTalk['kind'], string]>([
    ['called', '? | ... | !? | @agent?'],
    [
      'greeting',
      `hello | Hey agent! | good morning all | Guten Tag | Bonjour | ¿Qué tal? | Ciao | Olá | hoi | как дела?
      こんにちは | 你好 | 안녕하세요 | 👋`,
    ],
    ['thanks', 'ok | hi, thank you so much | merci beaucoup | 👍'],
    [
      'bye',
      `thanks, bye | Tschüss | au revoir | adiós | arrivederci | tchau | tot ziens | до свидания
      さようなら | 再见 | 잘가요`,
    ],
    [
      'help',
      `hello, what can you do? | help | who are you? | Was kannst du? | Wobei können Sie mir helfen?
      Que peux-tu faire ? | ¿Qué puedes hacer? | Cosa puoi fare? | O que você pode fazer? | Wat kun je?
      Что ты умеешь? | 何ができますか？ | 你能做什么？ | 뭐 할 수 있어?`,
    ],
  ])('include %s', (kind, given) => {
    const messages = listed(given);
    expect(messages.map((message) => [message, smallTalkOf(message)?.kind])).toEqual(
      messages.map((message) => [message, kind]),
    );
  });

  it('include an empty message as a call', () => {
    for (const message of ['', '  ']) expect(smallTalkOf(message)?.kind).toBe('called');
  });

  it('have a language, which is English for words of several languages', () => {
    const said = listed(
      `hi | Danke | merci | gracias | grazie | obrigado | bedankt | спасибо
      ありがとう | 谢谢 | 감사합니다`,
    );
    expect(said.map((message) => smallTalkOf(message)?.kind)).toEqual([
      'greeting',
      ...said.slice(1).map(() => 'thanks'),
    ]);
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
