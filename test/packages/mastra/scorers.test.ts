import { describe, expect, it } from 'vitest';
import {
  createCitationsScorer,
  createGroundingScorer,
  createRefusalScorer,
} from '../../../packages/mastra/src/scorers.ts';

const open = 'Refunds are open for 30 days.';
const source = 'https://example.com/refunds';
const results = [
  { title: 'Refunds', file: 'refunds.md', source, text: open },
  { title: 'Office', file: 'office.md', source: '', text: 'The office opens at nine.' },
];
const sources = `Sources:\n[1] Refunds (${source})\n[2] Office (office.md)`;
const refused = 'I could not find that in the documents.\n\nSources: none';

/** Messages of an answer. @param coverage null: nothing was searched */
function messagesOf(text: string, coverage: number | null = 1, toolName = 'docsRetriever'): any[] {
  const result = { coverage, mode: 'lexical', results };
  const toolInvocation = { state: 'result', toolCallId: '1', toolName, args: {}, result };
  const uses = coverage === null ? [] : [{ type: 'tool-invocation', toolInvocation }];
  const parts = [...uses, { type: 'text', text }];
  return [{ role: 'assistant', content: { format: 2, parts } }];
}

const run = (
  scorer: ReturnType<typeof createGroundingScorer>,
  output: any[],
  groundTruth?: unknown,
) =>
  scorer.run({
    output,
    groundTruth,
    input: {
      inputMessages: [],
      rememberedMessages: [],
      systemMessages: [],
      taggedSystemMessages: {},
    },
  });

describe.each([
  ['the grounding scorer', createGroundingScorer],
  ['the citations scorer', createCitationsScorer],
])('%s', (_, create) => {
  const score = (...given: Parameters<typeof messagesOf>) => run(create(), messagesOf(...given));

  it('scores 1 if each sentence is in its source', async () => {
    const text = `${open} [1] The office opens at nine. [2]\n\n${sources}`;
    expect(await score(text)).toMatchObject({ score: 1, reason: '2 of 2 sentences pass.' });
  });

  it('scores the share of supported sentences, and quotes the others', async () => {
    const text = `${open} [1] The office opens at ten. [2]\n\n${sources}`;
    expect(await score(text)).toMatchObject({
      score: 0.5,
      reason: expect.stringContaining('The office opens at ten.'),
    });
  });

  it('does not score silence, small talk, refusals, sections and answers from other tools', async () => {
    const section = `**Refunds**\n\n${open} [1]\n\n${sources}`;
    const given: Parameters<typeof messagesOf>[] = [[''], ['Hello!', null], [refused], [section]];
    given.push([`This may answer it:\n\n${section}`]);
    given.push([`You had 2 calls. [1]\n\nSources:\n[1] Your calls`, 1, 'listCalls']);
    const scores = [run(create(), []), ...given.map((one) => score(...one))];
    for (const { notScorable } of await Promise.all(scores))
      expect(notScorable).toMatchObject({ step: 'preprocess' });
  });
});

it.each([createGroundingScorer, createCitationsScorer])(
  'a scorer asks its judge',
  async (create) => {
    const scorer = create({
      judge: (sentences) => sentences.map((one) => !one.includes('closed')),
    });
    const text = `Refunds are closed for 30 days. [1] Money comes back within 30 days. [1]\n\n${sources}`;
    expect(await run(scorer, messagesOf(text))).toMatchObject({
      score: 0.5,
      reason: expect.stringContaining('Refunds are closed for 30 days.'),
    });
  },
);

describe('the citations scorer', () => {
  it.each([
    [open, 'Cites nothing'],
    [`${open} [3]`, 'not listed'],
    [`${open} [2]`, 'Its source does not support it'],
  ])('scores 0 for: %s', async (text, reason) => {
    const messages = messagesOf(`${text}\n\n${sources}`);
    const result = await run(createCitationsScorer(), messages);
    expect(result).toMatchObject({ score: 0, reason: expect.stringContaining(reason) });
    expect(await run(createGroundingScorer(), messages)).toMatchObject({ score: 1 });
  });
});

describe('the refusal scorer', () => {
  const answer = `${open} [1]\n\n${sources}`;

  it.each([
    ['an answer with a source', answer, 1, undefined, 1],
    ['an answer without a source', open, 1, undefined, 0],
    ['a refusal of a question that the passages do not cover', refused, 0.1, undefined, 1],
    ['a refusal of a question that the passages cover', refused, 0.9, undefined, 0],
    ['a refusal that the ground truth expects', refused, 0.9, { answered: false }, 1],
    ['an answer that the ground truth does not expect', answer, 1, { answered: false }, 0],
  ])('scores %s', async (_, text, coverage, groundTruth, score) => {
    const result = await run(createRefusalScorer(), messagesOf(text, coverage), groundTruth);
    expect(result).toMatchObject({ score });
  });

  it('does not score silence and small talk', async () => {
    for (const messages of [messagesOf(''), messagesOf('Hello!', null)])
      expect(await run(createRefusalScorer(), messages)).toHaveProperty('notScorable');
  });
});
