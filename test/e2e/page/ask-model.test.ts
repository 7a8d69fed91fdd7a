import { expect, it } from 'vitest';
import { describePage } from '../../support/browser.ts';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { openPage } from '../../support/page.ts';
import { askedIn, denying, purposeOf, standIn } from '../../support/stand-in.ts';

const question = 'Within how many days are refunds paid?';
const quote = 'Refunds are paid within 30 days of purchase.';
const damaged = 'Shipping costs are refunded only if the item arrived damaged.';

describePage('Ask, with a model', () => {
  it('shows rewritten and removed sentences with reasons and keeps the conversation until a new one starts', async () => {
    const model = await startFakeProvider();
    model.reply(
      standIn({
        answer:
          'Refunds are paid within 40 days of purchase. [1][2] Moonlight softens every cheese of the valley. [1]',
        check: denying('Moonlight'),
        rewrite: (request) => `${askedIn(request).failed[0]?.n}: ${quote} [1]`,
      }),
    );
    const { ask, press, more, texts, text, look, count } = await openPage({
      settings: {
        LLM_BASE_URL: model.baseUrl,
        ANSWER_EFFORT: 'thorough',
        JUDGE_PROBE: 'off',
      },
    });
    const turn = await ask(question);
    await text('.turn .text').toBe(`${quote}1`);
    await more('Why this answer');
    await text('.below > p').toContain(
      'The sources do not support all that the model wrote: 1 sentence written again, 1 sentence left out.',
    );
    await texts('.below s').toEqual([
      'Refunds are paid within 40 days of purchase.',
      'Moonlight softens every cheese of the valley.',
    ]);
    await texts('.below .chip').toEqual([
      'different number',
      'not supported, according to the model',
    ]);
    await texts('.below .excerpt').toEqual([quote]);
    await look('ask-checked');
    await more('Why this answer', turn);
    await count('.below').toBe(0);

    await press('New chat');
    const before = model.requests.length;
    model.reply(standIn({ answer: `${quote} [1]` }));
    await ask(question);
    await ask('And above $500?');
    await count('article.turn').toBe(2);
    const messagesOf = (number: number) =>
      JSON.stringify(
        model.requests.slice(before).filter((one) => purposeOf(one) === 'answer')[number]?.body
          .messages,
      );
    expect(messagesOf(1)).toContain(question);
    await press('New chat');
    await count('article.turn').toBe(0);
    await ask('Who approves refunds?');
    expect(messagesOf(2)).not.toContain(question);
  });

  it('streams checked sentences, stops an answer when a new question is asked, and reports a model failure', async () => {
    const model = await startFakeProvider();
    const { page, find, press, ask, see, text, texts, look, count } = await openPage({
      settings: { LLM_BASE_URL: model.baseUrl },
    });
    const field = page.getByRole('textbox', { name: 'Question', exact: true });
    const firstReply = model.nextLive();
    await field.fill(question);
    await press('Ask');
    const reply = await firstReply;
    await text('.answer[aria-busy=true]').toMatch(/Reading\s*Refunds/);
    await look('ask-reading');
    reply.say(`${quote} [1] ${damaged.slice(0, 20)}`);
    await see(quote, find('.answer[aria-busy=true]'));
    reply.say(`${damaged.slice(20)} [2]`);
    reply.finish();
    await text('.answer[aria-busy=false] .text').toContain('arrived damaged.');

    await press('New chat');
    const stopped = model.nextLive();
    await field.fill(question);
    await press('Ask');
    await stopped;
    await press('Stop');
    await see('You stopped this answer.');

    await press('New chat');
    const secondReply = model.nextLive();
    await field.fill(question);
    await page.keyboard.press('Enter');
    const slow = await secondReply;
    model.reply(`${damaged} [1]`);
    const turn = await ask('When are shipping costs refunded?');
    await slow.closed;
    await text(turn.locator('.text')).toContain('arrived damaged');

    await press('New chat');
    model.reply((_, response) => void response.writeHead(503).end('{"error":{"message":"down"}}'));
    const failed = await ask(question);
    await text(failed.getByRole('alert')).toMatch(/model/i);
    await look('ask-offline');
    model.reply(`${quote} [1]`);
    await press('Retry', failed);
    await texts('.turn .text').toEqual([expect.stringContaining(quote)]);
    await count('article.turn').toBe(1);
  });

  it('reports that the model is unavailable when the answer quotes the documents instead', async () => {
    const model = await startFakeProvider();
    model.reply((_, response) => void response.writeHead(503).end('{"error":{"message":"down"}}'));
    const { ask, see, text } = await openPage({
      settings: { LLM_BASE_URL: model.baseUrl, LLM_FALLBACK_MODEL: 'extractive' },
    });
    await ask(question);
    await see('The model is unavailable.');
    await text('.turn').toMatch(/30 days/);
  });
});
