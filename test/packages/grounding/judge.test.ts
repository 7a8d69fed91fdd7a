/** A judge decides what words mean; letters and figures stay with the rules. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  checkReply,
  createReplyStream,
  type Judge,
  ReplyCheck,
  verifySentences,
} from '../../../packages/grounding/src/index.ts';

const passages = [
  {
    title: 'Calls',
    text: 'Guests cannot record calls. Recordings are kept for 90 days. Run `purge --all` to delete them. The team says “ask first” at desk@example.com.',
  },
];
const verbatim = 'Guests cannot record calls.';
const denied = 'Guests can record calls.';
const paraphrase = 'Whatever participants captured stays available during 90 days.';
const yes: Judge = (sentences) => sentences.map(() => true);
const no: Judge = (sentences) => sentences.map(() => false);
const silent: Judge = (sentences) => sentences.map(() => undefined);

afterEach(() => vi.useRealTimers());

describe('checkReply with a judge', () => {
  it('drops a false sentence in the words of a passage', async () => {
    expect(checkReply(denied, passages).supported).toBe(true);
    const { text, sentences, supported } = await checkReply(denied, passages, { judge: no });
    expect([text, supported]).toEqual(['', false]);
    expect(sentences).toMatchObject([{ text: denied, supported: false, reason: 'judge' }]);
  });

  it('keeps a paraphrase, and cites the passage', async () => {
    expect(checkReply(paraphrase, passages).sentences).toMatchObject([{ reason: 'score' }]);
    const { text, citations } = await checkReply(`${paraphrase} [1]`, passages, { judge: yes });
    expect(text).toBe(`${paraphrase} [1]`);
    expect(citations[0]?.quote).toContain('90 days');
  });

  it.each([
    ['figure', 'Recordings are kept for ninety weeks.'],
    ['exact', 'Write to evil@example.com to delete recordings.'],
    ['exact', 'The team says “never ask” about recordings.'],
    ['exact', 'Recordings are kept in the S3 team.'],
    ['exact', '```\npurge --none\n```'],
    ['markup', 'Recordings are kept. <img src=x>'],
  ])(
    'does not ask about letters and figures that no passage has: %s in %s',
    async (reason, text) => {
      const judge = vi.fn(yes);
      const result = await checkReply(text, passages, { judge });
      expect(result.sentences.at(-1)).toMatchObject({ supported: false, reason });
      expect(judge.mock.calls.flatMap(([asked]) => asked).join()).not.toContain(text);
    },
  );

  it('asks once for all sentences that are not verbatim, with the passages', async () => {
    const judge = vi.fn(yes);
    await checkReply(`${verbatim} ${denied} ${paraphrase}`, passages, { judge });
    expect(judge.mock.calls.map(([asked, given]) => [asked, given])).toEqual([
      [[denied, paraphrase], passages],
    ]);
  });

  it.each<[string, Judge]>([
    ['has no verdict', silent],
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['returns another number of verdicts', () => [true]],
    ['returns no list', () => null as never],
  ])('leaves it to the rules, with a higher share of words, if the judge %s', async (_, judge) => {
    const half = 'Guests outside cannot record calls.';
    expect(checkReply(half, passages).supported).toBe(true);
    const { sentences } = await checkReply(`${half} ${denied}`, passages, { judge });
    expect(sentences.map(({ reason }) => reason)).toEqual(['score', undefined]);
  });

  it('leaves it to the rules if the judge is late, and tells the judge', async () => {
    vi.useFakeTimers();
    const signals: AbortSignal[] = [];
    const late: Judge = (_, __, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const checked = checkReply(`${denied} ${paraphrase}`, passages, { judge: late });
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await checked).text).toBe(`${denied} [1]`);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('refuses a judge of another type', () => {
    expect(() => checkReply('a', passages, { judge: 3 as never })).toThrow(
      new TypeError('judge must be a function.'),
    );
  });
});

it('checkReply without a judge returns no promise', () => {
  expect(checkReply(denied, passages)).toMatchObject({ text: `${denied} [1]` });
  const check = new ReplyCheck(passages, { judge: yes });
  expect(check.push(`${paraphrase} ${verbatim}`) + check.end()).toBe(`${verbatim} [1]`);
});

describe('a reply stream with a judge', () => {
  it('emits each sentence once it is decided', async () => {
    const stream = createReplyStream(passages, {
      judge: async (asked) => asked.map((one) => one === paraphrase),
    });
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    const write = (text: string) => writer.write(text).catch(() => undefined);
    void write(`${verbatim} ${denied} ${paraphrase} `);
    expect((await reader.read()).value).toBe(`${verbatim} [1]`);
    void write('Next');
    expect((await reader.read()).value).toBe(` ${paraphrase} [1]`);
    const closed = writer.close();
    expect((await reader.read()).done).toBe(true);
    await closed;
    expect((await stream.result).sentences.map(({ reason }) => reason)).toEqual([
      undefined,
      'judge',
      undefined,
      'judge',
    ]);
  });
});

it('verifySentences asks the judge', async () => {
  const verdicts = await verifySentences(
    [denied, paraphrase, 'They are kept for 9 days.'],
    passages,
    {
      judge: (asked) => asked.map((one) => one === paraphrase),
    },
  );
  expect(verdicts.map(({ reason }) => reason)).toEqual(['judge', undefined, 'figure']);
});
