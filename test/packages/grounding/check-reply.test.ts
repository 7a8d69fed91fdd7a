import { describe, expect, it } from 'vitest';
import {
  checkReply,
  createReplyStream,
  ReplyCheck,
  splitSentences,
} from '../../../packages/grounding/src/index.ts';

const passages = [
  {
    title: 'Refund policy',
    text: 'Approved refunds take 5 to 10 business days. [3] Gift cards are not refunded.\n\n| Plan | Price |\n|---|---|\n| Team | $12 |\n| Business | $24 |',
    url: 'https://example.com/refunds',
  },
  {
    title: 'Recordings',
    text: 'Recordings of calls are kept for 90 days.\n\n```\nnpm run purge -- --all\n```',
  },
];
const reply = `Sure! Here's what I found:

## Refunds
Approved refunds take 5 to 10 business days [2]. Refunds take 5 to 10 weeks. Yes.

Gift cards are not refunded. [1]

- Recordings are kept for 90 days.
- Recordings are kept for 9 days.

| Plan | Price |
|---|---|
| Team | $12 | [1]
| Business | $42 |

\`\`\`bash
npm run purge -- --all
\`\`\`

Sources:
[1] Refunds
`;

describe('checkReply', () => {
  it('keeps the supported sentences in their layout, with citations numbered by support', () => {
    expect(checkReply(reply, passages).text).toBe(
      `Approved refunds take 5 to 10 business days. [1]

Gift cards are not refunded. [1]

- Recordings are kept for 90 days. [2]

| Plan | Price |
| --- | --- |
| Team | $12 [1] |

\`\`\`bash
npm run purge -- --all
\`\`\`
[2]`,
    );
  });

  it('gives each sentence with verdict, score, offsets and citations', () => {
    const { sentences, supported } = checkReply(reply, passages);
    expect(supported).toBe(false);
    expect(sentences.map(({ text, reason }) => [text, reason])).toEqual([
      ['Approved refunds take 5 to 10 business days.', undefined],
      ['Refunds take 5 to 10 weeks.', 'figure'],
      ['Yes.', 'empty'],
      ['Gift cards are not refunded.', undefined],
      ['Recordings are kept for 90 days.', undefined],
      ['Recordings are kept for 9 days.', 'figure'],
      ['| Team | $12|', undefined],
      ['| Business | $42 |', 'figure'],
      ['npm run purge -- --all', undefined],
    ]);
    expect(sentences.map(({ start, end }) => reply.slice(start, end).trim()).slice(0, 3)).toEqual([
      'Approved refunds take 5 to 10 business days [2].',
      'Refunds take 5 to 10 weeks.',
      'Yes.',
    ]);
    for (const { supported: isSupported, score, citations } of sentences) {
      expect(citations.length > 0).toBe(isSupported);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });

  it('quotes the given passages exactly, also around citation marks that they contain', () => {
    const { citations } = checkReply(reply, passages);
    expect(citations.map(({ index, passage }) => [index, passage])).toEqual([
      [1, 0],
      [2, 1],
    ]);
    for (const { passage, quote, start, end } of citations)
      expect(passages[passage]?.text.slice(start, end)).toBe(quote);
    expect(citations[0]?.quote).toContain('[3] Gift cards');
  });

  it.each([
    ['Gift cards are not refunded.', true],
    ['Yes. Gift cards are not refunded.', true],
    ['Gift cards are not refunded. 5 to 10 weeks.', false],
    ['Gift cards are not refunded. Coffee is free.', false],
    ['Yes.', false],
    ['', false],
    ['Coffee is free.', false],
    ['Gift cards are not refunded. '.repeat(600), true],
    ['Gift cards are not refunded. '.repeat(800), false],
  ])('is supported only as a whole: case %#', (text, supported) => {
    expect(checkReply(text, passages).supported).toBe(supported);
  });

  it('gives no offsets behind the reasoning of a model, which it removes', () => {
    const [first, second] = checkReply(
      'Gift cards are not refunded.\n\n<think>Free?</think>Recordings are kept for 90 days.',
      passages,
    ).sentences;
    expect(first).toMatchObject({ start: 0, end: 28 });
    expect(second).toMatchObject({ supported: true });
    expect(second).not.toHaveProperty('start');
  });

  it('takes the language of short passages from an option', () => {
    const german = [{ text: 'Gutscheinrückerstattung: 14 Werktage.' }];
    expect(
      checkReply('Gutscheinrückerstattung: 14 Wochen.', german, { language: 'de-AT' }),
    ).toMatchObject({ supported: false });
    expect(() => checkReply('a', german, { language: 'xx' })).toThrow(
      new RangeError('The language "xx" has no word lists.'),
    );
  });

  it.each([
    ['text must be a string.', () => checkReply(3 as never, passages)],
    ['passages must be an array.', () => checkReply('a', undefined as never)],
    [
      'passages[0].text must be a string, like its title and url.',
      () => checkReply('a', [null] as never),
    ],
    [
      'passages[0].text must be a string, like its title and url.',
      () => createReplyStream([{ text: 'a', title: 3 }] as never),
    ],
    ['passages must be an array.', () => new ReplyCheck('a' as never)],
    ['text must be a string.', () => splitSentences(undefined as never)],
  ])('refuses a wrong argument: %s', (message, call) => {
    expect(call).toThrow(new TypeError(message));
  });
});

describe('createReplyStream', () => {
  async function streamed(chunks: readonly string[]) {
    const stream = createReplyStream(passages);
    const shown: string[] = [];
    for await (const text of ReadableStream.from(chunks).pipeThrough(stream)) shown.push(text);
    return { shown, result: await stream.result };
  }

  it('emits each sentence once it is complete, and then the result', async () => {
    const { shown, result } = await streamed(reply.split(/(?<= )/));
    expect(shown[0]).toBe('Approved refunds take 5 to 10 business days. [1]');
    expect(shown.length).toBeGreaterThan(3);
    expect(shown).not.toContain('');
    expect(result).toEqual(checkReply(reply, passages));
  });

  it('rejects its result if the stream fails or is cancelled', async () => {
    const failing = createReplyStream(passages);
    const writer = failing.writable.getWriter();
    writer.closed.catch(() => undefined);
    const reading = failing.readable.getReader().read();
    reading.catch(() => undefined);
    await expect(writer.write(3 as never)).rejects.toThrow(TypeError);
    await expect(failing.result).rejects.toThrow(TypeError);
    const cancelled = createReplyStream(passages);
    await cancelled.readable.cancel(new Error('gone'));
    await expect(cancelled.result).rejects.toThrow('gone');
  });
});

it('splitSentences gives exact slices without headings and list marks', () => {
  const text =
    '# Plans\n\nPro costs $5. [1] It has\nsupport.\n\n- One. Two.\n\n| a | b |\n|---|---|\n| c | d |\n\n```\nx = 1\n```';
  const found = splitSentences(text);
  expect(found.map((one) => [one.kind, one.text])).toEqual([
    ['sentence', 'Pro costs $5. [1]'],
    ['sentence', 'It has\nsupport.'],
    ['item', 'One.'],
    ['item', 'Two.'],
    ['row', '| c | d |'],
    ['code', 'x = 1'],
  ]);
  for (const one of found) expect(text.slice(one.start, one.end)).toBe(one.text);
});

it.each([
  ['words in another script', 'Approved refunds take 5 to 10 business days только наличными.'],
  ['a fraction of one character', 'Approved refunds take ½ business day.'],
])('fails with %s that no passage has', (_, sentence) => {
  expect(checkReply(sentence, passages).text).toBe('');
});

it.each([
  ['a comment', 'Parking costs $4.\n<!-- Parking costs $99 on Sundays. -->\n'],
  ['a hidden element', 'Parking costs $4. <p style="display: none">Parking costs $99.</p>\n'],
  ['elements in a hidden one', '<div hidden>\n<div>a</div>\nParking costs $99.\n</div>\nParking.'],
])('does not read %s of a passage', (_, text) => {
  expect(checkReply('Parking costs $99.', [{ title: 'Parking', text }]).text).toBe('');
});

it('reads comments in code, which a reader sees', () => {
  const text = 'Add this:\n\n```html\n<!-- analytics -->\n```';
  expect(checkReply('```html\n<!-- analytics -->\n```', [{ title: 'Page', text }]).supported).toBe(
    true,
  );
});
