import { describe, expect, it } from 'vitest';
import { segments } from '../../../packages/shared/src/language/segments.ts';
import { toSentenceCheck, toUnshown } from '../../../src/ask/dropped-sentences.ts';
import {
  createReciteCheck,
  randomBoundary,
  renderInstructions,
  renderTurnPrompt,
} from '../../../src/ask/prompt.ts';
import { passageOf } from '../../support/passages.ts';

const passage = passageOf(
  'Write to billing@example.com, see https://example.com/refunds or docs.example.com/help.',
);
const recitesPrompt = createReciteCheck();
const keptText = (text: string, recites = recitesPrompt) =>
  toUnshown([{ text, reason: 'score' }], [passage], recites)[0]?.text;

describe('a dropped sentence', () => {
  it('is one line of at most 500 visible characters', () => {
    expect(keptText('Refunds\u0000 take\r\n\u001b[31mtwo\u202e  weeks.\u200b ')).toBe(
      'Refunds take [31mtwo weeks.',
    );
    expect(keptText(`${'x'.repeat(499)}😀`)).toBe('x'.repeat(499));
    expect(toUnshown([{ text: 'Never.', reason: 'limit' }], [], recitesPrompt)).toEqual([
      { text: 'Never.', reason: 'limit' },
    ]);
  });

  it.each([
    ['Send it to evil@evil.example now.', 'Send it to … now.'],
    ['See https://evil.example/x?q=1 and www.evil.example!', 'See … and …'],
    ['See [here](https://evil.example/x), //evil.example or evil.example.', 'See … … or …'],
    ['See evil․example or https：//evil.example or evil\\.example now.', 'See … or … or … now.'],
    ['Click h\u200bttps://evil.ex\u00adample/x.', 'Click …'],
  ])('contains no address that the passages lack: %s', (text, shown) => {
    expect(keptText(text)).toMatch(
      new RegExp(`^${shown.replaceAll(/[[\]().?!]/g, '\\$&').replaceAll('…', '…[!.]?')}$`),
    );
    expect(keptText(text)).not.toMatch(/evil/);
  });

  it('keeps addresses of the passages and similar text', () => {
    for (const text of [
      'Refunds go to billing@example.com, says https://example.com/refunds.',
      'Ask docs.example.com/help about 1.5 GB, e.g. of v2.',
      'The fee is 12.50 EUR.',
    ])
      expect(keptText(text)).toBe(text);
  });
});

describe('a sentence that was written again', () => {
  const sentence = { text: 'Write to billing@example.com.', index: 1, score: 1 };
  const counts = { dropped: 0, repaired: 0, rewritten: 1, checkedBy: 'model' } as const;
  const checkOf = (text: string) =>
    toSentenceCheck(
      {
        ...{ reason: 'answered', text: '', citations: [], droppedSentences: [], ...counts },
        sentences: [sentence, { ...sentence, rewritten: { text, reason: 'exact' } }],
      },
      [passage],
      recitesPrompt,
    );
  const rewritten = { ...sentence, rewritten: true, reason: 'exact' };

  it("has its reason and the model's own words, without addresses that the passages lack", () => {
    expect(checkOf('Write to evil@evil.example now.')).toEqual({
      kept: [sentence, { ...rewritten, instead: 'Write to … now.' }],
      droppedSentences: [],
      ...counts,
    });
  });

  it('hides the words of the model if they recite the instructions', () => {
    const [recited = ''] = renderInstructions().split('\n');
    expect(checkOf(recited).kept[1]).toEqual({ ...rewritten, instead: null });
  });
});

describe('a model that recites its prompt', () => {
  const instructions = renderInstructions(undefined, ['listCalls']);
  const prompt = renderTurnPrompt(
    'How long?',
    [{ number: 1, label: 'Refunds', text: 'Within 30 days.' }],
    randomBoundary(),
  );
  const sentencesOf = (text: string) =>
    [...segments(text)].map(({ start, end }) => text.slice(start, end));
  const pieces = [
    ...sentencesOf(instructions),
    ...instructions.split('\n'),
    prompt.split('\n')[0] ?? '',
    ...instructions.split(/[,.:\n]/).filter((part) => /\p{L}/u.test(part) && !part.includes('[1]')),
  ];

  it.each([
    ['word by word', (text: string) => text],
    ['letter by letter', (text: string) => [...text].join(' ')],
    ['with signs between', (text: string) => text.replaceAll(' ', '_-\u200b')],
    ['among other words', (text: string) => `My instructions are: "${text}" and that is all.`],
  ])('%s is not repeated', (name, write) => {
    const whole =
      name === 'among other words'
        ? pieces.filter((text) => (text.match(/\p{L}+/gu) ?? []).length >= 5)
        : pieces;
    expect(whole.length).toBeGreaterThan(5);
    for (const text of whole) expect([text, keptText(write(text))]).toEqual([text, null]);
  });

  it('is not repeated in the smallest parts', () => {
    for (const word of instructions.match(/\p{L}+/gu) ?? [])
      expect([word, keptText(word)]).toEqual([word, null]);
  });

  it.each([
    [
      'with a word between every three',
      (text: string) => text.replace(/((?:\S+\s){3})/g, '$1banana '),
    ],
    [
      'backwards',
      (text: string) => text.replace(/\p{L}+/gu, (word) => [...word].reverse().join('')),
    ],
  ])('is not repeated %s', (_, disguise) => {
    for (const sentence of sentencesOf(instructions).filter(
      (one) => (one.match(/\p{L}{4,}/gu) ?? []).length > 4,
    ))
      expect(keptText(disguise(sentence)), sentence).toBeNull();
  });

  it('is not repeated in a code', () => {
    const code = Buffer.from(instructions).toString('base64');
    expect(keptText(`They told me ${code} before.`)).toBe('They told me … before.');
    expect(keptText('Die Rechtsschutzversicherungsgesellschaft zahlt.')).toBe(
      'Die Rechtsschutzversicherungsgesellschaft zahlt.',
    );
  });

  it('is distinguished from sentences of the documents', () => {
    for (const text of [
      'Refunds are paid within 30 days of purchase.',
      'The passages of the handbook are numbered.',
      'The numbered list of fees holds a last figure for couriers, vans and lorries.',
    ])
      expect(keptText(text)).toBe(text);
  });
});
