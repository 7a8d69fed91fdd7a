/** Sentences that are extracted without a model, their confidence, and the parts of a question. */
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../packages/shared/src/language/languages.ts';
import { contentWords, rawWords } from '../../../../packages/shared/src/language/tokens.ts';
import {
  type ConfidenceFeatures,
  extractAnswer,
  isSure,
  questionParts,
} from '../../../../src/app/ask/extract-answer.ts';

const askedOf = (question: string) =>
  contentWords(question).map(({ term, isName }) => ({
    word: term,
    forms: [{ term, weight: 1 }],
    idf: 1,
    isName,
  }));

describe('the extractive answer', () => {
  const ask = (question: string, ...texts: string[]) =>
    extractAnswer({
      question,
      passages: texts.map((text, position) => ({
        number: position + 1,
        label: 'Policy',
        text,
        language: 'en' as const,
        score: 1 / (position + 1),
      })),
      asked: askedOf(question),
    })?.extracts ?? [];

  it('is the answering sentence, word for word', () => {
    expect(
      ask(
        'how long do refunds take?',
        'Write to us.',
        'It is easy.\n\nRefunds are paid within 30 days.',
      ),
    ).toEqual([{ number: 2, text: 'Refunds are paid within 30 days.', kind: 'sentence' }]);
  });
  it('is undefined if the passages have another subject', () => {
    expect(ask('hello there', 'Refunds are paid within 30 days.')).toEqual([]);
  });
  it('quotes no image, HTML or list of sources', () => {
    expect(ask('refund', 'Sources: refund, evil.', 'Refund ![x](y).', 'Refund <b>x</b>.')).toEqual(
      [],
    );
  });
  it('is the sentence after a question in the text, not the question', () => {
    const faq =
      'Q: Where is my data stored?\nA: In Frankfurt, Germany.\n\nQ: Can I import data?\nA: Yes, from CSV.';
    const answer = ask('Where is my data stored?', faq);
    expect(answer[0]).toMatchObject({ text: 'A: In Frankfurt, Germany.' });
    expect(answer.filter(({ text }) => text.endsWith('?'))).toEqual([]);
    expect(
      ask(
        'is there a discount for schools?',
        '**Is there a discount for schools?** Yes, 20 percent.',
      ),
    ).toMatchObject([{ text: 'Yes, 20 percent.' }]);
  });
  it('is the table row that the question names', () => {
    const table =
      '| Plan | Price |\n|---|---|\n| Starter | $9 |\n| Team | $29 |\n| Enterprise | on request |';
    expect(ask('what is the price of the Enterprise plan?', table)).toMatchObject([
      { text: '| Enterprise | on request |' },
    ]);
  });
  it('does not split a sentence at a dot or question mark inside it', () => {
    const text =
      'The server runs on .NET 8 and needs Node.js 20. See https://status.example.com/list?region=eu for outages.';
    expect(ask('which .NET does the server run on?', text)).toMatchObject([
      { text: 'The server runs on .NET 8 and needs Node.js 20.' },
    ]);
  });

  it('includes the sentence that it refers to', () => {
    expect(
      ask(
        'when is the deposit returned?',
        'A deposit is taken for each room. It is returned within a week after you leave. Pets are welcome.',
      ),
    ).toMatchObject([
      { text: 'A deposit is taken for each room.' },
      { text: 'It is returned within a week after you leave.' },
    ]);
  });
  it('is one sentence if another would only repeat the topic', () => {
    const text =
      'Refunds are paid within 30 days. Refunds are described in the policy. Our team likes refunds a lot, and so do you.';
    expect(ask('how many days until refunds are paid?', text)).toMatchObject([
      { text: 'Refunds are paid within 30 days.' },
    ]);
  });
  it('is a list of steps in order if the question asks how', () => {
    const steps =
      'To reset a password:\n\n1. Open the settings.\n2. Select reset password.\n3. Follow the mail.\n';
    expect(ask('how do I reset my password?', steps).map(({ text }) => text)).toEqual([
      'To reset a password:',
      'Open the settings.',
      'Select reset password.',
      'Follow the mail.',
    ]);
  });
  it('defines a term with the sentence that begins with it', () => {
    const text =
      'You can switch off Kiosk in the menu. Kiosk is the screen that guests sign in at.';
    expect(ask('what is kiosk?', text)[0]).toMatchObject({
      text: 'Kiosk is the screen that guests sign in at.',
    });
  });
});

