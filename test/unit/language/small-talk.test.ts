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
      hiii | heyyy there | Good morning everyone 😊 | hello, how are you doing today? | thaaanks | thx
      Thank you so much for your quick help! | ok thanks, that helps a lot | 🎉🎉🎉 | :) | That’s exactly what I needed | makes sense
      no worries | lol | have a great weekend | that's all for now, thanks | are you a human or a bot | help me please
      can you help me with something? | @agent hello | **Thanks!**
      Vielen Dank für die schnelle Antwort | D’accord | ¡Hola! ¿Qué tal? | va bene | tudo bem? | hoe gaat het? | Ты бот?
      お疲れ様です | 好的，明白了 | 감사 합니다! | ㅋㅋㅋㅋ
    `),
    'yes\nthank you\n\n🙏',
  ])('is detected in %j', (message) => {
    expect(smallTalkOf(message)).toBeDefined();
  });
});

describe('a question', () => {
  it.each(
    listed(`
      42 | refund | boot | thanks, and how long do refunds take? | ok so what about annual plans
      thank you page setup | bye period policy
      Can you help me cancel my subscription? | what can you do about spam? | how are you billed
      what is your address? | good night mode | yes, cancel it | see you in the logs
      have a great weekend rate? | sorry page 404 | hello() | print("hello") | \`thanks\`
      --help | /help | hi.example.com | thanks@example.com | thanks 10% | is this a bug | agent | i need help with my laptop
      can I ask you about parental leave
      Danke, wie lange dauert die Erstattung? | Kannst du mir bei der Kündigung helfen? | merci, et pour l'annulation ?
      gracias por la factura | grazie, e il rimborso?
      спасибо, а как вернуть деньги? | 名前 | ありがとうございます、返金はいつですか？ | 你能做退款吗？ | 감사합니다 연차는요?
    `),
  )('is not detected as small talk: %j', (message) => {
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
    ['called', ['', '  ', '?', '...', '@agent?']],
    [
      'greeting',
      listed(`
        hello | Hey agent! | Guten Tag | Bonjour | ¿Qué tal? | Ciao | Olá | hoi | как дела? | こんにちは | 你好 | 안녕하세요 | 👋
      `),
    ],
    [
      'thanks',
      listed(`
        ok | hi, thank you so much | Danke | merci beaucoup | gracias | grazie | obrigado | bedankt | спасибо | ありがとう | 谢谢
        감사합니다 | 👍
      `),
    ],
    [
      'bye',
      listed(`
        thanks, bye | Tschüss | au revoir | adiós | arrivederci | tchau | tot ziens | до свидания | さようなら | 再见 | 잘가요
      `),
    ],
    [
      'help',
      listed(`
        hello, what can you do? | Wobei können Sie mir helfen? | Que peux-tu faire ? | ¿Qué puedes hacer? | Cosa puoi fare?
        O que você pode fazer? | Wat kun je? | Что ты умеешь? | 何ができますか？ | 你能做什么？ | 뭐 할 수 있어?
      `),
    ],
  ])('include %s', (kind, messages) => {
    expect(messages.map((message) => [message, smallTalkOf(message)?.kind])).toEqual(
      messages.map((message) => [message, kind]),
    );
  });

  it('have a language, which is English for words of several languages', () => {
    const said = listed(
      'hi | Danke | merci | gracias | grazie | obrigado | bedankt | спасибо | ありがとう | 谢谢 | 감사합니다',
    );
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