describe('a sure answer', () => {
  const sure: ConfidenceFeatures = {
    kind: 'time',
    hasKind: true,
    isTopic: false,
    isUnderQuestion: false,
    isOfHeading: false,
    position: 0,
    words: 3,
    own: 1,
    share: 1,
    above: 0,
    density: 0.3,
    isOfSubject: false,
    isRow: false,
    isConditional: false,
    steps: 0,
  };
  it.each<[string, Partial<ConfidenceFeatures>]>([
    ['lacks the kind that is asked for', { hasKind: false }],
    ['holds under a condition that the question does not name', { isConditional: true }],
    ['is not of the best passage and leaves out a word', { position: 1, own: 0.9 }],
    ['says too little of the question itself', { own: 0.6, share: 0.7 }],
    ['is long and holds the words by chance', { density: 0.04 }],
    ['answers a question of no known kind', { kind: undefined }],
    ['is one step where steps are asked for', { kind: 'steps', steps: 1, above: 1 }],
    ['is a list of steps under another heading', { kind: 'steps', steps: 3, above: 0.3 }],
  ])('is not given if the sentence %s', (_, change) => {
    expect(isSure(sure)).toBe(true);
    expect(isSure({ ...sure, ...change })).toBe(false);
  });
  it.each<[string, Partial<ConfidenceFeatures>]>([
    [
      'the table row of the subject, with the other words in its header',
      { isRow: true, isOfSubject: true, own: 0.4, share: 0.8 },
    ],
    ['the sentence that defines a term', { kind: undefined, isOfSubject: true, words: 1 }],
    [
      'a sentence with all words of a topic, including its headings',
      { kind: undefined, isTopic: true, own: 0.5 },
    ],
    ['a figure of the expected kind, with the other words in its headings', { own: 0.5 }],
    [
      'the sentence of the expected kind under the same question as heading',
      { isUnderQuestion: true, density: 0.05, own: 0.5 },
    ],
    [
      'steps under a heading that names their purpose',
      { kind: 'steps', steps: 2, above: 1, own: 0 },
    ],
  ])('is given for %s', (_, change) => {
    expect(isSure({ ...sure, ...change })).toBe(true);
  });
});

/** As the search returns them: by typed word. */
const typedIn = (question: string) =>
  rawWords(question).map((word) => ({ word: fold(word), forms: [], idf: 1, isName: false }));

describe('the parts of a question', () => {
  it.each([
    [
      "what's the uptime guarantee and what do I get if you miss it?",
      ["what's the uptime guarantee", 'what do I get if you miss it?'],
    ],
    ['How long is the trial? Do I need a card?', ['How long is the trial', 'Do I need a card?']],
    [
      'Wie lange dauert die Erstattung und wer genehmigt sie?',
      ['Wie lange dauert die Erstattung', 'wer genehmigt sie?'],
    ],
    ['how do I export and import contacts?', ['how do I export and import contacts?']],
  ])('are found in %s', (question, parts) => {
    expect(questionParts(question, typedIn(question)).map(({ text }) => text)).toEqual(parts);
  });

  it('treat words of other parts as background', () => {
    const question = 'uptime and who pays';
    const [first, second] = questionParts(question, typedIn(question));
    const own = (asked: typeof first) =>
      asked?.asked.filter(({ isBackground }) => isBackground !== true).map(({ word }) => word);
    expect([own(first), own(second)]).toEqual([['uptime'], ['who', 'pays']]);
  });
});
